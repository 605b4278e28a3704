import CCrypto

/// Why AES-GCM refused. No case reveals anything about keys or plaintext.
package enum AESGCMError: Error, Hashable, Sendable {
    /// The key is not 32 octets long, the nonce not 12, or the input is shorter than a tag or longer than 2^31 − 1
    /// octets.
    case length(Int)
    /// The tag does not match: wrong key, nonce or associated data, or changed octets.
    case authentication
    /// libcrypto failed, usually because it got no memory.
    case library
}

/// AES-256 in Galois/Counter Mode with a 96-bit nonce and a 128-bit tag (NIST SP 800-38D).
///
/// The mesh itself uses AES-CCM; this is for files. The key schedule is prepared once. A nonce must never be used twice
/// with one key. An instance belongs to one thread.
package final class AESGCM {
    /// The length of a key in octets.
    package static let keyLength = 32
    /// The length of a nonce in octets.
    package static let nonceLength = 12
    /// The length in octets of the tag at the end of sealed data.
    package static let tagLength = 16

    private let encryption: OpaquePointer
    private let decryption: OpaquePointer

    /// Prepares the key schedule.
    ///
    /// - Parameter key: 32 octets.
    /// - Throws: ``AESGCMError/length(_:)`` for another length, ``AESGCMError/library`` if libcrypto fails.
    package init(key: [UInt8]) throws(AESGCMError) {
        guard key.count == AESGCM.keyLength else { throw .length(key.count) }
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else { throw .library }
        defer { EVP_CIPHER_free(cipher) }
        guard let encryption = EVP_CIPHER_CTX_new() else { throw .library }
        guard let decryption = EVP_CIPHER_CTX_new() else {
            EVP_CIPHER_CTX_free(encryption)
            throw .library
        }
        self.encryption = encryption
        self.decryption = decryption
        guard EVP_EncryptInit_ex2(encryption, cipher, key, nil, nil) == 1,
            EVP_DecryptInit_ex2(decryption, cipher, key, nil, nil) == 1
        else { throw .library }
    }

    deinit {
        EVP_CIPHER_CTX_free(encryption)
        EVP_CIPHER_CTX_free(decryption)
    }

    /// Encrypts and authenticates.
    ///
    /// - Parameters:
    ///   - plaintext: the octets to hide.
    ///   - nonce: 12 octets, new for every call.
    ///   - associatedData: octets that the tag covers but the result does not contain.
    /// - Returns: the ciphertext, as long as the plaintext, then 16 octets of tag.
    /// - Throws: ``AESGCMError/length(_:)`` for another nonce or too long an input, ``AESGCMError/library`` if
    ///   libcrypto fails.
    package func seal(
        _ plaintext: some Collection<UInt8>,
        nonce: some Collection<UInt8>,
        associatedData: [UInt8]
    ) throws(AESGCMError) -> [UInt8] {
        let nonce = Array(nonce)
        let plaintext = Array(plaintext)
        guard nonce.count == AESGCM.nonceLength else { throw .length(nonce.count) }
        guard let length = Int32(exactly: plaintext.count), let associatedLength = Int32(exactly: associatedData.count)
        else { throw .length(plaintext.count) }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + AESGCM.tagLength)
        let isSealed = sealed.withUnsafeMutableBufferPointer { output in
            var written: Int32 = 0
            guard let start = output.baseAddress,
                EVP_EncryptInit_ex2(encryption, nil, nil, nonce, nil) == 1,
                EVP_EncryptUpdate(encryption, nil, &written, associatedData, associatedLength) == 1,
                length == 0 || EVP_EncryptUpdate(encryption, start, &written, plaintext, length) == 1,
                EVP_EncryptFinal_ex(encryption, start + plaintext.count, &written) == 1
            else { return false }
            return EVP_CIPHER_CTX_ctrl(
                encryption,
                EVP_CTRL_AEAD_GET_TAG,
                Int32(AESGCM.tagLength),
                start + plaintext.count
            ) == 1
        }
        guard isSealed else { throw .library }
        return sealed
    }

    /// Checks the tag and decrypts.
    ///
    /// - Parameters:
    ///   - sealed: ciphertext and tag, as ``seal(_:nonce:associatedData:)`` returned them.
    ///   - nonce: the 12 octets used for sealing.
    ///   - associatedData: the associated data used for sealing.
    /// - Returns: the plaintext.
    /// - Throws: ``AESGCMError/length(_:)`` for another nonce or an input without a tag or too long,
    ///   ``AESGCMError/authentication`` if the tag does not match.
    package func open(
        _ sealed: ArraySlice<UInt8>,
        nonce: ArraySlice<UInt8>,
        associatedData: [UInt8]
    ) throws(AESGCMError) -> [UInt8] {
        guard nonce.count == AESGCM.nonceLength else { throw .length(nonce.count) }
        guard sealed.count >= AESGCM.tagLength,
            let length = Int32(exactly: sealed.count - AESGCM.tagLength),
            let associatedLength = Int32(exactly: associatedData.count)
        else { throw .length(sealed.count) }
        var tag = Array(sealed.suffix(AESGCM.tagLength))
        var isAuthentic = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: Int(length)) { output, initialized in
            sealed.withUnsafeBufferPointer { input in
                nonce.withUnsafeBufferPointer { nonce in
                    var written: Int32 = 0
                    var unused: UInt8 = 0
                    // Without an output libcrypto takes the input for associated data, so an empty ciphertext is left
                    // out.
                    guard EVP_DecryptInit_ex2(decryption, nil, nil, nonce.baseAddress, nil) == 1,
                        EVP_DecryptUpdate(decryption, nil, &written, associatedData, associatedLength) == 1,
                        length == 0
                            || EVP_DecryptUpdate(decryption, output.baseAddress, &written, input.baseAddress, length)
                                == 1,
                        EVP_CIPHER_CTX_ctrl(decryption, EVP_CTRL_AEAD_SET_TAG, Int32(AESGCM.tagLength), &tag) == 1
                    else { return }
                    isAuthentic = EVP_DecryptFinal_ex(decryption, &unused, &written) == 1
                }
            }
            // Nothing unauthenticated leaves this function, not even in an array that is thrown away.
            initialized = isAuthentic ? Int(length) : 0
        }
        guard isAuthentic else { throw .authentication }
        return plaintext
    }
}
