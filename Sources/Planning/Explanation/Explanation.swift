package import DefinitionModel
package import MeshCore

/// Where the values of a node come from: each desired value with the line of the definition that sets it.
package struct NodeExplanation: Hashable, Sendable {
    /// Its identity; nil while no device is assigned to its place.
    package var uuid: DeviceUUID?
    package var name: String
    /// The address of its primary element; nil for a device without one yet.
    package var address: UnicastAddress?
    /// Where the definition names it.
    package var location: SourceLocation
    /// Whether it is in the database; otherwise it must be provisioned.
    package var isRecorded: Bool
    /// All desired values: what the node is, its keys, its states, then model by model.
    package var values: [ExplainedValue]
    /// What the database knows about the node and the definition does not mention.
    package var undeclared: [UndeclaredValue]
}

/// One value of a node, and what sets it.
package struct ExplainedValue: Hashable, Sendable {
    /// A model on a known element, or on each element that turns out to have it.
    package struct Place: Hashable, Sendable {
        /// The element; nil until the composition is known.
        package var element: UInt8?
        package var model: ModelIdentifier
        /// The model's name in the definition.
        package var name: String
    }

    /// How the value compares with the node's record.
    package enum Record: Hashable, Sendable {
        case unknown
        case agrees
        /// The record has another value, for people; nil if it has none.
        case differs(String?)
    }

    /// The model that it belongs to; nil for the node itself.
    package var place: Place?
    /// Its name within the node or model, as in the addresses of plans: `ttl`, `subscription.kitchen`.
    package var name: String
    /// The value as plans write it; nil if it should not be there. Never a key.
    package var value: String?
    /// What sets it: the first source, and in a list others that ask for the same. Never empty.
    package var sources: [ValueSource]
    /// What would set it otherwise, the highest rank first.
    package var overridden: [OverriddenValue] = []
    /// How the value compares with the node's record.
    package var record = Record.unknown
    /// Whether it is left out because it is only asked of nodes in general and this node does not support it.
    package var isLeftOut = false
    /// The resources of the network that it names, to find their users.
    package var uses: [NetworkResource] = []

    /// Its address as in plans, without the node: `element[0].generic-onoff-server.binding.lighting`.
    package var path: String {
        guard let place else { return name }
        return "element[\(place.element.map { "\($0)" } ?? "*")].\(place.name).\(name)"
    }
}

/// A value that one of a higher rank overrides.
package struct OverriddenValue: Hashable, Sendable {
    /// The value; nil if it would not be there.
    package var value: String?
    package var source: ValueSource
}

/// Something that sets a value.
package struct ValueSource: Hashable, Sendable {
    /// The ways in which a node gets a value.
    package enum Way: Hashable, Sendable {
        /// The node's own entry.
        case node
        case profile(String)
        /// An entry of the defaults, numbered from 1, with its selector as text; nil if it is for all nodes.
        case defaults(Int, nodes: String?)
        /// An entry of the top-level subscriptions, numbered from 1.
        case subscriptions(Int)
        /// An entry of the top-level publications, numbered from 1.
        case publications(Int)
        case schedules(String)
        /// The network's declaration of the resource itself.
        case network
        case builtIn
        /// The database: the value was assigned once and stays.
        case database
        /// The next plan, which assigns the value.
        case plan
    }

    package var way: Way
    /// The line; nil if no line sets it.
    package var location: SourceLocation?
    /// If the value follows from something else: the address of what needs it, as in plans.
    package var need: String?
}

/// Something that the database knows about a node and the definition does not mention.
package struct UndeclaredValue: Hashable, Sendable {
    /// The model that it belongs to; nil for the node itself.
    package var model: ModelAddress?
    /// The start of its address that all values of the model have: `element[0].generic-onoff-server`; nil for the node
    /// itself.
    package var modelPath: String?
    /// Its address as in plans, without the node.
    package var path: String
    /// The value as plans write it. Never a key.
    package var value: String
    /// Whether an earlier definition asked for it, so that the next plan removes it.
    package var isDropped: Bool
}
