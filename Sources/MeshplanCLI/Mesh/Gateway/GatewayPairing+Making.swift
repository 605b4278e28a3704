import MeshCore
import Store
import SystemLayer
import TLS

/// How long certificates are valid.
enum CertificateDays {
    /// The usual validity. A gateway stays in a basement for as long as the lamps it serves, and nobody renews what
    /// nobody sees: an end within a year or two would come as an outage. Ten years outlast most adapters, and `doctor`
    /// warns sixty days before the end.
    static let usual = 3_650
    /// The validity of the authority, and the most for anything it signs: longer than an installation lasts.
    static let most = 10_950
    /// How many days before now certificates become valid. A Raspberry Pi has no battery-backed clock: after a power
    /// cut without network time, its clock continues from where it was.
    static let before = 365

    /// The validity of a certificate made at `now`.
    static func validity(_ days: Int, at now: Timestamp) -> CertificateAuthority.Validity {
        func after(_ days: Int) -> Timestamp { Timestamp(rawValue: now.rawValue + Int64(days) * 86_400) }
        return CertificateAuthority.Validity(from: after(-before), until: after(days))
    }
}

extension GatewayPairing {
    /// Choices for making a pairing or the file of a further client.
    struct Wishes {
        /// How many days certificates are valid.
        var days: Int
        /// Whether existing files are replaced.
        var renews: Bool
        /// The path for the file that is carried away; nil for its usual place.
        var out: String?
    }

    /// Makes the authority, the gateway's file and our own client file.
    ///
    /// The authority of an earlier pairing is replaced last: until then, that pairing still signs and works. Of a new
    /// pairing, our own file is written last. If it is missing, making the pairing was cut short, and goes on.
    ///
    /// - Throws: ``Failure`` if the pairing exists and is not renewed, if its authority is elsewhere, or if the target
    ///   is unsuitable; ``StoreError`` if what would be gone on with is in the hands of others; otherwise the errors of
    ///   writing files and of TLS.
    func make(_ wishes: Wishes) throws -> MadePairing {
        let path = try target(wishes.out, in: gatewayPath, besides: [authorityPath, clientPath])
        let isNew = !exists
        if isNew { try Self.check(name, of: "gateway", besides: try Self.names(in: context)) }
        let goesOn = hasAuthority && !isThere(clientPath) && !wishes.renews
        if !isNew, !wishes.renews, !goesOn {
            throw Failure(
                .failure,
                "there is a pairing with a gateway \(name) already, in \(folder)",
                hint: "Choose another name, or renew it with --renew: the gateway and all clients then need new files."
            )
        }
        guard isNew || isThere(authorityPath) else {
            throw Failure(
                .failure,
                "somebody else has made the pairing with gateway \(name): its authority is not in \(folder)",
                hint:
                    "Ask for a new file where it was made, with: meshplan gateway pair \(name) --client LABEL; or move "
                    + "\(folder) away to make a pairing of your own."
            )
        }
        let now = context.now()
        let validity = CertificateDays.validity(wishes.days, at: now)
        let authority =
            goesOn
            ? try self.authority()
            : try CertificateAuthority(
                name: "authority of \(name)",
                validity: CertificateDays.validity(CertificateDays.most, at: now)
            )
        let gateway = try authority.issue(.server, name: name, validity: validity)
        let client = try authority.issue(.client, name: ownName, validity: validity)
        let written = goesOn ? served(path, by: authority, at: now) : nil
        if goesOn { try checkHands(on: written == nil ? [] : [path]) }
        if !wishes.renews, written == nil, isThere(path) { throw taken(path) }
        try makeFolder()
        if isNew { try write(authority) }
        if written == nil { try put(gateway, at: path, replacing: wishes.renews) }
        try AtomicFile.write(context.absolute(clientPath), as: clientPath, client)
        if !isNew, !goesOn { try write(authority) }
        // Two spellings may name the same place.
        if Files.identity(context.absolute(path)) != Files.identity(context.absolute(gatewayPath)) {
            try Files.remove(context.absolute(gatewayPath), as: gatewayPath)
        }
        let ends = [try written ?? TLSIdentity(pem: gateway).certificate, try TLSIdentity(pem: client).certificate]
        return MadePairing(
            path: path,
            validUntil: ends.map(\.validUntil).min() ?? validity.until,
            continued: goesOn ? authority.certificate : nil
        )
    }

    /// What was made of a pairing.
    struct MadePairing {
        /// The path of the gateway's file.
        var path: String
        /// When the first certificate ends, of the gateway's file and of ours.
        var validUntil: Timestamp
        /// The authority of the earlier command that was cut short; nil if a new one was made.
        var continued: Certificate?

        /// Says with what an earlier command was gone on; nil if with nothing. Whoever reads it can tell whether that
        /// command was theirs.
        var continuation: String? {
            continued.map { authority in
                let made = Timestamp(rawValue: authority.validFrom.rawValue + Int64(CertificateDays.before) * 86_400)
                return "Going on with the authority that an earlier command made on \(made.day), with the fingerprint\n"
                    + "  \(authority.fingerprintText)"
            }
        }
    }

