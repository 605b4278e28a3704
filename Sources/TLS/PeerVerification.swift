import CTLS
import MeshCore

/// Judges the certificate of the other side and remembers why it was refused. OpenSSL itself keeps only a number.
final class PeerVerification {
    private let denied: Set<[UInt8]>
    private let end: TLSEnd
    /// Why the certificate is refused; nil while it is not.
    private(set) var refusal: (number: Int32, depth: Int32, certificate: Certificate?)?

    /// - Parameters:
    ///   - end: our own end.
    ///   - denied: the fingerprints to refuse.
    init(_ end: TLSEnd, denied: Set<[UInt8]>) {
        self.end = end
        self.denied = denied
    }

    /// Makes a session ask this object, which must live as long as the session.
    func attach(to session: OpaquePointer) throws(TLSError) {
        guard SSL_set_ex_data(session, 0, Unmanaged.passUnretained(self).toOpaque()) == 1 else {
            throw ErrorQueue.failure("set a session up")
        }
        SSL_set_verify(session, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT) { isGood, store in
            // Nothing is accepted unless it was checked.
            guard let store,
                let session = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
                let pointer = SSL_get_ex_data(OpaquePointer(session), 0)
            else { return 0 }
            let verification = Unmanaged<PeerVerification>.fromOpaque(pointer).takeUnretainedValue()
            return verification.accepts(isGood == 1, store) ? 1 : 0
        }
    }

    /// Called for each certificate of the chain, the authority's first, and for each objection of the library.
    private func accepts(_ isGood: Bool, _ store: OpaquePointer) -> Bool {
        let certificate = X509_STORE_CTX_get_current_cert(store)
        let facts = certificate.flatMap { Certificate($0) }
        var number = X509_STORE_CTX_get_error(store)
        if isGood {
            guard X509_STORE_CTX_get_error_depth(store) == 0 else { return true }
            // The library accepts a certificate that says nothing about its use.
            if certificate.flatMap({ TLSIdentity.role(of: $0) }) != end.role.opposite {
                number = X509_V_ERR_INVALID_PURPOSE
            } else if let facts, !denied.contains(facts.fingerprint) {
                return true
            } else {
                number = X509_V_ERR_CERT_REVOKED
            }
            X509_STORE_CTX_set_error(store, number)
        }
        if refusal == nil { refusal = (number, X509_STORE_CTX_get_error_depth(store), facts) }
        return false
    }

    /// The refusal in words.
    ///
    /// - Parameter now: the time at which the certificate was judged.
    func error(at now: Timestamp) -> TLSError? {
        guard let (number, depth, certificate) = refusal else { return nil }
        let peer = end.peer
        let name = certificate.map { "“\($0.name)”" } ?? "(unreadable)"
        let subject = depth == 0 ? "the certificate \(name) of \(peer)" : "the authority \(name) of the pairing"
        switch number {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            let until = certificate?.validUntil.day ?? "an unknown day"
            return TLSError(
                .expired,
                "\(subject) was valid until \(until), and the clock here says \(now.day)",
                hint:
                    "If that is right, make new ones with: \(command: .pairAgain). Otherwise set the clock."
            )
        case X509_V_ERR_CERT_NOT_YET_VALID:
            let from = certificate?.validFrom.day ?? "an unknown day"
            return TLSError(
                .notYetValid,
                "\(subject) is valid from \(from) on, and the clock here says \(now.day)",
                hint: "Set the clock: timedatectl shows whether it follows the time of the network."
            )
        case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_INVALID_CA:
            return TLSError(
                .wrongUse,
                "\(peer) shows the certificate \(name), which is not for a \(end.peerName)",
                hint: end.filesHint(
                    end.role == .client
                        ? "Somebody with a client's file poses as the gateway, or the gateway was started with the wrong "
                            + "file: it takes NAME.gateway.pem."
                        : "It was set up with the gateway's file; a client takes client.pem, or LABEL.client.pem."
                )
            )
        case X509_V_ERR_CERT_REVOKED:
            return TLSError(
                .denied,
                "the certificate \(name) of \(peer) is denied here",
                hint: """
                    It stands in \(command: .deny) or \(command: .denyListed). Make another one with: \
                    \(command: .pairClientAgain)
                    """
            )
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE,
            X509_V_ERR_CERT_CHAIN_TOO_LONG:
            return TLSError(
                .unknownAuthority,
                "the certificate \(name) of \(peer) is of another pairing: it is signed by "
                    + (certificate.map { "“\($0.issuer)”" } ?? "somebody") + ", not by the authority of our file",
                hint: end.filesHint(
                    end.role == .client
                        ? "Is this the gateway that you mean? If its pairing was renewed, it needs the new "
                            + "NAME.gateway.pem, or you need a new file."
                        : "If the pairing was renewed, the client needs a new file, or the gateway the new NAME.gateway.pem."
                )
            )
        default:
            let reason = X509_verify_cert_error_string(Int(number)).map { String(cString: $0) } ?? "error \(number)"
            return TLSError(.badCertificate, "\(subject) is not acceptable: \(reason)")
        }
    }
}
