import CCrypto

/// AES-128 on single blocks under one key: the function e of the specification (Mesh Protocol 3.9.2.1, FIPS 197).
///
/// The key schedule is prepared once. Threads must not share an instance: it belongs to the thread of its stack.
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

    /// Encrypts one block of 16 octets.
    package func encrypt(_ block: Octets16) -> Octets16 {
        Octets16.filled { output in
            block.withUnsafeOctets { ccrypto_aes_block_encrypt(context, $0, output) } == 1
        }
    }

    /// Encrypts many blocks, each by itself, and keeps their order; far faster than one call for each.
    package func encrypt(_ blocks: [Octets16]) -> [Octets16] {
        guard let length = Int32(exactly: blocks.count * 16) else {
            return blocks.map { encrypt($0) }
        }
        var words: [UInt64] = []
        words.reserveCapacity(2 * blocks.count)
        for block in blocks {
            words.append(block.high.bigEndian)
            words.append(block.low.bigEndian)
        }
        let done = words.withUnsafeMutableBytes { buffer in
            let octets = buffer.bindMemory(to: UInt8.self).baseAddress
            var written: Int32 = 0
            return length == 0
                || EVP_EncryptUpdate(context, octets, &written, octets, length) == 1 && written == length
        }
        guard done else { libcryptoFailed("AES-128-ECB") }
        return blocks.indices.map {
            Octets16(high: UInt64(bigEndian: words[2 * $0]), low: UInt64(bigEndian: words[2 * $0 + 1]))
        }
    }
}
