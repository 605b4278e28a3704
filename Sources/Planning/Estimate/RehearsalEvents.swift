import Basics

/// Something that happens in a rehearsal; what happens at one time happens in the order of its being foreseen.
struct RehearsalEvent: Comparable {
    /// What happens to a lane, or to a station of the radio.
    enum Kind: Hashable {
        /// Its device is heard.
        case heard
        /// Its device has become a node.
        case provisioned
        /// That link is there.
        case linked(Int)
        /// It is looked at which links there are to be.
        case reviewed
        /// The client sends a segment of its request.
        case request(message: Int, attempt: Int, segment: Int)
        /// Its node sends a segment of its status.
        case status(message: Int, attempt: Int, segment: Int)
        /// The station advertises that PDU, as one that it relays or begins.
        case advertises(Int, isRelayed: Bool)
        /// The station hears that PDU.
        case hears(Int)
        /// That PDU has reached its node, or the client.
        case delivered(Int)
        /// Over a link to the very node the answer to that message is there.
        case answered(Int)
        /// The answer to that message was waited for after so many transmissions.
        case late(message: Int, attempt: Int)
        /// Segments of the request, or of its status, were sent so many times and are to be acknowledged by now.
        case unacknowledged(message: Int, attempt: Int, ofStatus: Bool, rounds: Int)
        /// Who has heard some segments of the request, or of its status, tells which are missing.
        case owed(message: Int, attempt: Int, ofStatus: Bool)
        /// It was reset and is heard as a device.
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

/// What is to happen in a rehearsal, the earliest first.
struct RehearsalEvents {
    private var heap = MinimumHeap<RehearsalEvent>()
    private var count = 0

    mutating func add(_ kind: RehearsalEvent.Kind, _ lane: Int, at time: Double) {
        count += 1
        heap.insert(RehearsalEvent(time: time, order: count, lane: lane, kind: kind))
    }

    mutating func next() -> RehearsalEvent? { heap.popMinimum() }
}
