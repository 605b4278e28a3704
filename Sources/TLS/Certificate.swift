import CTLS
package import MeshCore

/// What people see of a certificate. Nothing in it is secret.
package struct Certificate: Hashable, Sendable {
    /// The common name of its subject, which logs use for the holder.
    package var name: String
    /// The common name of its signer.
    package var issuer: String
    /// SHA-256 of the whole certificate, 32 octets.
    package var fingerprint: [UInt8]
    package var validFrom: Timestamp
    /// The first second at which it is no longer valid.
    package var validUntil: Timestamp

    /// The fingerprint as people write it: 64 lower-case hexadecimal digits.
    package var fingerprintText: String { Hexadecimal.encode(fingerprint) }

    /// The octets of a fingerprint as people write it: 64 hexadecimal digits, with or without colons; nil for any other
    /// text.
    package static func fingerprint(_ text: String) -> [UInt8]? {
        guard let octets = Hexadecimal.decode(text.replacing(":", with: "")), octets.count == SHA256.length else {
            return nil
        }
        return octets
    }
}

extension Certificate {
    /// The contents of an X509; nil if it lacks something that every certificate has.
    init?(_ certificate: OpaquePointer) {
        guard let from = Self.time(X509_get0_notBefore(certificate)),
            let until = Self.time(X509_get0_notAfter(certificate))
        else { return nil }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard X509_digest(certificate, EVP_sha256(), &digest, &length) == 1, length == SHA256.length else { return nil }
        name = Self.commonName(X509_get_subject_name(certificate))
        issuer = Self.commonName(X509_get_issuer_name(certificate))
        fingerprint = Array(digest.prefix(Int(length)))
        validFrom = from
        validUntil = until
    }

    /// The common name in a name: at most 64 characters, none of which moves a cursor; “(no name)” if there is none.
    private static func commonName(_ name: OpaquePointer?) -> String {
        guard let name else { return "(no name)" }
        let place = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard place >= 0, let entry = X509_NAME_get_entry(name, place), let value = X509_NAME_ENTRY_get_data(entry)
        else { return "(no name)" }
        var octets: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&octets, value)
        defer { ctls_free(octets) }
        guard count > 0, let octets else { return "(no name)" }
        let text = String(decoding: UnsafeBufferPointer(start: octets, count: Int(count)), as: UTF8.self)
        let scalars = text.unicodeScalars.prefix(64).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: Character("\u{FFFD}")
            // Messages put names in such quotation marks, so a name must not contain any.
            case .initialPunctuation, .finalPunctuation: Character("'")
            default: Character(scalar)
            }
        }
        return String(scalars)
    }

    /// An ASN.1 time in seconds since 1970.
    private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Timestamp(rawValue: Int64(days) * 86_400 + Int64(seconds))
    }
}

extension Timestamp {
    /// The day in UTC, `2026-11-22`. For a time that no certificate can have, the seconds.
    package var day: String {
        guard let time = ASN1_TIME_set(nil, time_t(rawValue)) else { return "second \(rawValue)" }
        defer { ASN1_TIME_free(time) }
        var parts = tm()
        guard ASN1_TIME_to_tm(time, &parts) == 1 else { return "second \(rawValue)" }
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
        }
        return "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
    }
}
