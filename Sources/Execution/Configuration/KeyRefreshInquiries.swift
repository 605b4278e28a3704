import MeshCore
import Planning

/// The messages of a key refresh (Mesh Protocol 3.11.4, 4.3.2.43, 4.3.2.38, 4.3.2.59).
struct KeyRefreshInquiries {
    private let action: ConfigurationAction
    private let target: ConfigurationTarget

    /// The messages of an action that belongs to a key refresh.
    init(_ action: ConfigurationAction, to target: ConfigurationTarget) {
        self.action = action
        self.target = target
    }

    /// The request, and the meaning of its status.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` for a key that has no new value, or for another action.
    func request() throws(StepFailure) -> ConfigurationInquiry {
        switch action {
        case .updateNetKey(let index):
            return ConfigurationInquiry(ConfigNetKeyUpdate(netKeyIndex: index, key: try target.newKey(index))) {
                $0.status == .success ? .holds(action) : .refused($0.status)
            }
        case .updateAppKey(let index, boundTo: let netKey):
            let request = ConfigAppKeyUpdate(netKeyIndex: netKey, appKeyIndex: index, key: try target.newKey(index))
            return ConfigurationInquiry(request) { $0.status == .success ? .holds(action) : .refused($0.status) }
        case .setKeyRefreshPhase(let index, let transition):
            let request = ConfigKeyRefreshPhaseSet(netKeyIndex: index, transition: transition)
            return ConfigurationInquiry(request) { status in
                // A node that a beacon has moved to a later phase refuses to go back.
                if status.status == .cannotUpdate, status.phase == .normal { return verdict(on: .normal, of: index) }
                guard status.status == .success else { return .refused(status.status) }
                let verdict = verdict(on: status.phase, of: index)
                return verdict == .doesNotHold ? .differs("that it stays in phase \(status.phase.rawValue)") : verdict
            }
        default: throw .unmakeable("the action is not about a key refresh")
        }
    }

    /// Asks whether the request took effect.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` for a key that has no new value, or for another action.
    func readBack() throws(StepFailure) -> ConfigurationInquiry {
        switch action {
        case .updateNetKey(let index):
            // In phase 1 only the request itself, which may be repeated, tells whether the new key is ours. Nodes reach
            // later phases by a beacon under the new key.
            return phaseInquiry(index) { $0 == .usingNewKeys ? .holds(action) : .doesNotHold }
        // Only the request itself, which may be repeated in phase 1, tells the value of an AppKey.
        case .updateAppKey: return try request()
        case .setKeyRefreshPhase(let index, _): return phaseInquiry(index) { verdict(on: $0, of: index) }
        default: throw .unmakeable("the action is not about a key refresh")
        }
    }

    /// Asks a node that refuses a new NetKey whether it already has it, from another tool.
    ///
    /// After phase 1, the key is ours if the answer came under it; this is certain only for a node in that subnet
    /// alone. Without a refresh, a node accepts any key except its present one. So a node that reports this very key as
    /// already stored has only this key. In phase 1 it would have accepted ours again.
    ///
    /// - Parameter isOnlySubnet: whether the node is in no other subnet.
    /// - Throws: ``StepFailure/unmakeable(_:)`` for another action.
    func inquiry(afterRefusal status: ConfigStatusCode, isOnlySubnet: Bool) throws(StepFailure) -> ConfigurationInquiry
    {
        guard case .updateNetKey(let index) = action else {
            throw .unmakeable("the action gives no new network key")
        }
        return phaseInquiry(index) { phase in
            switch phase {
            case .usingNewKeys: isOnlySubnet ? .holds(action) : .doesNotHold
            case .keyDistribution: .doesNotHold
            case .normal:
                status == .keyIndexAlreadyStored ? .holds(.setKeyRefreshPhase(index, .revokeOldKeys)) : .refused(status)
            }
        }
    }

    private func phaseInquiry(
        _ index: NetKeyIndex,
        _ verdict: @escaping (KeyRefreshPhase) -> ConfigurationVerdict
    ) -> ConfigurationInquiry {
        ConfigurationInquiry(ConfigKeyRefreshPhaseGet(netKeyIndex: index)) { status in
            status.status == .success ? verdict(status.phase) : .refused(status.status)
        }
    }

    /// The meaning of the phase of a node that has had the new key since phase 1. Without a refresh it has only the new
    /// key, because a node with both keys leaves the refresh only that way (Mesh Protocol 3.11.4.3).
    private func verdict(on phase: KeyRefreshPhase, of index: NetKeyIndex) -> ConfigurationVerdict {
        guard case .setKeyRefreshPhase(_, let transition) = action else { return .doesNotHold }
        switch (phase, transition) {
        case (.normal, _): return .holds(.setKeyRefreshPhase(index, .revokeOldKeys))
        case (.usingNewKeys, .useNewKeys): return .holds(action)
        default: return .doesNotHold
        }
    }
}
