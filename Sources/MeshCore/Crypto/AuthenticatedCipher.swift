import CCrypto

/// The length of a message integrity check (Mesh Protocol 3.4.4.7, 3.6.2.3).
package enum MICSize: Int, Sendable {
    /// Four octets.
    case bits32 = 4
    /// Eight octets.
    case bits64 = 8
}

/// AES-CCM with nonces of 13 octets under one key (Mesh Protocol 3.9.2.4, RFC 3610).
///
/// Each of the four key schedules is prepared when its direction and MIC size are first used. Threads must not share an
/// instance: it belongs to the thread of its stack.
package final class AuthenticatedCipher {
    private let key: KeyMaterial
    // Behind a pointer: the checks for exclusive access to properties of a class would cost as much as an AES block on
    // every PDU.
    private let contexts: UnsafeMutablePointer<OpaquePointer?>

    /// A cipher for `key`.
    package init(key: Octets16) {
        self.key = KeyMaterial(key)
        contexts = .allocate(capacity: 4)
        contexts.initialize(repeating: nil, count: 4)
    }

    deinit {
        for index in 0..<4 { EVP_CIPHER_CTX_free(contexts[index]) }
        contexts.deallocate()
    }

    /// Encrypts octets and appends the MIC.
    ///
    /// - Parameter additional: octets that the MIC covers but that are not sent, such as the label of a virtual
    ///   address.
    package func seal(
        _ plaintext: [UInt8],
        nonce: Nonce,
        additional: [UInt8] = [],
        mic: MICSize
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: plaintext.count + mic.rawValue) { output, count in
            plaintext.withUnsafeBufferPointer { input in
                seal(input.baseAddress, count: input.count, to: output.baseAddress, nonce, additional, mic)
            }
            count = plaintext.count + mic.rawValue
        }
    }

    /// Decrypts octets that end in a MIC; nil if they are shorter than the MIC or not authentic.
    package func open(
        _ sealed: ArraySlice<UInt8>,
        nonce: Nonce,
        additional: [UInt8] = [],
        mic: MICSize
    ) -> [UInt8]? {
        let length = sealed.count - mic.rawValue
        guard length >= 0 else { return nil }
        var isAuthentic = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: max(length, 1)) { output, count in
            sealed.withUnsafeBufferPointer { input in
                isAuthentic = open(input.baseAddress, count: length, to: output.baseAddress, nonce, additional, mic)
            }
            count = isAuthentic ? length : 0
        }
        return isAuthentic ? plaintext : nil
    }

    /// Encrypts `count` octets to `output`, which may be the input and must have room for the MIC after them.
    @inline(__always)
    func seal(
        _ input: UnsafePointer<UInt8>?,
        count: Int,
        to output: UnsafeMutablePointer<UInt8>?,
        _ nonce: Nonce,
        _ additional: [UInt8] = [],
        _ mic: MICSize
    ) {
        let prepared = contexts[mic == .bits32 ? 0 : 1] ?? prepare(encrypts: true, mic)
        let done = nonce.octets.withUnsafeOctets { nonce in
            additional.withUnsafeBufferPointer {
                ccrypto_ccm_seal(
                    prepared,
                    nonce,
                    $0.baseAddress,
                    Int32($0.count),
                    input,
                    Int32(count),
                    output,
                    Int32(mic.rawValue)
                )
            }
        }
        guard done == 1 else { libcryptoFailed("AES-128-CCM") }
    }

    /// Decrypts `count` octets, which the MIC follows, to `output`, which may be the input. False if they are not
    /// authentic; that does not affect later calls.
    @inline(__always)
    func open(
        _ input: UnsafePointer<UInt8>?,
        count: Int,
        to output: UnsafeMutablePointer<UInt8>?,
        _ nonce: Nonce,
        _ additional: [UInt8] = [],
        _ mic: MICSize
    ) -> Bool {
        let prepared = contexts[mic == .bits32 ? 2 : 3] ?? prepare(encrypts: false, mic)
        let done = nonce.octets.withUnsafeOctets { nonce in
            additional.withUnsafeBufferPointer {
                ccrypto_ccm_open(
                    prepared,
                    nonce,
                    $0.baseAddress,
                    Int32($0.count),
                    input,
                    Int32(count),
                    output,
                    Int32(mic.rawValue)
                )
            }
        }
        return done == 1
    }

    @inline(never)
    private func prepare(encrypts: Bool, _ mic: MICSize) -> OpaquePointer {
        let context = key.octets.withUnsafeOctets { ccrypto_ccm_new($0, Int32(mic.rawValue), encrypts ? 1 : 0) }
        guard let context else { libcryptoFailed("AES-128-CCM") }
        contexts[(encrypts ? 0 : 2) + (mic == .bits32 ? 0 : 1)] = context
        return context
    }
}
