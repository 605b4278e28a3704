/// Remembers recent network PDUs, so that a PDU that arrives on several ways is handled only once (Mesh Protocol
/// 3.4.6.5).
package struct NetworkMessageCache: Sendable {
    private var known: Set<UInt64> = []
    private var order: [UInt64] = []
    private var oldest = 0
    private let capacity: Int

    /// A cache of the last `capacity` PDUs, at least one.
    package init(capacity: Int = 512) {
        self.capacity = max(1, capacity)
    }

    /// The number of PDUs remembered.
    package var count: Int { order.count }

    /// Remembers a PDU, and forgets the oldest one if there is no room.
    ///
    /// - Returns: whether the PDU was new.
    package mutating func insert(_ pdu: NetworkPDU) -> Bool {
        // SRC and SEQ identify a PDU within an IV index. The last bit of the index would not be enough, since a
        // recovery may go two ahead at once.
        let identity = UInt64(pdu.ivIndex & 0xFF_FFFF) << 40 | UInt64(pdu.sequence) << 16 | UInt64(pdu.source.rawValue)
        guard known.insert(identity).inserted else { return false }
        if order.count < capacity {
            order.append(identity)
        } else {
            known.remove(order[oldest])
            order[oldest] = identity
            oldest = (oldest + 1) % capacity
        }
        return true
    }

    /// Forgets all PDUs, as for a new IV index.
    package mutating func removeAll() {
        known = []
        order = []
        oldest = 0
    }
}
