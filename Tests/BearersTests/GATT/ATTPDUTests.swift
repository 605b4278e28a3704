import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("ATTPDU")
struct ATTPDUTests {
    private static func range(_ first: UInt16, _ last: UInt16) -> HandleRange {
        guard let range = HandleRange(first, last) else { preconditionFailure("no range: \(first) to \(last)") }
        return range
    }

    /// One of each, octet by octet as Core Vol 3 Part F 3.4 has them.
    static let samples: [(pdu: ATTPDU, octets: [UInt8])] = [
        (.errorResponse(request: 0x08, handle: 0x0102, .attributeNotFound), hex("01 08 0201 0A")),
        (.errorResponse(request: 0x02, handle: 0, .requestNotSupported), hex("01 02 0000 06")),
        (.exchangeMTURequest(517), hex("02 0502")),
        (.exchangeMTUResponse(23), hex("03 1700")),
        (.findInformationRequest(range(0x0E, 0xFFFF)), hex("04 0E00 FFFF")),
        (
            .findInformationResponse([AttributeValue(0x0E, [0x02, 0x29]), AttributeValue(0x0F, [0x01, 0x29])]),
            hex("05 01 0E00 0229 0F00 0129")
        ),
        (
            .findInformationResponse([AttributeValue(3, BluetoothUUID(0x2902).longAttribute)]),
            hex("05 02 0300 FB349B5F80000080 0010000002290000")
        ),
        (
            .findByTypeValueRequest(.all, type: 0x2800, value: [0x28, 0x18]),
            hex("06 0100 FFFF 0028 2818")
        ),
        (.findByTypeValueResponse([range(1, 9), range(0x1234, 0xFFFF)]), hex("07 0100 0900 3412 FFFF")),
        (.readByTypeRequest(range(1, 9), type: .characteristic), hex("08 0100 0900 0328")),
        (
            .readByTypeRequest(range(1, 9), type: BluetoothUUID(Octets16(high: 0x0011_2233_4455_6677, low: 1))),
            hex("08 0100 0900 0100000000000000 7766554433221100")
        ),
        (
            .readByTypeResponse([
                AttributeValue(2, [0x04, 3, 0, 0xDD, 0x2A]), AttributeValue(4, [0x10, 5, 0, 0xDE, 0x2A]),
            ]),
            hex("09 07 0200 04 0300 DD2A 0400 10 0500 DE2A")
        ),
        (.readRequest(0x0203), hex("0A 0302")),
        (.readResponse([]), hex("0B")),
        (.readResponse([1, 2]), hex("0B 0102")),
        (.readBlobRequest(3, offset: 0x0116), hex("0C 0300 1601")),
        (.readBlobResponse([9]), hex("0D 09")),
        (.readByGroupTypeRequest(.all, type: .primaryService), hex("10 0100 FFFF 0028")),
        (
            .readByGroupTypeResponse([
                AttributeGroup(range(1, 5), [0, 0x18]), AttributeGroup(range(6, 0xFFFF), [0x28, 0x18]),
            ]),
            hex("11 06 0100 0500 0018 0600 FFFF 2818")
        ),
        (.writeRequest(AttributeValue(0x0F, [1, 0])), hex("12 0F00 0100")),
        (.writeResponse, hex("13")),
        (.writeCommand(AttributeValue(0x0C, [0x02, 0xFF])), hex("52 0C00 02FF")),
        (.notification(AttributeValue(0x0E, [0x01, 0xAA])), hex("1B 0E00 01AA")),
        (.indication(AttributeValue(8, [1, 0, 0xFF, 0xFF])), hex("1D 0800 0100 FFFF")),
        (.confirmation, hex("1E")),
        (
            .multipleNotification([AttributeValue(1, [7]), AttributeValue(2, []), AttributeValue(1, [8, 9])]),
            hex("23 0100 0100 07 0200 0000 0100 0200 0809")
        ),
    ]

    @Test("each PDU has the octets of the specification", arguments: samples.indices)
    func octets(place: Int) throws {
        let sample = Self.samples[place]
        #expect(sample.pdu.encoded == sample.octets)
        #expect(try ATTPDU(decoding: sample.octets) == sample.pdu)
        #expect(sample.pdu.opcode == sample.octets[0])
    }

