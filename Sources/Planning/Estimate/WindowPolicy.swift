/// How many nodes are talked to at once: additive increase, multiplicative decrease (AIMD).
///
/// The limit is mostly the proxy: its queue drops silently, so loss is the sign of too much at once.
package struct WindowPolicy: Hashable, Sendable {
    /// Nodes talked to at once at the start, at least 1.
    package var initial = 4
    /// Nodes talked to at once at most, at least 1. Proxies drop silently what exceeds their queue, the smallest of
    /// which hold 6 PDUs.
    package var maximum = 6
    /// By what the number is multiplied after a loss, 0..<1.
    package static let decrease = 0.7

    /// The policy described at each property.
    package init() {}
}
