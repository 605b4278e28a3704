import MeshCore

/// The Opcodes Aggregator Server model: several requests to one element in one message (Mesh Protocol 1.1, 4.4.13).
enum OpcodesAggregator {
    /// The result of one request.
    enum Outcome {
        /// It was handled; the answer is nil if there is none.
        case handled([UInt8]?)
        /// No model of the element handles it.
        case refused(OpcodesAggregatorStatusCode)
    }

    /// Handles the items in order until one fails. The status lists the answers up to there; a request without an
    /// answer gets an empty one.
    ///
    /// A sequence within a sequence is refused as a wrong opcode. If an answer does not fit any more, its request was
    /// still acted on; only the answer is missing.
    static func status(
        of sequence: OpcodesAggregatorSequence,
        elements: ClosedRange<UInt16>,
        handling handle: (Opcode, ArraySlice<UInt8>) -> Outcome
    ) -> OpcodesAggregatorStatus {
        var status = OpcodesAggregatorStatus(
            status: .success,
            elementAddress: sequence.elementAddress,
            items: []
        )
        guard elements.contains(sequence.elementAddress.rawValue) else {
            status.status = .invalidAddress
            return status
        }
        // Opcode (2), status (1) and address (2) come before the items.
        var room = ConfigurationServer.longestPayload - 5
        for item in sequence.items {
            var reader = ByteReader(item)
            guard let opcode = try? Opcode(decoding: &reader) else {
                status.status = .messageNotUnderstood
                return status
            }
            let isNested = opcode == OpcodesAggregatorSequence.opcode
            switch isNested ? .refused(.wrongOpcode) : handle(opcode, reader.readRest()) {
            case .refused(let code):
                status.status = code
                return status
            case .handled(let answer):
                room -= OpcodesAggregatorSequence.size(ofItem: answer?.count ?? 0)
                guard room >= 0 else {
                    status.status = .responseOverflow
                    return status
                }
                status.items.append(answer ?? [])
            }
        }
        return status
    }
}
