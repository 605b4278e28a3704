internal import MeshCore
internal import Store
internal import TLS

/// How long certificates are valid.
enum CertificateDays {
    /// A gateway sits in a basement for as long as the lamps it serves, and nobody renews what is never seen: an end
    /// within a year or two would come as an outage. Ten years outlast most adapters; `doctor` warns sixty days before.
    static let usual = 3_650
    /// The authority's days, and the most that anything it signs can have: longer than an installation lasts.
    static let most = 10_950
    /// Days before now from which on certificates are valid. A Raspberry Pi has no clock that goes on without power:
    /// after a power cut, and without the time of the network, it goes on from where it was.
    static let before = 365

    /// The validity of what is made at `now`.
    static func validity(_ days: Int, at now: Timestamp) -> CertificateAuthority.Validity {
        func after(_ days: Int) -> Timestamp { Timestamp(rawValue: now.rawValue + Int64(days) * 86_400) }
        return CertificateAuthority.Validity(from: after(-before), until: after(days))
    }
}

extension GatewayPairing {
    /// What a pairing, or a further client's file, is made with.
    struct Wishes {
        /// How many days certificates are valid.
        var days: Int
        /// Whether files of before are replaced.
        var renews: Bool
        /// Where the file goes that is carried away, nil for its usual place.
        var out: String?
    }

    /// Makes the authority, the gateway's file and our own.
    ///
    /// The authority is written last: until then a pairing that was made before still signs and works.
    ///
    /// - Returns: the path of the gateway's file.
    func make(_ wishes: Wishes) throws -> String {
        let path = try target(wishes.out, in: gatewayPath, besides: [authorityPath, clientPath])
        if !exists { try Self.check(name, of: "gateway", besides: try Self.names(in: context)) }
        if exists, !wishes.renews {
            throw Failure(
                .failure,
                "there is a pairing with a gateway \(name) already, in \(folder)",
                hint: (isThere(clientPath) ? "" : "There is no \(clientPath), though. \(ownFileAdvice). ")
                    + "Choose another name, or make it anew with --renew: the gateway and all clients then need new files."
            )
        }
        guard !exists || isThere(authorityPath) else {
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
        let authority = try CertificateAuthority(
            name: "authority of \(name)",
            validity: CertificateDays.validity(CertificateDays.most, at: now)
        )
        let gateway = try authority.issue(.server, name: name, validity: validity)
        let client = try authority.issue(.client, name: ownName, validity: validity)
        try makeFolder()
        try put(gateway, at: path, replacing: wishes.renews)
        try AtomicFile.write(context.absolute(clientPath), client)
        try AtomicFile.write(context.absolute(authorityPath), try authority.pem())
        // The same place may be written otherwise.
        if Files.identity(context.absolute(path)) != Files.identity(context.absolute(gatewayPath)) {
            try Files.remove(context.absolute(gatewayPath), as: gatewayPath)
        }
        return path
    }

    /// Makes the file of a further client.
    ///
    /// - Returns: its path and its certificate, and that of the file which it replaces, if there was one.
    func make(client label: String, _ wishes: Wishes) throws -> MadeClient {
        try Self.check(label, of: "client")
        let path = try target(wishes.out, in: self.path(ofClient: label), besides: [authorityPath, gatewayPath])
        let authority = try authority()
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

    /// What the making of a further client's file gave.
    struct MadeClient {
        /// Where it is.
        var path: String
        /// What is in it.
        var certificate: Certificate
        /// What was in the file that it replaces, if that was of this pairing: the gateway accepts it until it is denied.
        var former: Certificate?
    }

    /// Where a file goes: to its usual place, or where `--out` says, which may be a folder.
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

    /// What the logs of the gateway call us.
    private var ownName: String {
        String(
            String.UnicodeScalarView(
                "\(context.process.user)@\(context.process.host)".printable.unicodeScalars.prefix(64)
            )
        )
    }

    private func put(_ pem: [UInt8], at path: String, replacing: Bool) throws {
        if replacing, isReplaceable(path) { return try AtomicFile.write(context.absolute(path), pem) }
        do throws(StoreError) {
            try AtomicFile.create(context.absolute(path), pem)
        } catch {
            guard error.code == .exists else { throw error }
            throw Failure(
                .failure,
                "there is a file \(path.printable) already"
                    + (isReplaceable(path) ? "" : ", which is not one that meshplan gateway pair has made"),
                hint: "Choose another name" + (isReplaceable(path) ? ", or replace it with --renew." : ".")
            )
        }
    }

    /// Whether nothing is lost but a file of a pairing: one that is in its folder, whatever became of it, or that holds what
    /// we write.
    private func isReplaceable(_ path: String) -> Bool {
        let own = [clientPath, gatewayPath] + labels().map(self.path(ofClient:))
        let identity = Files.identity(context.absolute(path))
        if own.contains(where: { Files.identity(context.absolute($0)) == identity }) { return true }
        guard let pem = try? GatewayFile(context: context, path: path).examined() else { return false }
        return (try? TLSIdentity(pem: pem)) != nil
    }
}
