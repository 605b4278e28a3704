package import MeshCore

/// One message of a read-back.
package enum ReadBackRequest: Hashable, Sendable {
    /// A single Get.
    case get(NodeReading)
    /// Several Gets in one Opcodes Aggregator Sequence (Mesh Protocol 1.1).
    case sequence([NodeReading])

    /// The Gets in the message.
    package var readings: [NodeReading] {
        switch self {
        case .get(let reading): [reading]
        case .sequence(let readings): readings
        }
    }

    /// Octets of its answer if the record is right, opcode included.
    package func statusLength(on node: Node) -> Int {
        switch self {
        case .get(let reading): reading.lengths(on: node).status
        case .sequence(let readings): ReadBackPacking.lengths(of: readings, on: node).status
        }
    }

    /// The cost of the message and its answer on air if the record is right.
    package func cost(on node: Node) -> MessageCost {
        switch self {
        case .get(let reading): return reading.cost
        case .sequence(let readings):
            let (request, status) = ReadBackPacking.lengths(of: readings, on: node)
            return .exchange(request: request, status: status)
        }
    }
}

/// The answers of a node to the Gets of an Opcodes Aggregator Sequence.
package struct ReadBackAnswers: Hashable, Sendable {
    /// The answer to one of the Gets.
    package enum Answer: Hashable, Sendable {
        case report(NodeReport)
        case refused
    }

    /// The answers in the order of the Gets; nil for a Get without a valid answer.
    package var answers: [Answer?]
    package var quirks: Set<KnownQuirk> = []
    /// Octets of the status, opcode included, if the node says that it had no room for more answers.
    package var fullAt: Int?

    package init(answers: [Answer?], fullAt: Int? = nil) {
        self.answers = answers
        self.fullAt = fullAt
    }

    /// Whether the node answered in order until its status was full.
    var isCutShort: Bool {
        guard fullAt != nil, let end = answers.firstIndex(of: nil), end > 0 else { return false }
        return answers[end...].allSatisfy { $0 == nil }
    }
}
