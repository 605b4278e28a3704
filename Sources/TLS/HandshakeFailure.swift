import CTLS
import MeshCore

/// Finds the words for why OpenSSL ended a connection.
struct HandshakeFailure {
    var end: TLSEnd
    var own: Certificate
    /// The time by our own clock.
    var now: Timestamp

    /// The error for the reasons in the library's queue, the cause first.
    func error(for reasons: [LibraryReason]) -> TLSError {
        guard let reason = reasons.first(where: { $0.library == ERR_LIB_SSL }) ?? reasons.first else {
            return TLSError(.malformed, "the connection with \(end.peer) broke")
        }
        guard reason.library == ERR_LIB_SSL else { return TLSError(.library, "OpenSSL reports: \(reason.text)") }
        if let alert = reason.alert { return error(alert: alert, reason) }
        switch reason.number {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_VERSION_NUMBER, SSL_R_WRONG_SSL_VERSION,
            SSL_R_VERSION_TOO_LOW, SSL_R_NO_SHARED_CIPHER, SSL_R_UNKNOWN_PROTOCOL:
            return version
        case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_CALLBACK_FAILED, SSL_R_BAD_EXTENSION: return otherProtocol
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            return TLSError(
                .noCertificate,
                "\(end.peer) shows no certificate",
                hint: end.filesHint(
                    "Only holders of a file of this pairing may connect; \(command: .pair) makes such files."
                )
            )
        default: return TLSError(.malformed, "\(end.peer) breaks the TLS protocol: \(reason.text)")
        }
    }

    /// The error for an alert from the other side (RFC 8446, 6.2): it refuses us.
    private func error(alert: Int32, _ reason: LibraryReason) -> TLSError {
        let peer = end.peer
        switch alert {
        case SSL3_AD_CERTIFICATE_EXPIRED:
            return TLSError(
                .refused,
                "\(peer) says that our certificate “\(own.name)” has expired; it is valid until \(own.validUntil.day)",
                hint: own.validUntil < now ? Self.renew : "Is the clock of \(peer) right?"
            )
        case SSL3_AD_BAD_CERTIFICATE:
            return TLSError(
                .refused,
                "\(peer) does not accept our certificate “\(own.name)”, which is valid from \(own.validFrom.day)",
                hint: "Is the clock of \(peer) right? If it is behind, the certificate is not valid yet there."
            )
        case SSL3_AD_CERTIFICATE_REVOKED:
            return TLSError(
                .refused,
                "\(peer) denies our certificate “\(own.name)”",
                hint:
                    "It stands there in \(command: .deny) or \(command: .denyListed). Ask its operator for another file."
            )
        case SSL3_AD_UNSUPPORTED_CERTIFICATE:
            return TLSError(
                .refused,
                "\(peer) says that our certificate “\(own.name)” is not for a \(end.name)",
                hint: end.filesHint(
                    end.role == .client
                        ? "A client takes client.pem of the pairing, not the gateway's file."
                        : "A gateway takes NAME.gateway.pem."
                )
            )
        case TLS1_AD_UNKNOWN_CA, TLS1_AD_DECRYPT_ERROR, SSL3_AD_CERTIFICATE_UNKNOWN:
            return TLSError(
                .refused,
                "\(peer) does not know the authority of our certificate “\(own.name)”: it is of another pairing",
                hint: end.filesHint(
                    end.role == .client
                        ? "If the pairing was renewed, the gateway needs the new NAME.gateway.pem, or you need a new file."
                        : "If the pairing was renewed, the client needs a new file, or the gateway the new NAME.gateway.pem."
                )
            )
        case TLS13_AD_CERTIFICATE_REQUIRED:
            return TLSError(.refused, "\(peer) did not receive a certificate from us")
        case TLS1_AD_PROTOCOL_VERSION, SSL3_AD_HANDSHAKE_FAILURE: return version
        case TLS1_AD_NO_APPLICATION_PROTOCOL: return otherProtocol
        default: return TLSError(.malformed, "\(peer) ended the connection: \(reason.text)")
        }
    }

    private var version: TLSError {
        TLSError(
            .version,
            "\(end.peer) does not speak TLS 1.3",
            hint: "Is it a meshplan \(end.peerName)? Those speak TLS 1.3 only."
        )
    }

    /// The error for a peer that speaks TLS for another purpose.
    var otherProtocol: TLSError {
        TLSError(
            .otherProtocol,
            "\(end.peer) speaks TLS, but is not a meshplan \(end.peerName)",
            hint: end.addressHint(
                end.role == .client ? "Check host and port of \(command: .reach("gateway://HOST:PORT"))." : nil
            )
        )
    }

    private static let renew: Advice = "Make new ones with: \(command: .pairAgain)"
}
