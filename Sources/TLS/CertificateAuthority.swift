import CTLS
package import MeshCore

/// Signs the certificates of one pairing: those of a gateway and of its clients, and no others.
///
/// Keys are on P-256, which every implementation of TLS 1.3 has (RFC 8446, 9.1). A gateway's certificate is for servers
/// only and a client's for clients only, so nobody can run a gateway with a client's file. OpenSSL provides the
/// randomness.
package final class CertificateAuthority {
    package let certificate: Certificate
    private let handle: OpaquePointer
    private let key: OpaquePointer

    /// The time during which a certificate is valid.
    package struct Validity: Hashable, Sendable {
        /// The first second.
        package var from: Timestamp
        /// The first second at which it is no longer valid.
        package var until: Timestamp

        package init(from: Timestamp, until: Timestamp) {
            self.from = from
            self.until = until
        }
    }

    /// Creates an authority with a new key.
    ///
    /// - Parameter name: its common name, 1...64 octets.
    package init(name: String, validity: Validity) throws(TLSError) {
        ErrorQueue.clear()
        guard let key = ctls_p256_key_new() else { throw ErrorQueue.failure("make a key") }
        do throws(TLSError) {
            (handle, certificate) = try Self.sign(
                name: name,
                key,
                validity,
                issuer: nil,
                issuerKey: key,
                extensions: [
                    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign"),
                    (NID_subject_key_identifier, "hash"),
                ]
            )
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
    }

    /// Reads the file of an authority.
    ///
    /// - Throws: ``TLSError/Kind/file`` if the file is damaged or does not hold exactly one signing certificate and its
    ///   key.
    package init(pem: [UInt8]) throws(TLSError) {
        let contents = try PEMContents(pem)
        guard let key = contents.keys.first, let handle = contents.certificates.first, contents.keys.count == 1,
            contents.certificates.count == 1, X509_check_ca(handle) == 1,
            X509_check_private_key(handle, key) == 1, let certificate = Certificate(handle)
        else {
            ErrorQueue.clear()
            throw TLSError(.file, "the file does not hold an authority: one certificate that signs others, and its key")
        }
        X509_up_ref(handle)
        EVP_PKEY_up_ref(key)
        self.handle = handle
        self.key = key
        self.certificate = certificate
    }

    deinit {
        X509_free(handle)
        EVP_PKEY_free(key)
    }

    /// The authority's file in PEM. It holds the private key.
    package func pem() throws(TLSError) -> [UInt8] { try Self.pem([handle], key) }

    /// Makes a key and a certificate for it.
    ///
    /// - Parameters:
    ///   - role: the role that the certificate allows.
    ///   - name: the common name, 1...64 octets. Logs use it for the holder.
    ///   - validity: ends at the authority's own end at the latest.
    /// - Returns: the holder's file in PEM, for ``TLSIdentity/init(pem:)``. It holds the private key.
    package func issue(_ role: TLSRole, name: String, validity: Validity) throws(TLSError) -> [UInt8] {
        ErrorQueue.clear()
        guard let holderKey = ctls_p256_key_new() else { throw ErrorQueue.failure("make a key") }
        defer { EVP_PKEY_free(holderKey) }
        let (holder, _) = try Self.sign(
            name: name,
            holderKey,
            Validity(from: validity.from, until: min(validity.until, certificate.validUntil)),
            issuer: handle,
            issuerKey: key,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "critical,\(role.usage)"), (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid:always"),
            ]
        )
        defer { X509_free(holder) }
        return try Self.pem([holder, handle], holderKey)
    }

    /// A signed certificate (RFC 5280, 4.1). The caller owns it. `issuer` is nil for a certificate that signs itself.
    private static func sign(
        name: String,
        _ key: OpaquePointer,
        _ validity: Validity,
        issuer: OpaquePointer?,
        issuerKey: OpaquePointer,
        extensions: [(number: Int32, value: String)]
    ) throws(TLSError) -> (OpaquePointer, Certificate) {
        ErrorQueue.clear()
        guard let certificate = X509_new() else { throw ErrorQueue.failure("make a certificate") }
        guard let subject = X509_get_subject_name(certificate),
            X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
            ctls_set_random_serial(certificate) == 1,
            ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(validity.from.rawValue)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(validity.until.rawValue)) != nil,
            X509_NAME_add_entry_by_NID(subject, NID_organizationName, MBSTRING_UTF8, "meshplan", -1, -1, 0) == 1,
            X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, name, -1, -1, 0) == 1,
            X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0) } ?? subject) == 1,
            X509_set_pubkey(certificate, key) == 1,
            extensions.allSatisfy({ ctls_add_extension(certificate, issuer ?? certificate, $0.number, $0.value) == 1 }),
            X509_sign(certificate, issuerKey, EVP_sha256()) > 0,
            let facts = Certificate(certificate)
        else {
            X509_free(certificate)
            throw ErrorQueue.failure("make the certificate of “\(name)”")
        }
        return (certificate, facts)
    }

    private static func pem(_ certificates: [OpaquePointer], _ key: OpaquePointer) throws(TLSError) -> [UInt8] {
        let output = try MemoryBIO(isSecret: true)
        for certificate in certificates {
            guard PEM_write_bio_X509(output.pointer, certificate) == 1 else {
                throw ErrorQueue.failure("write a certificate")
            }
        }
        guard ctls_write_key(output.pointer, key) == 1 else { throw ErrorQueue.failure("write a private key") }
        return output.drain()
    }
}
