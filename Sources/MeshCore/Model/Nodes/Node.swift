/// What the mesh database knows about one node. Optional values are nil while unknown. A value is known once a status
/// or read-back told it, never because a message was sent.
package struct Node: Hashable, Sendable {
    package var uuid: DeviceUUID
    /// Its name: that of the definition if it is managed, else that of the database.
    package var name: String
    /// The address of its primary element. The other elements have the addresses that follow.
    package var unicastAddress: UnicastAddress
    /// The key that secures configuration. Nil only if a partial import lacked it; then the node cannot be configured.
    package var deviceKey: KeyMaterial?
    /// Whether its public key was read out of band when it was provisioned (the database format's `security`).
    package var isSecurelyProvisioned: Bool
    /// How it proved who it is; nil if others provisioned it, or if that was not recorded.
    package var authentication: NodeAuthentication?
    /// Whether the database's former owner called the configuration complete.
    package var isConfigComplete: Bool
    /// Whether it is excluded from the network: its messages are ignored, and key refreshes leave it out.
    package var isExcluded: Bool
    /// Whether an applied definition names it. Plans do not change nodes that are not managed.
    package var isManaged: Bool
    /// Whether plans must not remove or reset it, even after it has left the definition.
    package var isProtected: Bool
    /// What happens to it when it leaves the definition.
    package var removalPolicy: RemovalPolicy = .forget
    /// When a device with its UUID was last seen unprovisioned, which means that it was reset. Nil if never, or if the
    /// node was heard since.
    package var unprovisionedSeenAt: Timestamp?
    /// Company, product and version; nil until the composition is read.
    package var product: Product?
    /// The states of its features; nil for unknown ones.
    package var features: Features
    /// Its NetKeys, sorted by index.
    package var netKeys: [NodeKey<NetKeyIndex>]
    /// Its AppKeys, sorted by index.
    package var appKeys: [NodeKey<AppKeyIndex>]
    package var secureNetworkBeacon: Bool?
    /// The Default TTL state, 0 or 2...127.
    package var defaultTTL: UInt8?
    package var networkTransmit: TransmitParameters?
    package var relayRetransmit: TransmitParameters?
    /// Other known states of the whole node, one of each kind, sorted by kind. `record(_:)` changes them.
    package var states: [FoundationState] = []
    /// The known entries of the bridging table, sorted; nil while nothing is known about it.
    package var bridgingTable: [BridgingTableEntry]?
    /// The octets of its Composition Data pages other than page 0, by number; nil until they are read.
    package var compositionPages: [UInt8: [UInt8]]?
    /// The octets of its Models Metadata pages, by number; nil until they are read.
    package var modelsMetadata: [UInt8: [UInt8]]?
    /// The elements in the order of their indexes.
    package var elements: [Element]
    /// When a message from the node last confirmed some of this; nil after an import.
    package var observedAt: Timestamp?
    /// Over how many hops its messages came when that was last known, the link of the proxy included: the least Default
    /// TTL with which they arrive. It is no state of the node, and outdates no plan. Nil if nobody counted.
    package var hops: UInt8?
    /// When the node last reported its whole configuration; nil if never.
    package var readBackAt: Timestamp?
    /// What that read-back could not read, although the node answered other Gets, and later requests in doubt. The
    /// record of those values is unchanged.
    package var unread: [UnreadRecord] = []
    /// Values that a run has changed for a moment and that are not restored yet, each once, in the order in which they
    /// were read.
    package var held: [HeldState] = []
    /// The Heartbeat Publication that the node had before hops were counted, and that it is to have again; nil if it
    /// has its own. ``record(_:)`` of another Heartbeat Publication ends it.
    package internal(set) var heartbeatToRestore: HeartbeatPublication?

    /// A Get that the node did not answer, or answered with something that is no answer; or a request to change a list
    /// entry or a publication whose outcome is unknown.
    package struct UnreadRecord: Hashable, Sendable {
        /// The Get or the request, in the format of plan files.
        package var request: [UInt8]
        /// The access payload that arrived, opcode included; nil if none did, and for requests in doubt.
        package var answer: [UInt8]?

        package init(request: [UInt8], answer: [UInt8]?) {
            self.request = request
            self.answer = answer
        }
    }

    /// The identity of a product in Composition Data page 0.
    package struct Product: Hashable, Sendable {
        /// The company identifier (CID).
        package var company: UInt16
        /// The product identifier (PID).
        package var product: UInt16
        /// The version (VID).
        package var version: UInt16
        /// The number of sources in the replay list (CRPL).
        package var replayListSize: UInt16

        package init(company: UInt16, product: UInt16, version: UInt16, replayListSize: UInt16) {
            self.company = company
            self.product = product
            self.version = version
            self.replayListSize = replayListSize
        }
    }

    /// The four features; nil while unknown.
    package struct Features: Hashable, Sendable {
        package var relay: FeatureState?
        package var proxy: FeatureState?
        package var friend: FeatureState?
        /// Low Power; on means that the node currently is a Low Power node.
        package var lowPower: FeatureState?

        package init(
            relay: FeatureState? = nil,
            proxy: FeatureState? = nil,
            friend: FeatureState? = nil,
            lowPower: FeatureState? = nil
        ) {
            self.relay = relay
            self.proxy = proxy
            self.friend = friend
            self.lowPower = lowPower
        }
    }

    /// A node about which only these values are known.
    package init(
        uuid: DeviceUUID,
        name: String,
        unicastAddress: UnicastAddress,
        deviceKey: KeyMaterial?,
        elements: [Element] = [],
        netKeys: [NodeKey<NetKeyIndex>] = [],
        appKeys: [NodeKey<AppKeyIndex>] = []
    ) {
        self.uuid = uuid
        self.name = name
        self.unicastAddress = unicastAddress
        self.deviceKey = deviceKey
        self.elements = elements
        self.netKeys = netKeys
        self.appKeys = appKeys
        isSecurelyProvisioned = false
        isConfigComplete = false
        isExcluded = false
        isManaged = false
        isProtected = false
        features = Features()
    }

    /// Whether the models of the elements are known. Provisioning tells the number of elements, and only the
    /// composition tells their models. Until then all elements are without models, although every node has at least a
    /// Configuration Server.
    package var isCompositionKnown: Bool { elements.contains { !$0.models.isEmpty } }

    /// The addresses of all elements; at least that of the primary one.
    package var addresses: ClosedRange<UInt16> {
        let last = min(Int(unicastAddress.rawValue) + max(elements.count, 1) - 1, Int(UnicastAddress.last.rawValue))
        return unicastAddress.rawValue...UInt16(last)
    }

    package func knows(_ index: NetKeyIndex) -> Bool { netKeys.contains { $0.index == index } }

    package func knows(_ index: AppKeyIndex) -> Bool { appKeys.contains { $0.index == index } }
}

