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

    /// The messages in their order.
    let messages: [MessageCost]
    /// Radio hops from the proxy to the node, at least 1.
    var distance = 1
    /// How much of a relay it is from when it is a node; less than 1 where it is not known whether it can.
    var relaysFirst = 0.0
    /// How much of a relay is switched off by its last message.
    var relaysNoMore = 0.0
    /// Whether it may be asked to advertise its identity, or does so by itself as a new node.
    var mayBeDirect = false
    /// How long it is waited for if it does not answer at all; nil if it does.
    var silence: Double?

    /// The only subnet that it is in when it becomes a node; nil if the proxies there are serve it.
    var subnet: UInt16?

    var way = Way.mesh
    /// Whether it is listened for, to be linked to.
    var isListenedFor = false
    /// The message that is under way or comes next.
    var next = 0
    /// How often the present message was sent.
    var attempts = 0
    /// When it was first sent.
    var begunAt = 0.0
    /// When it was last sent, and how long its answer is waited for then.
    var sentAt = 0.0
    var timeout = 0.0
    /// When the segments of its message are acknowledged, those of the request and those of the status.
    var acknowledgedAt = (request: 0.0, status: 0.0)
    /// What was measured of its round trips, as RFC 6298 has it; nil before the first.
    var roundTrip: (smoothed: Double, variation: Double)?
    var backedOff: Double?

    init(_ messages: [MessageCost]) { self.messages = messages }

    /// Whether everything is done, or given up.
    var isDone: Bool { next >= messages.count }

    /// What is sent now.
    var message: MessageCost { way == .asking ? DirectLinkModel.question : messages[next] }

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
    /// After so many nodes in a row that came to nothing no more are asked.
    static let mostFailures = 4
    /// Seconds of asking a node through the mesh and of hearing it.
    static let asking = 1.0

    /// Seconds from the choice of an advertiser to a link that carries messages.
    static func setUp(_ profile: RadioProfile) -> Double { profile.connecting + 5 * profile.connectionInterval }

    /// Whether a node is done sooner over a link of its own: the mesh is busy for longer than that takes, and the node's
    /// share of it is more than a link's share of connecting.
    static func pays(_ messages: Int, _ pdus: Int, links: Int, openPDUs: Int, _ profile: RadioProfile) -> Bool {
        let connecting = asking + setUp(profile)
        let own = connecting + Double(messages) * RadioProfile.office.directRoundTrip
        let perPDU = RadioProfile.office.advertisingTime
        return Double(pdus) * perPDU > connecting / Double(max(links, 1)) && Double(openPDUs) * perPDU > own
    }
}
