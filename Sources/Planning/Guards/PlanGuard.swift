/// Why a plan that could be made is refused; each refusal that is meant can be allowed by its name.
///
/// Their names are part of the command line and of saved plans: they do not change.
package enum PlanGuard: String, CaseIterable, Comparable, Sendable {
    /// An application key would go although something that stays uses it.
    case applicationKeyInUse = "application-key-in-use"
    /// A selector selects nobody, so that nodes would lose what it gave them.
    case emptySelector = "empty-selector"
    /// A list of a node would get more entries than its product has shown to have room for.
    case fullList = "full-list"
    /// A group would go although something that stays uses it.
    case groupInUse = "group-in-use"
    /// A node would lose its last NetKey.
    case lastNetKey = "last-net-key"
    /// A subnet would lose its last GATT proxy.
    case lastProxy = "last-proxy"
    /// A subnet would lose its last relay.
    case lastRelay = "last-relay"
    /// More of the managed nodes would leave or lose something than one plan may change so.
    case massRemoval = "mass-removal"
    /// A node that is protected would no longer be managed.
    case protectedNode = "protected-node"
    /// A subnet, application key or group that is protected would be removed.
    case protectedResource = "protected-resource"
    /// A node would have to hear more sources than its replay protection list holds.
    case replayList = "replay-list"
    /// A subnet would go although nodes that stay are in it.
    case subnetInUse = "subnet-in-use"
    /// A node would lose the NetKey that secures the messages to it.
    case transportNetKey = "transport-net-key"
    /// The answers of a node would not reach a proxy link.
    case unreachableTTL = "unreachable-ttl"

    /// By name.
    package static func < (left: PlanGuard, right: PlanGuard) -> Bool { left.rawValue < right.rawValue }

    /// Whether allowing it makes sense: a node never gives its last NetKey up (Mesh Protocol 4.4.1.2, NetKey List), so
    /// that such a plan could not be carried out.
    package var isAllowable: Bool { self != .lastNetKey }
}