extension Node {
    /// The position of a model's record: its element and its place there; nil if the node does not have it.
    package func place(of address: ModelAddress) -> (element: Int, model: Int)? {
        let element = Int(address.element)
        guard element < elements.count else { return nil }
        return elements[element].place(of: address.model).map { (element, $0) }
    }
}

/// A key that a node knows.
package struct NodeKey<Index: KeyIndex>: Hashable, Sendable {
    package var index: Index
    /// How far the node has come in a key refresh of it.
    package var progress: KeyRefreshProgress

    package init(index: Index, progress: KeyRefreshProgress) {
        self.index = index
        self.progress = progress
    }

    package init(index: Index, isUpdated: Bool = false) {
        self.init(index: index, progress: isUpdated ? .updated : .none)
    }

    /// Whether the node already has the new key, during a key refresh.
    package var isUpdated: Bool { progress >= .updated }
}

/// One element of a node.
package struct Element: Hashable, Sendable {
    /// Its name in the database, if any.
    package var name: String?
    /// Its place, a GATT namespace descriptor.
    package var location: UInt16
    /// Its models, each once, in the order of the composition.
    package var models: [Model]

    package init(name: String? = nil, location: UInt16 = 0, models: [Model] = []) {
        self.name = name
        self.location = location
        self.models = models
    }
}

extension Element {
    /// The place of a model in ``models``. It searches by index, since a loop would copy the record of each model.
    package func place(of model: ModelIdentifier) -> Int? {
        for index in models.indices where models[index].identifier == model { return index }
        return nil
    }
}

