internal import MeshCore

/// The definition resolved against a database: selectors expanded, profiles merged, names bound to indexes and
/// addresses.
struct DesiredState {
    /// The subnets in reading order.
    var subnets: [DesiredSubnet] = []
    /// The application keys in reading order.
    var applicationKeys: [DesiredApplicationKey] = []
    /// The groups in reading order.
    var groups: [DesiredGroup] = []
    /// The nodes in reading order, without those that have no place in the database.
    var nodes: [DesiredNode] = []
}

/// A subnet and its place.
struct DesiredSubnet {
    var name: Located<String>
    var index: NetKeyIndex
    var source: KeySource
    /// Its name in the database, nil if it does not exist there.
    var recordedName: String?
}

/// An application key and its place.
struct DesiredApplicationKey {
    var name: Located<String>
    var index: AppKeyIndex
    var boundNetKey: NetKeyIndex
    var source: KeySource
    /// Its name in the database, nil if it does not exist there.
    var recordedName: String?
}

/// A group and its place.
struct DesiredGroup {
    var group: Group
    /// What the database has at that address.
    var recorded: Group?
}

/// A node as it should be.
struct DesiredNode {
    /// Its position in the database's list of nodes.
    var position: Int
    var name: Located<String>
    var isProtected: Bool
    var removalPolicy: RemovalPolicy
    var settings: DesiredSettings
    /// The managed models, sorted by address.
    var models: [DesiredModel]
}

/// The managed states of a node beside its models; nil is not managed.
struct DesiredSettings {
    var subnets: Located<[NetKeyIndex]>?
    var applicationKeys: Located<[AppKeyIndex]>?
    var defaultTTL: Located<UInt8>?
    var secureNetworkBeacon: Located<Bool>?
    var relay: Located<Bool>?
    var relayRetransmit: Located<TransmitParameters>?
    var proxy: Located<Bool>?
    var friend: Located<Bool>?
    var networkTransmit: Located<TransmitParameters>?

    /// These settings over others, value by value.
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
            networkTransmit: networkTransmit ?? other.networkTransmit
        )
    }
}

/// A managed model; each of the three is managed if present, and then exactly so.
struct DesiredModel {
    var address: ModelAddress
    var location: SourceLocation
    /// The bound AppKeys, sorted.
    var bindings: Located<[AppKeyIndex]>?
    /// The groups, sorted.
    var subscriptions: Located<[SubscriptionAddress]>?
    /// The publication; a located nil does not publish.
    var publication: Located<DesiredPublication?>?

    /// The key of the publication: the one that is named, else the model's only one.
    var publicationKey: AppKeyIndex? {
        guard let publication = publication?.value else { return nil }
        if let key = publication.key { return key }
        guard let bindings = bindings?.value, bindings.count == 1 else { return nil }
        return bindings[0]
    }

    /// This model's lists over those of a profile, list by list.
    func merged(over other: DesiredModel) -> DesiredModel {
        DesiredModel(
            address: address,
            location: location,
            bindings: bindings ?? other.bindings,
            subscriptions: subscriptions ?? other.subscriptions,
            publication: publication ?? other.publication
        )
    }
}
