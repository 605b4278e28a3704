import CCrypto

/// HMAC with SHA-256 (Mesh Protocol 3.9.2.2, RFC 2104).
package enum HMACSHA256 {
    /// The 32 octets of the authentication code of `message` under a key of any length.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            let done = key.withUnsafeBufferPointer { key in
                message.withUnsafeBufferPointer { message in
                    ccrypto_hmac_sha256(
                        key.baseAddress,
                        Int32(key.count),
                        message.baseAddress,
                        message.count,
                        output.baseAddress
                    )
                }
            }
            guard done == 1 else { libcryptoFailed("HMAC-SHA256") }
            count = 32
        }
    }
}
