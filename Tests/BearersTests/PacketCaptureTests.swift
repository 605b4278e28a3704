import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("Captures of packets")
struct PacketCaptureTests {
    /// A block of a pcapng file.
    private struct Block: Equatable {
        var type: UInt32
        var body: [UInt8]
    }

    /// The blocks of a file, whose lengths must agree at both ends.
    private static func blocks(of file: [UInt8]) throws -> [Block] {
        var blocks: [Block] = []
        var rest = file[...]
        while !rest.isEmpty {
            try #require(rest.count >= 12)
            let octets = Array(rest)
            let length = Int(number(octets, at: 4))
            try #require(length % 4 == 0 && length >= 12 && length <= octets.count)
            #expect(Int(number(octets, at: length - 4)) == length)
            blocks.append(Block(type: number(octets, at: 0), body: Array(octets[8..<length - 4])))
            rest = rest.dropFirst(length)
        }
        return blocks
    }

    private static func number(_ octets: [UInt8], at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(octets[offset + $1]) << (8 * UInt32($1)) }
    }

    private let link = LinkIdentifier(rawValue: 3)

    @Test("the header names the program and two interfaces")
    func header() throws {
        let blocks = try Self.blocks(of: PacketCapture.header(application: "meshplan 1"))
        #expect(blocks.map(\.type) == [0x0A0D_0D0A, 1, 1])
        #expect(Array(blocks[0].body.prefix(8)) == [0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0])
        #expect(blocks.dropFirst().map { $0.body[0] } == [252, 251])
    }

    @Test("a network PDU in one packet is the sample of the capture's format")
    func network() throws {
        var capture = PacketCapture(now: 1_800_000_000_000_000, at: Instant(microseconds: 500))
        let pdu = hex("6848cba437860e5673728a627fb938535508e21a6baf57")
        let octets = capture.sent([0] + pdu, on: link, at: Instant(microseconds: 1_500))
        let block = try required(try Self.blocks(of: octets).first)
        #expect(block.type == 6)
        #expect(Self.number(block.body, at: 0) == 0)
        let time = UInt64(Self.number(block.body, at: 4)) << 32 | UInt64(Self.number(block.body, at: 8))
        #expect(time == 1_800_000_000_001_000)
        let exported = hex("000c000c62746d6573682e6d7367000000000000") + pdu
        #expect(Self.number(block.body, at: 12) == UInt32(exported.count))
        #expect(Array(block.body[20..<20 + exported.count]) == exported)
        // The direction: outbound.
        let options = Array(block.body[(20 + (exported.count + 3) / 4 * 4)...])
        #expect(options == [2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("segments become one record, in each direction of each link")
    func segments() throws {
        var capture = PacketCapture(now: 0, at: .zero)
        let pdu = ProxyPDU(type: .network, payload: [UInt8](1...60))
        let packets = ProxySegmenter.packets(of: pdu, maximumSize: 20)
        #expect(packets.count == 4)
        let other = LinkIdentifier(rawValue: 4)
        for packet in packets.dropLast() {
            #expect(capture.received(packet, on: link, at: .zero).isEmpty)
            #expect(capture.sent(packet, on: link, at: .zero).isEmpty)
            #expect(capture.sent(packet, on: other, at: .zero).isEmpty)
        }
        let last = try required(packets.last)
        #expect(try Self.blocks(of: capture.received(last, on: link, at: .zero)).count == 1)
        #expect(try Self.blocks(of: capture.sent(last, on: link, at: .zero)).count == 1)
        #expect(try Self.blocks(of: capture.sent(last, on: other, at: .zero)).count == 1)
    }

    @Test("a peer's mistakes end no capture")
    func mistakes() throws {
        var capture = PacketCapture(now: 0, at: .zero)
        for packet in [[], [0], [0x80, 1], [0x40, 1], [0x40, 1], [0x3F, 9]] as [[UInt8]] {
            #expect(capture.received(packet, on: link, at: .zero).isEmpty)
        }
        #expect(!capture.received([0, 1, 2], on: link, at: .zero).isEmpty)
    }

    @Test("provisioning PDUs begin with the opening of a link and count their transactions")
    func provisioning() throws {
        var capture = PacketCapture(now: 0, at: .zero)
        let invite = try Self.blocks(of: capture.sent([3, 0, 0], on: link, at: .zero))
        #expect(invite.count == 2, "link open, invite")
        let answer = try Self.blocks(
            of: capture.received([3, 1] + Array(repeating: 0, count: 11), on: link, at: .zero)
        )
        #expect(answer.count == 1)
        // Behind the block's fields, the frame's header, address, AD head and link identifier stands the transaction.
        #expect([invite[1], answer[0]].map { $0.body[20 + 18] } == [0x00, 0x80])
        capture.closed(link)
        #expect(try Self.blocks(of: capture.sent([3, 0, 0], on: link, at: .zero)).count == 2)
    }
}
