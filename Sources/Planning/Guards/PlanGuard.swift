/// A reason to refuse a plan that could be made. The user can allow most of them by name.
///
/// Users type the names, and saved plans hold them, so they never change.
package enum PlanGuard: String, CaseIterable, Comparable, Sendable {
    /// An application key would be removed although something that stays uses it.
    case applicationKeyInUse = "application-key-in-use"
    /// A selector selects no node, so nodes would lose what it gave them.
    case emptySelector = "empty-selector"
    /// A list of a node would get more entries than its product has shown to have room for.
    case fullList = "full-list"
    /// A group would be removed although something that stays uses it.
    case groupInUse = "group-in-use"
    /// A subnet with low-power nodes would lose its last friend.
    case lastFriend = "last-friend"
    /// A node would lose its last NetKey.
    case lastNetKey = "last-net-key"
    /// A subnet would lose its last GATT proxy.
    case lastProxy = "last-proxy"
    /// A subnet would lose its last relay.
    case lastRelay = "last-relay"
    /// A larger share of the managed nodes would leave or lose something than one plan may change.
    case massRemoval = "mass-removal"
    /// A protected node would no longer be managed.
    case protectedNode = "protected-node"
    /// A protected subnet, application key or group would be removed.
    case protectedResource = "protected-resource"
    /// A node would have to hear more sources than its replay protection list holds.
    case replayList = "replay-list"
    /// A subnet would be removed although nodes that stay are in it.
    case subnetInUse = "subnet-in-use"
    /// A node would lose the NetKey that secures the messages to it.
    case transportNetKey = "transport-net-key"
    /// The answers of a node would not reach a proxy link.
    case unreachableTTL = "unreachable-ttl"

    package static func < (left: PlanGuard, right: PlanGuard) -> Bool { left.rawValue < right.rawValue }

    /// Whether allowing it makes sense. A node never gives up its last NetKey (Mesh Protocol 4.4.1.2, NetKey List), so
    /// a plan against that guard could not be carried out.
    package var isAllowable: Bool { self != .lastNetKey }

    /// Whether a plan that passes it may end the way over which it would be taken back.
    package var cutsOff: Bool {
        switch self {
        case .lastProxy, .lastRelay, .transportNetKey, .unreachableTTL: true
        default: false
        }
    }
}
