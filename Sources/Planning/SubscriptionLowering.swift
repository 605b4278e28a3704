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
    /// is to stay. Both lists are sorted.
    static func operations(
        from existing: [SubscriptionAddress],
        to target: [SubscriptionAddress]
    ) -> [Operation] {
        let added = target.subtracting(existing)
        let deleted = existing.subtracting(target)
        let difference = added.count + deleted.count
        if target.isEmpty, existing.count > 1 { return [.deleteAll] }
        if target.isEmpty || difference <= target.count {
            return added.map { .add($0) } + deleted.map { .delete($0) }
        }
        // An address that is there already stays heard all the time if it is the one that overwrites.
        let first = target.first { existing.contains($0) } ?? target[0]
        return [.overwrite(first)] + target.filter { $0 != first }.map { .add($0) }
    }
}
