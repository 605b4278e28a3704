import Catalogue
import DefinitionModel
import MeshCore

/// The definition resolved against a database: selectors expanded, profiles merged, names bound to indexes and
/// addresses.
struct DesiredState {
    /// The subnets in reading order.
    var subnets: [DesiredSubnet] = []
    /// The application keys in reading order.
    var applicationKeys: [DesiredApplicationKey] = []
    /// The groups in reading order.
    var groups: [DesiredGroup] = []
    /// The nodes in reading order, without those that could not be placed in the database.
    var nodes: [DesiredNode] = []
    var leaving = LeavingResources()
    /// Subnets that stay only because of application keys that nobody manages.
    var keptSubnets: [NetKeyIndex] = []
    /// What guards have found.
    var findings: [Finding] = []
    var modelNames = ModelNames()
    /// The vendor models that the definition describes.
    var vendorModels: [VendorModel] = []
    /// The addresses that nodes need which do not exist yet, in reading order.
    var reservations: [AddressReservation] = []
    /// Nodes whose place another device takes: by their index in the database, the UUID of that device.
    var substituted: [Int: DeviceUUID] = [:]
    /// Names of nodes with schedules that have no Time Server, so that nothing will ever happen.
    var timeless: [String] = []
    /// What the network already has and is managed from now on.
    var claims: [NetworkResource] = []
}

extension DesiredState {
    /// What a guard has found while the definition was resolved.
    struct Finding {
        var finding: GuardFinding
        /// The line that causes it; nil if there is none.
        var location: SourceLocation?
        /// How to mend it, as a sentence without a full stop.
        var hint: String
    }
}

/// A subnet and its index.
struct DesiredSubnet {
    var name: Located<String>
    var index: NetKeyIndex
    var source: KeySource
    /// Its name in the database; nil if it does not exist there.
    var recordedName: String?
    /// Whether it refuses removal; nil leaves that unchanged.
    var isProtected: Bool?
    /// Whether it refuses removal according to the database.
    var wasProtected = false
}

/// An application key and its index.
struct DesiredApplicationKey {
    var name: Located<String>
    var index: AppKeyIndex
    var boundNetKey: NetKeyIndex
    var source: KeySource
    /// Its name in the database; nil if it does not exist there.
    var recordedName: String?
    /// Whether it refuses removal; nil leaves that unchanged.
    var isProtected: Bool?
    /// Whether it refuses removal according to the database.
    var wasProtected = false
}

/// A group and its address.
struct DesiredGroup {
    var group: Group
    /// The database's group at that address; nil if there is none.
    var recorded: Group?
}

/// A node as desired.
struct DesiredNode {
    /// Where the node comes from.
    enum Origin {
        /// The node at that index of the database's list.
        case recorded(Int)
        /// A device to provision.
        indirect case device(ProvisioningOrder, Device)
        /// A given node, whose deferred configuration is lowered.
        indirect case node(Node)
    }

    /// What the database knows about a device to provision.
    struct Device {
        /// The index of the node that it was before it was reset.
        var replaced: Int?
        /// A provisioning attempt with an unknown result.
        var pending: PendingProvisioning?
    }

    var origin: Origin
    var name: Located<String>
    var isProtected: Bool
    var removalPolicy: RemovalPolicy
    var settings: DesiredSettings
    /// The managed models, sorted by address, without what ``rules`` add.
    var models: [DesiredModel]
    /// The rules that select it and wait for its composition, in reading order.
    var rules: [ModelRule] = []
    /// Its product as a file describes it, while the node itself has not told what it is made of; nil if no file does.
    var described: ProductDescription?
    /// The subnets for states that wait for its composition, ascending.
    var subnetsOfWaitingStates: [NetKeyIndex] = []
}

extension DesiredNode {
    /// The order, if the node must be provisioned.
    var order: ProvisioningOrder? {
        if case .device(let order, _) = origin { return order }
        return nil
    }

