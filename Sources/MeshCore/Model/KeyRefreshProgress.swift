/// How far a node has come in the key refresh of one of its keys, as its answers confirmed; nothing of it counts while
/// the key is in no refresh (Mesh Protocol 3.11.4).
///
/// A node may be further than recorded: beacons of its neighbours take it along.
package enum KeyRefreshProgress: UInt8, CaseIterable, Comparable, Sendable {
    /// It has the old key alone.
    case none = 0
    /// It has the new key beside the old one.
    case updated = 1
    /// It was told to send with the new NetKey.
    case usingNewKey = 2
    /// It has the new NetKey alone: it was told to forget the old one, or never had it.
    case revoked = 3

    /// In the order of the procedure.
    package static func < (left: KeyRefreshProgress, right: KeyRefreshProgress) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// What the key refresh of a subnet does next, each when all nodes that take part have what the one before gave them
/// (Mesh Protocol 3.11.4.1 to 3.11.4.3).
package enum KeyRefreshStage: UInt8, CaseIterable, Comparable, Sendable {
    /// New keys are made, and nodes get them: phase 1.
    case distribute = 0
    /// Nodes send with the new keys: phase 2.
    case useNewKeys = 1
    /// Nodes forget the old keys: phase 3.
    case revokeOldKeys = 2
    /// The old keys are forgotten here, too.
    case finish = 3

    /// What a node must have confirmed before.
    var requirement: KeyRefreshProgress {
        switch self {
        case .distribute: .none
        case .useNewKeys: .updated
        case .revokeOldKeys: .usingNewKey
        case .finish: .revoked
        }
    }

    /// In the order of the procedure.
    package static func < (left: KeyRefreshStage, right: KeyRefreshStage) -> Bool { left.rawValue < right.rawValue }
}
