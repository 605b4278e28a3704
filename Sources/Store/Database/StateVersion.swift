package import MeshCore

/// The state of a database, in a form for those who must not know its contents. The lock file in git holds it.
package struct StateVersion: Hashable, Sendable {
    /// Fixed when the database is created.
    package var lineage: Octets16
    /// Rises with every change of the state; see ``Snapshot/serial``.
    package var serial: UInt64
    /// 32 octets that no other history of the database has at this serial; see ``StateDigest``.
    package var digest: [UInt8]

    package init(lineage: Octets16, serial: UInt64, digest: [UInt8]) {
        self.lineage = lineage
        self.serial = serial
        self.digest = digest
    }
}

extension MeshDatabase {
    /// The present state. Reads one row, however many nodes there are.
    ///
    /// - Throws: ``StoreError/Code/damaged`` if the manifest cannot be read, ``StoreError/Code/newerFormat``, and other
    ///   codes if a file or the server fails.
    package func version() throws(StoreError) -> StateVersion {
        let found = try store.rows(named: [Manifest.name])
        return try manifest(found.rows.first, header: found.header).version(of: found.header.lineage)
    }
}

extension Manifest {
    /// The state of the database of a lineage.
    func version(of lineage: Octets16) -> StateVersion {
        StateVersion(lineage: lineage, serial: serial, digest: stateDigest.octets)
    }
}

/// The digest of a state: a chain of hashes over what was written to get there.
///
/// Every commit that raises the serial sets it to `SHA-256(label | digest before | serial | 12 random octets | number
/// of rows | each row's name, revision and SHA-256 of its sealed body | each deleted name)`. Because of the random
/// octets, two copies of a database that go different ways differ for good from the first commit on, even if they do
/// the same; and the digest reveals nothing about what was sealed. A digest over the contents would have to be updated
/// row by row under a secret, and would reveal whether two networks are equal.
///
/// Commits that leave the serial alone (replay entries, journal, sequence numbers) leave the digest alone, and so does
/// a new data key.
struct StateDigest: Hashable {
    /// 32 octets.
    let octets: [UInt8]

    /// The digest in 32 octets; nil for any other number.
    init?(_ octets: [UInt8]) {
        guard octets.count == SHA256.length else { return nil }
        self.octets = octets
    }

    private init(unchecked octets: [UInt8]) {
        self.octets = octets
    }

    /// The beginning of the chain of a lineage.
    static func origin(of lineage: Octets16) -> StateDigest {
        var writer = ByteWriter(capacity: 48)
        writer.write("meshplan state 0".utf8)
        writer.write(lineage)
        // SHA-256 cannot refuse this length, and without libcrypto no database was opened.
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
