/// What is to happen in a rehearsal, the earliest first; of several at one time the one that was added first.
struct RehearsalEvents {
    /// What happens to a lane.
    enum Kind: Hashable {
        /// Its device is heard.
        case heard
        /// Its device has become a node.
        case provisioned
        /// The link to the mesh is there.
        case linked
        /// Its node answers the message with that number.
        case answers(Int)
        /// The answer to that message is there.
        case answered(Int)
        /// The answer to that message was waited for after so many transmissions.
        case late(Int, attempts: Int)
        /// Segments of the request, or of its status, were sent so many times and are to be acknowledged by now.
        case unacknowledged(Int, ofStatus: Bool, rounds: Int)
        /// Its node is heard, so that a link of its own can be made.
        case advertises
        /// It has waited for a link of its own long enough.
        case tired
        /// The link of its own is there.
        case directlyLinked
    }

    /// When, and what.
    struct Event {
        let time: Double
        let order: Int
        let lane: Int
        let kind: Kind

        func isBefore(_ other: Event) -> Bool { time < other.time || time == other.time && order < other.order }
    }

    private var heap: [Event] = []
    private var count = 0

    mutating func add(_ kind: Kind, _ lane: Int, at time: Double) {
        count += 1
        heap.append(Event(time: time, order: count, lane: lane, kind: kind))
        var place = heap.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard heap[place].isBefore(heap[parent]) else { break }
            heap.swapAt(place, parent)
            place = parent
        }
    }

    mutating func next() -> Event? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != place else { return first }
            heap.swapAt(place, least)
            place = least
        }
    }
}