/// One model instance and its configuration.
package struct Model: Hashable, Sendable {
    package var identifier: ModelIdentifier
    /// The AppKeys bound to it, sorted.
    package var bindings: [AppKeyIndex]
    /// The addresses that it subscribes to, sorted.
    package var subscriptions: [SubscriptionAddress]
    /// Its publication; nil if it does not publish.
    package var publication: Publication?
    /// The ``bindings`` that exist because an applied definition demands them, sorted. They go when no definition
    /// demands them any longer. Others stay as long as no definition lists the bindings of the model.
    package var managedBindings: [AppKeyIndex] = []
    /// The same for ``subscriptions``.
    package var managedSubscriptions: [SubscriptionAddress] = []
    /// The same for ``publication``.
    package var isPublicationManaged = false
    /// What the model has reported of its lasting states, each once, in the order of their forms.
    package var states: [KnownModelState] = []

    package init(
        identifier: ModelIdentifier,
        bindings: [AppKeyIndex] = [],
        subscriptions: [SubscriptionAddress] = [],
        publication: Publication? = nil
    ) {
        self.identifier = identifier
        self.bindings = bindings
        self.subscriptions = subscriptions
        self.publication = publication
    }
}

/// An earlier way to count hops lent a node's Heartbeat Publication. Plans give it back where that was interrupted.
extension Node {
    /// Records the value that the node is to have again as it was stored.
    package mutating func recordHeartbeatToRestore(_ own: HeartbeatPublication) {
        heartbeatToRestore = own
    }
}

extension Node {
    /// The known value of a state; nil if unknown.
    package func state(_ kind: FoundationState.Kind) -> FoundationState? {
        states.first { $0.kind == kind }
    }

    /// Whether the primary element has a model, as far as the composition is known.
    package func hasPrimary(_ model: ModelIdentifier) -> Bool {
        elements.first?.models.contains { $0.identifier == model } ?? false
    }

    /// Records a value that the node has. A part that it leaves open keeps its known value. A running Node Identity
    /// stops by itself, so it makes the state unknown.
    package mutating func record(_ state: FoundationState) {
        let kind = state.kind
        if kind == .heartbeatPublication { heartbeatToRestore = nil }
        let index = states.firstIndex { $0.kind >= kind } ?? states.endIndex
        let isKnown = index < states.endIndex && states[index].kind == kind
        switch state {
        case .nodeIdentity(_, .running), .privateNodeIdentity(_, .running):
            if isKnown { states.remove(at: index) }
        default:
            if isKnown {
                states[index] = state.completed(by: states[index])
            } else {
                states.insert(state, at: index)
            }
        }
    }

    /// Records a value that the node reports, unless the recorded value explains it.
    package mutating func recordReport(_ report: FoundationState) {
        if state(report.kind)?.allows(report) == true { return }
        record(report)
    }

    /// Makes a state unknown.
    package mutating func forgetState(_ kind: FoundationState.Kind) {
        if kind == .heartbeatPublication { heartbeatToRestore = nil }
        states.removeAll { $0.kind == kind }
    }

    /// Forgets the states that go with a deleted NetKey: those of the subnet, a heartbeat publication that it secures
    /// (Mesh Protocol 4.4.1.2), and the bridging entries with the subnet (1.1, 4.4.9).
    package mutating func forgetStates(of subnet: NetKeyIndex) {
        states.removeAll { $0.kind.subnet == subnet }
        if case .heartbeatPublication(let heartbeat) = state(.heartbeatPublication), !heartbeat.isOff,
            heartbeat.netKeyIndex == subnet
        {
            forgetState(.heartbeatPublication)
        }
        bridgingTable?.removeAll { $0.subnets.first == subnet || $0.subnets.second == subnet }
    }

    /// Records an entry of the bridging table. It replaces an entry about the same addresses.
    package mutating func recordBridging(_ entry: BridgingTableEntry) {
        removeBridging(entry)
        var table = bridgingTable ?? []
        table.insert(entry, at: table.firstIndex { $0 > entry } ?? table.endIndex)
        bridgingTable = table
    }

    /// Records that the bridging table has no entry about the same addresses.
    package mutating func removeBridging(_ entry: BridgingTableEntry) {
        bridgingTable?.removeAll { $0.isAbout(entry) }
    }

    /// Records that the bridging table has no entry from the first to the second of the subnets.
    package mutating func removeBridging(between subnets: NetKeyIndexPair) {
        bridgingTable?.removeAll { $0.subnets == subnets }
    }
}
