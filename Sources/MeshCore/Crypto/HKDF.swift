/// The key derivation function HKDF with SHA-256 (RFC 5869), for secrets that cannot be guessed.
package enum HKDF {
    /// The largest number of octets that can be derived.
    package static let greatestLength = 255 * 32

    /// Derives `length` octets, 1 to ``greatestLength``, from input keying material.
    ///
    /// - Parameters:
    ///   - salt: random and public; an empty one counts as 32 zeros.
    ///   - info: the purpose of the key.
    package static func derive(_ input: [UInt8], salt: [UInt8], info: [UInt8], length: Int = 32) -> [UInt8] {
        precondition((1...greatestLength).contains(length), "HKDF gives 1 to \(greatestLength) octets")
        let salt = salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt
        let key = HMACSHA256.code(of: input, key: salt)
        var output: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while output.count < length {
            number += 1
            block = HMACSHA256.code(of: block + info + [number], key: key)
            output += block
        }
        return Array(output.prefix(length))
    }
}
