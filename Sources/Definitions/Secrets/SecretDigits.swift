package import MeshCore

/// The reason why a text is no secret of a device. It holds nothing of the text.
package struct SecretProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong: a clause without a full stop, such as "a static value has hexadecimal digits only".
    package var message: String
    /// How to mend it; nil if the message says so.
    package var hint: String?

    /// The message, with the hint in parentheses if there is one.
    package var description: String { hint.map { "\(message) (\($0))" } ?? message }
}

/// Secrets of devices as files and environment variables hold them: hexadecimal digits, with or without `0x` before
/// them and white space around them.
package enum SecretDigits {
    /// A static value of 1 to 32 octets. Devices that know CMAC only use the first 16.
    ///
    /// - Throws: ``SecretProblem`` if the text is not an even number of hexadecimal digits or has another length.
    package static func staticValue(_ text: String) throws(SecretProblem) -> StaticOutOfBandValue {
        let octets = try octets(text, "a static value")
        do {
            return try StaticOutOfBandValue(octets)
        } catch {
            throw SecretProblem(
                message: "a static value has 1 to 32 octets, not \(octets.count)",
                hint: "write up to 64 hexadecimal digits"
            )
        }
    }

    /// A public key: X and Y, 32 octets each, big-endian, a point of the curve P-256.
    ///
    /// - Throws: ``SecretProblem`` if the text is not an even number of hexadecimal digits, has another length, or is
    ///   no point of the curve.
    package static func publicKey(_ text: String) throws(SecretProblem) -> P256PublicKey {
        let octets = try octets(text, "a public key")
        guard octets.count == P256PublicKey.size else {
            throw SecretProblem(
                message: "a public key has \(P256PublicKey.size) octets, not \(octets.count)",
                hint: octets.count == P256PublicKey.size + 1 && octets.first == 0x04
                    ? "leave the first octet 04 out, which only says that both coordinates follow"
                    : "write 128 hexadecimal digits: X, then Y"
            )
        }
        guard let key = P256PublicKey(octets) else {
            throw SecretProblem(message: "the public key is not a point of the curve P-256", hint: nil)
        }
        return key
    }

    /// A private key of P-256: 32 octets, big-endian, not zero and below the order of the group.
    static func privateKey(_ text: String) throws(SecretProblem) -> P256KeyPair {
        let octets = try octets(text, "a private key")
        guard octets.count == P256KeyPair.privateKeySize else {
            throw SecretProblem(
                message: "a private key has \(P256KeyPair.privateKeySize) octets, not \(octets.count)",
                hint: "write 64 hexadecimal digits"
            )
        }
        guard let pair = P256KeyPair(privateKey: octets) else {
            throw SecretProblem(
                message: "the private key is not one of the curve P-256",
                hint: "it lies between 0 and the order of the group"
            )
        }
        return pair
    }

    private static func octets(_ text: String, _ title: String) throws(SecretProblem) -> [UInt8] {
        var digits = Substring(text)
        while let first = digits.unicodeScalars.first, first.properties.isWhitespace {
            digits.unicodeScalars.removeFirst()
        }
        while let last = digits.unicodeScalars.last, last.properties.isWhitespace { digits.unicodeScalars.removeLast() }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
        guard !digits.isEmpty else { throw SecretProblem(message: "\(title) is expected here, not nothing", hint: nil) }
        guard digits.utf8.allSatisfy(Numbers.isHexadecimalDigit) else {
            throw SecretProblem(
                message: "\(title) has hexadecimal digits only",
                hint: "write 0 to 9 and a to f without separators"
            )
        }
        guard let octets = Hexadecimal.decode(digits) else {
            throw SecretProblem(
                message: "\(title) has an odd number of hexadecimal digits; each octet needs two",
                hint: nil
            )
        }
        return octets
    }
}
