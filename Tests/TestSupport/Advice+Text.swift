package import MeshCore

// Questions about the text of an advice, in which remedies have no commands.

extension Advice {
    /// Whether the text contains another.
    package func contains(_ other: String) -> Bool { text.contains(other) }

    /// Whether the text begins with another.
    package func hasPrefix(_ other: String) -> Bool { text.hasPrefix(other) }

    /// Whether the text ends with another.
    package func hasSuffix(_ other: String) -> Bool { text.hasSuffix(other) }
}
