/// How many nodes the client talks to at once: additive increase, multiplicative decrease (AIMD).
///
/// The limit is mostly the proxy. Its queue drops PDUs silently, so losses show that there are too many at once.
package struct WindowPolicy: Hashable, Sendable {
    /// The number at the start, at least 1.
    package var initial = 4
    /// The largest number, at least 1. Proxies silently drop what exceeds their queue. The smallest queues hold 6 PDUs.
    package var maximum = 6
    /// The factor for the number after a loss, 0..<1.
    package static let decrease = 0.7

    /// The policy described at each property.
    package init() {}
}
