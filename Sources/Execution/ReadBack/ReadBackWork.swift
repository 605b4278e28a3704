import MeshCore
import Planning

/// The nodes that a run reads back, and the next question for each. A value without input or output.
struct ReadBackWork {
    /// A node's answer to its last question.
    enum Answer {
        case told(NodeReport)
        /// It told several states in one sequence. What it left out is requested by itself.
        case toldTogether(ReadBackAnswers, to: [NodeReading])
        case refused
        /// Its answer cannot be one.
        case odd(OddAnswer)
        /// It does not answer a sequence, or refused its segments. The next questions show whether it accepts single
        /// Gets.
        case noSequence
    }

    /// A question to a node.
    struct Request {
        /// The Get, or the first of several.
        let reading: NodeReading
        /// All Gets, if they are sent at once.
        var sequence: [NodeReading] = []
        /// Octets of the answer to all Gets, opcode included.
        var answerSize = 0
        /// Whether its time limit is shorter, because the node has left a similar one unanswered.
        let isBrief: Bool
    }

    private var open: [DeviceUUID: NodeReadBack] = [:]
    /// The unanswered Gets of nodes that are now asked whether they answer anything.
    private var probed: [DeviceUUID: NodeReading] = [:]
    /// Products of which a node did not accept several Gets in one message.
    private var singlyAskedProducts: Set<Node.Product> = []

    /// The nodes that are being read back, sorted.
    var nodes: [DeviceUUID] { open.keys.sorted() }

    /// How many nodes the sequences count for, beyond their one message each: a sequence and its status fill the queues
    /// of proxies and relays like the messages of this many nodes.
    var load: Int { open.values.count(where: \.mayTakeSequences) * Self.sequenceWeight }

    private static let sequenceWeight = 2

    func isReading(_ node: DeviceUUID) -> Bool { open[node] != nil }

    /// Whether a node is only asked whether it answers anything.
    func isProbing(_ node: DeviceUUID) -> Bool { probed[node] != nil }

    mutating func begin(_ node: Node, appKeys: [AppKey], _ options: ExecutionOptions) {
        var readBack = NodeReadBack(
            of: node,
            appKeys: appKeys,
            pages: options.pages,
            isInSequences: options.readsInSequences
        )
        if let product = node.product, singlyAskedProducts.contains(product) { readBack.askSingly() }
        open[node.uuid] = readBack
    }

    /// The next question for a node; nil if it was asked for everything.
    mutating func next(of uuid: DeviceUUID, labels: KnownLabels) -> Request? {
        open[uuid]?.takeTold(labels: labels)
        guard let readBack = open[uuid] else { return nil }
        guard let request = readBack.nextRequest, let reading = readBack.next else {
            // The node answers, but not to sequences.
            if readBack.isAskedSingly, let product = readBack.node.product { singlyAskedProducts.insert(product) }
            return nil
        }
        let isBrief = readBack.unread.contains { $0.answer == nil && $0.reading.isLike(reading) }
        guard case .sequence(let readings) = request else { return Request(reading: reading, isBrief: isBrief) }
        let size = request.statusLength(on: readBack.node)
        return Request(reading: reading, sequence: readings, answerSize: size, isBrief: isBrief)
    }

    /// A node has answered, or not accepted a sequence.
    mutating func record(_ answer: Answer, of uuid: DeviceUUID, labels: KnownLabels) {
        // Any answer shows that the node is there, and does not answer the Get before.
        guard probed.removeValue(forKey: uuid) == nil else {
            open[uuid]?.leave(nil)
            return
        }
        switch answer {
        case .told(let report): open[uuid]?.include(report, labels: labels)
        case .toldTogether(let answers, to: let readings): open[uuid]?.include(answers, to: readings)
        case .refused: open[uuid]?.refuse()
        case .odd(let answer): open[uuid]?.leave(answer)
        case .noSequence: open[uuid]?.askSingly()
        }
    }

    /// A node did not answer a Get. If it has answered others, it is asked for something that every node answers. That
    /// shows whether it fell silent, or only does not answer that Get.
    ///
    /// - Returns: the question; nil if it has fallen silent.
    mutating func probe(_ uuid: DeviceUUID) -> Request? {
        guard let readBack = open[uuid], let reading = readBack.next, readBack.hasAnswered, probed[uuid] == nil else {
            probed[uuid] = nil
            return nil
        }
        probed[uuid] = reading
        return Request(reading: reading == .defaultTTL ? .secureNetworkBeacon : .defaultTTL, isBrief: true)
    }

    /// Ends the read-back of a node. Returns what it has told, everything or up to where it fell silent; nil if it told
    /// nothing.
    mutating func end(_ uuid: DeviceUUID) -> NodeReadBack? {
        probed[uuid] = nil
        guard let readBack = open.removeValue(forKey: uuid), readBack.hasAnswered else { return nil }
        return readBack
    }

    /// Ends the read-back of a node whose answers cannot be understood.
    mutating func drop(_ uuid: DeviceUUID) {
        probed[uuid] = nil
        open[uuid] = nil
    }
}

extension ReadBackWork.Answer {
    /// The meaning of a verdict for a node that is read back; nil if it has none.
    ///
    /// - Parameter readings: the readings that were requested at once.
    init?(_ verdict: ConfigurationVerdict, to readings: [NodeReading]) {
        switch verdict {
        case .report(let report): self = .told(report)
        case .reports(let answers): self = .toldTogether(answers, to: readings)
        case .refused: self = .refused
        case .odd(let answer): self = .odd(answer)
        default: return nil
        }
    }
}

extension NodeReading {
    /// Whether it is the same message, whatever its parameters.
    fileprivate func isLike(_ other: NodeReading) -> Bool {
        switch (self, other) {
        case (.appKeys, .appKeys), (.subscriptions, .subscriptions), (.publication, .publication),
            (.bridgingTable, .bridgingTable), (.page, .page):
            true
        case (.bindings(let one), .bindings(let two)): one.model.isVendor == two.model.isVendor
        default: self == other
        }
    }
}
