/// The last keys that each of many members has seen. Every member has a list of its own, which forgets its oldest key
/// when it is full.
///
/// What one participant of a network sends, many others hear. So a key is kept once, with a bit for each member whose
/// list holds it, and the bits of one key lie side by side. When a PDU reaches a thousand members, this touches a
/// fraction of the memory that a thousand lists would. All members belong to one thread.
package final class SharedRecency {
    /// How many members there are; they are numbered from 0.
    package let memberCount: Int
    /// How many keys a member remembers.
    package let capacity: Int
    /// The words of a row: the key or 0 if the row is free, how many members remember the key, and the bits.
    private let stride: Int
    private var rows: UnsafeMutablePointer<UInt64>
    private var rowCount = 0
    private var rowCapacity: Int
    private var freeRows: [Int] = []
    /// The rows of the keys that somebody remembers.
    private var known: [UInt64: Int] = [:]
    /// For each member the rows of its keys plus one, as a ring; 0 where there is none.
    private let rings: UnsafeMutablePointer<Int32>
    /// For each member the place in its ring for the next key, where the oldest one is.
    private let oldest: UnsafeMutablePointer<Int32>

    /// Empty lists.
    ///
    /// - Parameter capacity: how many keys a member remembers, at least one and at most 2^20.
    package init(members: Int, capacity: Int) {
        memberCount = max(members, 0)
        self.capacity = min(max(capacity, 1), 1 << 20)
        stride = 2 + (memberCount + 63) / 64
        rowCapacity = 16
        rows = .allocate(capacity: rowCapacity * stride)
        rows.initialize(repeating: 0, count: rowCapacity * stride)
        rings = .allocate(capacity: memberCount * self.capacity)
        rings.initialize(repeating: 0, count: memberCount * self.capacity)
        oldest = .allocate(capacity: memberCount)
        oldest.initialize(repeating: 0, count: memberCount)
    }

    deinit {
        rows.deallocate()
        rings.deallocate()
        oldest.deallocate()
    }

    /// Whether a member remembers a key.
    ///
    /// - Parameters:
    ///   - key: any number but 0.
    ///   - hint: what the last call about that key left here, else 0. It saves the search.
    package func contains(_ key: UInt64, _ member: Int, hint: inout Int) -> Bool {
        check(member)
        guard let row = row(of: key, &hint) else { return false }
        return row[2 + member >> 6] >> UInt64(member & 63) & 1 == 1
    }

    /// A member sees a key, and forgets its oldest one if it remembers too many.
    ///
    /// - Parameters:
    ///   - key: any number but 0.
    ///   - hint: as for ``contains(_:_:hint:)``.
    /// - Returns: false if the member remembers the key already; then nothing changes.
    package func insert(_ key: UInt64, _ member: Int, hint: inout Int) -> Bool {
        check(member)
        let row = row(of: key, &hint) ?? newRow(for: key, &hint)
        let word = 2 + member >> 6
        let bit: UInt64 = 1 << UInt64(member & 63)
        guard row[word] & bit == 0 else { return false }
        row[word] |= bit
        row[1] += 1
        let next = Int(oldest[member])
        let slot = member * capacity + next
        let forgotten = Int(rings[slot]) - 1
        rings[slot] = Int32(truncatingIfNeeded: hint + 1)
        oldest[member] = Int32(truncatingIfNeeded: next + 1 == capacity ? 0 : next + 1)
        if forgotten >= 0 { forget(forgotten, member) }
        return true
    }

    /// A member begins anew and remembers nothing.
    package func forgetAll(of member: Int) {
        check(member)
        for slot in member * capacity..<(member + 1) * capacity where rings[slot] > 0 {
            forget(Int(rings[slot]) - 1, member)
            rings[slot] = 0
        }
        oldest[member] = 0
    }

    /// How many keys a member remembers.
    package func count(of member: Int) -> Int {
        check(member)
        return (member * capacity..<(member + 1) * capacity).count { rings[$0] > 0 }
    }

    private func check(_ member: Int) {
        precondition(member >= 0 && member < memberCount, "there is no such member")
    }

    private func forget(_ index: Int, _ member: Int) {
        let row = rows + index * stride
        row[2 + member >> 6] &= ~(1 << UInt64(member & 63))
        row[1] -= 1
        guard row[1] == 0 else { return }
        known[row[0]] = nil
        row[0] = 0
        freeRows.append(index)
    }

    private func row(of key: UInt64, _ hint: inout Int) -> UnsafeMutablePointer<UInt64>? {
        if hint >= 0, hint < rowCount, rows[hint * stride] == key { return rows + hint * stride }
        guard let index = known[key] else { return nil }
        hint = index
        return rows + index * stride
    }

    /// A row for a key that nobody remembers. The caller adds somebody who does.
    private func newRow(for key: UInt64, _ hint: inout Int) -> UnsafeMutablePointer<UInt64> {
        precondition(key != 0, "0 is no key")
        if let free = freeRows.popLast() {
            hint = free
        } else {
            if rowCount == rowCapacity { grow() }
            hint = rowCount
            rowCount += 1
        }
        known[key] = hint
        rows[hint * stride] = key
        return rows + hint * stride
    }

    private func grow() {
        let size = rowCapacity * stride
        let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * size)
        larger.moveInitialize(from: rows, count: size)
        (larger + size).initialize(repeating: 0, count: size)
        rows.deallocate()
        rows = larger
        rowCapacity *= 2
    }
}
