package import MeshCore

/// One message of a read-back.
package enum ReadBackRequest: Hashable, Sendable {
    /// A Get by itself.
    case get(NodeReading)
    /// Several Gets in one Opcodes Aggregator Sequence (Mesh Protocol 1.1).
    case sequence([NodeReading])

    /// What it asks.
    package var readings: [NodeReading] {
        switch self {
        case .get(let reading): [reading]
        case .sequence(let readings): readings
        }
    }

    /// Octets of its answer if the node is as recorded, opcode included.
    package func statusLength(on node: Node) -> Int {
        switch self {
        case .get(let reading): reading.lengths(on: node).status
        case .sequence(let readings): ReadBackPacking.lengths(of: readings, on: node).status
        }
    }

    /// What it and its answer cost on air if the node is as recorded.
    package func cost(on node: Node) -> MessageCost {
        switch self {
        case .get(let reading): return reading.cost
        case .sequence(let readings):
            let (request, status) = ReadBackPacking.lengths(of: readings, on: node)
            return .exchange(request: request, status: status)
        }
    }
}

/// What a node answered to the Gets of an Opcodes Aggregator Sequence.
package struct ReadBackAnswers: Hashable, Sendable {
    /// The answer to one of them.
    package enum Answer: Hashable, Sendable {
        /// What it asked for.
        case report(NodeReport)
        /// A refusal.
        case refused
    }

    /// In the order of the Gets; nil for one without an answer that can be understood.
    package var answers: [Answer?]
    /// In which known ways they depart from the specification.
    package var habits: Set<KnownHabit> = []
    /// Octets of the status, opcode included, if the node says that no more answers had room in it.
    package var fullAt: Int?

    /// Those answers.
    package init(answers: [Answer?], fullAt: Int? = nil) {
        self.answers = answers
        self.fullAt = fullAt
    }

    /// Whether the node answered in order up to where its status was full.
    var isCutShort: Bool {
        guard fullAt != nil, let end = answers.firstIndex(of: nil), end > 0 else { return false }
        return answers[end...].allSatisfy { $0 == nil }
    }
}
