import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("HCI")
struct HCITests {
    static let scan = LEScanParameters(isActive: true, interval: 96, window: 48, ownAddress: .public)

    /// Octet by octet as Core Vol 4 Part E 7.8 has them, with the packet type in front.
    static let commands: [(HCICommand, [UInt8])] = [
        (.readLocalSupportedCommands, hex("01 0210 00")),
        (.leSetScanParameters(scan), hex("01 0B20 07 01 6000 3000 00 00")),
        (
            .leSetScanParameters(LEScanParameters(isActive: false, interval: 0x10, window: 4, ownAddress: .random)),
            hex("01 0B20 07 00 1000 0400 01 00")
        ),
        (.leSetScanEnable(true, filtersDuplicates: false), hex("01 0C20 02 01 00")),
        (.leSetExtendedScanParameters(scan), hex("01 4120 08 00 00 01 01 6000 3000")),
        (.leSetExtendedScanEnable(false, filtersDuplicates: false), hex("01 4220 06 00 00 0000 0000")),
        (
            .leConnectionUpdate(handle: 0x0040, .mesh),
            hex("01 1320 0E 4000 0C00 1800 0000 9001 0000 0000")
        ),
        (.disconnect(handle: 0x0040), hex("01 0604 03 4000 13")),
    ]

    @Test("commands have their octets", arguments: commands)
    func encodes(command: HCICommand, octets: [UInt8]) {
        #expect(command.encoded == octets)
        #expect(command.opcode.rawValue == UInt16(octets[1]) | UInt16(octets[2]) << 8)
    }

