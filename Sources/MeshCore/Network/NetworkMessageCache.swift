/// Remembers recent network PDUs, so that a PDU that arrives on several ways is handled only once (Mesh Protocol
/// 3.4.6.5).
///
/// It is asked about every PDU that a node hears, so it has a hash table of its own. An entry of the table is the
/// position of a PDU in the list of PDUs. A multiplication spreads the PDUs over the table, because a keyed hash would
/// cost more. Only somebody with the network's key can choose PDUs that collide. They make a search longer, but never
/// longer than the list.
package struct NetworkMessageCache {
    /// The PDUs in order; once the list is full, a ring that begins at `oldest`.
    private var order: [UInt64] = []
    private var oldest = 0
    /// For each place the index into `order` plus one; 0 if the place is free. A PDU is at its home, or at a later
    /// place with no free one in between. Empty until the first PDU.
    private var table: [UInt32] = []
    private let capacity: Int
    /// What keeps the PDUs in place of the list and the table, together with those of others.
    private let shared: SharedRecency?
    private let member: Int

    /// A cache of the last `capacity` PDUs, at least one and at most 2^20.
    package init(capacity: Int = MeshStack.cacheCapacity) {
        self.capacity = min(max(1, capacity), 1 << 20)
        shared = nil
        member = 0
    }

    /// The cache of a member of a shared one, empty at first. Its copies are the same cache.
    init(_ shared: SharedRecency, member: Int) {
        capacity = shared.capacity
        self.shared = shared
        self.member = member
        shared.forgetAll(of: member)
    }

    package var count: Int { shared?.count(of: member) ?? order.count }

    /// Remembers a PDU, and forgets the oldest one if there is no room.
    ///
    /// - Returns: whether the PDU was new.
    package mutating func insert(_ pdu: NetworkPDU) -> Bool {
        var hint = 0
        return insert(Self.identity(of: pdu), hint: &hint)
    }

    /// What tells PDUs apart: SRC and SEQ do within an IV index. The last bit of the index would not be enough, since a
    /// recovery may go two ahead at once.
    static func identity(of pdu: NetworkPDU) -> UInt64 {
        UInt64(pdu.ivIndex & 0xFF_FFFF) << 40 | UInt64(pdu.sequence) << 16 | UInt64(pdu.source.rawValue)
    }

    /// Whether the PDU with that identity is remembered.
    ///
    /// - Parameter hint: what the last call about that PDU left here, for any member of the same shared cache; else 0.
    func contains(_ identity: UInt64, hint: inout Int) -> Bool {
        if let shared { return shared.contains(identity, member, hint: &hint) }
        return !table.isEmpty && table[place(of: identity)] != 0
    }

    /// Remembers the PDU with that identity, as ``insert(_:)`` does.
    ///
    /// - Parameter hint: as for ``contains(_:hint:)``.
    mutating func insert(_ identity: UInt64, hint: inout Int) -> Bool {
        if let shared { return shared.insert(identity, member, hint: &hint) }
        if table.isEmpty {
            var size = 4
            while size < 2 * capacity { size *= 2 }
            table = [UInt32](repeating: 0, count: size)
        }
        let place = place(of: identity)
        guard table[place] == 0 else { return false }
        if order.count < capacity {
            order.append(identity)
            table[place] = UInt32(order.count)
        } else {
            forget(order[oldest])
            order[oldest] = identity
            // What was forgotten may have freed an earlier place.
            table[self.place(of: identity)] = UInt32(oldest + 1)
            oldest = (oldest + 1) % capacity
        }
        return true
    }

    /// Forgets all PDUs, as for a new IV index.
    package mutating func removeAll() {
        shared?.forgetAll(of: member)
        order = []
        oldest = 0
        table = []
    }

    /// The place where the search for a PDU begins.
    private func home(of identity: UInt64) -> Int {
        let spread = (identity ^ identity >> 32) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: spread >> 40) & (table.count - 1)
    }

    /// The place of a PDU, or the free one where it would be. At least half of the table is free, so there is one.
    private func place(of identity: UInt64) -> Int {
        var place = home(of: identity)
        while table[place] != 0, order[Int(table[place]) - 1] != identity { place = (place + 1) & (table.count - 1) }
        return place
    }

    /// Frees the place of a PDU, and moves PDUs from later places there, so that searches still find them.
    private mutating func forget(_ identity: UInt64) {
        let last = table.count - 1
        var free = place(of: identity)
        var next = (free + 1) & last
        while table[next] != 0 {
            let home = home(of: order[Int(table[next]) - 1])
            if (next - home) & last >= (next - free) & last {
                table[free] = table[next]
                free = next
            }
            next = (next + 1) & last
        }
        table[free] = 0
    }
}
