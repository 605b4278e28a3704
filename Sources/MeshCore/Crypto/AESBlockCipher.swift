internal import CCrypto

/// AES-128 on single blocks under one key, the function e of the specification (Mesh Protocol 3.9.2.1, FIPS 197).
///
/// The key schedule is prepared once. Not shared between threads: an instance belongs to the thread of its stack.
package final class AESBlockCipher {
    private let context: OpaquePointer

    /// Prepares the key schedule of `key`.
    package init(key: Octets16) {
        guard let context = key.withUnsafeOctets(ccrypto_aes_block_new) else { libcryptoFailed("AES-128-ECB") }
        self.context = context
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// The encryption of one block of 16 octets.
    package func encrypt(_ block: Octets16) -> Octets16 {
        Octets16.filled { output in
            block.withUnsafeOctets { ccrypto_aes_block_encrypt(context, $0, output) } == 1
        }
    }
}
