import CTLS
import MeshCore

/// The certificates and private keys of a PEM file (RFC 7468). Text between the blocks is ignored.
final class PEMContents {
    /// The certificates (X509), in their order. The object owns them.
    private(set) var certificates: [OpaquePointer] = []
    /// The private keys (EVP_PKEY). The object owns them.
    private(set) var keys: [OpaquePointer] = []

    /// The largest size of a file, in octets.
    static let limit = 64 * 1024

    /// Reads all blocks.
    ///
    /// - Throws: ``TLSError/Kind/file`` for a file without any block, and for a block that is damaged, locked with a
    ///   passphrase or of another type.
    init(_ pem: [UInt8]) throws(TLSError) {
        guard pem.count <= Self.limit else {
            throw TLSError(
                .file,
                "the file is larger than \(Self.limit / 1024) KiB, too large for a file with certificates"
            )
        }
        let input = try MemoryBIO(pem)
        ErrorQueue.clear()
        while true {
            var name: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var octets: UnsafeMutablePointer<UInt8>?
            var count = 0
            guard PEM_read_bio(input.pointer, &name, &header, &octets, &count) == 1 else { break }
            defer {
                ctls_free(name)
                ctls_free(header)
                ctls_free_secret(octets, count)
            }
            guard let name, let octets else { break }
            try add(String(cString: name), isLocked: header?.pointee != 0, octets, count)
        }
        let reason = ErrorQueue.drain().first
        guard reason == nil || reason?.number == PEM_R_NO_START_LINE else {
            throw TLSError(.file, "a block in the file is damaged or cut off", hint: Self.copyAgain)
        }
        guard !certificates.isEmpty || !keys.isEmpty else {
            throw TLSError(
                .file,
                "the file holds neither certificates nor keys in PEM",
                hint: "Take the file that \(command: .pair) has made."
            )
        }
    }

    deinit {
        for certificate in certificates { X509_free(certificate) }
        for key in keys { EVP_PKEY_free(key) }
    }

    private func add(
        _ name: String,
        isLocked: Bool,
        _ octets: UnsafeMutablePointer<UInt8>,
        _ count: Int
    ) throws(TLSError) {
        if name == "ENCRYPTED PRIVATE KEY" || isLocked {
            throw TLSError(
                .file,
                "the private key in the file is locked with a passphrase",
                hint: "A gateway starts without a user, so unlock the key with: openssl pkey"
            )
        }
        var next: UnsafePointer<UInt8>? = UnsafePointer(octets)
        switch name {
        case "CERTIFICATE":
            guard let certificate = d2i_X509(nil, &next, count) else { throw damaged("certificate") }
            certificates.append(certificate)
        case "PRIVATE KEY", "EC PRIVATE KEY":
            guard let key = d2i_AutoPrivateKey(nil, &next, count) else { throw damaged("private key") }
            keys.append(key)
        case "EC PARAMETERS":
            break
        default:
            throw TLSError(
                .file,
                "the file holds something other than certificates and a private key",
                hint: "Take the file that \(command: .pair) has made."
            )
        }
    }

    private func damaged(_ what: String) -> TLSError {
        ErrorQueue.clear()
        return TLSError(.file, "a \(what) in the file is damaged", hint: Self.copyAgain)
    }

    private static let copyAgain = "Copy it again from where it was made."
}
