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

    /// The messages, in order: additions before deletions, as far as there is room for both.
    ///
    /// Adding and deleting takes a message for each difference, an overwrite and additions one for each wanted
    /// address, and Delete All one in all. Where those are equal, adding and deleting wins, for it never takes away what
    /// is to stay. A single label goes with Delete All, too, which is shorter by two segments. Both lists are sorted.
    ///
    /// - Parameters:
    ///   - keepsUnknown: Whether what the node has beside `existing` is to stay, so that it must not be overwritten or
    ///     deleted with the rest.
    ///   - room: How many entries the list has room for, nil if nobody knows. Where additions find none, just as many
    ///     deletions as they need come before them.
    static func operations(
        from existing: [SubscriptionAddress],
        to target: [SubscriptionAddress],
        keepsUnknown: Bool = false,
        room: Int? = nil
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
            return exchange(added, for: deleted, free: room.map { $0 - existing.count } ?? added.count)
        }
        // An address that is there already stays heard all the time if it is the one that overwrites.
        let first = target.first { existing.contains($0) } ?? target[0]
        return [.overwrite(first)] + target.filter { $0 != first }.map { .add($0) }
    }

    /// Additions and deletions in an order in which there is room for each, if there is such an order.
    private static func exchange(
        _ added: [SubscriptionAddress],
        for deleted: [SubscriptionAddress],
        free: Int
    ) -> [Operation] {
        var operations: [Operation] = []
        var free = free
        var deletions = deleted[...]
        for address in added {
            if free <= 0, let deletion = deletions.popFirst() {
                operations.append(.delete(deletion))
                free += 1
            }
            operations.append(.add(address))
            free -= 1
        }
        return operations + deletions.map { .delete($0) }
    }
}

extension SubscriptionAddress {
    /// Whether it is a virtual address, whose label takes 16 octets in a message.
    fileprivate var isLabel: Bool {
        if case .virtual = self { true } else { false }
    }
}
