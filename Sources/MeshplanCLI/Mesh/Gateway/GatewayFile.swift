internal import MeshCore
internal import Store
internal import TLS

/// One file that TLS reads: of a pairing, or what `--certificate` names. All of them are read here.
struct GatewayFile {
    /// The effects.
    var context: Context
    /// The path as the user knows it.
    let path: String

    /// The most octets; a file of a pairing has three thousand.
    private static let limit = 64 * 1024

    /// The octets of a file with a private key, which nobody but its owner may use.
    ///
    /// - Throws: ``Failure`` for what is no regular file, too, so that nothing is waited for.
    func secret() throws(Failure) -> [UInt8] {
        try read(isSecret: true)
    }

    /// The same of a file that others may use, too, to look at what is in it.
    func examined() throws(Failure) -> [UInt8] {
        try read(isSecret: false)
    }

    /// What others may do with it, a clause; nil if nothing.
    func exposure() -> String? {
        do throws(StoreError) {
            _ = try RegularFile.read(context.absolute(path), limit: Self.limit, isSecret: true)
            return nil
        } catch {
            return error.code == .insecurePermissions ? error.message : nil
        }
    }

    private func read(isSecret: Bool) throws(Failure) -> [UInt8] {
        do throws(StoreError) {
            return try RegularFile.read(context.absolute(path), limit: Self.limit, isSecret: isSecret)
        } catch {
            let chmod = "chmod 600 \(path.shellWord), and make the pairing anew if somebody may have used it."
            throw Failure(
                .failure,
                "\(path.printable) \(error.message)",
                hint: error.code == .insecurePermissions ? chmod : error.hint
            )
        }
    }

    /// The identity in it.
    ///
    /// - Throws: ``Failure`` that names the file.
    func identity() throws(Failure) -> TLSIdentity {
        let pem = try secret()
        return try explaining { () throws(TLSError) in try TLSIdentity(pem: pem) }
    }

    /// The authority in it.
    ///
    /// - Throws: ``Failure`` that names the file.
    func authority() throws(Failure) -> CertificateAuthority {
        let pem = try secret()
        return try explaining { () throws(TLSError) in try CertificateAuthority(pem: pem) }
    }

    /// Names the file in an error.
    func explaining<Value>(_ body: () throws(TLSError) -> Value) throws(Failure) -> Value {
        do {
            return try body()
        } catch {
            throw Failure(.failure, "\(path.printable): \(error.message)", hint: error.hint)
        }
    }
}
