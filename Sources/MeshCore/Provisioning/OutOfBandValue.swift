/// A value that a person carries between a device and the provisioner (Mesh Protocol 5.4.2.4).
package enum OutOfBandValue: Hashable, Sendable {
    /// The number displayed, or how often something happens.
    case number(UInt32)
    /// Digits and capital letters.
    case text(String)
}

/// Why a value cannot be the requested one.
package enum OutOfBandValueError: Error, Hashable, Sendable {
    /// Text instead of a number, a number instead of text, or neither.
    case wrongKind
    /// A number outside the range of the digits.
    case outOfRange(ClosedRange<UInt32>)
    /// Text with another length than requested.
    case length(expected: UInt8)
    /// Characters other than digits and capital letters.
    case characters
    /// A static value without octets, or with more than 32.
    case staticLength(Int)
}

extension OutOfBandValueError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongKind: "another kind of value is needed: a number, or digits and capital letters"
        case .outOfRange(let range): "the number must lie between \(range.lowerBound) and \(range.upperBound)"
        case .length(let expected): "exactly \(expected) characters are expected"
        case .characters: "only the digits 0 to 9 and the letters A to Z are possible"
        case .staticLength(let length): "a static value has 1 to 32 octets, not \(length)"
        }
    }
}

/// The values that an action of a given size can carry (Mesh Protocol 5.4.2.4).
package enum OutOfBandFormat: Hashable, Sendable {
    /// A number to count, from 1 to the largest number with that many digits.
    case count(digits: UInt8)
    /// A number from 0 to the largest number with that many digits; leading zeros do not matter.
    case number(digits: UInt8)
    /// Exactly that many characters from 0 to 9 and A to Z.
    case text(characters: UInt8)

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    /// The possible numbers; nil for text.
    package var numbers: ClosedRange<UInt32>? {
        switch self {
        case .count(let digits): 1...max(1, OutOfBandFormat.largest(digits))
        case .number(let digits): 0...OutOfBandFormat.largest(digits)
        case .text: nil
        }
    }

    var valueCount: Int {
        guard case .text(let characters) = self else { return numbers?.count ?? 1 }
        return (0..<min(characters, AuthenticationMethod.sizes.upperBound)).reduce(1) { power, _ in
            power * OutOfBandFormat.alphabet.count
        }
    }

    private static func largest(_ digits: UInt8) -> UInt32 {
        (0..<min(digits, AuthenticationMethod.sizes.upperBound)).reduce(1) { power, _ in power * 10 } - 1
    }

    /// Checks whether a value has this format.
    ///
    /// - Throws: ``OutOfBandValueError/wrongKind``, ``OutOfBandValueError/outOfRange(_:)``,
    ///   ``OutOfBandValueError/length(expected:)`` or ``OutOfBandValueError/characters``.
    package func check(_ value: OutOfBandValue) throws(OutOfBandValueError) {
        switch (self, value) {
        case (.count, .number(let number)), (.number, .number(let number)):
            guard let numbers, numbers.contains(number) else { throw .outOfRange(numbers ?? 0...0) }
        case (.text(let length), .text(let text)):
            guard text.utf8.count == Int(length) else { throw .length(expected: length) }
            guard text.utf8.allSatisfy(OutOfBandFormat.alphabet.contains) else { throw .characters }
        default: throw .wrongKind
        }
    }

    /// Reads a value that somebody typed or that stands in a file.
    package func parse(_ text: some StringProtocol) throws(OutOfBandValueError) -> OutOfBandValue {
        let value: OutOfBandValue
        switch self {
        case .text: value = .text(String(text))
        case .count, .number:
            guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), !text.isEmpty else {
                throw .wrongKind
            }
            value = .number(UInt32(text) ?? .max)
        }
        try check(value)
        return value
    }

    /// Makes a value from 64 random bits. All values are practically equally likely: there are at most 36^8, below
    /// 2^42.
    package func value(from random: UInt64) -> OutOfBandValue {
        guard case .text(let length) = self else {
            let numbers = numbers ?? 0...0
            let count = UInt64(numbers.upperBound - numbers.lowerBound) + 1
            return .number(numbers.lowerBound + UInt32(truncatingIfNeeded: random % count))
        }
        var rest = random
        let base = UInt64(OutOfBandFormat.alphabet.count)
        let characters = (0..<length).map { _ in
            defer { rest /= base }
            return OutOfBandFormat.alphabet[Int(rest % base)]
        }
        return .text(String(decoding: characters, as: UTF8.self))
    }
}

/// A value that both sides know beforehand, printed on a label or delivered in a list. It is secret, and nothing prints
/// it.
package struct StaticOutOfBandValue: Hashable, Sendable {
    /// 1 to 32 octets. Never log or print them, or put them into an error.
    package let octets: [UInt8]

    /// A value of 1 to 32 octets.
    ///
    /// - Throws: ``OutOfBandValueError/staticLength(_:)`` for any other number of octets.
    package init(_ octets: some Collection<UInt8>) throws(OutOfBandValueError) {
        guard (1...32).contains(octets.count) else { throw .staticLength(octets.count) }
        self.octets = Array(octets)
    }
}

extension StaticOutOfBandValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Hides the value.
    package var description: String { "(secret)" }
    /// Hides the value.
    package var debugDescription: String { "(secret)" }
    /// Hides the value.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// AuthValue: the value that enters the confirmations of both sides, 16 or 32 octets (Mesh Protocol 5.4.2.4).
struct AuthenticationValue {
    let octets: [UInt8]

    /// Zeros: no authentication.
    static func none(_ algorithm: ProvisioningAlgorithm) -> AuthenticationValue {
        AuthenticationValue(octets: [UInt8](repeating: 0, count: algorithm.confirmationSize))
    }

    /// A number stands big-endian at the end, text at the start; the rest is zeros.
    init(_ value: OutOfBandValue, _ algorithm: ProvisioningAlgorithm) {
        switch value {
        case .number(let number):
            var writer = ByteWriter(capacity: 4)
            writer.write(number)
            self.init(octets: [UInt8](repeating: 0, count: algorithm.confirmationSize - 4) + writer.bytes)
        case .text(let text): self.init(leading: Array(text.utf8), algorithm)
        }
    }

    /// A static value stands at the start. A shorter one is followed by zeros, and of a longer one only the start
    /// counts, because devices are delivered with one value for all their algorithms.
    init(_ value: StaticOutOfBandValue, _ algorithm: ProvisioningAlgorithm) {
        self.init(leading: value.octets, algorithm)
    }

    private init(octets: [UInt8]) {
        self.octets = octets
    }

    private init(leading: [UInt8], _ algorithm: ProvisioningAlgorithm) {
        let front = leading.prefix(algorithm.confirmationSize)
        self.init(octets: front + [UInt8](repeating: 0, count: algorithm.confirmationSize - front.count))
    }
}

extension AuthenticationValue: CustomReflectable {
    /// Hides the octets, which may be a static value.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
