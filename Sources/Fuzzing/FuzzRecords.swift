/// Several strings of octets in one: each has its length in front, two octets, most significant first. What is left
/// over at the end is the last of them, whatever its length says, so that every input has a reading.
package enum FuzzRecords {
    /// Takes them apart.
    package static func decode(_ bytes: [UInt8]) -> [[UInt8]] {
        var records: [[UInt8]] = []
        var rest = bytes[...]
        while let high = rest.popFirst(), let low = rest.popFirst() {
            let record = rest.prefix(Int(high) << 8 | Int(low))
            records.append(Array(record))
            rest = rest.dropFirst(record.count)
        }
        return records
    }

    /// Puts them together; of each the first 65,535 octets.
    package static func encode(_ records: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records {
            let record = record.prefix(0xFFFF)
            bytes += [UInt8(record.count >> 8), UInt8(record.count & 0xFF)]
            bytes += record
        }
        return bytes
    }
}
