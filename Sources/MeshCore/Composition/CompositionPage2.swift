/// Composition Data page 2: the mesh profiles that a node says it fulfils (Mesh Protocol 1.1, 4.2.2.3).
package struct CompositionPage2: Hashable, Sendable {
    /// One profile.
    package struct Record: Hashable, Sendable {
        package var profile: UInt16
        /// The version: x, y, z.
        package var version: [UInt8]
        /// The elements, counted from the primary one.
        package var elements: [UInt8]
        /// What follows, whose meaning depends on the profile.
        package var data: [UInt8]

        /// The version for people: `1.0.1`.
        package var versionText: String { version.map { "\($0)" }.joined(separator: ".") }
    }

    package let records: [Record]

    /// Decodes a page: records up to its end, each with identifier (2, little-endian), version (3), number of elements
    /// (1), elements, length of data (2, little-endian), data.
    package init(_ page: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(page)
        var records: [Record] = []
        while !reader.isAtEnd {
            let profile = try reader.readUInt16LittleEndian()
            var version: [UInt8] = []
            for _ in 0..<3 { version.append(try reader.readUInt8()) }
            var elements: [UInt8] = []
            for _ in 0..<(try reader.readUInt8()) { elements.append(try reader.readUInt8()) }
            var data: [UInt8] = []
            for _ in 0..<(try reader.readUInt16LittleEndian()) { data.append(try reader.readUInt8()) }
            records.append(Record(profile: profile, version: version, elements: elements, data: data))
        }
        self.records = records
    }
}
