import DefinitionModel
import MeshCore
import Store
import SystemLayer
import TLS

/// A file with certificates for TLS: one of a pairing, or that of `--certificate`. Only this type reads such files.
struct GatewayFile {
    var context: Context
    /// The path as the user knows it.
    let path: String

    /// The most octets; a file of a pairing has about three thousand.
    private static let limit = 64 * 1024

    /// The octets of a file with a private key, which only its owner may use.
    ///
    /// - Throws: ``Failure`` if others can use the file, if it cannot be read, or if it is not a regular file: a pipe
    ///   could block.
    func secret() throws(Failure) -> [UInt8] {
        try read(isSecret: true)
    }

    /// The same, but others may use the file: only to look at its contents.
    func examined() throws(Failure) -> [UInt8] {
        try read(isSecret: false)
    }

    /// What others may do with the file, as a clause; nil if nothing.
    func exposure() -> String? {
        do throws(FileError) {
            _ = try Files.readRegular(context.absolute(path), limit: Self.limit, isSecret: true)
            return nil
        } catch {
            if case .exposed = error.cause { return error.clause }
            return nil
        }
    }

    private func read(isSecret: Bool) throws(Failure) -> [UInt8] {
        do throws(FileError) {
            return try Files.readRegular(context.absolute(path), limit: Self.limit, isSecret: isSecret)
        } catch {
            var hint = error.hint
            if case .exposed = error.cause {
                hint = "chmod 600 \(path.shellWord), and renew the pairing if somebody may have used it."
            }
            throw Failure(.failure, "\(path.printable) \(error.clause)", hint: hint)
        }
    }

    /// The identity in the file.
    func identity() throws(Failure) -> TLSIdentity {
        let pem = try secret()
        return try explaining { () throws(TLSError) in try TLSIdentity(pem: pem) }
    }

    /// The authority in the file.
    func authority() throws(Failure) -> CertificateAuthority {
        let pem = try secret()
        return try explaining { () throws(TLSError) in try CertificateAuthority(pem: pem) }
    }

    /// Adds the file's name to errors of `body`.
    func explaining<Value>(_ body: () throws(TLSError) -> Value) throws(Failure) -> Value {
        do {
            return try body()
        } catch {
            throw Failure(.failure, "\(path.printable): \(error.message)", hint: error.hint?.worded)
        }
    }
}
