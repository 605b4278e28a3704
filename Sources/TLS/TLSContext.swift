internal import CTLS

/// What all secured connections of one identity have in common: TLS 1.3 alone, both sides show certificates, nothing is
/// kept from one connection to the next.
///
/// The other side is accepted if the authority of the identity has signed its certificate for the other role. That is also
/// how a gateway is known by its name: an authority signs for one gateway only, so that the address by which it is reached
/// need not stand in its certificate and may change.
package final class TLSContext {
    /// Which end the sessions are.
    package let role: TLSRole
    /// The own certificate.
    package let certificate: Certificate
    /// The fingerprints (SHA-256, 32 octets) that are not accepted although the authority has signed them.
    package let denied: Set<[UInt8]>
    /// SSL_CTX, which the object owns.
    let handle: OpaquePointer

    /// A context for the role that an identity is made for.
    ///
    /// - Throws: ``TLSError/Kind/wrongUse`` if `role` is another than that of the identity.
    package convenience init(
        _ identity: TLSIdentity,
        role: TLSRole,
        denied: Set<[UInt8]> = []
    ) throws(TLSError) {
        try identity.check(role)
        try self.init(unchecked: identity, role: role, denied: denied)
    }

    /// A context for a role that the identity may not be made for, as somebody hostile would have it.
    init(unchecked identity: TLSIdentity, role: TLSRole, denied: Set<[UInt8]> = []) throws(TLSError) {
        ErrorQueue.clear()
        guard let handle = SSL_CTX_new(TLS_method()) else { throw ErrorQueue.failure("set TLS up") }
        self.handle = handle
        self.role = role
        self.denied = denied
        certificate = identity.certificate
        guard ctls_configure(handle, role == .server ? 1 : 0) == 1,
            SSL_CTX_use_certificate(handle, identity.handles.certificate) == 1,
            SSL_CTX_use_PrivateKey(handle, identity.handles.key) == 1,
            X509_STORE_add_cert(SSL_CTX_get_cert_store(handle), identity.handles.authority) == 1
        else { throw ErrorQueue.failure("use the certificates") }
        // The authority signs the holder itself, with nobody in between.
        SSL_CTX_set_verify_depth(handle, 0)
    }

    deinit { SSL_CTX_free(handle) }
}
