/// Sixteen octets stored inline: the contents of UUIDs, labels and keys.
package struct Octets16: Hashable, Comparable, Sendable {
    /// The first eight octets, big-endian.
    package let high: UInt64
    /// The last eight octets, big-endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Takes exactly 16 octets; nil for any other number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for byte in bytes.prefix(8) { halves.0 = halves.0 << 8 | UInt64(byte) }
        for byte in bytes.dropFirst(8) { halves.1 = halves.1 << 8 | UInt64(byte) }
        self.init(high: halves.0, low: halves.1)
    }

    /// Takes 32 hexadecimal digits in either case, optionally with hyphens in the places of RFC 9562; nil for other
    /// text.
    package init?(hexadecimal text: some StringProtocol) {
        self.init(hexadecimal: String(text))
    }

    /// The same without generics and heap allocation, because every node of a definition and a database has a UUID.
    package init?(hexadecimal text: String) {
        var text = text
        let halves: (high: UInt64, low: UInt64)? = text.withUTF8 { bytes in
            guard bytes.count == 32 || bytes.count == 36 else { return nil }
            let isHyphenated = bytes.count == 36
            var (high, low): (UInt64, UInt64) = (0, 0)
            for (index, byte) in bytes.enumerated() {
                if isHyphenated, index == 8 || index == 13 || index == 18 || index == 23 {
                    guard byte == UInt8(ascii: "-") else { return nil }
                    continue
                }
                guard let digit = Hexadecimal.value(of: byte) else { return nil }
                high = high << 4 | low >> 60
                low = low << 4 | UInt64(digit)
            }
            return (high, low)
        }
        guard let halves else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// The 16 octets in transmission order.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.write(high)
        writer.write(low)
        return writer.bytes
    }

    /// 32 lower-case digits without hyphens.
    package var hexadecimal: String { Hexadecimal.encode(bytes) }

    /// Upper-case digits with hyphens, the form of RFC 9562: `70CF7C97-32A3-45B6-9149-4810D2E9CBF4`.
    package var hyphenated: String {
        let digits = Array(hexadecimal.uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    package static func < (left: Octets16, right: Octets16) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The Device UUID. It is fixed for the life of a product and so identifies a node (Mesh Protocol 3.11.3).
package struct DeviceUUID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Octets16

    /// Takes any 16 octets, because some devices have UUIDs that RFC 9562 does not allow.
    package init(rawValue: Octets16) {
        self.rawValue = rawValue
    }

    /// Takes 32 hexadecimal digits, with or without hyphens; nil for other text.
    package init?(_ text: some StringProtocol) {
        guard let octets = Octets16(hexadecimal: text) else { return nil }
        self.init(rawValue: octets)
    }

    package static func < (left: DeviceUUID, right: DeviceUUID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension DeviceUUID: CustomStringConvertible {
    /// Upper-case hexadecimal digits with hyphens.
    package var description: String { rawValue.hyphenated }
}

/// The 128-bit label behind a virtual address (Mesh Protocol 3.4.2.3).
package struct LabelUUID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Octets16

    package init(rawValue: Octets16) {
        self.rawValue = rawValue
    }

    /// Takes 32 hexadecimal digits, with or without hyphens; nil for other text.
    package init?(_ text: some StringProtocol) {
        guard let octets = Octets16(hexadecimal: text) else { return nil }
        self.init(rawValue: octets)
    }

    package static func < (left: LabelUUID, right: LabelUUID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension LabelUUID: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits without hyphens, as databases and definitions write labels.
    package var description: String { rawValue.hexadecimal }
}
