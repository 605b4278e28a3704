import MeshCore

/// The events that a bearer has and that nobody has fetched yet, in order.
struct BearerEventQueue {
    private var events: [BearerEvent] = []
    /// Events before this index have been fetched. Taking one event moves no other.
    private var first = 0

    /// How many events fit the allocated memory.
    var capacity: Int { events.capacity }

    mutating func append(_ event: BearerEvent) {
        events.append(event)
    }

    /// Takes the oldest event; nil if the queue is empty.
    mutating func popFirst() -> BearerEvent? {
        guard first < events.count else {
            events.removeAll(keepingCapacity: true)
            first = 0
            return nil
        }
        let event = events[first]
        first += 1
        // If a new event always arrives before the last one is fetched, the queue never becomes empty. So fetched
        // events are dropped here.
        if first >= 64, first * 2 > events.count {
            events.removeFirst(first)
            first = 0
        }
        return event
    }

    /// Drops the events of a link that nobody uses any more.
    mutating func drop(_ link: LinkIdentifier) { keep { $0.link != link } }

    /// Drops what was heard, because nobody scans any more.
    mutating func dropHeard() { keep { $0.link != nil } }

    private mutating func keep(_ isWanted: (BearerEvent) -> Bool) {
        events = events[first...].filter(isWanted)
        first = 0
    }
}
