import MeshCore

/// The row that every transaction rewrites: it says which state this is and which rows belong to it. Earlier versions
/// can still be read: version 1 knew no retired nodes, version 2 no digest of the state.
struct Manifest: Hashable {
    static let version: UInt8 = 3
    static let name = RowName(.manifest)

    /// Counts the transactions that changed the network, its nodes, records or extras. Plans are compared with it.
    var serial: UInt64
    /// The number of the next run.
    var nextRun: UInt64
    /// The number of the next retired node.
    var nextRetirement: UInt64
    /// When the database was created.
    var created: Timestamp
    /// The digest of all rows except this one.
    var digest: RowDigest
    /// The digest of the history up to ``serial``. Nil if the state has not changed since the program began to keep
    /// such digests.
    var stateDigest: StateDigest?

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.write(Manifest.version)
        writer.write(serial)
        writer.write(nextRun)
        writer.write(nextRetirement)
        writer.write(UInt64(bitPattern: created.rawValue))
        writer.write(digest.bytes)
        writer.writeOctets(stateDigest?.octets ?? [])
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
        guard (1...Manifest.version).contains(found) else { throw .unknownType(UInt64(found)) }
        serial = try reader.readUInt64()
        nextRun = try reader.readUInt64()
        nextRetirement = found == 1 ? 1 : try reader.readUInt64()
        created = Timestamp(rawValue: Int64(bitPattern: try reader.readUInt64()))
        guard let digest = RowDigest(Array(try reader.read(32))) else { throw .length(bytes.count) }
        self.digest = digest
        let state = found < 3 ? [] : try reader.readOctets()
        stateDigest = StateDigest(state)
        guard state.isEmpty || stateDigest != nil else { throw .length(state.count) }
        try reader.expectEnd()
    }
}
