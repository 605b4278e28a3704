import TestSupport
import Testing

@testable import MeshCore

@Suite("Opcode")
struct OpcodeTests {
    @Test(
        "is one, two or three octets and leaves the parameters",
        arguments: [
            ("00 56", 0x00, 1), ("7e", 0x7E, 1), ("80 03 00 56", 0x8003, 2), ("bfff", 0xBFFF, 2),
            ("d5 0a 00 48", 0xD50A00, 3), ("ff ff ff", 0xFF_FFFF, 3),
        ] as [(String, UInt32, Int)]
    )
    func decodes(payload: String, rawValue: UInt32, size: Int) throws {
        var reader = ByteReader(hex(payload))
        let opcode = try Opcode(decoding: &reader)
        #expect(opcode.rawValue == rawValue)
        #expect(opcode.size == size)
        #expect(reader.offset == size)
        #expect(opcode.encoded + reader.readRest() == hex(payload))
        #expect(Opcode(rawValue: rawValue) == opcode)
    }

    @Test("0x7F is reserved")
    func refusesReserved() {
        #expect(throws: DecodeError.prohibited(field: "opcode", value: 0x7F)) {
            var reader = ByteReader([0x7F, 0x00])
            _ = try Opcode(decoding: &reader)
        }
    }

    @Test("missing octets are an error", arguments: ["", "80", "bf", "c0", "c00a"])
    func refusesTruncated(payload: String) {
        #expect(throws: DecodeError.self) {
            var reader = ByteReader(hex(payload))
            _ = try Opcode(decoding: &reader)
        }
    }

    @Test("numbers between the forms are none", arguments: [0x7F, 0x80, 0xFF, 0x7FFF, 0xC000, 0xBF_FFFF, 0x100_0000])
    func refusesNumbers(rawValue: UInt32) {
        #expect(Opcode(rawValue: rawValue) == nil)
    }

    @Test("a vendor opcode carries its company little-endian")
    func vendor() {
        #expect(Opcode(vendor: 0x15, company: 0x000A)?.encoded == hex("d50a00"))
        #expect(Opcode(vendor: 0x15, company: 0x000A)?.company == 0x000A)
        #expect(Opcode(vendor: 0x40, company: 0x000A) == nil)
        #expect(Opcode(rawValue: 0x8003)?.company == nil)
        #expect(Opcode(rawValue: 0x8003)?.description == "0x8003")
    }
}
