package import MeshCore

/// Who controls whom in a network: what models publish to, and which groups others listen to – as things will be once
/// the definition is applied. What the definition leaves alone is as recorded. It contains names only, no key.
package struct NetworkRelations: Hashable, Sendable {
    /// The nodes: those of the definition in its order, then others by address, without provisioners.
    package var nodes: [RelatedNode]
    /// The groups in the order of the definition, then others by address.
    package var groups: [RelatedGroup]
    /// The names of the subnets in the order of the definition, then others by index.
    package var subnets: [String]
    /// The application keys in the order of the definition, then others by index.
    package var applicationKeys: [RelatedKey]
    /// What people call the network; nil if it has no title.
    package var title: String?
    /// What people call subnets, by name.
    package var subnetTitles: [String: String] = [:]

    package init(nodes: [RelatedNode], groups: [RelatedGroup], subnets: [String], applicationKeys: [RelatedKey]) {
        self.nodes = nodes
        self.groups = groups
        self.subnets = subnets
        self.applicationKeys = applicationKeys
    }
}

/// A node and what it sends and hears.
package struct RelatedNode: Hashable, Sendable {
    /// How the node stands to definition and network.
    package enum Standing: Hashable, Sendable {
        /// The definition has it, and it is in the network.
        case managed
        /// The definition has it, and it is no node of the network yet.
        case missing
        /// It is in the network, and the definition does not mention it.
        case unmanaged
    }

    package var uuid: DeviceUUID
    package var name: String
    /// What people call it; nil if it has no title.
    package var title: String?
    /// What it is for, as far as is known.
    package var kind = NodeKind.other
    package var tags: [String: String]
    /// How it stands to definition and network.
    package var standing: Standing
    /// Whether it relays messages; false if that is unknown, too.
    package var isRelay: Bool
    /// Whether it is a GATT proxy; false if that is unknown, too.
    package var isProxy: Bool
    /// The names of its subnets: those that it is to be in, those of its keys, and those that it keeps.
    package var subnets: [String]
    /// What its models publish, by element and model.
    package var publications: [RelatedPublication]
    /// What its models subscribe to, by element, model and group.
    package var subscriptions: [RelatedSubscription]

    package init(uuid: DeviceUUID, name: String, tags: [String: String] = [:], standing: Standing = .managed) {
        self.uuid = uuid
        self.name = name
        self.tags = tags
        self.standing = standing
        isRelay = false
        isProxy = false
        subnets = []
        publications = []
        subscriptions = []
    }
}

/// The publication of one model.
package struct RelatedPublication: Hashable, Sendable {
    /// Where it goes.
    package enum Target: Hashable, Sendable {
        case group(String)
        /// An element, named by its node.
        case node(String)
    }

    package var model: String
    package var target: Target
    /// The name of the application key; nil if the composition must tell it.
    package var key: String?

    package init(model: String, target: Target, key: String?) {
        self.model = model
        self.target = target
        self.key = key
    }
}

/// A group that a model listens to.
package struct RelatedSubscription: Hashable, Sendable {
    package var model: String
    package var group: String

    package init(model: String, group: String) {
        self.model = model
        self.group = group
    }
}

/// A group.
package struct RelatedGroup: Hashable, Sendable {
    package var name: String
    /// The name of the group that contains it; nil if none.
    package var parent: String?
    /// What people call it; nil if it has no title.
    package var title: String?

    package init(name: String, parent: String? = nil, title: String? = nil) {
        self.name = name
        self.parent = parent
        self.title = title
    }
}

/// An application key.
package struct RelatedKey: Hashable, Sendable {
    package var name: String
    /// The name of the subnet that it belongs to.
    package var subnet: String
    /// What people call it; nil if it has no title.
    package var title: String?

    package init(name: String, subnet: String, title: String? = nil) {
        self.name = name
        self.subnet = subnet
        self.title = title
    }
}
