internal import MeshCore

/// What every transaction rewrites: which state this is and what rows belong to it. Version 1, which is still read, knew
/// no retired nodes.
struct Manifest: Hashable {
    static let version: UInt8 = 2
    static let name = RowName(.manifest)

    /// Counts the transactions that changed the network, its nodes, records or extras; what plans are compared with.
    var serial: UInt64
    /// The number of the next run.
    var nextRun: UInt64
    /// The number of the next retired node.
    var nextRetirement: UInt64
    /// When the database was made.
    var created: Timestamp
    /// The digest of all rows but this.
    var digest: RowDigest

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(Manifest.version)
        writer.write(serial)
        writer.write(nextRun)
        writer.write(nextRetirement)
        writer.write(UInt64(bitPattern: created.rawValue))
        writer.write(digest.bytes)
        return writer.bytes
    }

    init(created: Timestamp) {
        serial = 1
        nextRun = 1
        nextRetirement = 1
        self.created = created
        digest = RowDigest()
    }

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let found = try reader.readUInt8()
        guard found == 1 || found == Manifest.version else { throw .unknownType(UInt64(found)) }
        serial = try reader.readUInt64()
        nextRun = try reader.readUInt64()
        nextRetirement = found == 1 ? 1 : try reader.readUInt64()
        created = Timestamp(rawValue: Int64(bitPattern: try reader.readUInt64()))
        guard let digest = RowDigest(Array(try reader.read(32))) else { throw .length(bytes.count) }
        self.digest = digest
        try reader.expectEnd()
    }
}
