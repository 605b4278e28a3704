internal import MeshCore

/// Wrapping and unwrapping the data key. Every slot wraps the same data key, so that several people and a recovery
/// key can open one database and a new slot re-encrypts nothing.
extension KeySlot {
    /// A slot for the secret of a key file. The secret is 256 random bits, so it is the wrapping key itself; no
    /// derivation could make it better.
    static func wrapping(
        _ dataKey: [UInt8],
        with key: DatabaseKey,
        lineage: Octets16,
        nonce: [UInt8]
    ) throws(StoreError) -> KeySlot {
        do {
            let data = associatedData(kind: keyFile, parameters: [], lineage: lineage)
            let sealed = try AESGCM(key: key.secret).seal(dataKey, nonce: nonce, associatedData: data)
            return KeySlot(kind: keyFile, parameters: [], wrapped: nonce + sealed)
        } catch {
            throw StoreError(.cryptography, "the data key cannot be wrapped")
        }
    }

    /// The data key, nil if this slot is not for `key`.
    func unwrap(with key: DatabaseKey, lineage: Octets16) -> [UInt8]? {
        guard kind == KeySlot.keyFile, wrapped.count > AESGCM.nonceLength, let cipher = try? AESGCM(key: key.secret)
        else {
            return nil
        }
        return try? cipher.open(
            wrapped.dropFirst(AESGCM.nonceLength),
            nonce: wrapped.prefix(AESGCM.nonceLength),
            associatedData: KeySlot.associatedData(kind: kind, parameters: parameters, lineage: lineage)
        )
    }

    private static func associatedData(kind: UInt8, parameters: [UInt8], lineage: Octets16) -> [UInt8] {
        var writer = ByteWriter(capacity: 48)
        writer.write("meshplan key slot".utf8)
        writer.write(SQLiteRowStore.format)
        writer.write(lineage)
        writer.write(kind)
        writer.writeOctets(parameters)
        return writer.bytes
    }
}
