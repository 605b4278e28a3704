/// Frames of the Bluetooth LE link layer that carry what arrived over GATT, because analysers of packets read beacons
/// and provisioning PDUs in advertisements only (link type 251: access address, PDU, CRC).
enum AdvertisedFrame {
    /// The AD type of PB-ADV (Mesh Protocol 5.2.1).
    private static let provisioningType: UInt8 = 0x29
    /// The AD type of mesh beacons (Mesh Protocol 3.10).
    private static let beaconType: UInt8 = 0x2B

    /// A beacon, its type octet first; nil if it does not fit an advertisement.
    static func beacon(_ octets: [UInt8], link: UInt32) -> [UInt8]? { frame(beaconType, octets, link: link) }

    /// A provisioning PDU as a transaction of PB-ADV (Mesh Protocol 5.3.2): a start segment of at most 20 octets, and
    /// continuations of at most 23.
    ///
    /// - Parameters:
    ///   - link: the identifier of the link.
    ///   - transaction: the number of the transaction: 0x00…0x7F for the provisioner's, 0x80…0xFF for the device's.
    static func provisioning(_ pdu: [UInt8], link: UInt32, transaction: UInt8) -> [[UInt8]] {
        let head = link.bigEndianOctets + [transaction]
        let rest = pdu.dropFirst(20)
        let continuations = stride(from: rest.startIndex, to: rest.endIndex, by: 23).map {
            Array(rest[$0..<min($0 + 23, rest.endIndex)])
        }
        let length = UInt16(clamping: pdu.count).bigEndianOctets
        let last = UInt8(truncatingIfNeeded: continuations.count) & 0x3F
        let start = [last << 2] + length + [checkSequence(pdu)] + pdu.prefix(20)
        let segments = [start] + continuations.enumerated().map { [UInt8($0 + 1) << 2 | 2] + $1 }
        return segments.compactMap { frame(provisioningType, head + $0, link: link) }
    }

    /// The opening of a link of PB-ADV to a device (Mesh Protocol 5.3.1.4.1), which tells analysers that one begins.
    /// GATT has no such PDU, and the UUID is not known to whoever sees packets only, so it is zero.
    static func linkOpen(link: UInt32) -> [UInt8]? {
        frame(provisioningType, link.bigEndianOctets + [0, 0x03] + Array(repeating: 0, count: 16), link: link)
    }

    /// An ADV_NONCONN_IND with a random address that stands for a link. The CRC is zero: it was never on the air.
    private static func frame(_ type: UInt8, _ octets: [UInt8], link: UInt32) -> [UInt8]? {
        guard octets.count <= 29 else { return nil }
        let address = link.bigEndianOctets.reversed() + [0x00, 0xC0]
        let payload = address + [UInt8(octets.count + 1), type] + octets
        return [0xD6, 0xBE, 0x89, 0x8E, 0x42, UInt8(payload.count)] + payload + [0, 0, 0]
    }

    /// The frame check sequence: the CRC-8 of 3GPP TS 27.010 with the polynomial x⁸ + x² + x + 1, bits reversed (Mesh
    /// Protocol 5.3.1.1).
    static func checkSequence(_ octets: [UInt8]) -> UInt8 {
        var crc: UInt8 = 0xFF
        for octet in octets {
            crc ^= octet
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xE0 : crc >> 1 }
        }
        return 0xFF - crc
    }
}

extension FixedWidthInteger {
    /// Its octets, the highest first.
    fileprivate var bigEndianOctets: [UInt8] {
        (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
