import TestSupport
import Testing

@testable import MeshCore

@Suite("Proxy segmentation")
struct ProxySegmentationTests {
    @Test("packets are those of the vectors", arguments: Vector.list("proxy", "sar"))
    func vectors(vector: Vector) throws {
        let pdu = ProxyPDU(type: .network, payload: vector.octets("pdu"))
        let packets = ProxySegmenter.packets(of: pdu, maximumSize: Int(vector.number("maxPacket")))
        #expect(packets == vector.list("packets"))
    }

    @Test("every size goes through every packet size", arguments: [2, 3, 7, 19, 20, 66, 500])
    func roundTrip(maximumSize: Int) throws {
        var reassembler = ProxyReassembler()
        for size in [1, 2, 5, 18, 19, 20, 29, 38, 39, 66, 127, 1024] {
            for type in ProxyPDU.MessageType.allCases {
                let pdu = ProxyPDU(type: type, payload: (0..<size).map { UInt8(truncatingIfNeeded: $0) })
                let packets = ProxySegmenter.packets(of: pdu, maximumSize: maximumSize)
                #expect(packets.allSatisfy { (2...maximumSize).contains($0.count) })
                for packet in packets.dropLast() { #expect(try reassembler.receive(packet, at: .zero) == nil) }
                #expect(try reassembler.receive(try #require(packets.last), at: .zero) == pdu)
                #expect(reassembler.nextDeadline == nil)
            }
        }
    }

    @Test(
        "a peer that breaks the rules is told apart, and the next message works",
        arguments: [
            ([""], .malformed(.truncated(offset: 0, needed: 1))),
            (["00"], .malformed(.truncated(offset: 1, needed: 1))),
            (["8001"], .unexpectedSegment),
            (["c001"], .unexpectedSegment),
            (["4001", "4001"], .interrupted),
            (["4001", "0001"], .interrupted),
            (["4001", "8101"], .typeChanged),
            (["4001", "8001", "c201"], .typeChanged),
            (["4401", "8001"], .typeChanged),
        ] as [([String], ProxyProtocolError)]
    )
    func errors(packets: [String], error: ProxyProtocolError) throws {
        var reassembler = ProxyReassembler()
        for packet in packets.dropLast() { #expect(try reassembler.receive(hex(packet), at: .zero) == nil) }
        #expect(throws: error) { try reassembler.receive(hex(packets.last ?? ""), at: .zero) }
        #expect(try reassembler.receive([0x01, 0xAA], at: .zero) == ProxyPDU(type: .beacon, payload: [0xAA]))
    }

    @Test("messages of types reserved for future use are ignored, whole or in parts")
    func futureTypes() throws {
        var reassembler = ProxyReassembler()
        for packet in ["0401", "3f01", "4401", "8402", "c403"] {
            #expect(try reassembler.receive(hex(packet), at: .zero) == nil)
        }
        #expect(reassembler.nextDeadline == nil)
        #expect(try reassembler.receive([0x01, 0xAA], at: .zero) == ProxyPDU(type: .beacon, payload: [0xAA]))
    }

    @Test("a message is never put together beyond its bound")
    func bounded() throws {
        var reassembler = ProxyReassembler()
        _ = try reassembler.receive([0x40] + [UInt8](repeating: 0, count: 1000), at: .zero)
        #expect(throws: ProxyProtocolError.tooLong) {
            try reassembler.receive([0x80] + [UInt8](repeating: 0, count: 25), at: .zero)
        }
        #expect(throws: ProxyProtocolError.tooLong) {
            try reassembler.receive([0x00] + [UInt8](repeating: 0, count: 1025), at: .zero)
        }
    }

    @Test("20 seconds after the first segment a message is over")
    func timeout() throws {
        var reassembler = ProxyReassembler()
        let start = Instant(microseconds: 5_000_000)
        _ = try reassembler.receive([0x40, 1], at: start)
        let deadline = start.advanced(by: .seconds(20))
        #expect(reassembler.nextDeadline == deadline)
        _ = try reassembler.receive([0x80, 2], at: Instant(microseconds: deadline.microseconds - 1))
        #expect(reassembler.nextDeadline == deadline)
        #expect(throws: ProxyProtocolError.timedOut) { try reassembler.receive([0xC0, 3], at: deadline) }
        #expect(reassembler.nextDeadline == nil)
        try reassembler.advance(to: .distantFuture)
    }
}

@Suite("Proxy filter")
struct ProxyFilterTests {
    private let one = Address(rawValue: 0x0001)
    private let group = Address(rawValue: 0xC000)

    @Test("lets nothing pass at first")
    func empty() {
        let filter = ProxyFilter()
        #expect(!filter.passes(one))
        #expect(!filter.passes(group))
    }

    @Test("an accept list passes what it names, and answers with its size")
    func acceptList() {
        var filter = ProxyFilter()
        #expect(
            filter.handle(.addAddresses([one, group, one, .unassigned])) == .filterStatus(.acceptList, listSize: 2)
        )
        #expect(filter.passes(one))
        #expect(filter.passes(group))
        #expect(filter.handle(.removeAddresses([one])) == .filterStatus(.acceptList, listSize: 1))
        #expect(!filter.passes(one))
        #expect(filter.addresses == [group])
    }

    @Test("a new type empties the list")
    func setType() {
        var filter = ProxyFilter()
        _ = filter.handle(.addAddresses([one]))
        #expect(filter.handle(.setFilterType(.rejectList)) == .filterStatus(.rejectList, listSize: 0))
        #expect(filter.passes(one))
        _ = filter.handle(.addAddresses([one]))
        #expect(!filter.passes(one))
        #expect(filter.passes(group))
        #expect(filter.handle(.setFilterType(.acceptList)) == .filterStatus(.acceptList, listSize: 0))
        #expect(!filter.passes(one))
    }

    @Test("what the client sends from can be answered")
    func implicit() {
        var filter = ProxyFilter()
        filter.clientSent(from: .first)
        #expect(filter.passes(one))
        _ = filter.handle(.setFilterType(.rejectList))
        _ = filter.handle(.addAddresses([one]))
        filter.clientSent(from: .first)
        #expect(filter.passes(one))
    }

    @Test("holds no more than its capacity and says so")
    func capacity() {
        var filter = ProxyFilter(capacity: 2)
        let status = filter.handle(.addAddresses([one, group, Address(rawValue: 0xC001)]))
        #expect(status == .filterStatus(.acceptList, listSize: 2))
        #expect(!filter.passes(Address(rawValue: 0xC001)))
        filter.clientSent(from: .last)
        #expect(filter.addresses == [one, group])
    }

    @Test("takes no messages of servers")
    func refuses() {
        var filter = ProxyFilter()
        #expect(filter.handle(.filterStatus(.rejectList, listSize: 0)) == nil)
        #expect(filter.type == .acceptList)
    }
}
