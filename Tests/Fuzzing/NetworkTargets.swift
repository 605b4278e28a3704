import MeshCore

extension FuzzTarget {
    private static let keys = KeyDerivation.k2(KeyMaterial(Octets16(high: 1, low: 2)), purpose: [0])
    private static let subnet = KeyMaterial(Octets16(high: 3, low: 4))

    /// Network PDUs. After an even octet, the rest is opened as it is. After an odd one, the rest has the fields of a
    /// PDU. That is secured, opened, and opened again with one bit changed.
    package static let networkPDU = FuzzTarget(
        "network-pdu",
        "network PDUs, opened and secured",
        maximumSize: 64,
        seeds: [
            [0] + octets("683aefe1cc2e130f6d4e5324d385b9ef75d6936b"),
            [0] + octets("10386bd60efbbb8b8c28512e792d3711f4b526"),
            [1] + octets("0000000012050000011201c00034b50da228"), [3] + octets("000000001200000001000100000001"),
            [5] + octets("0000000012000000010001000000"), [7] + octets("00000000120000000100010000"),
        ],
        dictionary: [[0, 0], [0xFF, 0xFF], [0xC0, 0], [0x80, 0]],
        run: examineNetworkPDU
    )

    private static func examineNetworkPDU(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        guard let flags = input.first else { return }
        let purposes: [NetworkPDU.Purpose] = [.message, .proxyConfiguration, .proxySolicitation, .message]
        let purpose = purposes[Int(flags >> 1 & 3)]
        let rest = Array(input.dropFirst())
        let credentials = NetworkCredentials(keys)
        guard flags & 1 == 1 else {
            do {
                _ = try NetworkPDU(decoding: rest, with: credentials, ivIndex: 0, as: purpose)
                throw FuzzViolation("a PDU was authentic by chance")
            } catch let violation as FuzzViolation {
                throw violation
            } catch {
                trace.note(kindOf: error)
            }
            return
        }
        guard let pdu = fields(rest, isControl: flags & 8 != 0) else { return }
        let bytes: [UInt8]
        do { bytes = try pdu.encoded(with: credentials, as: purpose) } catch {
            trace.note(kindOf: error)
            return
        }
        trace.note([bytes.count, Int(flags)])
        try demand((13...NetworkPDU.maximumSize).contains(bytes.count), "a PDU of \(bytes.count) octets")
        guard bytes.count >= NetworkPDU.minimumSize else { return }
        let opened = try demandSuccess("a PDU that was secured cannot be opened") {
            try NetworkPDU(decoding: bytes, with: credentials, ivIndex: pdu.ivIndex, as: purpose)
        }
        try demand(opened == pdu, "a PDU changes when it is opened")
        var altered = bytes
        altered[1 + Int(flags >> 4) % (bytes.count - 1)] ^= 1
        do {
            _ = try NetworkPDU(decoding: altered, with: credentials, ivIndex: pdu.ivIndex, as: purpose)
            throw FuzzViolation("an altered PDU is authentic")
        } catch let violation as FuzzViolation {
            throw violation
        } catch {
            // The nonces of the other two purposes do not contain CTL and TTL, so that these fields can cause the
            // refusal.
            guard case .message = purpose else { return }
            try demand(error as? NetworkPDUError == .notAuthentic, "an altered PDU ends in \(error)")
        }
    }

    private static func fields(_ bytes: [UInt8], isControl: Bool) -> NetworkPDU? {
        var reader = ByteReader(bytes)
        guard let ivIndex = try? reader.readUInt32(), let ttl = try? reader.readUInt8(),
            let sequence = try? reader.readUInt24(), let address = try? reader.readUInt16(),
            let source = UnicastAddress(rawValue: address), let destination = try? reader.readUInt16()
        else { return nil }
        return NetworkPDU(
            ivIndex: ivIndex,
            isControl: isControl,
            ttl: ttl,
            sequence: sequence,
            source: source,
            destination: Address(rawValue: destination),
            transportPDU: Array(reader.readRest())
        )
    }

