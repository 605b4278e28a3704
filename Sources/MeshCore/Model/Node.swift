/// What the mesh database knows of one node. Optional values are nil while unknown: known means a status or a
/// read-back said so, never that a message was sent.
package struct Node: Hashable, Sendable {
    /// The node's identity.
    package var uuid: DeviceUUID
    /// Its name: that of the definition once managed, else the database's.
    package var name: String
    /// The address of its primary element; its elements have the addresses from here on.
    package var unicastAddress: UnicastAddress
    /// The key that secures configuration; nil only where a partial import lacked it, and then nothing can be sent.
    package var deviceKey: KeyMaterial?
    /// Whether it was provisioned with authentication (the database format's `security`).
    package var isSecurelyProvisioned: Bool
    /// Whether the database's former owner called the configuration complete.
    package var isConfigComplete: Bool
    /// Excluded from the network: messages from it are ignored and its keys are to be refreshed away.
    package var isExcluded: Bool
    /// Whether a definition that was applied names it. Nodes that are not managed are left alone.
    package var isManaged: Bool
    /// Refuses removal and reset even after its line is gone from the definition.
    package var isProtected: Bool
    /// What becomes of it when its line is gone from the definition.
    package var removalPolicy: RemovalPolicy = .forget
    /// When a device with its UUID was last seen unprovisioned, which means that it was reset; nil if it was not, or
    /// if the node was heard since.
    package var unprovisionedSeenAt: Timestamp?
    /// Identifies the product: company, product and version; unknown before the composition was read.
    package var product: Product?
    /// The features it has and their states; unknown ones are nil.
    package var features: Features
    /// Its NetKeys, sorted by index.
    package var netKeys: [NodeKey<NetKeyIndex>]
    /// Its AppKeys, sorted by index.
    package var appKeys: [NodeKey<AppKeyIndex>]
    /// The Secure Network Beacon state.
    package var secureNetworkBeacon: Bool?
    /// The Default TTL state, 0 or 2...127.
    package var defaultTTL: UInt8?
    /// The Network Transmit state.
    package var networkTransmit: TransmitParameters?
    /// The Relay Retransmit state.
    package var relayRetransmit: TransmitParameters?
    /// Further states of the node as a whole, as far as they are known: one of each kind, sorted by it. Changed by
    /// `record(_:)`.
    package var states: [FoundationState] = []
    /// The entries known to be in the bridging table, sorted; nil while nothing is known of it.
    package var bridgingTable: [BridgingTableEntry]?
    /// The Composition Data pages that the node has beside page 0, as octets by their numbers; nil before they were
    /// read.
    package var compositionPages: [UInt8: [UInt8]]?
    /// The pages of Models Metadata that the node has, as octets by their numbers; nil before they were read.
    package var modelsMetadata: [UInt8: [UInt8]]?
    /// The elements in the order of their indexes.
    package var elements: [Element]
    /// When a message from the node last confirmed any of this; nil after an import.
    package var observedAt: Timestamp?
    /// When the node was last asked for all of its configuration and told it; nil if it never was.
    package var readBackAt: Timestamp?
    /// What could not be read then, although the node answered other Gets: it is recorded as it was before.
    package var unread: [UnreadRecord] = []

    /// A Get that a node did not answer, or not with what can be an answer.
    package struct UnreadRecord: Hashable, Sendable {
        /// The Get, as plan files have it.
        package var request: [UInt8]
        /// The access payload that came, opcode included; nil if none did.
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
        /// Sources the replay list holds (CRPL).
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
        /// Relay.
        package var relay: FeatureState?
        /// GATT Proxy.
        package var proxy: FeatureState?
        /// Friend.
        package var friend: FeatureState?
        /// Low Power: on means that the node is a Low Power node at present.
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

    /// A node of which only the given values are known.
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

    /// Whether the elements and their models are known. A device tells the number of its elements when it is
    /// provisioned and their models only in its composition, so until then the elements stand there without models;
    /// every node has at least a Configuration Server.
    package var isCompositionKnown: Bool { elements.contains { !$0.models.isEmpty } }

    /// The addresses of all elements; at least the primary one.
    package var addresses: ClosedRange<UInt16> {
        let last = min(Int(unicastAddress.rawValue) + max(elements.count, 1) - 1, Int(UnicastAddress.last.rawValue))
        return unicastAddress.rawValue...UInt16(last)
    }

    /// Whether the node has the NetKey.
    package func knows(_ index: NetKeyIndex) -> Bool { netKeys.contains { $0.index == index } }

    /// Whether the node has the AppKey.
    package func knows(_ index: AppKeyIndex) -> Bool { appKeys.contains { $0.index == index } }
}

extension Node {
    /// Where the record of a model stands: its element and its place there; nil if the node does not have it.
    package func place(of address: ModelAddress) -> (element: Int, model: Int)? {
        let element = Int(address.element)
        guard element < elements.count else { return nil }
        return elements[element].place(of: address.model).map { (element, $0) }
    }
}

/// A key that a node knows.
package struct NodeKey<Index: KeyIndex>: Hashable, Sendable {
    /// Which key.
    package var index: Index
    /// How far the node has come in a key refresh.
    package var progress: KeyRefreshProgress

    package init(index: Index, progress: KeyRefreshProgress) {
        self.index = index
        self.progress = progress
    }

    /// A key in that state.
    package init(index: Index, isUpdated: Bool = false) {
        self.init(index: index, progress: isUpdated ? .updated : .none)
    }

    /// Whether, during a key refresh, the node already has the new key.
    package var isUpdated: Bool { progress >= .updated }
}

/// One element of a node.
package struct Element: Hashable, Sendable {
    /// Its name in the database, if any.
    package var name: String?
    /// Where it is, a GATT namespace descriptor.
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
    /// The place of a model among ``models``. Goes by index, since a loop would copy the record of each model.
    package func place(of model: ModelIdentifier) -> Int? {
        for place in models.indices where models[place].identifier == model { return place }
        return nil
    }
}

/// One model instance and its configuration.
package struct Model: Hashable, Sendable {
    /// Which model.
    package var identifier: ModelIdentifier
    /// The AppKeys bound to it, sorted.
    package var bindings: [AppKeyIndex]
    /// What it subscribes to, sorted.
    package var subscriptions: [SubscriptionAddress]
    /// Its publication; nil if it does not publish.
    package var publication: Publication?
    /// Those of ``bindings`` that are there because a definition that was applied asks for them, sorted. They go when
    /// no definition does any more; others stay as long as nobody lists the bindings of the model.
    package var managedBindings: [AppKeyIndex] = []
    /// The same of ``subscriptions``.
    package var managedSubscriptions: [SubscriptionAddress] = []
    /// The same of ``publication``.
    package var isPublicationManaged = false

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
