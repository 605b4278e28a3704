internal import MeshCore

/// Small files beside the database, like saved plans, sealed under its data key.
extension MeshDatabase {
    private static let magic = Array("MESHPLAN".utf8)
    private static let version: UInt8 = 1

    /// Seals `bytes` so that only this database opens them, and only for the same purpose:
    /// `"MESHPLAN" | version 1 | nonce 12 | ciphertext | tag 16`.
    ///
    /// - Parameter purpose: what the bytes are, like `plan`; the same is needed to open them.
    package func seal(_ bytes: [UInt8], purpose: String) throws(StoreError) -> [UInt8] {
        MeshDatabase.magic + [MeshDatabase.version]
            + (try cipher.seal(bytes, nonce: nonce(), associatedData: associatedData(purpose)))
    }

    /// Opens what ``seal(_:purpose:)`` made.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` if it is something else, ``StoreError/Code/newerFormat``,
    ///   ``StoreError/Code/damaged`` if it was changed, cut off, or made for another database or purpose.
    package func unseal(_ sealed: [UInt8], purpose: String) throws(StoreError) -> [UInt8] {
        guard sealed.starts(with: MeshDatabase.magic), sealed.count > MeshDatabase.magic.count else {
            throw StoreError(.invalidDocument, "the file was not made by meshplan", hint: "check the path")
        }
        guard sealed[MeshDatabase.magic.count] == MeshDatabase.version else {
            throw StoreError(
                .newerFormat,
                "the file has format \(sealed[MeshDatabase.magic.count]), this program knows format \(MeshDatabase.version)",
                hint: "use the version of meshplan that wrote it"
            )
        }
        let body = sealed.dropFirst(MeshDatabase.magic.count + 1)
        guard let bytes = cipher.open(body, associatedData: associatedData(purpose)) else {
            throw StoreError(
                .damaged,
                "the file is damaged, cut off, or was made with another database",
                hint: "make it again with this database"
            )
        }
        return bytes
    }

    private func associatedData(_ purpose: String) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write("meshplan file".utf8)
        writer.write(cipher.lineage)
        writer.write(purpose.utf8)
        return writer.bytes
    }
}
