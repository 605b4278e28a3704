/// Remembers the network PDUs seen last, so that one that arrives by several ways is handled once (Mesh Protocol
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

    /// How many PDUs are remembered.
    package var count: Int { order.count }

    /// Remembers a PDU and forgets the oldest if there is no room.
    ///
    /// - Returns: whether it was new.
    package mutating func insert(_ pdu: NetworkPDU) -> Bool {
        // SRC and SEQ name a PDU within an IV index. Its last bit would not do: a recovery may go two further at once.
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

    /// Forgets everything, as at a new IV index.
    package mutating func removeAll() {
        known = []
        order = []
        oldest = 0
    }
}