    @Test(
        "what breaks its form is refused with the reason",
        arguments: [
            ("", .truncated(offset: 0, needed: 1)), ("FF", .unknownType(0xFF)), ("0E 0100 0200", .unknownType(0x0E)),
            ("01 08 0100", .truncated(offset: 4, needed: 1)), ("01 08 0100 0A 00", .trailing(offset: 5, count: 1)),
            ("02 17", .truncated(offset: 1, needed: 2)), ("03 1700 00", .trailing(offset: 3, count: 1)),
            ("04 0000 FFFF", .prohibited(field: "Starting Handle", value: 0)),
            ("04 0200 0100", .prohibited(field: "Starting Handle", value: 2)),
            ("04 0100 FFFF 00", .trailing(offset: 5, count: 1)), ("05", .truncated(offset: 1, needed: 1)),
            ("05 01", .length(2)), ("05 00 0100 0229", .prohibited(field: "Format", value: 0)),
            ("05 01 0000 0229", .prohibited(field: "Attribute Handle", value: 0)), ("05 01 0100 02", .length(5)),
            ("05 02 0100 0229", .length(6)), ("07", .length(1)), ("07 0100 09", .truncated(offset: 3, needed: 2)),
            ("07 0000 0900", .prohibited(field: "Starting Handle", value: 0)),
            ("08 0100 0900 032800", .length(8)), ("09", .truncated(offset: 1, needed: 1)), ("09 07", .length(2)),
            ("09 01 0100", .prohibited(field: "Length", value: 1)),
            ("09 00 0100", .prohibited(field: "Length", value: 0)), ("09 07 0200 04 0300 DD2A 04", .length(10)),
            ("0A 0000", .prohibited(field: "Attribute Handle", value: 0)), ("0A 01", .truncated(offset: 1, needed: 2)),
            ("0C 0100 00", .truncated(offset: 3, needed: 2)), ("11 06", .length(2)),
            ("11 03 010005", .prohibited(field: "Length", value: 3)),
            ("11 06 0200 0100 0018", .prohibited(field: "Starting Handle", value: 2)),
            ("11 06 0100 0500 0018 06", .length(9)), ("12 0F", .truncated(offset: 1, needed: 2)),
            ("13 00", .trailing(offset: 1, count: 1)), ("1B 0E", .truncated(offset: 1, needed: 2)),
            ("1B 0000 01", .prohibited(field: "Attribute Handle", value: 0)), ("1D", .truncated(offset: 1, needed: 2)),
            ("1E 00", .trailing(offset: 1, count: 1)), ("23", .length(1)), ("23 0100 0100 07", .length(6)),
            ("23 0100 0100 07 0200 0200 01", .truncated(offset: 10, needed: 2)),
            ("52", .truncated(offset: 1, needed: 2)),
        ] as [(String, DecodeError)]
    )
    func refused(octets: String, error: DecodeError) {
        #expect(throws: error) { try ATTPDU(decoding: hex(octets)) }
    }

    @Test("opcodes say what kind of PDU they begin, known or not")
    func kinds() {
        let kinds = (UInt8.min...UInt8.max).map { ATTPDU.kind(ofOpcode: $0) }
        #expect(kinds.filter { $0 == .response }.count == 13)
        #expect(kinds.filter { $0 == .notification }.count == 2)
        #expect(kinds.filter { $0 == .indication }.count == 1)
        #expect(kinds.filter { $0 == .confirmation }.count == 1)
        for opcode in [0x52, 0xD2, 0x40, 0xFF] { #expect(kinds[opcode] == .command) }
        for opcode in [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20, 0x24, 0xBF] {
            #expect(kinds[opcode] == .request)
        }
    }

    @Test("random octets that can be read are written the same", arguments: propertySeeds(20))
    func random(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var read = 0
        for _ in 0..<5_000 {
            let opcode = Self.samples.randomElement(using: &generator)?.octets.first ?? 0
            let octets =
                [opcode]
                + (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    UInt8.random(in: 0...(generator.chance(70) ? 8 : 255), using: &generator)
                }
            guard let pdu = try? ATTPDU(decoding: octets) else { continue }
            read += 1
            #expect(pdu.encoded == octets, "seed \(seed)")
        }
        #expect(read > 500)
    }

    @Test("UUIDs of both lengths are one")
    func uuids() throws {
        let proxy = BluetoothUUID(0x1828)
        #expect(proxy.description == "0x1828")
        #expect(BluetoothUUID(attribute: proxy.longAttribute) == proxy)
        #expect(BluetoothUUID(attribute: [0x28, 0x18]) == proxy)
        #expect(proxy.short == 0x1828)
        let own = BluetoothUUID(try #require(Octets16(hexadecimal: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")))
        #expect(own.short == nil)
        #expect(own.attribute == own.longAttribute)
        #expect(BluetoothUUID(attribute: own.attribute) == own)
        #expect(own.description == "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
        // 32 bits of the same base are no short form in attributes.
        #expect(BluetoothUUID(try #require(Octets16(hexadecimal: "00011828-0000-1000-8000-00805F9B34FB"))).short == nil)
        for count in [0, 1, 3, 4, 15, 17] {
            #expect(BluetoothUUID(attribute: [UInt8](repeating: 1, count: count)) == nil)
        }
    }
}
