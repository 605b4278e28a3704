internal import MeshCore

/// Turns one subscription list into another with the fewest messages.
enum SubscriptionLowering {
    /// One message.
    enum Operation: Equatable {
        case add(SubscriptionAddress)
        case delete(SubscriptionAddress)
        /// Everything but this one goes.
        case overwrite(SubscriptionAddress)
        case deleteAll
    }

    /// The messages, in order: additions before deletions.
    ///
    /// Adding and deleting takes a message for each difference, an overwrite and additions one for each wanted
    /// address, and Delete All one in all. Where those are equal, adding and deleting wins, for it never takes away what
    /// is to stay. A single label goes with Delete All, too, which is shorter by two segments. Both lists are sorted.
    ///
    /// - Parameter keepsUnknown: Whether what the node has beside `existing` is to stay, so that it must not be
    ///   overwritten or deleted with the rest.
    static func operations(
        from existing: [SubscriptionAddress],
        to target: [SubscriptionAddress],
        keepsUnknown: Bool = false
    ) -> [Operation] {
        let added = target.subtracting(existing)
        let deleted = existing.subtracting(target)
        let difference = added.count + deleted.count
        // A label that nobody knows cannot be named, so it goes with all others only.
        let isNameable = deleted.allSatisfy { if case .unknownLabel = $0 { false } else { true } }
        if target.isEmpty, !keepsUnknown, existing.count > 1 || !isNameable || existing.first?.isLabel ?? false {
            return [.deleteAll]
        }
        if keepsUnknown || isNameable && (target.isEmpty || difference <= target.count) {
            return added.map { .add($0) } + deleted.map { .delete($0) }
        }
        // An address that is there already stays heard all the time if it is the one that overwrites.
        let first = target.first { existing.contains($0) } ?? target[0]
        return [.overwrite(first)] + target.filter { $0 != first }.map { .add($0) }
    }
}

extension SubscriptionAddress {
    /// Whether it is a virtual address, whose label takes 16 octets in a message.
    fileprivate var isLabel: Bool {
        if case .virtual = self { true } else { false }
    }
}
