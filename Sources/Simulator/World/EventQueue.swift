import Basics
package import MeshCore

/// Future events in order of time. Events of the same instant happen in the order in which they were added.
///
/// Adding and taking cost O(log n). Two queues that were filled alike always give the same order.
package struct EventQueue<Event> {
    /// What the heap moves: only numbers. The events stay in their slots.
    private struct Entry: Comparable {
        var time: Instant
        var order: UInt64
        var slot: Int

        static func < (left: Entry, right: Entry) -> Bool {
            left.time == right.time ? left.order < right.order : left.time < right.time
        }
    }

    private var heap = MinimumHeap<Entry>()
    private var slots: [Event?] = []
    private var freeSlots: [Int] = []
    private var nextOrder: UInt64 = 0

    package init() {}

    package var count: Int { heap.count }

    /// When the next event happens; nil if none waits.
    package var nextTime: Instant? { heap.minimum?.time }

    /// Adds an event at `time`. It happens after all events added earlier for the same instant.
    package mutating func add(_ event: Event, at time: Instant) {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[slot] = event
        } else {
            slot = slots.count
            slots.append(event)
        }
        heap.insert(Entry(time: time, order: nextOrder, slot: slot))
        nextOrder += 1
    }

    /// Takes the next event if it happens at or before `deadline`.
    package mutating func next(until deadline: Instant) -> (time: Instant, event: Event)? {
        guard let time = nextTime, time <= deadline, let first = heap.popMinimum(),
            let event = slots[first.slot].take()
        else { return nil }
        freeSlots.append(first.slot)
        return (first.time, event)
    }
}
