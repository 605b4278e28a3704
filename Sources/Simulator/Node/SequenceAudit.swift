package import MeshCore

/// One stream of sequence numbers: a source address under one IV index (Mesh Protocol 3.4.4.5).
package struct SequenceStream: Hashable, Comparable, Sendable {
    /// The sending element.
    package var source: UnicastAddress
    /// The IV index that secures the PDUs.
    package var ivIndex: UInt32

    package init(source: UnicastAddress, ivIndex: UInt32) {
        self.source = source
        self.ivIndex = ivIndex
    }

    /// The streams of a node that was just provisioned: all of its elements, under the IV index and, during an update,
    /// the one before.
    static func all(of node: NodeConfigurationState, under ivIndex: IVIndex) -> [SequenceStream] {
        node.addresses.flatMap { rawAddress -> [SequenceStream] in
            guard let source = UnicastAddress(rawValue: rawAddress) else { return [] }
            return Set([ivIndex.value, ivIndex.transmitValue]).sorted().map {
                SequenceStream(source: source, ivIndex: $0)
            }
        }
    }

    package static func < (left: SequenceStream, right: SequenceStream) -> Bool {
        (left.source, left.ivIndex) < (right.source, right.ivIndex)
    }
}

/// Checks that nobody uses a sequence number twice, across all links, runs and IV indexes.
struct SequenceAudit: Sendable {
    /// How a PDU relates to the earlier ones.
    enum Finding: Hashable, Sendable {
        /// The number is used for the first time.
        case new
        /// The same octets came a moment ago: the network layer retransmits.
        case repetition
        /// The number was used for a different PDU.
        case reuse
    }

    private static let remembered = 64

    /// All numbers used so far.
    private(set) var used: [SequenceStream: SequenceRanges]
    private var recent: [SequenceStream: [(sequence: UInt32, pdu: [UInt8])]] = [:]

    /// Continues with numbers that were used before.
    init(used: [SequenceStream: SequenceRanges] = [:]) {
        self.used = used
    }

    /// Treats everything sent from now on as new. Use it after a client has restarted: if it repeats a PDU then, it has
    /// forgotten its sequence numbers.
    mutating func expectNoRepetition() {
        recent = [:]
    }

    /// Records a PDU at its origin.
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
