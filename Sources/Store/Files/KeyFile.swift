internal import MeshCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The file with the secret that opens databases: 64 hexadecimal digits and a line feed, readable by its owner only.
package enum KeyFile {
    /// Makes a new key file with mode 0600; an existing one is never overwritten.
    ///
    /// - Throws: ``StoreError/Code/exists`` and file trouble.
    package static func create(
        at path: String,
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> DatabaseKey {
        let key = DatabaseKey.random(using: &generator)
        try AtomicFile.create(path, Array((Hexadecimal.encode(key.octets) + "\n").utf8), mode: 0o600)
        return key
    }

    /// Reads a key file.
    ///
    /// - Throws: ``StoreError/Code/missing``, ``StoreError/Code/insecurePermissions`` if group or others may do
    ///   anything with it, ``StoreError/Code/invalidKeyFile``.
    package static func load(from path: String) throws(StoreError) -> DatabaseKey {
        let file: OpenFile
        do {
            // Without O_NONBLOCK a pipe would be waited for here already.
            file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY, doing: "the key file cannot be opened")
        } catch {
            var error = error
            if error.code == .missing {
                error.message = "there is no key file"
                error.hint = "restore it from where it is kept safe; without it the database cannot be opened"
            }
            throw error
        }
        let status = try file.status()
        guard status.isRegular else {
            throw StoreError(
                .invalidKeyFile,
                status.isFolder ? "the key file is a folder" : "the key file is a pipe or a device, not a file",
                hint: "restore it from where it is kept safe",
                path: path
            )
        }
        guard status.permissions & 0o077 == 0 else {
            throw StoreError(
                .insecurePermissions,
                "the key file can be used by others than its owner (mode 0\(String(status.permissions, radix: 8)))",
                hint: "chmod 600 \(path), and replace the key if somebody may have read it",
                path: path
            )
        }
        let bytes = try file.readAll(limit: 4096)
        guard let secret = secret(in: bytes), let key = DatabaseKey(secret: secret) else {
            throw StoreError(
                .invalidKeyFile,
                "the key file does not hold 64 hexadecimal digits",
                hint: "it may be another file, or damaged; restore it from where it is kept safe",
                path: path
            )
        }
        return key
    }

    /// The secret that 64 hexadecimal digits with any white space stand for.
    static func secret(in bytes: [UInt8]) -> [UInt8]? {
        let digits = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard digits.count == 2 * AESGCM.keyLength else { return nil }
        return Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
    }
}

/// `count` octets from `generator`.
func randomOctets(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var writer = ByteWriter(capacity: count + 8)
    while writer.bytes.count < count { writer.write(generator.next() as UInt64) }
    return Array(writer.bytes.prefix(count))
}
