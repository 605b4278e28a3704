/// The blocks of a pcapng file (draft-ietf-opsawg-pcapng), all little-endian.
enum PcapngBlock {
    /// How a packet went, as seen from this program.
    enum Direction: UInt32 {
        case inbound = 1
        case outbound = 2
    }

    /// The octets that every file begins with: the type of the Section Header Block.
    static let signature: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

    /// The Section Header Block, which names the program.
    static func sectionHeader(application: String) -> [UInt8] {
        var body = Body()
        body.add(UInt32(0x1A2B_3C4D))
        body.add(UInt16(1))
        body.add(UInt16(0))
        // The length of the section is not known while it grows.
        body.add(UInt32.max)
        body.add(UInt32.max)
        body.addOption(4, Array(application.utf8))
        body.endOptions()
        return body.block(type: 0x0A0D_0D0A)
    }

    /// An Interface Description Block. The first one of a file is interface 0.
    static func interface(linkType: UInt16, name: String) -> [UInt8] {
        var body = Body()
        body.add(linkType)
        body.add(UInt16(0))
        // No limit to the octets of a packet.
        body.add(UInt32(0))
        body.addOption(2, Array(name.utf8))
        body.endOptions()
        return body.block(type: 1)
    }

    /// An Enhanced Packet Block.
    ///
    /// - Parameters:
    ///   - time: microseconds since 1970.
    ///   - comment: what stands beside the packet for people; nil for nothing.
    static func packet(
        _ octets: [UInt8],
        interface: UInt32,
        time: UInt64,
        direction: Direction,
        comment: String? = nil
    ) -> [UInt8] {
        var body = Body()
        body.add(interface)
        body.add(UInt32(truncatingIfNeeded: time >> 32))
        body.add(UInt32(truncatingIfNeeded: time))
        body.add(UInt32(clamping: octets.count))
        body.add(UInt32(clamping: octets.count))
        body.addPadded(octets)
        if let comment { body.addOption(1, Array(comment.utf8.prefix(1024))) }
        body.addOption(2, direction.rawValue.littleEndianOctets)
        body.endOptions()
        return body.block(type: 6)
    }

    /// The middle of a block.
    private struct Body {
        private var octets: [UInt8] = []

        mutating func add(_ value: UInt16) { octets += value.littleEndianOctets }
        mutating func add(_ value: UInt32) { octets += value.littleEndianOctets }

        mutating func addPadded(_ more: [UInt8]) {
            octets += more
            octets += Array(repeating: 0, count: (4 - more.count % 4) % 4)
        }

        mutating func addOption(_ code: UInt16, _ value: [UInt8]) {
            add(code)
            add(UInt16(clamping: value.count))
            addPadded(value)
        }

        mutating func endOptions() { add(UInt32(0)) }

        /// The whole block: its length stands at both ends.
        func block(type: UInt32) -> [UInt8] {
            let length = UInt32(clamping: octets.count + 12).littleEndianOctets
            return type.littleEndianOctets + length + octets + length
        }
    }
}

extension FixedWidthInteger {
    /// Its octets, the lowest first.
    fileprivate var littleEndianOctets: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
