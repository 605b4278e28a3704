import MeshCore
import Planning
import TLS

/// What `doctor` says about pairings with gateways.
struct GatewayExamination {
    var pairing: GatewayPairing

    /// The seconds before its end from which a certificate is worth a warning: time for somebody to go to the basement.
    static let notice: Int64 = 60 * 86_400

    /// The time that is left, for people.
    ///
    /// - Parameter seconds: more than 0.
    static func remaining(_ seconds: Int64) -> String {
        if seconds >= 2 * 86_400 { return "for \(seconds / 86_400) more days" }
        if seconds >= 2 * 3_600 { return "for \(seconds / 3_600) more hours" }
        return "for \(count(Int(max(seconds / 60, 1)), "more minute"))"
    }

    /// The findings, the worst first.
    func findings() -> [ExaminationFinding] {
        let clients = [pairing.clientPath] + pairing.labels().map(pairing.path(ofClient:))
        let paths = ([pairing.authorityPath, pairing.gatewayPath] + clients).filter(pairing.isThere)
        let found =
            missing() + paths.flatMap { path in readers(path) + contents(path, isClient: clients.contains(path)) }
        return ExaminationFinding.Severity.allCases.reversed().flatMap { severity in
            found.filter { $0.severity == severity }
        }
    }

    /// Reports a missing client file; without it, the gateway cannot be reached from here.
    private func missing() -> [ExaminationFinding] {
        guard !pairing.isThere(pairing.clientPath) else { return [] }
        return [
            ExaminationFinding(
                .error,
                "certificate-missing",
                "there is no \(pairing.clientPath), which we show to the gateway",
                advice: pairing.ownFileAdvice
            )
        ]
    }

    private func readers(_ path: String) -> [ExaminationFinding] {
        guard let exposure = file(path).exposure() else { return [] }
        return [
            ExaminationFinding(
                .error,
                "readable-by-others",
                "\(path) \(exposure)",
                advice: "chmod 600 \(path); if somebody may have used it, too: \(renewal(path))"
            )
        ]
    }

    private func file(_ path: String) -> GatewayFile { GatewayFile(context: pairing.context, path: path) }

    private func contents(_ path: String, isClient: Bool) -> [ExaminationFinding] {
        do {
            let pem = try file(path).examined()
            if path == pairing.authorityPath {
                let authority = try file(path).explaining { () throws(TLSError) in try CertificateAuthority(pem: pem) }
                return time(path, authority.certificate.validFrom, authority.certificate.validUntil)
            }
            let identity = try file(path).explaining { () throws(TLSError) in
                let identity = try TLSIdentity(pem: pem)
                try identity.check(isClient ? .client : .server)
                return identity
            }
            return time(path, identity.validFrom, identity.validUntil) + strangeness(path, identity)
                + (isClient ? [note(path, identity)] : [])
        } catch {
            return [
                ExaminationFinding(
                    .error,
                    "certificate-unreadable",
                    Failure(explaining: error).message,
                    advice: renewal(path)
                )
            ]
        }
    }

    /// Reports a file of an earlier version of the pairing, or of another pairing: nobody accepts it.
    private func strangeness(_ path: String, _ identity: TLSIdentity) -> [ExaminationFinding] {
        guard let pem = try? file(pairing.authorityPath).examined(),
            let authority = try? CertificateAuthority(pem: pem), identity.authority != authority.certificate
        else { return [] }
        return [
            ExaminationFinding(
                path == pairing.clientPath ? .error : .warning,
                "certificate-of-another-pairing",
                "\(path) belongs to another pairing, or was made before this one was renewed: \(pairing.name) does not accept it",
                advice: renewal(path)
            )
        ]
    }

    /// Reports the fingerprint with which a gateway identifies a client, and can deny it.
    private func note(_ path: String, _ identity: TLSIdentity) -> ExaminationFinding {
        ExaminationFinding(
            .note,
            "certificate",
            "\(path) is the file of “\(identity.certificate.name)” with the fingerprint "
                + identity.certificate.fingerprintText,
            advice: ""
        )
    }

    private func time(_ path: String, _ from: Timestamp, _ until: Timestamp) -> [ExaminationFinding] {
        let now = pairing.context.now()
        guard now < from else { return end(path, until) }
        return [
            ExaminationFinding(
                .error,
                "certificate-not-yet-valid",
                "the certificate in \(path) is valid from \(from.text) on, and the clock here says \(now.text)",
                advice: "Set the clock: timedatectl shows whether it follows the time of the network."
            )
        ]
    }

    private func end(_ path: String, _ until: Timestamp) -> [ExaminationFinding] {
        let left = pairing.context.now().seconds(to: until)
        if left <= 0 {
            return [
                ExaminationFinding(
                    .error,
                    "certificate-expired",
                    "the certificate in \(path) was valid until \(until.text)",
                    advice: renewal(path)
                )
            ]
        }
        guard left < Self.notice else { return [] }
        return [
            ExaminationFinding(
                .warning,
                "certificate-expires",
                "the certificate in \(path) is valid until \(until.text), \(Self.remaining(left))",
                advice: renewal(path)
            )
        ]
    }

    /// How to get a new file.
    private func renewal(_ path: String) -> String {
        guard pairing.hasAuthority else {
            return
                "Ask whoever has made the pairing for a new file: meshplan gateway pair \(pairing.name) --client LABEL "
                + "--renew"
        }
        if path == pairing.clientPath { return pairing.ownFileAdvice }
        if let label = pairing.labels().first(where: { pairing.path(ofClient: $0) == path }) {
            return "Make a new one with: meshplan gateway pair \(pairing.name) --client \(label) --renew"
        }
        return "Renew all files of the pairing, and carry the gateway's to it: meshplan gateway pair "
            + "\(pairing.name) --renew"
    }
}
