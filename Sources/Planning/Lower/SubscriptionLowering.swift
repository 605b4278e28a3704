import MeshCore

/// Changes one subscription list into another with the fewest messages.
enum SubscriptionLowering {
    /// One message.
    enum Operation: Equatable {
        case add(SubscriptionAddress)
        case delete(SubscriptionAddress)
        /// Removes all entries except this one.
        case overwrite(SubscriptionAddress)
        case deleteAll
    }

    /// The messages, in order: additions before deletions, as far as the list has room.
    ///
    /// Adding and deleting takes one message for each difference, an overwrite with additions one for each desired
    /// address, and Delete All one message. If these are equal, adding and deleting wins, because it never removes what
    /// should stay. A single label is removed by Delete All, too, which is shorter by two segments. Both lists are
    /// sorted.
    ///
    /// - Parameters:
    ///   - keepsUnknown: whether to keep what the node has beside `existing`, so that it must not be overwritten or
    ///     deleted with the rest.
    ///   - room: how many entries the list has room for; nil if unknown. If there is no room for additions, only as
    ///     many deletions as they need come first.
    static func operations(
        from existing: [SubscriptionAddress],
        to target: [SubscriptionAddress],
        keepsUnknown: Bool = false,
        room: Int? = nil
    ) -> [Operation] {
        let added = target.subtracting(existing)
        let deleted = existing.subtracting(target)
        let difference = added.count + deleted.count
        // An unknown label cannot be named in a message, so it can only be removed together with all others.
        let isNameable = deleted.allSatisfy { if case .unknownLabel = $0 { false } else { true } }
        if target.isEmpty, !keepsUnknown, existing.count > 1 || !isNameable || existing.first?.isLabel ?? false {
            return [.deleteAll]
        }
        if keepsUnknown || isNameable && (target.isEmpty || difference <= target.count) {
            return exchange(added, for: deleted, free: room.map { $0 - existing.count } ?? added.count)
        }
        // If the overwriting address was already there, the model hears it all the time.
        let first = target.first { existing.contains($0) } ?? target[0]
        return [.overwrite(first)] + target.filter { $0 != first }.map { .add($0) }
    }

    /// Additions and deletions in an order that leaves room for each, if there is such an order.
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
    /// Whether it is a virtual address; its label takes 16 octets in a message.
    fileprivate var isLabel: Bool {
        if case .virtual = self { true } else { false }
    }
}
