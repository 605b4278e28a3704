import MeshCore
import SystemLayer

/// The file with the secret that opens databases: 64 hexadecimal digits and a line feed, readable by its owner only.
package enum KeyFile {
    /// Makes a new key file with mode 0600. It never overwrites an existing one.
    ///
    /// - Throws: ``StoreError/Code/exists`` if something has that name, and other codes if a system call fails.
    package static func create(
        at path: String,
        using generator: inout some RandomNumberGenerator
    ) throws(StoreError) -> DatabaseSecret {
        let key = DatabaseSecret.random(using: &generator)
        let digits = SecretOctets(key.octets.withOctets { Hexadecimal.digits(of: $0) })
        let text = SecretOctets(digits.withOctets { $0 + [0x0A] })
        try text.withOctets { text throws(StoreError) in
            try storing { () throws(FileError) in try AtomicFile.create(path, text, mode: 0o600) }
        }
        return key
    }

    /// Reads a key file.
    ///
    /// - Throws: ``StoreError/Code/missing`` if there is none, ``StoreError/Code/insecurePermissions`` if group or
    ///   others have any right to it, ``StoreError/Code/invalidKeyFile`` if it is no regular file or does not hold 64
    ///   digits, and other codes if a system call fails.
    package static func load(from path: String) throws(StoreError) -> DatabaseSecret {
        // Opening a device or a pipe has effects of its own.
        if let status = try? FileStatus.of(path) { try checkRegular(status, path) }
        let file: OpenFile
        do throws(FileError) {
            file = try OpenFile(path, .reading)
        } catch {
            var error = StoreError(error, subject: "the key file")
            if error.code == .missing {
                error.message = "there is no key file"
                error.hint = "restore your safe copy of it; the database cannot be opened without it"
            }
            throw error
        }
        let status = try storing { () throws(FileError) in try file.status() }
        try checkRegular(status, path)
        guard status.permissions & 0o077 == 0 else {
            throw StoreError(
                .insecurePermissions,
                "the key file is accessible to users other than its owner "
                    + "(mode 0\(String(status.permissions, radix: 8)))",
                hint: "chmod 600 \(path), and replace the key if somebody may have read it",
                path: path
            )
        }
        let bytes = SecretOctets(try storing { () throws(FileError) in try file.readAll(limit: 4096) })
        guard let secret = bytes.withOctets(secret), let key = DatabaseSecret(secret: secret) else {
            throw StoreError(
                .invalidKeyFile,
                "the key file does not hold 64 hexadecimal digits",
                hint: "it may be another file, or damaged; restore your safe copy of it",
                path: path
            )
        }
        return key
    }

    private static func checkRegular(_ status: FileStatus, _ path: String) throws(StoreError) {
        guard !status.isRegular else { return }
        throw StoreError(
            .invalidKeyFile,
            status.isFolder ? "the key file is a folder" : "the key file is a pipe or a device, not a file",
            hint: "restore your safe copy of it",
            path: path
        )
    }

    /// The secret of 64 hexadecimal digits, with any white space between them; nil for anything else.
    static func secret(in bytes: [UInt8]) -> [UInt8]? {
        let digits = bytes.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard digits.count == 2 * AESGCM.keyLength else { return nil }
        return Hexadecimal.decode(digits: digits)
    }
}

/// `count` octets from `generator`.
func randomOctets(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(count + 8)
    while octets.count < count { withUnsafeBytes(of: UInt64(generator.next()).bigEndian) { octets += $0 } }
    octets.removeLast(octets.count - count)
    return octets
}
