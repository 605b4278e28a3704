/// Why a network PDU was refused (Mesh Protocol 3.4.6.3).
package enum NetworkPDUError: Error, Hashable, Sendable {
    /// It is too short or too long, or an authentic header field has a prohibited value.
    case malformed(DecodeError)
    /// No known key has its NID.
    case unknownNID(UInt8)
    /// No known key with its NID authenticates it: it was made with another key or IV index, or altered.
    case notAuthentic
}

/// A decrypted network PDU (Mesh Protocol 3.4.4).
///
/// On air: IVI (1 bit) and NID (7), then obfuscated CTL (1), TTL (7), SEQ (24) and SRC (16), then encrypted DST (16)
/// and the transport PDU, then a NetMIC of 32 bits for access or 64 bits for control messages; all big-endian.
package struct NetworkPDU: Hashable, Sendable {
    /// The IV index that secures the PDU; IVI is its least significant bit.
    package var ivIndex: UInt32
    /// CTL: whether the transport PDU is a control message.
    package var isControl: Bool
    /// The time to live, 0 to 127.
    package var ttl: UInt8
    /// The sequence number, 24 bits.
    package var sequence: UInt32
    /// The element that sent it.
    package var source: UnicastAddress
    /// The destination; ``Address/unassigned`` only in proxy configuration messages.
    package var destination: Address
    /// The lower transport PDU: 1 to 16 octets, 12 if ``isControl``; none in a proxy solicitation.
    package var transportPDU: [UInt8]

    package init(
        ivIndex: UInt32,
        isControl: Bool,
        ttl: UInt8,
        sequence: UInt32,
        source: UnicastAddress,
        destination: Address,
        transportPDU: [UInt8]
    ) {
        self.ivIndex = ivIndex
        self.isControl = isControl
        self.ttl = ttl
        self.sequence = sequence
        self.source = source
        self.destination = destination
        self.transportPDU = transportPDU
    }

    /// The kind of contents, which determines the nonce (3.9.5).
    package enum Purpose: Sendable {
        /// A message to a mesh address.
        case message
        /// A proxy configuration message (6.6).
        case proxyConfiguration
        /// A proxy solicitation of 1.1 (6.9): an empty control message under IV index 0.
        case proxySolicitation
    }

    /// The most octets of a PDU on any bearer.
    package static let maximumSize = 29
    /// The fewest octets: header, destination, one octet and the shorter NetMIC.
    package static let minimumSize = 14

    /// The NID of a PDU; nil for no octets.
    package static func nid(of bytes: [UInt8]) -> UInt8? {
        bytes.first.map { $0 & 0x7F }
    }

    /// The IV index that secured a PDU, given the current one: that index or the one before it (3.11.5). Nil if there
    /// would have to be one before 0.
    package static func ivIndex(of bytes: [UInt8], current: UInt32) -> UInt32? {
        guard let first = bytes.first else { return nil }
        if UInt32(first >> 7) == current & 1 { return current }
        return current > 0 ? current - 1 : nil
    }

    var micSize: MICSize { isControl ? .bits64 : .bits32 }

    /// The most octets of a lower transport PDU.
    static func maximumTransportSize(isControl: Bool) -> Int { isControl ? 12 : 16 }

    /// Refuses field values that cannot be sent.
    private func check(_ purpose: Purpose) throws(DecodeError) {
        guard ttl <= 0x7F else { throw .prohibited(field: "TTL", value: UInt64(ttl)) }
        guard sequence <= 0xFF_FFFF else { throw .prohibited(field: "SEQ", value: UInt64(sequence)) }
        try checkDestination(purpose)
        let limit = NetworkPDU.maximumTransportSize(isControl: isControl)
        let sizes = purpose == .proxySolicitation ? 0...0 : 1...limit
        guard sizes.contains(transportPDU.count) else { throw .length(transportPDU.count) }
    }

    private func checkDestination(_ purpose: Purpose) throws(DecodeError) {
        switch (purpose, destination.kind) {
        case (.proxyConfiguration, .unassigned), (.proxySolicitation, .unassigned):
            guard isControl, ttl == 0 else { throw .prohibited(field: "CTL and TTL", value: UInt64(ttl)) }
        case (.message, .unicast), (.message, .group): break
        case (.message, .virtual) where !isControl: break
        default: throw .prohibited(field: "DST", value: UInt64(destination.rawValue))
        }
    }

    /// Encrypts, authenticates and obfuscates the PDU.
    ///
    /// - Throws: ``DecodeError`` for field values that no PDU can have.
    package func encoded(
        with credentials: NetworkCredentials,
        as purpose: Purpose = .message
    ) throws(DecodeError) -> [UInt8] {
        try check(purpose)
        return sealed(with: credentials, purpose)
    }

    private func sealed(with credentials: NetworkCredentials, _ purpose: Purpose) -> [UInt8] {
        let clearSize = 2 + transportPDU.count
        let size = 7 + clearSize + micSize.rawValue
        // Cutting a literal of the greatest size allocates without asking the runtime for the type of its storage,
        // which takes as long as an AES block.
        let first = UInt8(truncatingIfNeeded: ivIndex & 1) << 7 | credentials.nid
        var bytes: [UInt8] = [
            first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
        bytes.removeLast(NetworkPDU.maximumSize - size)
        bytes.withUnsafeMutableBufferPointer { output in
            output[7] = UInt8(truncatingIfNeeded: destination.rawValue >> 8)
            output[8] = UInt8(truncatingIfNeeded: destination.rawValue)
            transportPDU.withUnsafeBytes { transport in
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(output)[9...]).copyMemory(
                    from: transport
                )
            }
            let body = output.baseAddress.map { $0 + 7 }
            credentials.encryption.seal(body, count: clearSize, to: body, nonce(purpose), [], micSize)
            let header = clearHeader ^ NetworkPDU.mask(credentials.privacy, ivIndex, UnsafeBufferPointer(output))
            for index in 0..<6 {
                output[1 + index] = UInt8(truncatingIfNeeded: header >> (40 - 8 * UInt64(index)))
            }
        }
        return bytes
    }

    /// Opens a PDU that `credentials` secure.
    ///
    /// - Parameter ivIndex: the result of ``ivIndex(of:current:)``.
    /// - Throws: ``NetworkPDUError``; after ``NetworkPDUError/notAuthentic``, other credentials may fit.
    package init(
        decoding bytes: [UInt8],
        with credentials: NetworkCredentials,
        ivIndex: UInt32,
        as purpose: Purpose = .message
    ) throws(NetworkPDUError) {
        guard (NetworkPDU.minimumSize...NetworkPDU.maximumSize).contains(bytes.count) else {
            throw .malformed(.length(bytes.count))
        }
        let header = bytes.withUnsafeBufferPointer { bytes in
            var obfuscated: UInt64 = 0
            for index in 1...6 { obfuscated = obfuscated << 8 | UInt64(bytes[index]) }
            return obfuscated ^ NetworkPDU.mask(credentials.privacy, ivIndex, bytes)
        }
        let isControl = header >> 47 & 1 == 1
        let mic: MICSize = isControl ? .bits64 : .bits32
        let clearSize = bytes.count - 7 - mic.rawValue
        // With the wrong key the header is noise, so no error about it makes sense before authentication.
        guard clearSize >= 2, let source = UnicastAddress(rawValue: UInt16(truncatingIfNeeded: header)) else {
            throw .notAuthentic
        }
        self.ivIndex = ivIndex
        self.isControl = isControl
        ttl = UInt8(truncatingIfNeeded: header >> 40) & 0x7F
        sequence = UInt32(truncatingIfNeeded: header >> 16) & 0xFF_FFFF
        self.source = source
        destination = .unassigned
        transportPDU = []
        let nonce = nonce(purpose)
        var opened: (destination: Address, transportPDU: [UInt8])?
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: clearSize) { clear in
            let isAuthentic = bytes.withUnsafeBufferPointer {
                let body = $0.baseAddress.map { $0 + 7 }
                return credentials.encryption.open(body, count: clearSize, to: clear.baseAddress, nonce, [], mic)
            }
            guard isAuthentic else { return }
            opened = (
                Address(rawValue: UInt16(clear[0]) << 8 | UInt16(clear[1])), [UInt8](clear[2..<clearSize])
            )
        }
        guard let opened else { throw .notAuthentic }
        destination = opened.destination
        transportPDU = opened.transportPDU
        do throws(DecodeError) { try check(purpose) } catch { throw .malformed(error) }
    }

    private func nonce(_ purpose: Purpose) -> Nonce {
        switch purpose {
        case .message:
            .network(isControl: isControl, ttl: ttl, sequence: sequence, source: source, ivIndex: ivIndex)
        case .proxyConfiguration: .proxy(sequence: sequence, source: source, ivIndex: ivIndex)
        case .proxySolicitation: .proxySolicitation(sequence: sequence, source: source)
        }
    }

    /// CTL, TTL, SEQ and SRC in the low 48 bits.
    private var clearHeader: UInt64 {
        (isControl ? 1 << 47 : 0) | UInt64(ttl) << 40 | UInt64(sequence) << 16 | UInt64(source.rawValue)
    }

    /// The value that obfuscates the header, in the low 48 bits (3.9.6.4). It is made from the privacy key, the IV
    /// index and the first seven encrypted octets.
    @inline(__always)
    private static func mask(
        _ privacy: AESBlockCipher,
        _ ivIndex: UInt32,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UInt64 {
        // Two loads that overlap by one octet: a load of eight octets from octet 7 on would exceed the shortest PDU.
        let raw = UnsafeRawBufferPointer(bytes)
        let first = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 7, as: UInt32.self))
        let second = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 10, as: UInt32.self))
        let random = UInt64(first) << 24 | UInt64(second & 0xFF_FFFF)
        let block = Octets16(high: UInt64(ivIndex >> 8), low: UInt64(ivIndex & 0xFF) << 56 | random)
        return privacy.encrypt(block).high >> 16
    }
}
