/// Key indexes in access messages (Mesh Protocol 4.3.1.1): one takes two octets, two take three.
extension KeyIndex {
    /// Reads two octets. The four high bits are no part of the index; nodes send them as zero and refuse others, and
    /// so does this.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        try self.init(bits: try reader.readUInt16LittleEndian())
    }

    /// Appends two octets.
    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(rawValue)
    }

    /// From 12 bits.
    init(bits: UInt16) throws(DecodeError) {
        guard let index = Self(rawValue: bits) else { throw .prohibited(field: "key index", value: UInt64(bits)) }
        self = index
    }
}

extension NetKeyIndex: AccessField {}
extension AppKeyIndex: AccessField {}

extension ByteReader {
    /// Reads two key indexes from three octets: the first in the low twelve bits, the second in the high ones.
    mutating func readKeyIndexPair<First: KeyIndex, Second: KeyIndex>(
        _ first: First.Type = First.self,
        _ second: Second.Type = Second.self
    ) throws(DecodeError) -> (First, Second) {
        let bits = try readUInt24LittleEndian()
        return (
            try First(bits: UInt16(truncatingIfNeeded: bits & 0xFFF)),
            try Second(bits: UInt16(truncatingIfNeeded: bits >> 12))
        )
    }

    /// Reads key indexes to the end: pairs in three octets each, then perhaps a single one in two.
    ///
    /// Senders differ in which index of a pair they put first, so the order says nothing.
    mutating func readKeyIndexList<Index: KeyIndex>(of type: Index.Type = Index.self) throws(DecodeError) -> [Index] {
        var indexes: [Index] = []
        indexes.reserveCapacity((remaining * 2 + 2) / 3)
        while remaining >= 3 {
            let (first, second) = try readKeyIndexPair(Index.self, Index.self)
            indexes += [first, second]
        }
        if !isAtEnd { indexes.append(try Index(reading: &self)) }
        return indexes
    }
}

extension ByteWriter {
    /// Appends two key indexes in three octets.
    mutating func writeKeyIndexPair(_ first: some KeyIndex, _ second: some KeyIndex) {
        writeUInt24LittleEndian(UInt32(first.rawValue) | UInt32(second.rawValue) << 12)
    }

    /// Appends key indexes in the order given, in pairs of three octets; an odd last one takes two.
    mutating func writeKeyIndexList(_ indexes: [some KeyIndex]) {
        for start in stride(from: 0, to: indexes.count, by: 2) {
            if start + 1 < indexes.count {
                writeKeyIndexPair(indexes[start], indexes[start + 1])
            } else {
                indexes[start].write(to: &self)
            }
        }
    }
}
