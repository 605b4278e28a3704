/// The key derivation function HKDF with SHA-256 (RFC 5869), for secrets that cannot be guessed.
package enum HKDF {
    /// The largest number of octets that can be derived.
    package static let greatestLength = 255 * 32

    /// Derives `length` octets, 1 to ``greatestLength``, from input keying material.
    ///
    /// What is computed on the way is overwritten.
    ///
    /// - Parameters:
    ///   - salt: random and public; an empty one counts as 32 zeros.
    ///   - info: the purpose of the key.
    package static func derive(_ input: [UInt8], salt: [UInt8], info: [UInt8], length: Int = 32) -> [UInt8] {
        precondition((1...greatestLength).contains(length), "HKDF gives 1 to \(greatestLength) octets")
        let salt = salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt
        let key = SecretOctets(HMACSHA256.code(of: input, key: salt))
        var output: [UInt8] = []
        output.reserveCapacity(length)
        var block = SecretOctets([])
        var number: UInt8 = 0
        while output.count < length {
            number += 1
            let message = SecretOctets(block.withOctets { $0 + info + [number] })
            block = SecretOctets(message.withOctets { of in key.withOctets { HMACSHA256.code(of: of, key: $0) } })
            block.withOctets { output += $0.prefix(length - output.count) }
        }
        return output
    }
}
