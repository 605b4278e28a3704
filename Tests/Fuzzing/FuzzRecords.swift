/// Several octet strings in one: each follows its length (2, most significant octet first). At the end the last string
/// takes the remaining octets, whatever its length says, so that every input has a meaning.
package enum FuzzRecords {
    /// Splits the octets into strings.
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

    /// Joins the strings; of each it takes the first 65,535 octets.
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
