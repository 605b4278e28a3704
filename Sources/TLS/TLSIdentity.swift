import CTLS
package import MeshCore

/// Who somebody is on a secured connection, and whom they trust: a certificate, its private key, and the authority that
/// must have signed the certificate of the other side.
///
/// All three are in one PEM file (RFC 7468), in any order. Nothing prints the private key.
package final class TLSIdentity {
    package let certificate: Certificate
    package let authority: Certificate
    /// The role that the certificate allows its holder.
    package let role: TLSRole

    /// X509, X509 and EVP_PKEY, which the object owns.
    let handles: (certificate: OpaquePointer, authority: OpaquePointer, key: OpaquePointer)

    /// Reads a file that ``CertificateAuthority/issue(_:name:validity:)`` made.
    ///
    /// - Throws: ``TLSError/Kind/file``, with what is missing or wrong.
    package init(pem: [UInt8]) throws(TLSError) {
        let contents = try PEMContents(pem)
        guard let key = contents.keys.first else {
            throw TLSError(
                .file,
                "the file holds no private key",
                hint:
                    "The authority's certificate alone is not enough; take the file that \(command: .pair) has made."
            )
        }
        guard contents.keys.count == 1 else { throw TLSError(.file, "the file holds several private keys") }
        guard !contents.certificates.isEmpty else {
            throw TLSError(.file, "the file holds a private key, but no certificate")
        }
        let own = contents.certificates.filter { X509_check_private_key($0, key) == 1 }
        ErrorQueue.clear()
        guard let certificate = own.first else {
            throw TLSError(.file, "the private key in the file belongs to none of its certificates")
        }
        let others = contents.certificates.filter { X509_check_ca($0) == 1 && X509_cmp($0, certificate) != 0 }
        guard let authority = others.first else {
            throw TLSError(
                .file,
                "the file lacks the certificate of the authority that signs the other side",
                hint: X509_check_ca(certificate) == 1
                    ? "This is the file of the authority itself, which stays in the office."
                    : "Take the whole file that \(command: .pair) has made."
            )
        }
        guard others.count == 1 else {
            throw TLSError(.file, "the file holds the certificates of several authorities")
        }
        guard X509_verify(certificate, X509_get0_pubkey(authority)) == 1 else {
            ErrorQueue.clear()
            throw TLSError(
                .file,
                "the certificate in the file is not signed by the authority in the file",
                hint:
                    "Parts of two pairings were put together; take the whole file that \(command: .pair) has made."
            )
        }
        guard let role = TLSIdentity.role(of: certificate) else {
            throw TLSError(.file, "the certificate in the file is neither for a gateway nor for a client, or for both")
        }
        guard let ownFacts = Certificate(certificate), let authorityFacts = Certificate(authority) else {
            throw TLSError(.file, "a certificate in the file cannot be read")
        }
        self.role = role
        self.certificate = ownFacts
        self.authority = authorityFacts
        X509_up_ref(certificate)
        X509_up_ref(authority)
        EVP_PKEY_up_ref(key)
        handles = (certificate, authority, key)
    }

    deinit {
        X509_free(handles.certificate)
        X509_free(handles.authority)
        EVP_PKEY_free(handles.key)
    }

    /// The first second at which the identity is valid: that of its certificate or of the authority, whichever is
    /// later.
    package var validFrom: Timestamp { max(certificate.validFrom, authority.validFrom) }

    /// When the identity ceases to be valid: with its own certificate or with the authority, whichever ends first.
    package var validUntil: Timestamp { min(certificate.validUntil, authority.validUntil) }

    /// Refuses any role but the one that the certificate is for.
    ///
    /// - Throws: ``TLSError/Kind/wrongUse`` if `role` is another one.
    package func check(_ role: TLSRole) throws(TLSError) {
        guard self.role == role else {
            throw TLSError(
                .wrongUse,
                "the file is for a \(self.role.name), not for a \(role.name)",
                hint: role == .server
                    ? "\(command: .pair) has made a file for the gateway too: NAME.gateway.pem"
                    : "A client's file is client.pem in the folder of the pairing, or what \(command: .pairClient) makes."
            )
        }
    }

    /// The role that a certificate allows; nil unless it allows exactly one.
    static func role(of certificate: OpaquePointer) -> TLSRole? {
        let usage = X509_get_extended_key_usage(certificate)
        // All bits are set if the extension is missing.
        let isClient = usage & TLSRole.client.usageBit != 0
        let isServer = usage & TLSRole.server.usageBit != 0
        return isClient == isServer ? nil : isClient ? .client : .server
    }
}

extension TLSIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Role and name, never the key.
    package var description: String { "\(role.name) \(certificate.name)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["name": description]) }
}
