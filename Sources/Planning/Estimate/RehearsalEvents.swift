import Basics

/// Something that happens in a rehearsal. Events of the same time happen in the order in which they were added.
struct RehearsalEvent: Comparable {
    /// What happens to a lane, or to a station of the radio.
    enum Kind: Hashable {
        /// The client hears the lane's device.
        case heard
        /// The lane's device has become a node.
        case provisioned
        /// That link is ready.
        case linked(Int)
        /// The links are reviewed.
        case reviewed
        /// The client sends a segment of the request.
        case request(message: Int, attempt: Int, segment: Int)
        /// The node sends a segment of the status.
        case status(message: Int, attempt: Int, segment: Int)
        /// The station advertises that PDU, as its relay or as its source.
        case advertises(Int, isRelayed: Bool)
        /// The station hears that PDU.
        case hears(Int)
        /// That PDU has reached its node, or the client.
        case delivered(Int)
        /// The answer to that message has come over a link to the node itself.
        case answered(Int)
        /// The time-out of that message has passed after so many transmissions.
        case late(message: Int, attempt: Int)
        /// The time for the acknowledgment of segments has passed after so many rounds.
        case unacknowledged(message: Int, attempt: Int, ofStatus: Bool, rounds: Int)
        /// The receiver of segments acknowledges those that it has.
        case owed(message: Int, attempt: Int, ofStatus: Bool)
        /// The client hears the node, which was reset, as a device.
        case seen
    }

    /// When, in seconds.
    let time: Double
    let order: Int
    /// The lane, or the station.
    let lane: Int
    let kind: Kind

    static func < (left: RehearsalEvent, right: RehearsalEvent) -> Bool {
        left.time < right.time || left.time == right.time && left.order < right.order
    }
}

/// The events that are still to happen, the earliest first.
struct RehearsalEvents {
    private var heap = MinimumHeap<RehearsalEvent>()
    private var count = 0

    mutating func add(_ kind: RehearsalEvent.Kind, _ lane: Int, at time: Double) {
        count += 1
        heap.insert(RehearsalEvent(time: time, order: count, lane: lane, kind: kind))
    }

    mutating func next() -> RehearsalEvent? { heap.popMinimum() }
}
