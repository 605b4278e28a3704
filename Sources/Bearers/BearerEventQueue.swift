internal import MeshCore

/// What a bearer has to tell and nobody has fetched yet, in order.
struct BearerEventQueue {
    private var events: [BearerEvent] = []
    /// Those in front of it are fetched; so taking one away does not move the others.
    private var first = 0

    /// How many events there is memory for.
    var capacity: Int { events.capacity }

    /// Adds the latest.
    mutating func append(_ event: BearerEvent) {
        events.append(event)
    }

    /// Takes the oldest away, nil if there is none.
    mutating func popFirst() -> BearerEvent? {
        guard first < events.count else {
            events.removeAll(keepingCapacity: true)
            first = 0
            return nil
        }
        let event = events[first]
        first += 1
        // Where something new always comes before the last is fetched, the fetched ones would stay for ever.
        if first >= 64, first * 2 > events.count {
            events.removeFirst(first)
            first = 0
        }
        return event
    }

    /// Drops what there is to tell of a link, since nobody wants to know any more.
    mutating func drop(_ link: LinkIdentifier) { keep { $0.link != link } }

    /// Drops what was heard, since nobody scans any more.
    mutating func dropHeard() { keep { $0.link != nil } }

    private mutating func keep(_ isWanted: (BearerEvent) -> Bool) {
        events = events[first...].filter(isWanted)
        first = 0
    }
}
