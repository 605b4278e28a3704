internal import Basics

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
    struct Event: Comparable {
        let time: Double
        let order: Int
        let lane: Int
        let kind: Kind

        static func < (left: Event, right: Event) -> Bool {
            left.time < right.time || left.time == right.time && left.order < right.order
        }
    }

    private var heap = MinimumHeap<Event>()
    private var count = 0

    mutating func add(_ kind: Kind, _ lane: Int, at time: Double) {
        count += 1
        heap.insert(Event(time: time, order: count, lane: lane, kind: kind))
    }

    mutating func next() -> Event? { heap.popMinimum() }
}
