internal import MeshCore
internal import Store
internal import TLS

/// The files of one pairing with a gateway, in `.meshplan/gateways/NAME`: who made the pairing has all, a colleague has
/// `client.pem` alone.
struct GatewayPairing {
    /// The effects.
    var context: Context
    /// What the gateway is called here.
    let name: String

    /// The folder of all pairings, for people and, from the working folder, for the system.
    static let allFolder = Workspace.folderName + "/gateways"

    /// The pairing of that name, whether there is one or not.
    ///
    /// - Throws: ``Failure`` for a name that is none.
    init(_ name: String, in context: Context) throws(Failure) {
        try Self.check(name, of: "gateway")
        self.context = context
        self.name = name
    }

    /// The pairings that there are, sorted.
    static func all(in context: Context) throws -> [GatewayPairing] {
        let folder = context.absolute(allFolder)
        guard Files.kind(folder) == .folder else { return [] }
        let pairings = try Files.names(inFolder: folder, as: allFolder).compactMap { name in
            try? GatewayPairing(name, in: context)
        }
        return pairings.filter { $0.isThere($0.clientPath) }
    }

    /// Its folder, as ``allFolder``.
    var folder: String { "\(Self.allFolder)/\(name)" }
    /// What signs the certificates, as ``allFolder``.
    var authorityPath: String { "\(folder)/authority.pem" }
    /// What we show to the gateway, as ``allFolder``.
    var clientPath: String { "\(folder)/client.pem" }
    /// The gateway's file, as ``allFolder``.
    var gatewayPath: String { "\(folder)/\(name).gateway.pem" }
    /// The file of a further client, as ``allFolder``.
    func path(ofClient label: String) -> String { "\(folder)/\(label).client.pem" }

    /// The labels of the further clients whose files are here, sorted.
    func labels() -> [String] {
        let names = (try? Files.names(inFolder: context.absolute(folder), as: folder)) ?? []
        return names.filter { $0.hasSuffix(".client.pem") }.map { String($0.dropLast(".client.pem".count)) }
    }

    /// Whether there is something of that name.
    func isThere(_ path: String) -> Bool { Files.kind(context.absolute(path)) != nil }

    /// Whether there is anything that a new pairing would take the place of.
    var exists: Bool { [authorityPath, clientPath, gatewayPath].contains(where: isThere) }

    /// Whether the certificates can be made anew here.
    var hasAuthority: Bool { isThere(authorityPath) }

    /// Makes the folders.
    func makeFolder() throws(FileError) {
        for name in [Self.allFolder, folder] { _ = try Files.createFolder(context.absolute(name), as: name) }
    }

    /// The authority that signs for the pairing.
    func authority() throws -> CertificateAuthority {
        guard hasAuthority else {
            throw Failure(
                .failure,
                "there is no \(authorityPath), which signs the files of clients",
                hint: isThere(clientPath)
                    ? "Somebody else has made this pairing; files are made where its authority is."
                    : "Make the pairing first, with: meshplan gateway pair \(name)"
            )
        }
        let pem = try Self.secret(authorityPath, in: context)
        let authority = try Self.explaining(authorityPath) { () throws(TLSError) in try CertificateAuthority(pem: pem) }
        guard context.now() < authority.certificate.validUntil else {
            throw Failure(
                .failure,
                "the authority of the pairing \(name) was valid until \(authority.certificate.validUntil.text)",
                hint: "Make the pairing anew with: meshplan gateway pair \(name) --renew"
            )
        }
        return authority
    }

    /// The identity in a file of this pairing or, as `--certificate` names it, of another place.
    ///
    /// A gateway is told when its certificate ends soon: `doctor` does not run there.
    ///
    /// - Throws: ``Failure`` if others than the owner can read it, if it is for another role, or if it has expired.
    static func identity(_ path: String, role: TLSRole, in context: Context) throws -> TLSIdentity {
        let pem = try secret(path, in: context)
        let identity = try explaining(path) { () throws(TLSError) in
            let identity = try TLSIdentity(pem: pem)
            try identity.check(role)
            return identity
        }
        guard context.now() < identity.validUntil else {
            throw Failure(
                .failure,
                "\(path.printable): the certificate was valid until \(identity.validUntil.text)",
                hint: "Make new ones, where the pairing was made, with: meshplan gateway pair NAME --renew. If the "
                    + "certificate should still be valid, set the clock."
            )
        }
        let left = context.now().seconds(to: identity.validUntil)
        if role == .server, left < GatewayExamination.notice {
            FailureView(context).warn(
                "\(path.printable): the certificate is valid until \(identity.validUntil.text), for "
                    + count(Int(left / 86_400), "more day"),
                hint: "Make new ones, where the pairing was made, with: meshplan gateway pair NAME --renew"
            )
        }
        return identity
    }

    /// The octets of a file with a private key, which nobody but its owner may read.
    static func secret(_ path: String, in context: Context) throws -> [UInt8] {
        guard !Files.isReadableByOthers(context.absolute(path)) else {
            throw Failure(
                .failure,
                "\(path.printable) can be read by others than its owner",
                hint: "chmod 600 \(path.shellWord), and make the pairing anew if somebody may have read it."
            )
        }
        return try Files.read(context.absolute(path), as: path.printable, limit: 1 << 20)
    }

    private static func explaining<Value>(
        _ path: String,
        _ body: () throws(TLSError) -> Value
    ) throws(Failure) -> Value {
        do {
            return try body()
        } catch {
            throw Failure(.failure, "\(path.printable): \(error.message)", hint: error.hint)
        }
    }

    /// Refuses what cannot be the name of a file and stand in a certificate.
    static func check(_ name: String, of what: String) throws(Failure) {
        guard Name.isValid(name), name.utf8.count <= 48 else {
            throw Failure(
                .usage,
                "`\(name.printable)` cannot be the name of a \(what)",
                hint: "A name begins with a letter or digit and goes on with letters, digits, dots, hyphens and "
                    + "underscores, 48 at most."
            )
        }
    }
}
