package import MeshCore

/// Which state a database is in, as far as somebody can remember who must not know what is in it: what the lock file in
/// git says.
package struct StateVersion: Hashable, Sendable {
    /// Fixed at the making of the database.
    package var lineage: Octets16
    /// Rises with every change of the state; see ``Snapshot/serial``.
    package var serial: UInt64
    /// 32 octets that no other history of the database has at that serial; see ``StateDigest``.
    package var digest: [UInt8]

    /// A version of those parts.
    package init(lineage: Octets16, serial: UInt64, digest: [UInt8]) {
        self.lineage = lineage
        self.serial = serial
        self.digest = digest
    }
}

extension MeshDatabase {
    /// Which state the database is in. Reads one row, however many nodes there are.
    package func version() throws(StoreError) -> StateVersion {
        let found = try store.rows(named: [Manifest.name])
        let manifest = try manifest(found.rows.first, header: found.header)
        return StateVersion(
            lineage: found.header.lineage,
            serial: manifest.serial,
            digest: (manifest.stateDigest ?? .origin(of: found.header.lineage)).octets
        )
    }
}

/// The digest of a state: a chain of hashes over what was written to get there.
///
/// A digest over the contents would have to be kept up to date row by row under a secret, and would tell whether two
/// networks are equal. This one is `SHA-256(label | digest before | serial | 12 random octets | number of rows | each row's
/// name, revision and SHA-256 of its sealed body | each deleted name)` for every commit that raises the serial. Because of
/// the random octets two copies of a database that go different ways differ for good from the first commit on, even if they
/// did the same; and the digest tells nothing about what was sealed. Commits that leave the serial alone – replay entries,
/// journal, sequence numbers – leave the digest alone, and so does a new data key.
struct StateDigest: Hashable {
    /// 32 octets.
    let octets: [UInt8]

    /// Nil unless there are exactly 32 octets.
    init?(_ octets: [UInt8]) {
        guard octets.count == SHA256.length else { return nil }
        self.octets = octets
    }

    private init(unchecked octets: [UInt8]) {
        self.octets = octets
    }

    /// Where the chain of a lineage begins. Databases from before there were digests begin it with their next change.
    static func origin(of lineage: Octets16) -> StateDigest {
        var writer = ByteWriter(capacity: 48)
        writer.write("meshplan state 0".utf8)
        writer.write(lineage)
        // A length that SHA-256 cannot refuse; without libcrypto nothing was opened before this.
        return StateDigest(unchecked: SHA256.hash(writer.bytes) ?? [UInt8](repeating: 0, count: SHA256.length))
    }

    /// The digest after a commit.
    func advanced(
        to serial: UInt64,
        nonce: [UInt8],
        puts: [StoredRow],
        deletes: [RowName]
    ) throws(StoreError) -> StateDigest {
        var writer = ByteWriter(capacity: 64 + 80 * puts.count)
        writer.write("meshplan state 1".utf8)
        writer.write(octets)
        writer.write(serial)
        writer.write(nonce)
        writer.writeCount(puts.count)
        for row in puts {
            writer.write(row.name.kind.rawValue)
            writer.writeOctets(row.name.key)
            writer.write(row.revision)
            guard let hash = SHA256.hash(row.body) else { throw StoreError(.cryptography, "SHA-256 failed") }
            writer.write(hash)
        }
        for name in deletes {
            writer.write(name.kind.rawValue)
            writer.writeOctets(name.key)
        }
        guard let hash = SHA256.hash(writer.bytes) else { throw StoreError(.cryptography, "SHA-256 failed") }
        return StateDigest(unchecked: hash)
    }
}