    /// The node before its configuration: its record, or a device that has just become a node.
    func baseline(in network: MeshNetwork) -> Node { origin.baseline(in: network) }
}

extension DesiredNode.Origin {
    /// The node before its configuration.
    func baseline(in network: MeshNetwork) -> Node {
        switch self {
        case .recorded(let position): network.nodes[position]
        case .device(let order, _): Node(provisionedBy: order)
        case .node(let node): node
        }
    }
}

extension Node {
    /// The node that an order makes of a device: it has one NetKey, and nothing else is known about it.
    fileprivate init(provisionedBy order: ProvisioningOrder) {
        self.init(
            uuid: order.uuid,
            name: order.name,
            unicastAddress: order.address ?? .first,
            deviceKey: nil,
            netKeys: [NodeKey(index: order.netKeyIndex)]
        )
        isManaged = true
        isProtected = order.isProtected
        removalPolicy = order.removalPolicy
    }
}

/// The managed states of a node beside its models; nil if not managed.
struct DesiredSettings {
    var subnets: Declared<[NetKeyIndex]>?
    var applicationKeys: Declared<[AppKeyIndex]>?
    var defaultTTL: Declared<UInt8>?
    var secureNetworkBeacon: Declared<Bool>?
    var relay: Declared<Bool>?
    var relayRetransmit: Declared<TransmitParameters>?
    var proxy: Declared<Bool>?
    var friend: Declared<Bool>?
    var networkTransmit: Declared<TransmitParameters>?
    /// States of the foundation models, sorted by kind, one of each.
    var states: [Declared<DesiredFoundationState>] = []
    /// Exactly the entries of the bridging table.
    var bridgingTable: Declared<[DesiredBridge]>?

    /// These settings merged over others, value by value.
    func merged(over other: DesiredSettings) -> DesiredSettings {
        DesiredSettings(
            subnets: subnets ?? other.subnets,
            applicationKeys: applicationKeys ?? other.applicationKeys,
            defaultTTL: defaultTTL ?? other.defaultTTL,
            secureNetworkBeacon: secureNetworkBeacon ?? other.secureNetworkBeacon,
            relay: relay ?? other.relay,
            relayRetransmit: relayRetransmit ?? other.relayRetransmit,
            proxy: proxy ?? other.proxy,
            friend: friend ?? other.friend,
            networkTransmit: networkTransmit ?? other.networkTransmit,
            states: states(over: other.states),
            bridgingTable: bridgingTable ?? other.bridgingTable
        )
    }
}

/// A managed model. Its bindings, subscriptions and publication are managed if present, and then completely.
struct DesiredModel {
    var address: ModelAddress
    var location: SourceLocation
    /// The bound AppKeys, sorted.
    var bindings: Declared<[AppKeyIndex]>?
    /// The groups, sorted.
    var subscriptions: Declared<[SubscriptionAddress]>?
    /// The publication; a located nil means that the model does not publish.
    var publication: Declared<DesiredPublication?>?
    /// The states that the model reports, each once, in the order of their forms.
    var states: [Declared<DesiredModelState>] = []
    /// What the states of the model are in scenes, in the order of scenes and forms.
    var scenes: [DesiredSceneState] = []
    /// The key under which states are set or read through this model; nil if there are none, or no key for them.
    var stateKey: AppKeyIndex?

    /// The key of the publication: the named one, or else the model's only one.
    var publicationKey: AppKeyIndex? {
        guard let publication = publication?.value else { return nil }
        if let key = publication.key { return key }
        guard let bindings = bindings?.value, bindings.count == 1 else { return nil }
        return bindings[0]
    }

    /// This model's lists merged over those of a profile, list by list.
    func merged(over other: DesiredModel) -> DesiredModel {
        DesiredModel(
            address: address,
            location: location,
            bindings: bindings ?? other.bindings,
            subscriptions: subscriptions ?? other.subscriptions,
            publication: publication ?? other.publication,
            states: states.merged(over: other.states),
            scenes: scenes.merged(over: other.scenes)
        )
    }
}
