extension NetworkExclusion {
    /// The IV index from which the addresses of nodes removed at `removal` may be assigned again: two more, because
    /// nodes still accept messages of the index before the current one (Mesh Protocol 3.11.5).
    ///
    /// The greatest possible index means never.
    package static func end(afterRemovalAt removal: UInt32) -> UInt32 {
        let (end, isPastTheLast) = removal.addingReportingOverflow(2)
        return isPastTheLast ? .max : end
    }

    /// The IV index from which the addresses may be assigned again.
    package var end: UInt32 { NetworkExclusion.end(afterRemovalAt: ivIndex) }

    /// Whether the addresses must not be assigned at that current IV index. While an update is in progress, that is the
    /// higher of the two indexes.
    package func holds(at current: UInt32) -> Bool {
        current <= ivIndex || current - ivIndex < 2
    }
}

extension MeshNetwork {
    /// The IV index from which an address may be assigned again; nil if no exclusion now contains it.
    package func exclusionEnd(of address: UnicastAddress) -> UInt32? {
        exclusions.filter { $0.holds(at: ivIndex.value) && $0.addresses.contains(address) }.map(\.end).max()
    }

    /// Whether an exclusion in force contains the address.
    package func isExcluded(_ address: UnicastAddress) -> Bool { exclusionEnd(of: address) != nil }

    /// Excludes addresses until the IV index has risen by two. They join the entry of the current IV index, each once,
    /// sorted.
    package mutating func exclude(_ addresses: some Sequence<UInt16>) {
        let added = addresses.compactMap(UnicastAddress.init)
        guard !added.isEmpty else { return }
        let place: Int
        if let existing = exclusions.firstIndex(where: { $0.ivIndex == ivIndex.value }) {
            place = existing
        } else {
            place = exclusions.firstIndex { $0.ivIndex > ivIndex.value } ?? exclusions.endIndex
            exclusions.insert(NetworkExclusion(ivIndex: ivIndex.value, addresses: []), at: place)
        }
        for address in added {
            let position = exclusions[place].addresses.firstPlace { $0 >= address }
            let isThere =
                position < exclusions[place].addresses.count && exclusions[place].addresses[position] == address
            if !isThere { exclusions[place].addresses.insert(address, at: position) }
        }
    }

    /// Forgets exclusions that have ended at the current IV index.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package mutating func pruneExclusions() -> Bool {
        let count = exclusions.count
        exclusions.removeAll { !$0.holds(at: ivIndex.value) }
        return exclusions.count != count
    }

    /// Records a new IV index state and the time of its start, from which the limits of 96 and 192 hours count (Mesh
    /// Protocol 3.11.5 and 3.11.6). Exclusions that have ended are forgotten. If the state equals the recorded one, it
    /// only ceases to be a person's statement.
    ///
    /// The index 0 of an imported database is only assumed until a beacon confirms it. A correction does not tell when
    /// the index began and is no recovery. Addresses that were excluded at the assumed index were really excluded at
    /// the present one. The database alone does not tell whether 0 is assumed, since it may also have been received.
    ///
    /// A clock that cannot be right does not tell when the index began either.
    ///
    /// - Parameter isCorrection: whether the recorded index was only assumed.
    package mutating func record(_ ivIndex: IVIndex, isCorrection: Bool, at now: Timestamp) {
        let isKnown = !isCorrection && isCredible(now)
        ivIndexStatedAt = nil
        guard ivIndex != self.ivIndex else { return }
        let (before, isUpdate) = (self.ivIndex, self.ivIndex.isUpdate(to: ivIndex))
        self.ivIndex = ivIndex
        ivIndexChangedAt = isKnown ? now : nil
        if !isUpdate, isKnown { ivIndexRecoveredAt = now }
        if isCorrection { correctExclusions(from: before) }
        pruneExclusions()
    }

    /// Records an IV index that a person states, and when. The age of the index is then unknown, so that the limits of
    /// 96 and 192 hours do not keep us from following the network.
    ///
    /// - Parameter isCorrection: whether the recorded index was only assumed.
    package mutating func state(_ ivIndex: IVIndex, isCorrection: Bool, at now: Timestamp) {
        let before = self.ivIndex
        self.ivIndex = ivIndex
        ivIndexChangedAt = nil
        ivIndexStatedAt = now
        if isCorrection, before != ivIndex { correctExclusions(from: before) }
        pruneExclusions()
    }

    /// Addresses that were excluded at an assumed index were really excluded at the present one.
    private mutating func correctExclusions(from supposed: IVIndex) {
        guard let index = exclusions.firstIndex(where: { $0.ivIndex == supposed.value }) else { return }
        exclude(exclusions.remove(at: index).addresses.map(\.rawValue))
    }
}
