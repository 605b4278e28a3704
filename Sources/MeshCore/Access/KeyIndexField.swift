/// Key indexes in access messages (Mesh Protocol 4.3.1.1): one takes two octets, a pair takes three.
extension KeyIndex {
    /// Reads two octets. The four high bits do not belong to the index. Nodes send them as zero and refuse other
    /// values, as this does.
    ///
    /// - Throws: ``DecodeError/truncated(offset:needed:)`` if octets are missing,
    ///   ``DecodeError/prohibited(field:value:)`` if a high bit is set.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        try self.init(bits: try reader.readUInt16LittleEndian())
    }

    /// Appends two octets.
    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(rawValue)
    }

    /// Takes an index from 12 bits; higher ones are prohibited.
    init(bits: UInt16) throws(DecodeError) {
        guard let index = Self(rawValue: bits) else { throw .prohibited(field: "key index", value: UInt64(bits)) }
        self = index
    }
}

extension NetKeyIndex: AccessField {
    package static let notation = "$:key-index"
}

extension AppKeyIndex: AccessField {
    package static let notation = "$:key-index"
}

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
    /// Senders differ in which index of a pair they put first, so the order means nothing. BTstack writes two octets
    /// for each index. A list is read that way if its length does not fit pairs, or if reading pairs would name an
    /// index twice.
    mutating func readKeyIndexList<Index: KeyIndex>(of type: Index.Type = Index.self) throws(DecodeError) -> [Index] {
        var unpacked = self
        if let indexes = unpacked.readUnpackedKeyIndexList(of: type) {
            var packed = self
            let pairs = remaining % 3 == 1 ? nil : try? packed.readPackedKeyIndexList(of: type)
            guard let pairs, Set(pairs).count == pairs.count else {
                self = unpacked
                return Set(indexes).sorted()
            }
        }
        return try readPackedKeyIndexList(of: type)
    }

    /// Reads key indexes of two octets each to the end; nil if the octets are not such a list.
    fileprivate mutating func readUnpackedKeyIndexList<Index: KeyIndex>(of type: Index.Type) -> [Index]? {
        guard remaining > 2, remaining % 2 == 0 else { return nil }
        var indexes: [Index] = []
        while !isAtEnd {
            guard let index = try? Index(reading: &self) else { return nil }
            indexes.append(index)
        }
        return indexes
    }

    private mutating func readPackedKeyIndexList<Index: KeyIndex>(of type: Index.Type) throws(DecodeError) -> [Index] {
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

extension Array where Element: KeyIndex {
    /// The indexes if the sender wrote each in two octets although this list was read as pairs. Nil if the octets do
    /// not allow that reading, or if both readings are the same.
    ///
    /// A caller that knows which keys exist can tell which reading is right.
    package var readUnpacked: [Element]? {
        var writer = ByteWriter(capacity: 2 * count)
        writer.writeKeyIndexList(self)
        var reader = ByteReader(writer.bytes)
        return reader.readUnpackedKeyIndexList(of: Element.self).map { Set($0).sorted() }
    }
}
