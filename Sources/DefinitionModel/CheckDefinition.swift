package import MeshCore

/// A check of a definition: what its nodes must have, before anything is planned.
package struct CheckDefinition: Hashable, Sendable {
    /// What it is called: any text on one line.
    package var name: Located<String>
    package var nodes: NodeSelector
    /// What each of them must have; with a ``count``, what the counted ones have.
    package var requirement = CheckRequirement()
    /// How many of the nodes must have it; nil for all of them.
    package var count: Located<CheckCount>?
    /// The tag for each of whose values the nodes are counted; nil to count them all together.
    package var forEach: Located<String>?
    package var isWarning = false

    /// A check that demands nothing yet.
    package init(name: Located<String>, nodes: NodeSelector) {
        self.name = name
        self.nodes = nodes
    }
}

/// How many nodes a check demands: not both nil.
package struct CheckCount: Hashable, Sendable {
    /// The least number; nil for any.
    package var atLeast: Int?
    package var atMost: Int?

    package init(atLeast: Int?, atMost: Int?) {
        self.atLeast = atLeast
        self.atMost = atMost
    }

    /// The number, if there is only one.
    package var exactly: Int? { atLeast == atMost ? atLeast : nil }

    package func allows(_ number: Int) -> Bool { number >= atLeast ?? 0 && number <= atMost ?? .max }

    /// The limits for people: `at least 2`, `exactly 1`, `2 to 4`.
    package var text: String {
        switch (atLeast, atMost) {
        case (let low?, let high?): low == high ? "exactly \(low)" : "\(low) to \(high)"
        case (let low?, nil): "at least \(low)"
        case (nil, let high?): "at most \(high)"
        case (nil, nil): "any number"
        }
    }
}

/// What a check demands of one node. All of it must hold.
package struct CheckRequirement: Hashable, Sendable {
    /// Tags, each with the values that it may have, which may contain `*`; no values for any.
    package var tags: [CheckedTag] = []
    /// The profiles, one of which the node must have; empty for any.
    package var profiles: [Located<String>] = []
    /// Relay on or off; nil for any, here and below.
    package var relay: Located<Bool>?
    /// GATT proxy on or off.
    package var proxy: Located<Bool>?
    package var friend: Located<Bool>?
    /// A model that the node must have; keys, subscriptions and publications are then those of this model.
    package var model: Located<ModelIdentifier>?
    /// Application keys that must be bound.
    package var keys: [Located<String>] = []
    package var subscribe: [Located<CheckedGroup>] = []
    package var publish: [Located<CheckedGroup>] = []

    package init() {}

    /// Whether every node meets it.
    package var isEmpty: Bool { self == CheckRequirement() }
}

/// A tag that a check demands.
package struct CheckedTag: Hashable, Sendable {
    package var name: Located<String>
    /// The values, one of which it must have; empty for any. They may contain `*`.
    package var values: [Located<String>]

    package init(name: Located<String>, values: [Located<String>] = []) {
        self.name = name
        self.values = values
    }
}

/// The name of a group that a check demands. In it, `$(room)` stands for the value of the node's tag `room`.
package struct CheckedGroup: Hashable, Sendable {
    /// The name as it is written: `kitchen`, `$(room)`, `$(floor)-lights`.
    package let text: String
    /// The tags that it depends on, in their order.
    package let tags: [String]

    /// Reads a name; nil if it is none.
    package init?(_ text: String) {
        self.text = text
        tags = TestVariable.names(in: text)
        // Whatever the tags are, they stand for parts of a name.
        guard tags.allSatisfy(Name.isValid), Name.isValid(TestVariable.replacing(in: text) { _ in "x" }) else {
            return nil
        }
    }

    /// The name for a node with these tags; nil if it lacks one of them.
    package func name(for tags: [String: Located<String>]) -> String? {
        guard self.tags.allSatisfy({ tags[$0] != nil }) else { return nil }
        return TestVariable.replacing(in: text) { tags[$0]?.value }
    }
}
