/// Why a plan that could be made is refused.
package enum PlanGuard: String, CaseIterable, Comparable, Sendable {
    /// A node that is protected would no longer be managed.
    case protectedNode = "protected-node"
    /// A node would lose its last NetKey.
    case lastNetKey = "last-net-key"
    /// A node would lose the NetKey that secures the messages to it.
    case transportNetKey = "transport-net-key"

    /// By name.
    package static func < (left: PlanGuard, right: PlanGuard) -> Bool { left.rawValue < right.rawValue }
}
