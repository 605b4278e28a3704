import MeshCore

/// What a key slot says about itself. It is bound to the wrapped key as associated data, so the slot no longer opens if
/// somebody without a key changes it.
struct KeySlotParameters: Hashable {
    /// How the wrapping key is derived from the secret.
    enum Derivation: Hashable {
        /// The secret is the wrapping key.
        case none
        /// By scrypt.
        case scrypt(Scrypt.Cost, salt: [UInt8])
        /// By HKDF with SHA-256.
        case hkdf(salt: [UInt8])
    }

    static let version: UInt8 = 1
    static let identifierLength = 4
    static let saltLength = 32
    static let greatestLabel = 100

    /// 4 random octets.
    var identifier: [UInt8]
    var created: Timestamp
    /// The name that its owner gave it, at most ``greatestLabel`` octets.
    var label: String
    var derivation: Derivation

    init(identifier: [UInt8], created: Timestamp, label: String, derivation: Derivation) {
        self.identifier = identifier
        self.created = created
        self.label = label
        self.derivation = derivation
    }

    func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.write(KeySlotParameters.version)
        writer.write(identifier)
        writer.writeTime(created)
        writer.writeString(label)
        switch derivation {
        case .none: break
        case .scrypt(let cost, let salt):
            writer.write(cost.logN)
            writer.write(cost.r)
            writer.write(cost.p)
            writer.writeOctets(salt)
        case .hkdf(let salt): writer.writeOctets(salt)
        }
        return writer.bytes
    }

    /// The parameters of a stored slot. Nil if they are damaged, or of a kind or version that this program does not
    /// know.
    init?(of slot: KeySlot) {
        guard let kind = KeySlotKind(rawValue: slot.kind) else { return nil }
        do {
            try self.init(decoding: slot.parameters, kind: kind)
        } catch {
            return nil
        }
    }

    private init(decoding bytes: [UInt8], kind: KeySlotKind) throws(DecodeError) {
        var reader = ByteReader(bytes)
        try reader.expectVersion(KeySlotParameters.version)
        identifier = Array(try reader.read(KeySlotParameters.identifierLength))
        created = try reader.readTime()
        label = try reader.readString()
        switch kind {
        case .keyFile: derivation = .none
        case .passphrase:
            let cost = Scrypt.Cost(
                logN: try reader.readUInt8(),
                r: try reader.readUInt32(),
                p: try reader.readUInt32()
            )
            derivation = .scrypt(cost, salt: try KeySlotParameters.readSalt(&reader))
        case .command: derivation = .hkdf(salt: try KeySlotParameters.readSalt(&reader))
        }
        guard label.utf8.count <= KeySlotParameters.greatestLabel else { throw .length(label.utf8.count) }
        try reader.expectEnd()
    }

    private static func readSalt(_ reader: inout ByteReader) throws(DecodeError) -> [UInt8] {
        let salt = try reader.readOctets()
        guard (16...64).contains(salt.count) else { throw .length(salt.count) }
        return salt
    }
}
