package import MeshCore

/// One stream of sequence numbers: a source address under one IV index (Mesh Protocol 3.4.4.5).
package struct SequenceStream: Hashable, Comparable, Sendable {
    /// The sending element.
    package var source: UnicastAddress
    /// The IV index that the PDUs are secured with.
    package var ivIndex: UInt32

    /// A stream.
    package init(source: UnicastAddress, ivIndex: UInt32) {
        self.source = source
        self.ivIndex = ivIndex
    }

    /// The streams that a node which was just provisioned sends with: all of its elements, under the IV index and, during
    /// an update, the one before.
    static func all(of node: NodeConfigurationState, under ivIndex: IVIndex) -> [SequenceStream] {
        node.addresses.flatMap { rawAddress -> [SequenceStream] in
            guard let source = UnicastAddress(rawValue: rawAddress) else { return [] }
            return Set([ivIndex.value, ivIndex.transmitValue]).sorted().map {
                SequenceStream(source: source, ivIndex: $0)
            }
        }
    }

    /// By source, then IV index.
    package static func < (left: SequenceStream, right: SequenceStream) -> Bool {
        (left.source, left.ivIndex) < (right.source, right.ivIndex)
    }
}

/// Watches that nobody uses a sequence number twice, over all links, runs and IV indexes.
struct SequenceAudit: Sendable {
    /// What a PDU is to the audit.
    enum Finding: Hashable, Sendable {
        /// The number is used for the first time.
        case new
        /// The same octets as a little while ago: a retransmission by the network layer.
        case repetition
        /// The number was used for something else before.
        case reuse
    }

    private static let remembered = 64

    /// All numbers used so far.
    private(set) var used: [SequenceStream: SequenceRanges]
    private var recent: [SequenceStream: [(sequence: UInt32, pdu: [UInt8])]] = [:]

    /// Continues from numbers used before.
    init(used: [SequenceStream: SequenceRanges] = [:]) {
        self.used = used
    }

    /// Takes everything that is sent from now on for new, as after a client has come anew: what it sends again then it
    /// sends because it forgot its sequence numbers.
    mutating func expectNoRepetition() {
        recent = [:]
    }

    /// Takes note of a PDU at its origin.
    mutating func observe(_ pdu: [UInt8], sequence: UInt32, of stream: SequenceStream) -> Finding {
        if used[stream]?.contains(sequence) == true {
            let isRepeated = recent[stream]?.contains { $0.sequence == sequence && $0.pdu == pdu } ?? false
            return isRepeated ? .repetition : .reuse
        }
        used[stream, default: SequenceRanges()].insert(sequence)
        recent[stream, default: []].append((sequence, pdu))
        if let count = recent[stream]?.count, count >= 2 * Self.remembered {
            recent[stream]?.removeFirst(count - Self.remembered)
        }
        return .new
    }
}
