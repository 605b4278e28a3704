import CCrypto

/// The hash SHA-256 (FIPS 180-4, 6.2).
package enum SHA256 {
    /// The number of octets of a digest.
    package static let length = 32

    // Fetched once: the look-up by name costs more than the hash of a short input. The object is immutable.
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)

    /// The digest of `bytes`, 32 octets; nil if libcrypto has no memory or no SHA-256.
    package static func hash(_ bytes: [UInt8]) -> [UInt8]? {
        guard let algorithm else { return nil }
        var digest = [UInt8](repeating: 0, count: length)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil) == 1 else { return nil }
        return digest
    }
}
