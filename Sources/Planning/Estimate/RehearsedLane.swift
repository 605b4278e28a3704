/// What one node is sent in a rehearsal, one message after the other, and how far that has come.
struct RehearsedLane {
    /// How the node is reached.
    enum Way: Hashable {
        /// It is still a device.
        case device
        /// Through the mesh.
        case mesh
        /// It is asked through the mesh to advertise its identity.
        case asking
        /// A link of its own is awaited.
        case held
        /// Over a link of its own.
        case direct
    }

    /// Whether a node that is reset was heard as a device.
    enum Sighting: Hashable {
        case none
        /// It will be.
        case expected
        case seen
    }

    /// The messages in their order.
    let messages: [MessageCost]
    /// Its place among the stations of the radio.
    var station = 0
    /// The subnets it is in as soon as it is a node, a bit each, and after how many messages it gets into which others.
    var subnets: UInt64 = 1
    var gains: [PlanParts.Gain] = []
    /// How probable it is that it relays from when it is a node; between 0 and 1 where it is not known whether it can.
    var relaysFirst = 0.0
    /// Whether its GATT proxy is on from when it is a node. Known only once it has a place, unless the plan tells it.
    var isProxyFirst = false
    /// Whether its last message switches its relay off.
    var relaysNoMore = false
    /// After how many messages its GATT proxy is on for all that is known, and off; nil if they say nothing of that.
    var becomesProxyAfter: Int?
    var losesProxyAfter: Int?
    /// Whether it may be asked to advertise its identity, or does so by itself as a new node.
    var mayBeDirect = false
    /// Whether its last message is a Node Reset, and whether it was heard as a device since.
    var leaves = false
    var sighting = Sighting.none
    /// Whether a link of its own came to nothing.
    var isPassed = false
    /// How long it is waited for if it does not answer at all; nil if it does.
    var silence: Double?
    /// Whether all messages only read.
    var onlyReads = false

    var way = Way.mesh
    /// Since when it waits for a link of its own.
    var heldAt = 0.0
    /// Whether anything was sent to it, and whether a message is under way or waits for a link.
    var isBegun = false
    var isBusy = false
    /// How often nobody was heard who serves it.
    var misses = 0
    /// The link that carries its request; nil while that waits for one, or there is none.
    var carrier: Int?
    /// The message that is under way or comes next.
    var next = 0
    /// How often the present message was sent.
    var attempts = 0
    /// When it was first sent over a link.
    var begunAt = 0.0
    /// When it was last sent, and how long its answer is waited for then.
    var sentAt = 0.0
    var timeout = 0.0
    /// The segments of the request and of the status that were sent last, if those have more than one.
    var request: Rehearsal.Segments?
    var status: Rehearsal.Segments?
    /// What was measured of its round trips, as RFC 6298 has it; nil before the first.
    var roundTrip: (smoothed: Double, variation: Double)?
    var backedOff: Double?

    init(_ messages: [MessageCost]) { self.messages = messages }

    /// Whether everything is done, or given up.
    var isDone: Bool { next >= messages.count }

    /// What is sent now.
    var message: MessageCost { way == .asking ? DirectLinkModel.question : messages[min(next, messages.count - 1)] }

    /// PDUs that are still to be sent.
    var openPDUs: Int { messages[min(next, messages.count)...].reduce(0) { $0 + $1.pdus } }
}

extension MessageCost {
    /// Segments of the request and of its status, told from the PDUs of one exchange.
    var segments: (request: Int, status: Int) {
        if pdusToNode <= 1 { return (1, max(pdusFromNode, 1)) }
        // Two PDUs to the node and many from it: a long status, of which one of the two is the acknowledgment.
        if pdusToNode == 2, pdusFromNode > 2 { return (1, pdusFromNode) }
        return (pdusFromNode > 2 ? pdusToNode - 1 : pdusToNode, max(pdusFromNode - 1, 1))
    }

    /// As many messages as it counts, each with its share of the PDUs.
    var divided: [MessageCost] {
        (0..<messages).map { place in
            MessageCost(
                messages: 1,
                pdusToNode: pdusToNode * (place + 1) / messages - pdusToNode * place / messages,
                pdusFromNode: pdusFromNode * (place + 1) / messages - pdusFromNode * place / messages
            )
        }
    }
}

/// What links to the very nodes take, and which nodes get them: the executor's own rules.
enum DirectLinkModel {
    /// What is asked of a node through the mesh.
    static let question = MessageCost(messages: 1, pdusToNode: 1, pdusFromNode: 1)
    /// Nodes for each link that are asked or wait for theirs, that one included.
    static let lookAhead = 2
    /// Seconds for which a node waits for its link.
    static let patience = 45.0
    /// Seconds for which it is listened to a node that ought to advertise.
    static let listening = 5.0
    /// After so many nodes in a row that came to nothing no more are asked.
    static let mostFailures = 4
    /// Seconds of asking a node through the mesh and of hearing it.
    static let asking = 1.0

    /// Seconds from the choice of an advertiser to a link that carries messages.
    static func setUp(_ profile: RadioProfile) -> Double { profile.connecting + 5 * profile.connectionInterval }

    /// Whether a node is done sooner over a link of its own: the mesh is busy for longer than that takes, and the
    /// node's share of it is more than a link's share of connecting.
    ///
    /// - Parameter setUp: seconds that such a link took, as measured last.
    static func pays(_ messages: Int, _ pdus: Int, links: Int, openPDUs: Int, setUp: Double) -> Bool {
        let connecting = asking + setUp
        let own = connecting + Double(messages) * RadioProfile.office.directRoundTrip
        let perPDU = RadioProfile.office.advertisingTime
        return Double(pdus) * perPDU > connecting / Double(max(links, 1)) && Double(openPDUs) * perPDU > own
    }
}
