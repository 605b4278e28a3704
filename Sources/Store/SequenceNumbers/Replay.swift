import MeshCore

extension ReplayProtection.Entry {
    /// Whether a message with this entry's numbers comes after one with the other's.
    func isNewer(than other: Self) -> Bool {
        (ivIndex, sequence) > (other.ivIndex, other.sequence)
    }
}

/// The body of a replay row, version 1: the entries of up to 64 neighbouring addresses. Rows of one entry each would
/// double the number of rows of a database; a single row would be rewritten whole with every message.
enum ReplayCodec {
    static let version: UInt8 = 1

    static func name(for source: UnicastAddress) -> RowName {
        let bucket = source.rawValue >> 6
        return RowName(.replay, key: [UInt8(truncatingIfNeeded: bucket >> 8), UInt8(truncatingIfNeeded: bucket)])
    }

    static func encode(_ entries: [ReplayProtection.Entry]) -> [UInt8] {
        var writer = ByteWriter(capacity: 2 + entries.count * 9)
        writer.write(version)
        writer.writeList(entries) { entry, writer in
            writer.write(entry.source.rawValue)
            writer.write(entry.ivIndex)
            writer.writeUInt24(entry.sequence)
        }
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(DecodeError) -> [ReplayProtection.Entry] {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let entries = try reader.readList(size: 9) { (reader: inout ByteReader) throws(DecodeError) in
            ReplayProtection.Entry(
                source: try reader.readUnicastAddress(),
                ivIndex: try reader.readUInt32(),
                sequence: try reader.readUInt24()
            )
        }
        try reader.expectEnd()
        return entries
    }

    /// `entries` with the newer ones of `updates`, sorted by source. Entries never go back.
    static func merge(
        _ entries: [ReplayProtection.Entry],
        with updates: [ReplayProtection.Entry]
    ) -> [ReplayProtection.Entry] {
        var merged: [UnicastAddress: ReplayProtection.Entry] = [:]
        for entry in entries + updates where merged[entry.source].map({ entry.isNewer(than: $0) }) ?? true {
            merged[entry.source] = entry
        }
        return merged.values.sorted { $0.source < $1.source }
    }
}
