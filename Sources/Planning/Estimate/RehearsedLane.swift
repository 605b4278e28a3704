/// The messages of one node in a rehearsal, and how far they have come.
struct RehearsedLane {
    /// How the node is reached.
    enum Way: Hashable {
        /// It is still a device.
        case device
        /// Through the mesh.
        case mesh
        /// The client asks it through the mesh to advertise its Node Identity.
        case asking
        /// It waits for a link of its own.
        case held
        /// Over a link of its own.
        case direct
    }

    /// Whether the client has heard a reset node as a device.
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
    /// The subnets that it is in as soon as it is a node, a bit each, and those that it joins after so many messages.
    var subnets: UInt64 = 1
    var gains: [PlanParts.Gain] = []
    /// The probability that it relays as soon as it is a node: between 0 and 1 if it is not known whether it can.
    var relaysFirst = 0.0
    /// Whether its GATT proxy is on as soon as it is a node. Unless the plan says so, this is decided with its place.
    var isProxyFirst = false
    /// Whether its last message switches its relay off.
    var relaysNoMore = false
    /// The number of messages after which its GATT proxy is on, and off; nil if no message says so.
    var becomesProxyAfter: Int?
    var losesProxyAfter: Int?
    /// Whether it may be asked to advertise its Node Identity, or does so by itself as a new node.
    var mayBeDirect = false
    /// Whether its last message is a Node Reset, and whether the client has heard it as a device since.
    var leaves = false
    var sighting = Sighting.none
    /// Whether the attempt to give it a link of its own failed.
    var isPassed = false
    /// How long the client waits for it if it never answers; nil if it answers.
    var silence: Double?
    /// Whether all messages only read.
    var onlyReads = false

    var way = Way.mesh
    /// When it began to wait for a link of its own.
    var heldAt = 0.0
    /// Whether anything was sent to it, and whether a message is on its way or waits for a link.
    var isBegun = false
    var isBusy = false
    /// How often no proxy was heard that serves it.
    var misses = 0
    /// The link that carries its request; nil without a request, or while the request waits for a link.
    var carrier: Int?
    /// The message that is on its way or comes next.
    var next = 0
    /// How often the present message was sent.
    var attempts = 0
    /// When it was first sent over a link.
    var begunAt = 0.0
    /// When it was last sent, and how long the client waits for its answer.
    var sentAt = 0.0
    var timeout = 0.0
    /// The segments of the last request and of the last status, if there are more than one.
    var request: Rehearsal.Segments?
    var status: Rehearsal.Segments?
    /// The measured round trips as in RFC 6298; nil before the first.
    var roundTrip: (smoothed: Double, variation: Double)?
    var backedOff: Double?

    init(_ messages: [MessageCost]) { self.messages = messages }

    /// Whether all messages are done or given up.
    var isDone: Bool { next >= messages.count }

    /// The present message.
    var message: MessageCost { way == .asking ? DirectLinkModel.question : messages[min(next, messages.count - 1)] }

    /// The PDUs of the messages that are not done.
    var openPDUs: Int { messages[min(next, messages.count)...].reduce(0) { $0 + $1.pdus } }
}

extension MessageCost {
    /// The segments of the request and of its status, derived from the PDUs of one exchange.
    var segments: (request: Int, status: Int) {
        if pdusToNode <= 1 { return (1, max(pdusFromNode, 1)) }
        // Two PDUs to the node and many from it are a long status: one of the two is its acknowledgment.
        if pdusToNode == 2, pdusFromNode > 2 { return (1, pdusFromNode) }
        return (pdusFromNode > 2 ? pdusToNode - 1 : pdusToNode, max(pdusFromNode - 1, 1))
    }

    /// The single messages, each with its share of the PDUs.
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

/// The executor's rules for links to single nodes: what they cost, and which nodes get them.
enum DirectLinkModel {
    /// The request through the mesh that has a node advertise.
    static let question = MessageCost(messages: 1, pdusToNode: 1, pdusFromNode: 1)
    /// For each such link, so many nodes have one, wait for one or are asked.
    static let lookAhead = 2
    /// Seconds for which a node waits for its link.
    static let patience = 45.0
    /// Seconds for which the client listens for a node that should advertise.
    static let listening = 5.0
    /// After so many failures in a row, no more nodes are asked.
    static let mostFailures = 4
    /// Seconds to ask a node through the mesh and to hear it.
    static let asking = 1.0

    /// Seconds from the choice of an advertiser to a link that carries messages.
    static func setUp(_ profile: RadioProfile) -> Double { profile.connecting + 5 * profile.connectionInterval }

    /// Whether a node is done sooner over a link of its own. The mesh must be busy for longer than that takes, and the
    /// node's share of it must exceed a link's share of connecting.
    ///
    /// - Parameter setUp: seconds that such a link took, as measured last.
    static func pays(_ messages: Int, _ pdus: Int, links: Int, openPDUs: Int, setUp: Double) -> Bool {
        let connecting = asking + setUp
        let own = connecting + Double(messages) * RadioProfile.office.directRoundTrip
        let perPDU = RadioProfile.office.advertisingTime
        return Double(pdus) * perPDU > connecting / Double(max(links, 1)) && Double(openPDUs) * perPDU > own
    }
}