    @Test("of others' commands it is seen whether they scan")
    func foreign() throws {
        #expect(
            try HCIPacket(decoding: hex("01 0C20 02 00 01")[...])
                == .command(.leSetScanEnable(false, filtersDuplicates: true))
        )
        #expect(
            try HCIPacket(decoding: hex("01 4220 06 01 01 0000 0000")[...])
                == .command(.leSetExtendedScanEnable(true, filtersDuplicates: true))
        )
        #expect(try HCIPacket(decoding: hex("01 0310 00")[...]) == .command(.other(.readLocalSupportedFeatures)))
        #expect(try HCIPacket(decoding: hex("02 4000 0100 00")[...]) == .other)
    }

    @Test("several reports come in one event, each with its own data")
    func reports() throws {
        let first = "00 01 010203040506 03 020106 C4"
        let second = "04 00 A1A2A3A4A5A6 00 7F"
        let packet = try HCIPacket(decoding: hex("04 3E 18 02 02 \(first) \(second)")[...])
        #expect(
            packet
                == .event(
                    .advertisingReports([
                        AdvertisingReport(
                            type: 0,
                            address: try #require(BluetoothAddress("06:05:04:03:02:01", .random)),
                            data: hex("020106"),
                            signal: -60
                        ),
                        AdvertisingReport(
                            type: 4,
                            address: try #require(BluetoothAddress("a6:a5:a4:a3:a2:a1")),
                            data: [],
                            signal: nil
                        ),
                    ])
                )
        )
    }

    @Test("extended reports are put together, whatever comes in between, and dropped when a part is lost")
    func extended() throws {
        var assembler = ExtendedReportAssembler()
        func report(_ type: String, _ address: String, _ data: String) throws -> [AdvertisingReport] {
            let octets = hex(data)
            let body =
                hex("0D 01 \(type) 01 \(address) 01 00 02 7F C4 0000 00 000000000000") + [UInt8(octets.count)] + octets
            let packet = try HCIPacket(decoding: ([0x04, 0x3E, UInt8(body.count)] + body)[...])
            guard case .event(.extendedAdvertisingReports(let reports)) = packet else { return [] }
            return reports.compactMap { assembler.receive($0) }
        }
        let (one, two) = ("010203040506", "110203040506")
        #expect(try report("2000", one, "0201").isEmpty)
        #expect(try report("0000", two, "AA").map(\.data) == [hex("AA")])
        #expect(try report("2800", one, "BB").isEmpty, "a scan response is something of its own")
        #expect(try report("0000", one, "06").map(\.data) == [hex("020106")])
        #expect(try report("0800", one, "CC").map(\.data) == [hex("BBCC")])
        #expect(try report("2000", one, "0201").isEmpty)
        #expect(try report("4000", one, "06").isEmpty, "truncated")
        #expect(try report("0000", one, "07").map(\.data) == [hex("07")])
        #expect(try report("1300", one, "08").first?.signal == -60)
        for _ in 0..<10 { _ = try report("2000", one, String(repeating: "00", count: 220)) }
        #expect(try report("0000", one, "09").isEmpty, "longer than advertising data can be")
        #expect(try report("0000", one, "0A").map(\.data) == [hex("0A")])
        for low in 0..<200 { _ = try report("2000", "\(Hexadecimal.encode([UInt8(low)]))0000000000", "01") }
        #expect(assembler.pendingCount <= ExtendedReportAssembler.capacity)
    }

    @Test("connections, their ends and answers to commands are read")
    func events() throws {
        let peer = try #require(BluetoothAddress("06:05:04:03:02:01", .random))
        let complete = "00 4000 00 01 010203040506 1800 0000 2A00 00"
        #expect(
            try HCIPacket(decoding: hex("04 3E 13 01 \(complete)")[...])
                == .event(.connectionComplete(.success, handle: 0x40, peer, isCentral: true))
        )
        let enhanced = "3E 4000 01 01 010203040506 000000000000 000000000000 1800 0000 2A00 00"
        #expect(
            try HCIPacket(decoding: hex("04 3E 1F 0A \(enhanced)")[...])
                == .event(.connectionComplete(.notEstablished, handle: 0x40, peer, isCentral: false))
        )
        #expect(
            try HCIPacket(decoding: hex("04 05 04 00 4000 08")[...])
                == .event(.disconnectionComplete(.success, handle: 0x40, reason: .connectionTimeout))
        )
        #expect(
            try HCIPacket(decoding: hex("04 0E 04 01 0C20 0C")[...])
                == .event(.commandComplete(.leSetScanEnable, [0x0C]))
        )
        #expect(
            try HCIPacket(decoding: hex("04 0F 04 09 01 0D20")[...])
                == .event(.commandStatus(HCIOpcode(rawValue: 0x200D), .connectionLimitExceeded))
        )
        #expect(try HCIPacket(decoding: hex("04 13 05 01 4000 0100")[...]) == .event(.other(code: 0x13)))
    }

    @Test("extended scanning is for controllers that have both of its commands")
    func features() {
        var octets = [UInt8](repeating: 0, count: 65)
        #expect(!ControllerFeatures(supportedCommands: octets).hasExtendedScanning)
        octets[38] = 0x20
        #expect(!ControllerFeatures(supportedCommands: octets).hasExtendedScanning)
        octets[38] = 0x60
        #expect(ControllerFeatures(supportedCommands: octets).hasExtendedScanning)
        octets[0] = 0x01
        #expect(!ControllerFeatures(supportedCommands: octets).hasExtendedScanning)
        #expect(!ControllerFeatures(supportedCommands: []).hasExtendedScanning)
    }

    @Test("a cut or altered packet never does harm, and a cut one is refused", arguments: propertySeeds(20))
    func hostile(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let samples = [
            hex("04 3E 18 02 02 00 01 010203040506 03 020106 C4 04 00 A1A2A3A4A5A6 00 7F"),
            hex("04 3E 1E 0D 01 1300 01 010203040506 01 00 02 7F C4 0000 00 000000000000 04 03FF0102"),
            hex("04 05 04 00 4000 08"), hex("04 0F 04 09 01 0D20"), hex("01 0C20 02 00 01"),
            hex("04 3E 13 01 00 4000 00 01 010203040506 1800 0000 2A00 00"),
        ]
        for sample in samples {
            for end in 0..<sample.count {
                #expect(throws: DecodeError.self) { try HCIPacket(decoding: sample[..<end]) }
            }
        }
        for _ in 0..<2_000 {
            var packet = samples.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<packet.count, using: &generator)
                packet[place] = UInt8.random(in: 0...255, using: &generator)
            }
            guard case .event(let event)? = try? HCIPacket(decoding: packet[...]) else { continue }
            if case .advertisingReports(let reports) = event { #expect(reports.count <= 25) }
            if case .extendedAdvertisingReports(let reports) = event { #expect(reports.count <= 10) }
        }
    }

    @Test("addresses are written and read, and become identifiers and addresses again")
    func addresses() throws {
        let address = try #require(BluetoothAddress("c0:FF:00:12:34:56", .random))
        #expect("\(address)".uppercased() == "C0:FF:00:12:34:56")
        #expect(address.littleEndian == hex("563412 00FFC0"))
        #expect(AdvertiserIdentifier(address).rawValue == hex("01 C0FF00123456"))
        #expect(AdvertiserIdentifier(address).bluetoothAddress == address)
        for text in ["", "c0:FF:00:12:34", "c0:FF:00:12:34:5", "c0:FF:00:12:34:+5", "c0:FF:00:12:34:56:78"] {
            #expect(BluetoothAddress(text) == nil)
        }
        for octets in [[], hex("02 C0FF00123456"), hex("01 C0FF001234")] as [[UInt8]] {
            #expect(AdvertiserIdentifier(rawValue: octets).bluetoothAddress == nil)
        }
    }
}
