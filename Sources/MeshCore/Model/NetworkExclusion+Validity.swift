extension NetworkExclusion {
    /// The IV index from which on the addresses of nodes that were removed at `removal` may be given out again: two
    /// more, since messages of the one before the current index are still accepted (Mesh Protocol 3.11.5).
    ///
    /// The greatest index there is stands for never.
    package static func end(afterRemovalAt removal: UInt32) -> UInt32 {
        let (end, isPastTheLast) = removal.addingReportingOverflow(2)
        return isPastTheLast ? .max : end
    }

    /// The IV index from which on the addresses may be given out again.
    package var end: UInt32 { NetworkExclusion.end(afterRemovalAt: ivIndex) }

    /// Whether the addresses must not be given out at that IV index, which is the current one, the higher one of the
    /// two while an update is in progress.
    package func holds(at current: UInt32) -> Bool {
        current <= ivIndex || current - ivIndex < 2
    }
}

extension MeshNetwork {
    /// The IV index from which on an address may be given out again, nil if no exclusion holds it now.
    package func exclusionEnd(of address: UnicastAddress) -> UInt32? {
        exclusions.filter { $0.holds(at: ivIndex.value) && $0.addresses.contains(address) }.map(\.end).max()
    }

    /// Whether an exclusion that still holds has the address.
    package func isExcluded(_ address: UnicastAddress) -> Bool { exclusionEnd(of: address) != nil }

    /// Keeps addresses from being given out until the IV index has risen by two: they join the entry of the current IV
    /// index, each address once, sorted.
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

    /// Forgets exclusions that hold no more at the current IV index.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package mutating func pruneExclusions() -> Bool {
        let count = exclusions.count
        exclusions.removeAll { !$0.holds(at: ivIndex.value) }
        return exclusions.count != count
    }

    /// Records another IV index state and when it began, which the limits of 96 and 192 hours count from (Mesh Protocol
    /// 3.11.5 and 3.11.6), and forgets the exclusions that hold no more. If it is the recorded one, all that changes is
    /// that it is not merely stated any more.
    ///
    /// The index 0 of an imported database is only a supposition until a beacon has said the same. What corrects it
    /// does not tell when the index began, and is no recovery; and what was excluded at the supposed index was in truth
    /// excluded at the present one. Whether it is one the database does not tell by itself: 0 may have been heard, too.
    ///
    /// - Parameter isCorrection: whether the recorded index was only a supposition.
    package mutating func record(_ ivIndex: IVIndex, isCorrection: Bool, at now: Timestamp) {
        ivIndexStatedAt = nil
        guard ivIndex != self.ivIndex else { return }
        let (before, isUpdate) = (self.ivIndex, self.ivIndex.isUpdate(to: ivIndex))
        self.ivIndex = ivIndex
        ivIndexChangedAt = isCorrection ? nil : now
        if !isUpdate, !isCorrection { ivIndexRecoveredAt = now }
        if isCorrection { correctExclusions(from: before) }
        pruneExclusions()
    }

    /// Records an IV index that a person states, who ought to know, and when. Since when the network is there is not
    /// known, so that the limits of 96 and 192 hours keep nobody from following the network on.
    ///
    /// - Parameter isCorrection: whether the recorded index was only a supposition.
    package mutating func state(_ ivIndex: IVIndex, isCorrection: Bool, at now: Timestamp) {
        let before = self.ivIndex
        self.ivIndex = ivIndex
        ivIndexChangedAt = nil
        ivIndexStatedAt = now
        if isCorrection, before != ivIndex { correctExclusions(from: before) }
        pruneExclusions()
    }

    /// What was excluded at an index that was only supposed was in truth excluded at the present one.
    private mutating func correctExclusions(from supposed: IVIndex) {
        guard let place = exclusions.firstIndex(where: { $0.ivIndex == supposed.value }) else { return }
        exclude(exclusions.remove(at: place).addresses.map(\.rawValue))
    }
}
