/// How far a node has come in the key refresh of one of its keys, as confirmed by its answers. It has no meaning while
/// the key is not being refreshed (Mesh Protocol 3.11.4).
///
/// A node may be further than recorded, because beacons of its neighbours advance it.
package enum KeyRefreshProgress: UInt8, CaseIterable, Comparable, Sendable {
    /// It has only the old key.
    case none = 0
    /// It has both the new and the old key.
    case updated = 1
    /// It got the request to send with the new NetKey.
    case usingNewKey = 2
    /// It has only the new NetKey: it got the request to forget the old one, or never had that.
    case revoked = 3

    /// In the order of the procedure.
    package static func < (left: KeyRefreshProgress, right: KeyRefreshProgress) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The next stage of a subnet's key refresh. A stage begins when all participating nodes have completed the one before
/// (Mesh Protocol 3.11.4.1 to 3.11.4.3).
package enum KeyRefreshStage: UInt8, CaseIterable, Comparable, Sendable {
    /// Phase 1: new keys are generated, and nodes get them.
    case distribute = 0
    /// Phase 2: nodes send with the new keys.
    case useNewKeys = 1
    /// Phase 3: nodes forget the old keys.
    case revokeOldKeys = 2
    /// The database forgets the old keys.
    case finish = 3

    /// What a node must have confirmed before this stage.
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
