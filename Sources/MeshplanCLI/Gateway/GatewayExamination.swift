internal import MeshCore
internal import Planning
internal import TLS

/// What `doctor` says of the pairings with gateways.
struct GatewayExamination {
    /// The pairing that is looked at.
    var pairing: GatewayPairing

    /// How long before its end a certificate is worth a warning, in seconds: time for somebody to go to the basement.
    static let notice: Int64 = 60 * 86_400

    /// What was found, the worst first.
    func findings() -> [ExaminationFinding] {
        let paths =
            [pairing.authorityPath, pairing.clientPath, pairing.gatewayPath]
            + pairing.labels().map(pairing.path(ofClient:))
        let found = paths.filter(pairing.isThere).flatMap { path in readers(path) + contents(path) }
        return ExaminationFinding.Severity.allCases.reversed().flatMap { severity in
            found.filter { $0.severity == severity }
        }
    }

    private func readers(_ path: String) -> [ExaminationFinding] {
        guard Files.isReadableByOthers(pairing.context.absolute(path)) else { return [] }
        return [
            ExaminationFinding(
                .error,
                "readable-by-others",
                "\(path) can be read by others than its owner",
                advice: "chmod 600 \(path), and make the pairing anew if somebody may have read it: "
                    + "meshplan gateway pair \(pairing.name) --renew"
            )
        ]
    }

    private func contents(_ path: String) -> [ExaminationFinding] {
        do {
            let pem = try Files.read(pairing.context.absolute(path), as: path, limit: 1 << 20)
            guard path != pairing.authorityPath else {
                return end(path, try CertificateAuthority(pem: pem).certificate.validUntil)
            }
            let identity = try TLSIdentity(pem: pem)
            try identity.check(path == pairing.gatewayPath ? .server : .client)
            return end(path, identity.validUntil)
        } catch {
            let failure = Failure(explaining: error)
            return [
                ExaminationFinding(
                    .error,
                    "certificate-unreadable",
                    "\(path): \(failure.message)",
                    advice: renewal(path)
                )
            ]
        }
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
                "the certificate in \(path) is valid until \(until.text), for \(count(Int(left / 86_400), "more day"))",
                advice: renewal(path)
            )
        ]
    }

    /// How to come by a new file.
    private func renewal(_ path: String) -> String {
        guard pairing.hasAuthority else {
            return
                "Ask whoever has made the pairing for a new file: meshplan gateway pair \(pairing.name) --client LABEL "
                + "--renew"
        }
        if let label = pairing.labels().first(where: { pairing.path(ofClient: $0) == path }) {
            return "Make a new one with: meshplan gateway pair \(pairing.name) --client \(label) --renew"
        }
        return "Make all files of the pairing anew, and carry the gateway's to it: meshplan gateway pair "
            + "\(pairing.name) --renew"
    }
}