    /// Makes the file of a further client.
    ///
    /// - Returns: its path and its certificate, and the certificate of the file that it replaces, if there was one.
    /// - Throws: ``Failure`` if the label or the target is unsuitable, or if there is no authority; otherwise the
    ///   errors of writing files and of TLS.
    func make(client label: String, _ wishes: Wishes) throws -> MadeClient {
        try Self.check(label, of: "client")
        let path = try target(wishes.out, in: self.path(ofClient: label), besides: [authorityPath, gatewayPath])
        let authority = try authority()
        try checkHands()
        if !labels().contains(label) { try Self.check(label, of: "client of gateway \(name)", besides: labels()) }
        let former = isThere(path) ? try? GatewayFile(context: context, path: path).examined() : nil
        let validity = CertificateDays.validity(wishes.days, at: context.now())
        let pem = try authority.issue(.client, name: label, validity: validity)
        try put(pem, at: path, replacing: wishes.renews)
        return MadeClient(
            path: path,
            certificate: try TLSIdentity(pem: pem).certificate,
            former: former.flatMap { try? TLSIdentity(pem: $0) }.flatMap {
                $0.authority == authority.certificate ? $0.certificate : nil
            }
        )
    }

    /// The new file of a further client.
    struct MadeClient {
        var path: String
        var certificate: Certificate
        /// The certificate of the replaced file, if it was of this pairing: the gateway accepts it until it is denied.
        var former: Certificate?
    }

    /// The path for a file: its usual place, or what `--out` says, which may be a folder.
    private func target(_ out: String?, in usual: String, besides others: [String]) throws(Failure) -> String {
        guard let out else { return usual }
        guard !out.isEmpty else { throw Failure(.usage, "--out names no file") }
        let isFolder = out.hasSuffix("/") || Files.kind(context.absolute(out)) == .folder
        let name = usual.split(separator: "/").last.map(String.init) ?? usual
        let path = !isFolder ? out : out.hasSuffix("/") ? out + name : "\(out)/\(name)"
        let identity = Files.identity(context.absolute(path))
        guard let other = others.first(where: { Files.identity(context.absolute($0)) == identity }) else { return path }
        throw Failure(.usage, "\(other) belongs to the pairing itself", hint: "Choose another place for --out.")
    }

    /// Our name in the logs of the gateway.
    private var ownName: String {
        String(
            String.UnicodeScalarView(
                "\(context.process.user)@\(context.process.host)".printable.unicodeScalars.prefix(64)
            )
        )
    }

    private func write(_ authority: CertificateAuthority) throws {
        try AtomicFile.write(context.absolute(authorityPath), as: authorityPath, try authority.pem())
    }

    /// The certificate of a gateway's file of this pairing that can still be used; nil if the file is anything else.
    private func served(_ path: String, by authority: CertificateAuthority, at now: Timestamp) -> Certificate? {
        guard let pem = try? GatewayFile(context: context, path: path).examined(),
            let identity = try? TLSIdentity(pem: pem), identity.authority == authority.certificate,
            (try? identity.check(.server)) != nil, now < identity.validUntil
        else { return nil }
        return identity.certificate
    }

    /// Refuses to sign with an authority that others have made, or could replace.
    private func checkHands(on others: [String] = []) throws(StoreError) {
        try FolderExamination(context: context)
            .check([Workspace.folderName, Self.allFolder, folder, authorityPath] + others)
    }

    private func put(_ pem: [UInt8], at path: String, replacing: Bool) throws {
        if replacing, isReplaceable(path) {
            return try AtomicFile.write(context.absolute(path), as: path.printable, pem)
        }
        do throws(FileError) {
            try AtomicFile.create(context.absolute(path), as: path.printable, pem)
        } catch {
            guard error.trouble == .exists else { throw error }
            throw taken(path)
        }
    }

    private func taken(_ path: String) -> Failure {
        Failure(
            .failure,
            "\(path.printable) already exists"
                + (isReplaceable(path) ? "" : ", and meshplan gateway pair did not make it"),
            hint: "Choose another name" + (isReplaceable(path) ? ", or replace it with --renew." : ".")
        )
    }

    /// Whether replacing the file loses nothing but a file of a pairing: it lies in the pairing's folder, whatever its
    /// contents, or it contains what we write.
    private func isReplaceable(_ path: String) -> Bool {
        let own = [clientPath, gatewayPath] + labels().map(self.path(ofClient:))
        let identity = Files.identity(context.absolute(path))
        if own.contains(where: { Files.identity(context.absolute($0)) == identity }) { return true }
        guard let pem = try? GatewayFile(context: context, path: path).examined() else { return false }
        return (try? TLSIdentity(pem: pem)) != nil
    }
}
