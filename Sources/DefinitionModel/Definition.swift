package import Catalogue
package import MeshCore

/// One network as its YAML declares it: names unresolved, profiles not merged, every value with its location.
package struct Definition: Hashable, Sendable {
    /// The name of the network, which names its database.
    package var network: Located<String>
    /// What the network is called, and what it is.
    package var wording = Wording()
    /// What the network demands of devices that become nodes; nil if the definition says nothing.
    package var provisioning: ProvisioningRules?
    /// Subnets by name, in reading order.
    package var subnets: [SubnetDefinition]
    /// Application keys, in reading order.
    package var applicationKeys: [ApplicationKeyDefinition]
    /// Groups, in reading order.
    package var groups: [GroupDefinition]
    /// Settings for many nodes, in reading order.
    package var defaults: [DefaultsDefinition]
    /// Profiles, in reading order.
    package var profiles: [ProfileDefinition]
    /// Nodes, in reading order.
    package var nodes: [NodeDefinition]
    /// The top-level subscriptions.
    package var subscriptions: [SubscriptionDefinition]
    package var publications: [PublicationDefinition]
    /// Renamed subnets, application keys and groups, in reading order.
    package var moved: [MovedDefinition]
    /// What the definition itself must fulfil, in reading order.
    package var checks: [CheckDefinition]
    /// Scenes by name, in reading order.
    package var scenes: [SceneDefinition] = []
    /// What nodes do by themselves at certain times, in reading order.
    package var schedules: [ScheduleDefinition] = []
    /// The time zone of nodes with schedules, in steps of 15 minutes east of UTC; nil for UTC.
    package var timeZone: Located<Int>?
    /// What must happen in the building once the definition is applied, in reading order.
    package var tests: [TestDefinition]

    /// The floors of the building, in reading order.
    package var floors: [FloorDefinition] = []

    /// The names of the models: those of the catalogue, and those that the definition's files give to vendor models.
    package var modelNames = ModelNames()

    /// The products that files describe which the definition names, by what they are made as.
    package var products: [ProductIdentifier: ProductDescription] = [:]

    /// The vendor models that the definition's files describe, so that values of their states are told in words.
    package var vendorModels: [VendorModel] = []

    /// The share of the managed nodes from which one plan may remove something, in percent; nil for
    /// ``defaultRemovalLimit``.
    package var removals: Located<Int>?

    /// The limit where a definition sets none.
    package static let defaultRemovalLimit = 30

    /// The limit in force, in percent.
    package var removalLimit: Int { removals?.value ?? Self.defaultRemovalLimit }

    /// A definition with only a network's name.
    package init(network: Located<String>) {
        self.network = network
        subnets = []
        applicationKeys = []
        groups = []
        defaults = []
        profiles = []
        nodes = []
        subscriptions = []
        publications = []
        moved = []
        checks = []
        tests = []
    }
}

extension Definition {
    /// Removes everything except the network's name, the limits, and the subnets that cannot leave the network: the
    /// primary one, and those in a key refresh.
    package mutating func removeAll(but subnets: [NetKey]) {
        var nothing = Definition(network: network)
        let location = network.location
        nothing.subnets = subnets.map {
            SubnetDefinition(name: Located($0.name, at: location), index: Located($0.index, at: location))
        }
        nothing.removals = removals
        nothing.wording = wording
        nothing.modelNames = modelNames
        nothing.vendorModels = vendorModels
        self = nothing
    }
}

/// Where a key's octets come from. YAML never holds secrets.
package enum KeySource: Hashable, Sendable {
    /// Generated when a plan is applied.
    case generated
    /// 32 hexadecimal digits in a file, its path relative to the definition file.
    case file(String)
    /// 32 hexadecimal digits in an environment variable.
    case environment(String)
    /// The octets of the NetKey with this index at an earlier serial of the database, from its history. YAML cannot
    /// express this.
    case formerNetKey(NetKeyIndex, serial: UInt64)
    /// The octets of the AppKey with this index at an earlier serial of the database, from its history. YAML cannot
    /// express this.
    case formerAppKey(AppKeyIndex, serial: UInt64)
}

/// A subnet as its YAML declares it: a NetKey without its octets.
package struct SubnetDefinition: Hashable, Sendable {
    package var name: Located<String>
    /// Its NetKey index; allocated if absent.
    package var index: Located<NetKeyIndex>?
    /// Where its key comes from if the database does not have it.
    package var key: Located<KeySource>?
    package var isProtected: Located<Bool>?
    /// What it is called, and what it is.
    package var wording = Wording()

    /// A subnet. An absent index is allocated, an absent key is generated.
    package init(name: Located<String>, index: Located<NetKeyIndex>? = nil, key: Located<KeySource>? = nil) {
        self.name = name
        self.index = index
        self.key = key
    }
}

/// An application key as its YAML declares it: an AppKey without its octets.
package struct ApplicationKeyDefinition: Hashable, Sendable {
    package var name: Located<String>
    package var subnet: Located<String>
    /// Its AppKey index; allocated if absent.
    package var index: Located<AppKeyIndex>?
    /// Where the key comes from if the database does not have it.
    package var key: Located<KeySource>?
    package var isProtected: Located<Bool>?
    /// What it is called, and what it is.
    package var wording = Wording()

    /// An application key. An absent index is allocated, an absent key is generated.
    package init(
        name: Located<String>,
        subnet: Located<String>,
        index: Located<AppKeyIndex>? = nil,
        key: Located<KeySource>? = nil
    ) {
        self.name = name
        self.subnet = subnet
        self.index = index
        self.key = key
    }
}

