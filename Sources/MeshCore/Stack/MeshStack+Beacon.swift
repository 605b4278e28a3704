extension MeshStack {
    /// The current secure network beacon of a subnet, 22 octets; nil for an unknown NetKey. In phase 1 of a key refresh
    /// it is made with the old key, in phase 2 with the new one and the key refresh flag (3.11.4).
    package func secureNetworkBeacon(_ index: NetKeyIndex) -> [UInt8]? {
        guard let key = keys.netKey(index), let credentials = keys.transmitCredentials(index) else { return nil }
        let isKeyRefreshing = key.phase == .usingNewKeys
        return SecureNetworkBeacon(isKeyRefreshing: isKeyRefreshing, ivIndex: ivIndex, credentials: credentials).encoded
    }

    /// Receives a secure network beacon or a mesh private beacon, with its type octet and without the header of the
    /// bearer.
    package mutating func receive(beacon bytes: [UInt8], at now: Instant) -> [StackAction] {
        let opened: AuthenticBeacon?
        do throws(DecodeError) {
            opened = try AuthenticBeacon(bytes, under: keys)
        } catch { return [.dropped(.malformedBeacon(error))] }
        guard let beacon = opened else { return [.dropped(.foreignBeacon)] }
        // Nodes that a key refresh left out have the old key, too, and must not control the IV index (3.11.4.2).
        if beacon.isUnderOldKey, keys.netKey(beacon.netKeyIndex)?.phase == .usingNewKeys {
            return [.dropped(.revokedBeacon)]
        }

        var actions: [StackAction] = []
        refresh(beacon, &actions)
        switch ivIndexVerdict(on: beacon, at: now) {
        case .unchanged: actions += confirmIVIndex()
        case .ignored: actions.append(.dropped(.ivIndexIgnored))
        case .changed(let changed):
            // Segmented messages in progress need sequence numbers of their IV index until they end.
            if changed.transmitValue != ivIndex.transmitValue, !outgoing.active.isEmpty {
                deferredIVIndex = changed
            } else {
                change(to: changed, at: now, &actions)
                drive(at: now, &actions)
            }
        }
        return actions
    }

    /// Records that a node of the network uses the IV index known here. Call it for every answer secured with that
    /// index.
    package mutating func confirmIVIndex() -> [StackAction] {
        ivIndexMonitor.confirm() ? [.ivIndexChanged(ivIndex)] : []
    }

    /// The effect on the IV index of a beacon that is not secured with a revoked key.
    package func ivIndexVerdict(on beacon: AuthenticBeacon, at now: Instant) -> IVIndexMonitor.Verdict {
        let isPrimaryMember = keys.netKey(.primary) != nil
        let mayRaise = beacon.netKeyIndex == .primary || !isPrimaryMember
        return ivIndexMonitor.verdict(beacon.ivIndex, mayRaise: mayRaise, at: now)
    }

    /// Advances a key refresh (3.11.4.2). Only beacons secured with the new key count.
    private mutating func refresh(_ beacon: AuthenticBeacon, _ actions: inout [StackAction]) {
        let index = beacon.netKeyIndex
        guard let key = keys.netKey(index), key.phase != .normal, !beacon.isUnderOldKey else { return }
        let staysOpen = beacon.isKeyRefreshing || !forgetsOldKeysByBeacon
        let phase: KeyRefreshPhase = staysOpen ? .usingNewKeys : .normal
        guard phase != key.phase else { return }
        keys.setPhase(phase, of: index)
        actions.append(.keyRefreshPhaseChanged(index, phase))
    }

    mutating func change(to changed: IVIndex, at now: Instant, _ actions: inout [StackAction]) {
        ivIndexMonitor.change(to: changed, at: now)
        actions.append(.ivIndexChanged(changed))
    }
}
