import MeshCore

/// Timers by instant. A timer that was set again or stopped stays until its instant; its owner compares.
struct TimerHeap {
    private struct Item {
        let instant: Instant
        let place: Int
    }

    private var items: [Item] = []

    /// The instant of the earliest timer, including outdated ones.
    var earliest: Instant? { items.first?.instant }

    /// Sets a timer.
    mutating func insert(place: Int, at instant: Instant) {
        items.append(Item(instant: instant, place: place))
        var child = items.count - 1
        while child > 0, precedes(child, (child - 1) / 2) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the earliest timer if it is due.
    mutating func pop(until now: Instant) -> (place: Int, instant: Instant)? {
        guard let first = items.first, first.instant <= now, let last = items.popLast() else { return nil }
        if !items.isEmpty {
            items[0] = last
            var parent = 0
            while true {
                var smallest = parent
                for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && precedes(child, smallest) {
                    smallest = child
                }
                if smallest == parent { break }
                items.swapAt(parent, smallest)
                parent = smallest
            }
        }
        return (first.place, first.instant)
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        (items[left].instant, items[left].place) < (items[right].instant, items[right].place)
    }
}