/// A group as its YAML declares it.
package struct GroupDefinition: Hashable, Sendable {
    package var name: Located<String>
    /// A fixed address or a label; an address is allocated if absent.
    package var address: Located<SubscriptionAddress>?
    package var parent: Located<String>?
    package var isProtected: Located<Bool>?
    /// What it is called, and what it is.
    package var wording = Wording()

    /// A group. An absent address is allocated.
    package init(
        name: Located<String>,
        address: Located<SubscriptionAddress>? = nil,
        parent: Located<String>? = nil
    ) {
        self.name = name
        self.address = address
        self.parent = parent
    }
}

/// Settings that several nodes share. A node's own settings override its profile's, value by value.
package struct ProfileDefinition: Hashable, Sendable {
    package var name: Located<String>
    /// What its nodes are made as; nil if the profile does not say.
    package var product: Located<ProductIdentifier>?
    /// How devices become nodes, without what belongs to one device; nil if the profile says nothing.
    package var provisioning: ProvisioningSettings?
    /// What its nodes inherit beside settings.
    package var inherited = InheritedValues()
    package var settings: NodeSettings

    /// A profile that says nothing about provisioning.
    package init(name: Located<String>, settings: NodeSettings) {
        self.name = name
        self.settings = settings
    }
}

/// A node as its YAML declares it.
package struct NodeDefinition: Hashable, Sendable {
    /// Its name, which may change.
    package var name: Located<String>
    /// Its device UUID: its identity. While it ``awaitsDevice``, this is the stand-in of its name.
    package var uuid: Located<DeviceUUID>
    /// Whether it is a place: a node to which no device is assigned yet.
    package var awaitsDevice = false
    /// What its device is made as; nil if the definition does not say.
    package var product: Located<ProductIdentifier>?
    package var profile: Located<String>?
    package var address: Located<UnicastAddress>?
    package var tags: [String: Located<String>]
    /// Where it is; nil if the definition does not say.
    package var position: Located<NodePosition>?
    package var isProtected: Located<Bool>?
    /// What happens to it when it leaves the definition.
    package var removalPolicy: Located<RemovalPolicy>?
    /// How its device becomes a node; nil if the definition says nothing.
    package var provisioning: ProvisioningSettings?
    /// What it sets over its profile.
    package var settings: NodeSettings
    /// What it is called, and what it is.
    package var wording = Wording()

    /// A node that declares nothing but its name and identity.
    package init(name: Located<String>, uuid: Located<DeviceUUID>) {
        self.name = name
        self.uuid = uuid
        tags = [:]
        settings = NodeSettings()
    }
}

/// An element in a node or profile: its managed models in reading order.
package struct ElementDefinition: Hashable, Sendable {
    /// The location of its index.
    package var location: SourceLocation
    package var models: [ModelDefinition]

    package init(location: SourceLocation, models: [ModelDefinition]) {
        self.location = location
        self.models = models
    }
}

/// A managed model. Its keys, its subscriptions and its publication are each managed if present, and are then exactly
/// as listed. Of its other states, those that are listed are managed.
package struct ModelDefinition: Hashable, Sendable {
    package var identifier: Located<ModelIdentifier>
    /// The names of the application keys bound to it.
    package var keys: Located<[Located<String>]>?
    /// The names of the groups it subscribes to.
    package var subscribe: Located<[Located<String>]>?
    /// Its publication. The outer optional is nil if it is not managed; `.none` inside means that the model does not
    /// publish.
    package var publish: Located<PublishSettings?>?
    /// The states of the model itself, each once, in reading order. The location of each is that of its value.
    package var states: Located<[Located<ModelStateSetting>]>?
    /// What the model does in scenes, each once, in reading order.
    package var scenes: [SceneSettings] = []

    /// A model without managed states.
    package init(identifier: Located<ModelIdentifier>) {
        self.identifier = identifier
    }
}

/// Where a publication goes, by name or by number.
package enum PublishTarget: Hashable, Sendable {
    /// A group's name, a fixed group's name (`all-nodes` …), a node's name (its primary element), or
    /// ``provisionerName``.
    case name(String)
    /// An element of a node, `switch-1/1`.
    case element(node: String, index: UInt8)
    /// A unicast or group address.
    case address(Address)

    /// The name of the provisioner that owns the database; it means the provisioner's primary element.
    package static let provisionerName = "provisioner"
}

/// A publication as declared.
package struct PublishSettings: Hashable, Sendable {
    package var target: Located<PublishTarget>
    /// The name of the application key; may be absent where the model has exactly one.
    package var key: Located<String>?
    /// The TTL; nil for the node's default.
    package var ttl: Located<UInt8>?
    /// The period; nil for none.
    package var period: Located<PublishPeriod>?
    /// The retransmissions; nil for none.
    package var retransmit: Located<PublishRetransmit>?
    /// Whether it uses friendship credentials; nil for no.
    package var usesFriendshipCredentials: Located<Bool>?

    /// A publication with the default for everything but its target.
    package init(target: Located<PublishTarget>) {
        self.target = target
    }
}
