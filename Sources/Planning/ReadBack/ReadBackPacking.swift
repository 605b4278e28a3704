import MeshCore

/// Packs Gets into Opcodes Aggregator Sequences so that they take the fewest network PDUs, and then the fewest
/// messages.
///
/// A sequence and its status take no more segments than nodes have room for whose stacks are left as they come. The
/// specification would let them take 32 (Mesh Protocol 3.6.4.1), but hardly any node has room for so many.
///
/// A Get saves PDUs by sharing segments with others. But the first two Gets of a sequence must make up for its header
/// and for the acknowledgments of its segments: a few short Gets are cheaper alone.
struct ReadBackPacking: Hashable, Sendable {
    /// The most octets of a status, opcode included.
    var statusLimit = longestMessage

    /// How many segments shipped nodes take and send: Zephyr's `BT_MESH_RX_SEG_MAX` and `BT_MESH_TX_SEG_MAX` are 6
    /// by default.
    static let segmentLimit = 6
    /// Octets of an access message in that many segments of 12 octets, without its TransMIC of 4.
    static let longestMessage = segmentLimit * 12 - 4
    /// Opcode and element address of a sequence. A status also has a status code.
    private static let head = (request: 4, status: 5)

    /// Octets of a sequence and its status, opcodes included.
    static func lengths(of readings: [NodeReading], on node: Node) -> (request: Int, status: Int) {
        readings.reduce(into: head) { $0 = adding($1.lengths(on: node), to: $0) }
    }

    private typealias Lengths = (request: Int, status: Int)

    private static func adding(_ item: Lengths, to lengths: Lengths) -> Lengths {
        (
            lengths.request + OpcodesAggregatorSequence.size(ofItem: item.request),
            lengths.status + OpcodesAggregatorSequence.size(ofItem: item.status)
        )
    }

    /// How many of the Gets, from the first on, fit best into one message; at least 1, which is a Get alone.
    func first(of readings: [NodeReading], on node: Node) -> Int {
        let items = readings.map { $0.lengths(on: node) }
        /// The cost of the Gets from each one on, and how many of them the first message contains.
        var best: [(pdus: Int, messages: Int, count: Int)] = Array(repeating: (0, 0, 1), count: items.count + 1)
        for start in items.indices.reversed() {
            var choice = (pdus: Int.max, messages: Int.max, count: 1)
            var lengths = Self.head
            var alone = 0
            for end in start..<items.count {
                lengths = Self.adding(items[end], to: lengths)
                alone += MessageCost.exchange(request: items[end].request, status: items[end].status).pdus
                let isAlone = end == start
                guard isAlone || lengths.request <= Self.longestMessage && lengths.status <= statusLimit else { break }
                let together = MessageCost.exchange(request: lengths.request, status: lengths.status).pdus
                guard isAlone || together < alone else { continue }
                let rest = best[end + 1]
                let candidate = (pdus: (isAlone ? alone : together) + rest.pdus, messages: 1 + rest.messages)
                if candidate < (choice.pdus, choice.messages) {
                    choice = (candidate.pdus, candidate.messages, end - start + 1)
                }
            }
            best[start] = choice
        }
        return best[0].count
    }
}
