package import MeshCore

/// One difference on one resource.
package struct Change: Hashable, Sendable {
    /// What happens to the resource.
    package enum Action: String, CaseIterable, Sendable {
        /// It does not exist yet.
        case create
        /// It exists with another value.
        case update
        case delete
        /// It is no longer managed and stays as it is.
        case forget
        /// It no longer exists and is created again.
        case replace
    }

    /// The kinds of resources.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// A NetKey of the network.
        case subnet = 0
        case applicationKey = 1
        case group = 2
        /// The management of a node: its name, its protection and its removal policy; deleted if the node is reset.
        case node = 3
        /// The composition of a node; read, not written.
        case composition = 4
        case nodeSubnet = 5
        case nodeApplicationKey = 6
        /// An AppKey bound to a model.
        case binding = 7
        /// A group that a model subscribes to.
        case subscription = 8
        case publication = 9
        case defaultTTL = 10
        case secureNetworkBeacon = 11
        case networkTransmit = 12
        case relay = 13
        case relayRetransmit = 14
        case proxy = 15
        case friend = 16
        case provisioning = 17
        case heartbeatPublication = 18
        case heartbeatSubscription = 19
        case nodeIdentity = 20
        case sarTransmitter = 21
        case sarReceiver = 22
        case privateBeacon = 23
        case privateGATTProxy = 24
        case onDemandPrivateProxy = 25
        case privateNodeIdentity = 26
        case subnetBridge = 27
        case bridgingTableEntry = 28
        case modelState = 29
        /// What people call something; no message.
        case title = 30
    }

    package var resource: ResourceAddress
    package var kind: Kind
    package var action: Action
    /// The node it is on; nil for resources of the network.
    package var node: DeviceUUID?
    /// The present value, for people; nil if there is none or it is unknown. Never a key.
    package var before: String?
    /// The new value, for people; nil if there will be none. Never a key.
    package var after: String?
    /// Whether it follows from another change and has no step of its own, like the bindings of a deleted AppKey.
    package var isImplied: Bool
    /// Whether it is only partly known until the node's composition is read or another node has its address.
    /// `element[*]` in the address stands for each element that has the model.
    package var isDeferred: Bool
    /// The address under its former name; nil if the name stays.
    package var previousAddress: String?
    /// The value recorded before the node reported another one; nil if the record was right.
    package var drift: ChangeDrift?

    package init(
        of resource: ResourceAddress,
        kind: Kind,
        action: Action,
        node: DeviceUUID? = nil,
        before: String? = nil,
        after: String? = nil,
        isImplied: Bool = false,
        isDeferred: Bool = false,
        previousAddress: String? = nil
    ) {
        self.resource = resource
        self.kind = kind
        self.action = action
        self.node = node
        self.before = before
        self.after = after
        self.isImplied = isImplied
        self.isDeferred = isDeferred
        self.previousAddress = previousAddress
    }
}

extension Change {
    package init(
        address: String,
        kind: Kind,
        action: Action,
        node: DeviceUUID? = nil,
        before: String? = nil,
        after: String? = nil,
        isImplied: Bool = false,
        isDeferred: Bool = false,
        previousAddress: String? = nil
    ) {
        self.init(
            of: ResourceAddress(address),
            kind: kind,
            action: action,
            node: node,
            before: before,
            after: after,
            isImplied: isImplied,
            isDeferred: isDeferred,
            previousAddress: previousAddress
        )
    }

    /// The address of the resource, like `node.kitchen-1.element[0].generic-onoff-server.subscription.kitchen`. It is
    /// put together on each call.
    package var address: String { resource.text }
}

/// Says that a change exists because somebody else changed the node.
package struct ChangeDrift: Hashable, Sendable {
    /// The value that was last set or imported, for people; nil if there was none. Never a key.
    package var recorded: String?
    /// When a read-back first reported another value.
    package var since: Timestamp
}

extension Change.Kind {
    package init(_ kind: FoundationState.Kind) {
        self =
            switch kind {
            case .heartbeatPublication: .heartbeatPublication
            case .heartbeatSubscription: .heartbeatSubscription
            case .nodeIdentity: .nodeIdentity
            case .sarTransmitter: .sarTransmitter
            case .sarReceiver: .sarReceiver
            case .privateBeacon: .privateBeacon
            case .privateGATTProxy: .privateGATTProxy
            case .onDemandPrivateProxy: .onDemandPrivateProxy
            case .privateNodeIdentity: .privateNodeIdentity
            case .subnetBridge: .subnetBridge
            }
    }
}
