import Basics
import MeshCore

/// The row that every transaction rewrites: it says which state this is and which rows belong to it.
/// Whatever the version, it begins with its number and the version of the program that wrote it.
struct Manifest: Hashable {
    static let version: UInt8 = 1
    static let name = RowName(.manifest)

    /// Counts the transactions that changed the network, its nodes, records or extras. Plans are compared with it.
    var serial: UInt64
    var nextRun: UInt64
    /// The number of the next retired node.
    var nextRetirement: UInt64
    var created: Timestamp
    /// The digest of all rows except this one.
    var digest: RowDigest
    /// The digest of the history up to ``serial``.
    var stateDigest: StateDigest

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.write(Manifest.version)
        writer.writeString(programVersion)
        writer.write(serial)
        writer.write(nextRun)
        writer.write(nextRetirement)
        writer.writeTime(created)
        writer.write(digest.bytes)
        writer.write(stateDigest.octets)
        return writer.bytes
    }

    /// The version of the program that wrote a manifest of any version; nil if it does not say so.
    static func writer(of bytes: [UInt8]) -> String? {
        var reader = ByteReader(bytes.dropFirst())
        return try? reader.readWriter()
    }

    init(created: Timestamp, lineage: Octets16) {
        serial = 1
        nextRun = 1
        nextRetirement = 1
        self.created = created
        digest = RowDigest()
        stateDigest = .origin(of: lineage)
    }

    init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(Manifest.version)
        _ = try reader.readWriter()
        serial = try reader.readUInt64()
        nextRun = try reader.readUInt64()
        nextRetirement = try reader.readUInt64()
        created = try reader.readTime()
        guard let digest = RowDigest(Array(try reader.read(32))),
            let stateDigest = StateDigest(Array(try reader.read(SHA256.length)))
        else { throw .length(bytes.count) }
        self.digest = digest
        self.stateDigest = stateDigest
        try reader.expectEnd()
    }
}
