import DefinitionModel
import MeshCore
import Store
import SystemLayer
import TLS

/// The files of one pairing with a gateway, in `.meshplan/gateways/NAME`. Whoever made the pairing has all of them, a
/// colleague has only `client.pem`.
struct GatewayPairing {
    var context: Context
    let name: String

    /// The folder of all pairings, relative to the working folder; people see it in this form, too.
    static let allFolder = Workspace.folderName + "/gateways"

    /// The pairing with a name, whether or not it exists.
    init(_ name: String, in context: Context) throws(Failure) {
        try Self.check(name, of: "gateway")
        self.context = context
        self.name = name
    }

    /// The pairings with a client file of our own, which can be used; sorted by name.
    static func all(in context: Context) throws -> [GatewayPairing] {
        try begun(in: context).filter { $0.isThere($0.clientPath) }
    }

    /// The pairings that have at least one file, sorted by name.
    static func begun(in context: Context) throws -> [GatewayPairing] {
        try names(in: context).compactMap { try? GatewayPairing($0, in: context) }.filter(\.exists)
    }

    /// The names in ``allFolder``, sorted.
    static func names(in context: Context) throws -> [String] {
        let folder = context.absolute(allFolder)
        guard try Files.kind(examining: folder, as: allFolder) == .folder else { return [] }
        return try Files.names(inFolder: folder, as: allFolder)
    }

    /// The folder of the pairing, in the form of ``allFolder``.
    var folder: String { "\(Self.allFolder)/\(name)" }
    /// The path of the authority, which signs the certificates, in the form of ``allFolder``.
    var authorityPath: String { "\(folder)/authority.pem" }
    /// The path of our own client file, which we show to the gateway, in the form of ``allFolder``.
    var clientPath: String { "\(folder)/client.pem" }
    /// The path of the gateway's file, in the form of ``allFolder``.
    var gatewayPath: String { "\(folder)/\(name).gateway.pem" }
    /// The path of a further client's file, in the form of ``allFolder``.
    func path(ofClient label: String) -> String { "\(folder)/\(label).client.pem" }

    /// The labels of the further clients whose files are here, sorted.
    func labels() -> [String] {
        let names = (try? Files.names(inFolder: context.absolute(folder), as: folder)) ?? []
        return names.filter { $0.hasSuffix(".client.pem") }.map { String($0.dropLast(".client.pem".count)) }
    }

    func isThere(_ path: String) -> Bool { Files.kind(context.absolute(path)) != nil }

    /// Whether there is a file that a new pairing would replace.
    var exists: Bool { [authorityPath, clientPath, gatewayPath].contains(where: isThere) }

    /// Whether new certificates can be made here.
    var hasAuthority: Bool { isThere(authorityPath) }

    /// How to get a client file of our own if the rest of the pairing is complete.
    var ownFileAdvice: String {
        hasAuthority
            ? "Create one with: meshplan gateway pair \(name) --client office --out \(clientPath) --renew"
            : "Ask whoever has made the pairing for a file, made with: meshplan gateway pair \(name) --client LABEL; put it "
                + "to \(clientPath)."
    }

    func makeFolder() throws(FileError) {
        for name in [Self.allFolder, folder] { _ = try Files.createFolder(context.absolute(name), as: name) }
    }

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
        let authority = try GatewayFile(context: context, path: authorityPath).authority()
        guard context.now() < authority.certificate.validUntil else {
            throw Failure(
                .failure,
                "the authority of the pairing \(name) was valid until \(authority.certificate.validUntil.text)",
                hint: "Renew the pairing with: meshplan gateway pair \(name) --renew"
            )
        }
        return authority
    }

    /// The identity in a file of this pairing, or in the file that `--certificate` names.
    ///
    /// Warns a gateway if its certificate ends soon, since `doctor` does not run there, or if its clock is behind,
    /// since it may start before it gets the time.
    ///
    /// - Parameter isService: whether it is for a service that nobody looks after; nil for one that is a gateway.
    /// - Throws: ``Failure`` if others than the owner can use the file, if it is for another role, if it has expired,
    ///   or if it is not yet valid by a client's clock.
    static func identity(
        _ path: String,
        role: TLSRole,
        isService: Bool? = nil,
        in context: Context
    ) throws -> TLSIdentity {
        let isService = isService ?? (role == .server)
        let file = GatewayFile(context: context, path: path)
        let identity = try file.identity()
        try file.explaining { () throws(TLSError) in try identity.check(role) }
        let now = context.now()
        guard now < identity.validUntil else {
            throw Failure(
                .failure,
                "\(path.printable): the certificate was valid until \(identity.validUntil.text), and the clock here says "
                    + now.text,
                hint:
                    "If the clock is right, make new ones, where the pairing was made, with: meshplan gateway pair NAME "
                    + "--renew. Otherwise set it."
            )
        }
        if now < identity.validFrom {
            let message =
                "\(path.printable): the certificate is valid from \(identity.validFrom.text) on, and the clock here says "
                + now.text
            let hint = "Set the clock: timedatectl shows whether it follows the time of the network."
            guard isService else { throw Failure(.failure, message, hint: hint) }
            FailureView(context).warn(message + "; no connection is possible until the clock is correct", hint: hint)
        }
        let left = now.seconds(to: identity.validUntil)
        if isService, left < GatewayExamination.notice {
            FailureView(context).warn(
                "\(path.printable): the certificate is valid until \(identity.validUntil.text), "
                    + GatewayExamination.remaining(left),
                hint: "Make new ones, where the pairing was made, with: meshplan gateway pair NAME --renew"
            )
        }
        return identity
    }

    /// Refuses a name that cannot be a file's name or stand in a certificate, or that looks like another name.
    static func check(_ name: String, of what: String) throws(Failure) {
        let isOdd = zip(name.utf8, name.utf8.dropFirst()).contains { !isLetterOrDigit($0) && !isLetterOrDigit($1) }
        guard Name.isValid(name), name.utf8.count <= 48, name.utf8.last.map(isLetterOrDigit) == true, !isOdd else {
            // What follows a colon is a password, where somebody has written an address.
            let shown = name.firstIndex(of: ":").map { name[..<$0] + ":…" } ?? name[...]
            throw Failure(
                .usage,
                "`\(String(shown).printable)` cannot be the name of a \(what)",
                hint: "A name has letters and digits, with single dots, hyphens and underscores between them, 48 "
                    + "characters at most."
            )
        }
    }

    /// Refuses a new name that people or other file systems would confuse with an existing one.
    static func check(_ name: String, of what: String, besides others: [String]) throws(Failure) {
        func look(_ name: String) -> String { name.lowercased().replacing(#/[._]/#, with: "-") }
        guard let other = others.first(where: { $0 != name && look($0) == look(name) }) else { return }
        throw Failure(
            .usage,
            "`\(name.printable)` is too similar to `\(other.printable)`, the name of an existing \(what)",
            hint: "Choose a name that differs in more than the case of letters and the marks between them."
        )
    }

    private static func isLetterOrDigit(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