    /// Lower transport PDUs. The first octet says whether the network PDU is a control message.
    package static let lowerTransportPDU = FuzzTarget(
        "lower-transport-pdu",
        "lower transport PDUs",
        maximumSize: 32,
        seeds: [
            octets("00668034b50da22866"), octets("01000a340000000003"), octets("008026ac21cc5ee3d9d3a4ee"),
            // Numbers and lengths of segments that do not fit (CVE-2022-31363, CVE-2022-31364, CVE-2022-26528).
            octets("0080002c1f") + [UInt8](repeating: 7, count: 12),
            octets("00800003e0") + [UInt8](repeating: 7, count: 12),
            octets("00e6fffc21") + [UInt8](repeating: 7, count: 13), octets("018500002100"), octets("0085000000"),
            octets("01850003ff") + [UInt8](repeating: 7, count: 8),
            octets("0080000021") + [UInt8](repeating: 7, count: 11),
        ],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            guard let first = input.first else { return }
            let isControl = first & 1 == 1
            let pdu: LowerTransportPDU
            do { pdu = try LowerTransportPDU(decoding: Array(input.dropFirst()), isControl: isControl) } catch {
                trace.note(kindOf: error)
                return
            }
            if case .segment(let segment) = pdu {
                trace.note([Int(segment.offset), Int(segment.last), segment.bytes.count])
                try demand(segment.offset <= segment.last, "a segment behind the last one")
                let size = segment.content.segmentSize
                let isWhole = segment.offset == segment.last ? segment.bytes.count <= size : segment.bytes.count == size
                try demand(isWhole && !segment.bytes.isEmpty, "a segment of \(segment.bytes.count) octets")
            } else {
                trace.note(input.count)
            }
            let again = try demandSuccess("a PDU that was read cannot be read again") {
                try LowerTransportPDU(decoding: pdu.encoded, isControl: isControl)
            }
            try demand(again == pdu, "a PDU changes when it is written")
        }
    )

    /// Proxy PDUs. Each record is a packet, except the first: its first octet is the packet size for splitting the PDUs
    /// again.
    package static let proxyPDU = FuzzTarget(
        "proxy-pdu",
        "packets of the proxy protocol put together",
        shape: .records,
        maximumSize: 4096,
        seeds: [
            FuzzRecords.encode([[20], [0x00, 1, 2, 3], [0x43, 1], [0x83, 2], [0xC3, 3], [0x02, 9]]),
            FuzzRecords.encode([
                [66], [0x40] + [UInt8](repeating: 7, count: 600), [0xC0] + [UInt8](repeating: 8, count: 424),
            ]),
            // Another type in between, an end without a beginning, and more than fits (CVE-2022-26527 to -26529).
            FuzzRecords.encode([
                [20], [0x43, 1, 2], [0x81, 3], [0xC3, 4], [0xC3], [0x43] + [UInt8](repeating: 9, count: 1024),
                [0x83, 1],
                [0xC3] + [UInt8](repeating: 9, count: 1024), [0x43],
            ]),
        ],
        dictionary: [[0x40], [0x80], [0xC0], [0x43], [0x83], [0xC3]],
        run: examineProxyPDU
    )

    private static func examineProxyPDU(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let records = FuzzRecords.decode(input)
        let size = Int(records.first?.first ?? 20)
        var reassembler = ProxyReassembler()
        var now = Instant.zero
        // What came since the last beginning of a message.
        var sent: [UInt8] = []
        for packet in records.dropFirst() {
            sent = (packet.first ?? 0) & 0x80 == 0 ? Array(packet.dropFirst()) : sent + packet.dropFirst()
            now = now.advanced(by: .seconds(packet.count == 3 ? 9 : 0))
            let pdu: ProxyPDU?
            do { pdu = try reassembler.receive(packet, at: now) } catch {
                trace.note(kindOf: error)
                try demand(reassembler.nextDeadline == nil, "a message goes on after an error")
                continue
            }
            trace.note([pdu == nil ? 0 : 1, reassembler.nextDeadline == nil ? 0 : 1, Int(packet.first ?? 0) >> 6])
            guard let pdu else { continue }
            trace.note([pdu.payload.count / 128, Int(pdu.type.rawValue), 0, 0])
            try demand((1...ProxyPDU.maximumSize).contains(pdu.payload.count), "\(pdu.payload.count) octets")
            try demand(reassembler.nextDeadline == nil, "a message goes on after its end")
            try demand(pdu.payload == sent, "a message is not made of the packets since its beginning")
            try cutAgain(pdu, size)
        }
    }

    private static func cutAgain(_ pdu: ProxyPDU, _ size: Int) throws(FuzzViolation) {
        var reassembler = ProxyReassembler()
        let packets = ProxySegmenter.packets(of: pdu, maximumSize: size)
        for (place, packet) in packets.enumerated() {
            try demand(packet.count <= max(size, 2), "a packet of \(packet.count) octets, \(size) are allowed")
            let whole = try demandSuccess("packets that were cut cannot be put together") {
                try reassembler.receive(packet, at: .zero)
            }
            try demand((whole == pdu) == (place == packets.count - 1), "packets give another message")
        }
    }

    /// Beacons of all kinds.
    package static let beacon = FuzzTarget(
        "beacon",
        "unprovisioned device, secure network and mesh private beacons",
        maximumSize: 64,
        seeds: [
            octets("0070cf7c9732a345b691494810d2e9cbf4a040"), octets("0070cf7c9732a345b691494810d2e9cbf44020d36b25b8"),
            octets("01003ecaff672f673370123456788ea261582f364f6f"),
            SecureNetworkBeacon(
                isKeyRefreshing: true,
                ivIndex: IVIndex(value: 5),
                credentials: SubnetCredentials(subnet)
            ).encoded,
            privateBeacon,
        ],
        run: examineBeacon
    )

    private static let privateBeacon: [UInt8] = {
        guard let random = Nonce([UInt8](repeating: 6, count: 13)) else { return [] }
        return MeshPrivateBeacon(
            isKeyRefreshing: false,
            ivIndex: IVIndex(value: 9, isUpdateInProgress: true),
            random: random
        ).encoded(with: SubnetCredentials(subnet))
    }()

    private static func examineBeacon(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let credentials = SubnetCredentials(subnet)
        do {
            switch input.first {
            case UnprovisionedDeviceBeacon.type:
                let beacon = try UnprovisionedDeviceBeacon(decoding: input)
                trace.note([0, beacon.uriHash == nil ? 0 : 1])
                try demand(beacon.encoded == input, "a beacon changes when it is read")
            case MeshPrivateBeacon.type:
                let beacon = try MeshPrivateBeacon(opening: input, with: credentials)
                trace.note([2, beacon == nil ? 0 : 1])
                guard let beacon else { return }
                try demand(beacon.encoded(with: credentials) == input, "a private beacon changes when it is opened")
            default:
                let beacon = try SecureNetworkBeacon(decoding: input)
                trace.note([1, beacon.isAuthentic(under: credentials) ? 1 : 0])
                try demand(beacon.encoded == input, "a beacon changes when it is read")
            }
        } catch let violation as FuzzViolation {
            throw violation
        } catch {
            trace.note(kindOf: error)
        }
    }
}
