import Basics
import MeshCore

/// Small files beside the database, such as saved plans, sealed under its data key.
extension MeshDatabase {
    private static let magic = Array("MESHPLAN".utf8)
    private static let version: UInt8 = 1

    /// Seals `bytes` so that only this database opens them, only for the same purpose, and only until its data key
    /// changes: `"MESHPLAN" | version 1 | program | identifier of the data key 8 | nonce 12 | ciphertext | tag 16`. The
    /// program is the version of the one that wrote it, a text after its length. All versions begin like this.
    ///
    /// - Parameter purpose: the kind of file that the bytes are for. Opening them needs the same purpose.
    /// - Throws: ``StoreError/Code/cryptography`` if the encryption fails.
    package func seal(_ bytes: [UInt8], purpose: String) throws(StoreError) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count + 64)
        writer.write(MeshDatabase.magic)
        writer.write(MeshDatabase.version)
        writer.writeString(programVersion)
        writer.write(cipher.keyIdentifier)
        let data = associatedData(purpose, program: programVersion)
        writer.write(try cipher.seal(bytes, nonce: nonce(), associatedData: data))
        return writer.bytes
    }

    /// The version of the program that sealed a file; nil if it is something else. Only opening the file proves it.
    package static func writer(of sealed: [UInt8]) -> String? {
        guard sealed.starts(with: magic) else { return nil }
        var reader = ByteReader(sealed.dropFirst(magic.count + 1))
        return try? reader.readWriter()
    }

    /// Opens what ``seal(_:purpose:)`` sealed.
    ///
    /// - Throws: ``StoreError/Code/invalidDocument`` if it is something else, ``StoreError/Code/newerFormat``,
    ///   ``StoreError/Code/wrongKey`` if it was sealed under another data key (with another database, or before the
    ///   data key was rotated), ``StoreError/Code/damaged`` if it was changed, cut off, or sealed for another purpose.
    package func unseal(_ sealed: [UInt8], purpose: String) throws(StoreError) -> [UInt8] {
        guard sealed.starts(with: MeshDatabase.magic), sealed.count > MeshDatabase.magic.count else {
            throw StoreError(.invalidDocument, "the file was not made by meshplan", hint: "check the path")
        }
        let version = sealed[MeshDatabase.magic.count]
        let program = MeshDatabase.writer(of: sealed) ?? "unknown"
        guard version == MeshDatabase.version else {
            throw StoreError(
                .newerFormat,
                "the file has format \(version), this program knows format \(MeshDatabase.version); version \(program) of "
                    + "meshplan wrote it",
                hint: "use that version, or a later one"
            )
        }
        let body = sealed.dropFirst(MeshDatabase.magic.count + 2 + program.utf8.count)
        let identifier = body.prefix(cipher.keyIdentifier.count)
        guard identifier.count < cipher.keyIdentifier.count || identifier.elementsEqual(cipher.keyIdentifier) else {
            throw StoreError(
                .wrongKey,
                "the file was made with another database, or before the data key of this one was changed",
                hint: "make it again with this database"
            )
        }
        let contents = body.dropFirst(identifier.count)
        guard let bytes = cipher.open(contents, associatedData: associatedData(purpose, program: program)) else {
            throw StoreError(.damaged, "the file is damaged or cut off", hint: "make it again with this database")
        }
        return bytes
    }

    /// 32 octets by which a secret is recognised again: the same for the same octets and purpose until the data key
    /// changes. They tell nothing about the secret, and nobody can test a guess against them without the data key.
    package func fingerprint(of bytes: [UInt8], purpose: String) -> [UInt8] {
        cipher.fingerprint(of: bytes, purpose: purpose)
    }

    private func associatedData(_ purpose: String, program: String) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write("meshplan file".utf8)
        writer.write(cipher.lineage)
        writer.writeString(program)
        writer.write(purpose.utf8)
        return writer.bytes
    }
}
