import MeshCore

/// Wrapping and unwrapping the data key. Every slot wraps the same data key. So several people and a recovery key can
/// open one database, and a new slot re-encrypts nothing.
extension KeySlot {
    /// The most slots that a database may have, because each passphrase costs every opening a derivation.
    static let greatestCount = 32

    /// The slots that may be tried: their passphrases together cost no more than ``greatestCount`` ordinary ones. Who
    /// handed a file on may have put dearer slots into it.
    static func affordable(_ slots: [KeySlot]) -> [KeySlot] {
        var budget = UInt64(greatestCount) * (Scrypt.Cost.standard.work ?? 0)
        return slots.filter { slot in
            guard let work = KeySlotDescription(slot).cost?.work else { return true }
            guard work <= budget else { return false }
            budget -= work
            return true
        }
    }

    /// A slot for `key`, of the kind of the key.
    ///
    /// - Parameter cost: of the derivation, where the key is a passphrase.
    static func wrapping(
        _ dataKey: SecretOctets,
        with key: DatabaseSecret,
        label: String,
        created: Timestamp,
        cost: Scrypt.Cost,
        lineage: Octets16,
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> KeySlot {
        let parameters = KeySlotParameters(
            identifier: randomOctets(KeySlotParameters.identifierLength, using: &generator),
            created: created,
            label: label,
            derivation: derivation(key.kind, cost: cost, using: &generator)
        )
        return try wrapping(dataKey, with: key, key.kind, parameters, lineage: lineage, using: &generator)
    }

    /// The same slot (identifier, kind, label and time) for another data key or at another cost.
    func rewrapping(
        _ dataKey: SecretOctets,
        with key: DatabaseSecret,
        cost: Scrypt.Cost,
        lineage: Octets16,
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> KeySlot {
        guard let kind = KeySlotKind(rawValue: kind), var parameters = KeySlotParameters(of: self) else {
            throw StoreError(.cryptography, "the data key cannot be wrapped")
        }
        parameters.derivation = KeySlot.derivation(kind, cost: cost, using: &generator)
        return try KeySlot.wrapping(dataKey, with: key, kind, parameters, lineage: lineage, using: &generator)
    }

    /// The data key; nil if `key` does not open this slot.
    ///
    /// - Throws: ``StoreError/Code/cryptography`` if there is not enough memory to find out.
    func unwrap(with key: DatabaseSecret, lineage: Octets16) throws(StoreError) -> SecretOctets? {
        guard wrapped.count > AESGCM.nonceLength, let kind = KeySlotKind(rawValue: kind),
            let derivation = KeySlotParameters(of: self)?.derivation,
            let wrappingKey = try key.wrappingKey(for: kind, derivation),
            let cipher = try? wrappingKey.withOctets(AESGCM.init),
            let dataKey = try? cipher.open(
                wrapped.dropFirst(AESGCM.nonceLength),
                nonce: wrapped.prefix(AESGCM.nonceLength),
                associatedData: KeySlot.associatedData(kind: self.kind, parameters: parameters, lineage: lineage)
            ),
            dataKey.count == AESGCM.keyLength
        else { return nil }
        return SecretOctets(dataKey)
    }

    private static func wrapping(
        _ dataKey: SecretOctets,
        with key: DatabaseSecret,
        _ kind: KeySlotKind,
        _ parameters: KeySlotParameters,
        lineage: Octets16,
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> KeySlot {
        guard let wrappingKey = try key.wrappingKey(for: kind, parameters.derivation) else {
            throw StoreError(.cryptography, "the data key cannot be wrapped")
        }
        let nonce = randomOctets(AESGCM.nonceLength, using: &generator)
        let encoded = parameters.encoded()
        do {
            let data = associatedData(kind: kind.rawValue, parameters: encoded, lineage: lineage)
            let cipher = try wrappingKey.withOctets(AESGCM.init)
            let sealed = try dataKey.withOctets { try cipher.seal($0, nonce: nonce, associatedData: data) }
            return KeySlot(kind: kind.rawValue, parameters: encoded, wrapped: nonce + sealed)
        } catch {
            throw StoreError(.cryptography, "the data key cannot be wrapped")
        }
    }

    private static func derivation(
        _ kind: KeySlotKind,
        cost: Scrypt.Cost,
        using generator: inout some RandomNumberGenerator
    ) -> KeySlotParameters.Derivation {
        func salt() -> [UInt8] { randomOctets(KeySlotParameters.saltLength, using: &generator) }
        return switch kind {
        case .keyFile: .none
        case .passphrase: .scrypt(cost, salt: salt())
        case .command: .hkdf(salt: salt())
        }
    }

    private static func associatedData(kind: UInt8, parameters: [UInt8], lineage: Octets16) -> [UInt8] {
        var writer = ByteWriter(capacity: 48)
        writer.write("meshplan key slot".utf8)
        writer.write(RowCipher.format)
        writer.write(lineage)
        writer.write(kind)
        writer.writeOctets(parameters)
        return writer.bytes
    }
}
