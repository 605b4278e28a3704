/// The 13 octets that make each use of a key with AES-CCM unique (Mesh Protocol 3.9.5).
package struct Nonce: Hashable, Sendable {
    /// The 13 octets, followed by three zero octets that are not part of the nonce.
    let octets: Octets16

    private init(type: UInt8, second: UInt8, sequence: UInt32, source: UInt16, destination: UInt16, ivIndex: UInt32) {
        octets = Octets16(
            high: UInt64(type) << 56 | UInt64(second) << 48 | UInt64(sequence & 0xFF_FFFF) << 24
                | UInt64(source) << 8 | UInt64(destination >> 8),
            low: UInt64(destination & 0xFF) << 56 | UInt64(ivIndex) << 24
        )
    }

    /// Takes exactly 13 octets, such as the random of a private beacon; nil for any other number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 13, let octets = Octets16(Array(bytes) + [0, 0, 0]) else { return nil }
        self.octets = octets
    }

    /// Takes the last 13 octets of a derived value, as provisioning does (5.4.2.5).
    init(lastOctetsOf value: Octets16) {
        octets = Octets16(high: value.high << 24 | value.low >> 40, low: value.low << 24)
    }

    /// The 13 octets in the order in which they enter the cipher.
    package var bytes: [UInt8] { octets.bytes.dropLast(3) }

    /// The nonce of a network PDU (3.9.5.1).
    package static func network(
        isControl: Bool,
        ttl: UInt8,
        sequence: UInt32,
        source: UnicastAddress,
        ivIndex: UInt32
    ) -> Nonce {
        Nonce(
            type: 0x00,
            second: (isControl ? 0x80 : 0) | ttl & 0x7F,
            sequence: sequence,
            source: source.rawValue,
            destination: 0,
            ivIndex: ivIndex
        )
    }

    /// The nonce of an access message under an application key (3.9.5.2); `sequence` is that of the first segment.
    package static func application(
        mic: MICSize,
        sequence: UInt32,
        source: UnicastAddress,
        destination: Address,
        ivIndex: UInt32
    ) -> Nonce {
        Nonce(
            type: 0x01,
            second: mic == .bits64 ? 0x80 : 0,
            sequence: sequence,
            source: source.rawValue,
            destination: destination.rawValue,
            ivIndex: ivIndex
        )
    }

    /// The nonce of an access message under a device key (3.9.5.3); `sequence` is that of the first segment.
    package static func device(
        mic: MICSize,
        sequence: UInt32,
        source: UnicastAddress,
        destination: Address,
        ivIndex: UInt32
    ) -> Nonce {
        Nonce(
            type: 0x02,
            second: mic == .bits64 ? 0x80 : 0,
            sequence: sequence,
            source: source.rawValue,
            destination: destination.rawValue,
            ivIndex: ivIndex
        )
    }

    /// The nonce of a proxy configuration message (3.9.5.4).
    package static func proxy(sequence: UInt32, source: UnicastAddress, ivIndex: UInt32) -> Nonce {
        Nonce(type: 0x03, second: 0, sequence: sequence, source: source.rawValue, destination: 0, ivIndex: ivIndex)
    }

    /// The nonce of a proxy solicitation of 1.1 (3.9.5.5).
    package static func proxySolicitation(sequence: UInt32, source: UnicastAddress) -> Nonce {
        Nonce(type: 0x04, second: 0, sequence: sequence, source: source.rawValue, destination: 0, ivIndex: 0)
    }
}
