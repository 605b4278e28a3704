import MeshCore

/// Seals row bodies and small files under the data key, AES-256-GCM.
///
/// Nonces are random. A counter of (revision, row) never repeats within one file. But a restored or copied database
/// counts from the same revision again under the same data key, and one repeated nonce breaks GCM. 96 random bits allow
/// 2^32 writes (NIST SP 800-38D, 8.3), a hundred a second for more than a year.
struct RowCipher {
    /// The version of the sealed contents and of the tables that hold them, the same in a file and on a server.
    static let format: UInt32 = 1
    /// The length of the nonce that the stored body begins with. Ciphertext and tag follow.
    static let nonceLength = AESGCM.nonceLength

    let lineage: Octets16
    /// 8 octets that distinguish data keys and reveal nothing about them.
    let keyIdentifier: [UInt8]
    private let cipher: AESGCM
    private let digestKey: SecretOctets
    private let fingerprintKey: SecretOctets

    init(dataKey: SecretOctets, lineage: Octets16) throws(StoreError) {
        self.lineage = lineage
        do {
            cipher = try dataKey.withOctets(AESGCM.init)
        } catch {
            throw StoreError(.cryptography, "AES-256-GCM is not available")
        }
        // A separate key, so that digests reveal nothing about the one that encrypts.
        func hash(_ purpose: String) -> [UInt8]? {
            SecretOctets(dataKey.withOctets { Array(purpose.utf8) + $0 }).withOctets(SHA256.hash)
        }
        guard let digestKey = hash("meshplan row digest 1"), let identifier = hash("meshplan data key identifier 1")
        else {
            throw StoreError(.cryptography, "SHA-256 is not available")
        }
        self.digestKey = SecretOctets(digestKey)
        fingerprintKey = SecretOctets(
            dataKey.withOctets { HKDF.derive($0, salt: lineage.bytes, info: Array("meshplan fingerprint 1".utf8)) }
        )
        keyIdentifier = Array(identifier.prefix(8))
    }

    /// The stored row for `plaintext`, bound to its place: it opens only under that name and revision.
    func seal(_ plaintext: [UInt8], name: RowName, revision: UInt64, nonce: [UInt8]) throws(StoreError) -> StoredRow {
        let body = try seal(plaintext, nonce: nonce, associatedData: associatedData(name, revision))
        return StoredRow(name: name, revision: revision, body: body)
    }

    /// The plaintext of a stored row; nil if anything about it was changed.
    func open(_ row: StoredRow) -> [UInt8]? {
        open(row.body[...], associatedData: associatedData(row.name, row.revision))
    }

    /// Seals octets into nonce, ciphertext and tag.
    func seal(_ plaintext: [UInt8], nonce: [UInt8], associatedData: [UInt8]) throws(StoreError) -> [UInt8] {
        do {
            return nonce + (try cipher.seal(plaintext, nonce: nonce, associatedData: associatedData))
        } catch {
            throw StoreError(.cryptography, "encryption failed")
        }
    }

    /// The plaintext; nil if it is not authentic.
    func open(_ sealed: ArraySlice<UInt8>, associatedData: [UInt8]) -> [UInt8]? {
        guard sealed.count >= RowCipher.nonceLength else { return nil }
        return try? cipher.open(
            sealed.dropFirst(RowCipher.nonceLength),
            nonce: sealed.prefix(RowCipher.nonceLength),
            associatedData: associatedData
        )
    }

    /// 32 octets that are the same for the same octets and purpose, and that tell nothing about them, nor let anybody
    /// test a guess, without the data key.
    func fingerprint(of bytes: [UInt8], purpose: String) -> [UInt8] {
        fingerprintKey.withOctets { HMACSHA256.code(of: Array(purpose.utf8) + [0] + bytes, key: $0) }
    }

    /// What the row adds to the digest of all rows: a pseudo-random number that only the holder of the data key knows.
    func digestTerm(_ name: RowName, revision: UInt64) throws(StoreError) -> RowDigest {
        func message() -> [UInt8] {
            var writer = ByteWriter(capacity: 64)
            digestKey.withOctets { writer.write($0) }
            writer.write(name.kind.rawValue)
            writer.write(name.key)
            writer.write(revision)
            return writer.bytes
        }
        guard let hash = SecretOctets(message()).withOctets(SHA256.hash), let digest = RowDigest(hash) else {
            throw StoreError(.cryptography, "SHA-256 failed")
        }
        return digest
    }

    /// The key is the only part of variable length, so no two rows have the same associated data.
    private func associatedData(_ name: RowName, _ revision: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write("meshplan row".utf8)
        writer.write(RowCipher.format)
        writer.write(lineage)
        writer.write(name.kind.rawValue)
        writer.write(revision)
        writer.write(name.key)
        return writer.bytes
    }
}

/// A sum over all rows, kept in the sealed manifest. It reveals rows that were removed, added or replaced by older
/// copies of themselves. It is updated row by row, so a transaction costs only what it changes. Nobody without the data
/// key knows the summands (a multiset hash in the manner of MSet-Add-Hash).
struct RowDigest: Hashable {
    /// Computed for every row of a database, so it has no array.
    private var words: SIMD4<UInt64>

    init() {
        words = .zero
    }

    /// The digest that ``bytes`` holds; nil unless there are 32 octets.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        words = .zero
        for word in words.indices { words[word] = bytes[word * 8..<word * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    }

    /// 32 octets.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        for word in words.indices { writer.write(words[word]) }
        return writer.bytes
    }

    mutating func add(_ term: RowDigest) {
        words &+= term.words
    }

    mutating func subtract(_ term: RowDigest) {
        words &-= term.words
    }
}
