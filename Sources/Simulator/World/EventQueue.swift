package import MeshCore

/// Future events in order of time. Events of the same instant happen in the order in which they were added.
///
/// A binary heap: adding and taking cost O(log n). Two queues that were filled alike always give the same order.
package struct EventQueue<Event> {
    /// What the heap moves: only numbers. The events stay in their slots.
    private struct Entry {
        var time: Instant
        var order: UInt64
        var slot: Int

        func isBefore(_ other: Entry) -> Bool {
            time == other.time ? order < other.order : time < other.time
        }
    }

    private var heap: [Entry] = []
    private var slots: [Event?] = []
    private var freeSlots: [Int] = []
    private var nextOrder: UInt64 = 0

    /// An empty queue.
    package init() {}

    /// How many events wait.
    package var count: Int { heap.count }

    /// When the next event happens; nil if none waits.
    package var nextTime: Instant? { heap.first?.time }

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
        heap.append(Entry(time: time, order: nextOrder, slot: slot))
        nextOrder += 1
        siftUp(from: heap.count - 1)
    }

    /// Takes the next event if it happens at or before `deadline`.
    package mutating func next(until deadline: Instant) -> (time: Instant, event: Event)? {
        guard let first = heap.first, first.time <= deadline, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        guard let event = slots[first.slot].take() else { return nil }
        freeSlots.append(first.slot)
        return (first.time, event)
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var smallest = parent
            for child in (2 * parent + 1)..<(2 * parent + 3) where child < heap.count {
                if heap[child].isBefore(heap[smallest]) { smallest = child }
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
