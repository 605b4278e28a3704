import CTLS

/// What all secured connections of one identity share: TLS 1.3 only, certificates from both sides, and no memory from
/// one connection to the next.
///
/// The other side is accepted if the authority of the identity has signed its certificate for the other role. This also
/// identifies the gateway: an authority signs for one gateway only, so the certificate need not name the gateway's
/// address, which may change.
package final class TLSContext {
    let end: TLSEnd
    package let certificate: Certificate
    /// The fingerprints (SHA-256, 32 octets) that are refused although the authority has signed them.
    package let denied: Set<[UInt8]>
    /// SSL_CTX, which the object owns.
    let handle: OpaquePointer

    /// A context for the role of an identity.
    ///
    /// - Parameters:
    ///   - parties: who the ends are, for messages.
    ///   - denied: the fingerprints to refuse.
    /// - Throws: ``TLSError/Kind/wrongUse`` if the identity has another role, ``TLSError/Kind/library`` if OpenSSL
    ///   cannot set it up.
    package convenience init(
        _ identity: TLSIdentity,
        role: TLSRole,
        parties: TLSParties = .clientAndGateway,
        denied: Set<[UInt8]> = []
    ) throws(TLSError) {
        try identity.check(role)
        try self.init(unchecked: identity, role: role, parties: parties, denied: denied)
    }

    package var role: TLSRole { end.role }

    /// A context whose role may differ from the identity's, as a hostile peer would use it.
    init(
        unchecked identity: TLSIdentity,
        role: TLSRole,
        parties: TLSParties = .clientAndGateway,
        denied: Set<[UInt8]> = []
    ) throws(TLSError) {
        ErrorQueue.clear()
        guard let handle = SSL_CTX_new(TLS_method()) else { throw ErrorQueue.failure("set TLS up") }
        self.handle = handle
        end = TLSEnd(role: role, parties: parties)
        self.denied = denied
        certificate = identity.certificate
        guard ctls_configure(handle, role == .server ? 1 : 0) == 1,
            SSL_CTX_use_certificate(handle, identity.handles.certificate) == 1,
            SSL_CTX_use_PrivateKey(handle, identity.handles.key) == 1,
            X509_STORE_add_cert(SSL_CTX_get_cert_store(handle), identity.handles.authority) == 1
        else { throw ErrorQueue.failure("use the certificates") }
        // The authority signs the holder's certificate directly.
        SSL_CTX_set_verify_depth(handle, 0)
    }

    deinit { SSL_CTX_free(handle) }
}
