package import MeshCore

/// Where the values of a node come from: each desired one with the line of the definition that sets it.
package struct NodeExplanation: Hashable, Sendable {
    /// Which node.
    package var uuid: DeviceUUID
    /// Its name in the definition.
    package var name: String
    /// The address of its primary element; nil for a device that has none yet.
    package var address: UnicastAddress?
    /// Where the definition has it.
    package var location: SourceLocation
    /// Whether the database has it; else it is to be provisioned.
    package var isRecorded: Bool
    /// All desired values: what the node is, its keys, its states, then model by model.
    package var values: [ExplainedValue]
    /// What the database knows of the node and the definition says nothing of.
    package var undeclared: [UndeclaredValue]
}

/// One value of a node, and what set it.
package struct ExplainedValue: Hashable, Sendable {
    /// A model, on an element that is known, or on each element that turns out to have it.
    package struct Place: Hashable, Sendable {
        /// The element; nil until the composition is known.
        package var element: UInt8?
        /// Which model.
        package var model: ModelIdentifier
    }

    /// How the record of the node compares.
    package enum Record: Hashable, Sendable {
        /// Nothing is recorded of it.
        case unknown
        /// It is as it is to be.
        case agrees
        /// It is otherwise, for people; nil if it is not there.
        case differs(String?)
    }

    /// The model that it belongs to; nil for the node itself.
    package var place: Place?
    /// Its name within the node or model, as in the addresses of plans: `ttl`, `subscription.kitchen`.
    package var name: String
    /// The value in the words of plans; nil if it is not to be there. Never a key.
    package var value: String?
    /// What sets it: the first, and others that ask for the same in a list; never empty.
    package var sources: [ValueSource]
    /// What would set it if those did not, the highest rank first.
    package var overridden: [OverriddenValue] = []
    /// How the node is recorded.
    package var record = Record.unknown
    /// Whether it is left out because the node lacks what it needs, and it is only asked of nodes in general.
    package var isLeftOut = false
    /// The things of the network that it names, to find what uses them.
    package var uses: [NetworkResource] = []

    /// Its address as in plans, without the node: `element[0].generic-onoff-server.binding.lighting`.
    package var path: String {
        guard let place else { return name }
        return "element[\(place.element.map { "\($0)" } ?? "*")].\(place.model.name).\(name)"
    }
}

/// A value that gives way to one of a higher rank.
package struct OverriddenValue: Hashable, Sendable {
    /// What it would be; nil if it would not be there.
    package var value: String?
    /// What says so.
    package var source: ValueSource
}

/// Something that sets a value.
package struct ValueSource: Hashable, Sendable {
    /// The ways in which a value comes to a node.
    package enum Way: Hashable, Sendable {
        /// The node's own entry.
        case node
        /// The profile of that name.
        case profile(String)
        /// An entry of the defaults, its number from 1; the selector in words, nil where it is for all nodes.
        case defaults(Int, nodes: String?)
        /// An entry of the top-level subscriptions, its number from 1.
        case subscriptions(Int)
        /// An entry of the top-level publications, its number from 1.
        case publications(Int)
        /// The network's declaration of the thing itself.
        case network
        /// What holds where nothing is said.
        case builtIn
        /// The database: it was given out once and is kept.
        case database
        /// The next plan, which gives it out.
        case plan
    }

    /// Which way.
    package var way: Way
    /// The line; nil where no line sets it.
    package var location: SourceLocation?
    /// What needs the value, where it follows from something else: the address of that, as in plans.
    package var need: String?
}

/// Something that the database knows of a node and that the definition says nothing of.
package struct UndeclaredValue: Hashable, Sendable {
    /// The model that it belongs to; nil for the node itself.
    package var model: ModelAddress?
    /// Its address as in plans, without the node.
    package var path: String
    /// The value in the words of plans. Never a key.
    package var value: String
    /// Whether an earlier definition asked for it, so that the next plan removes it.
    package var isDropped: Bool
}
