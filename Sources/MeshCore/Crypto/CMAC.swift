import CCrypto

/// AES-CMAC under one key (Mesh Protocol 3.9.2.3, RFC 4493).
///
/// The key schedule is prepared once. Threads must not share an instance: it belongs to the thread of its stack.
package final class CMAC {
    private let context: OpaquePointer

    /// Prepares the key schedule of `key`.
    package init(key: Octets16) {
        guard let context = key.withUnsafeOctets(ccrypto_cmac_new) else { libcryptoFailed("CMAC") }
        self.context = context
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    /// The authentication code of a message of any length.
    package func code(of message: [UInt8]) -> Octets16 {
        Octets16.filled { output in
            message.withUnsafeBufferPointer { ccrypto_cmac(context, $0.baseAddress, $0.count, output) } == 1
        }
    }

    /// The authentication code of one message under a key that is used once.
    package static func code(of message: [UInt8], key: Octets16) -> Octets16 {
        CMAC(key: key).code(of: message)
    }
}
