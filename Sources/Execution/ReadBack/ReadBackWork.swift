import MeshCore
import Planning

/// The nodes that a run reads back, and what each is asked next: a value without input or output.
struct ReadBackWork {
    /// What a node says to what it was asked last.
    enum Answer {
        /// It told what it has.
        case told(NodeReport)
        /// It told several things in one sequence. What it left out is asked for by itself.
        case toldTogether(ReadBackAnswers, to: [NodeReading])
        /// It refuses.
        case refused
        /// It answers with what cannot be the answer.
        case odd(OddAnswer)
        /// It does not answer a sequence, or refused its segments. It will be seen whether it takes single Gets.
        case noSequence
    }

    /// What a node is asked.
    struct Request {
        /// The Get, or the first of several.
        let reading: NodeReading
        /// All of them, if they are asked at once.
        var sequence: [NodeReading] = []
        /// Octets of the answer to all of them, opcode included.
        var answerSize = 0
        /// Whether it is not waited for as long as for others: the node has left one like it unanswered.
        let isBrief: Bool
    }

    private var open: [DeviceUUID: NodeReadBack] = [:]
    /// Gets without an answer of nodes that are asked now whether they answer anything.
    private var probed: [DeviceUUID: NodeReading] = [:]
    /// Products of which a node did not take several Gets in one message.
    private var singlyAskedProducts: Set<Node.Product> = []

    /// The nodes that are being read back, sorted.
    var nodes: [DeviceUUID] { open.keys.sorted() }

    /// What the nodes that are asked several things at once count for beside their one message: a sequence and its status
    /// fill the queues of proxies and relays like the messages of so many nodes.
    var load: Int { open.values.count(where: \.mayTakeSequences) * Self.sequenceWeight }

    private static let sequenceWeight = 2

    /// Whether a node is being read back.
    func isReading(_ node: DeviceUUID) -> Bool { open[node] != nil }

    /// Whether a node is asked only whether it answers anything.
    func isProbing(_ node: DeviceUUID) -> Bool { probed[node] != nil }

    /// Begins with a node.
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

    /// What to ask a node next; nil if it was asked for everything.
    mutating func next(of uuid: DeviceUUID, labels: KnownLabels) -> Request? {
        open[uuid]?.takeTold(labels: labels)
        guard let readBack = open[uuid] else { return nil }
        guard let request = readBack.nextRequest, let reading = readBack.next else {
            // It is there and answers, only not to sequences.
            if readBack.isAskedSingly, let product = readBack.node.product { singlyAskedProducts.insert(product) }
            return nil
        }
        let isBrief = readBack.unread.contains { $0.answer == nil && $0.reading.isLike(reading) }
        guard case .sequence(let readings) = request else { return Request(reading: reading, isBrief: isBrief) }
        let size = request.statusLength(on: readBack.node)
        return Request(reading: reading, sequence: readings, answerSize: size, isBrief: isBrief)
    }

    /// A node has answered, or not taken a sequence.
    mutating func take(_ answer: Answer, of uuid: DeviceUUID, labels: KnownLabels) {
        // Whatever it says: it is there, and does not answer the Get before.
        guard probed.removeValue(forKey: uuid) == nil else {
            open[uuid]?.leave(nil)
            return
        }
        switch answer {
        case .told(let report): open[uuid]?.take(report, labels: labels)
        case .toldTogether(let answers, to: let readings): open[uuid]?.take(answers, to: readings)
        case .refused: open[uuid]?.refuse()
        case .odd(let answer): open[uuid]?.leave(answer)
        case .noSequence: open[uuid]?.askSingly()
        }
    }

    /// A node did not answer a Get. If it has answered others, it is asked for something that every node answers: then it is
    /// seen whether it fell silent, or only does not answer that.
    ///
    /// - Returns: what to ask it; nil if it has fallen silent.
    mutating func probe(_ uuid: DeviceUUID) -> Request? {
        guard let readBack = open[uuid], let reading = readBack.next, readBack.hasAnswered, probed[uuid] == nil else {
            probed[uuid] = nil
            return nil
        }
        probed[uuid] = reading
        return Request(reading: reading == .defaultTTL ? .secureNetworkBeacon : .defaultTTL, isBrief: true)
    }

    /// Ends with a node: what it has told, all of it or up to where it fell silent; nil if it told nothing.
    mutating func end(_ uuid: DeviceUUID) -> NodeReadBack? {
        probed[uuid] = nil
        guard let readBack = open.removeValue(forKey: uuid), readBack.hasAnswered else { return nil }
        return readBack
    }

    /// Ends with a node of which nothing can be understood.
    mutating func drop(_ uuid: DeviceUUID) {
        probed[uuid] = nil
        open[uuid] = nil
    }
}

extension ReadBackWork.Answer {
    /// What a verdict says to a node that is read back; nil if it says something else.
    ///
    /// - Parameter readings: what was asked at once.
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
    /// Whether it is the same message, about whatever.
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
