import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("GATTClient and what the device says of its own accord")
struct GATTPeerTests {
    private static let dataOut: UInt16 = 0x0E

    @Test("a device that is a client too finds a server without attributes", arguments: 0...5)
    func client(steps: Int) {
        var conversation = Conversation()
        conversation.begin()
        for _ in 0..<steps { conversation.answer() }
        let before = conversation.sent.count
        let requests: [[UInt8]] = [
            [0x04, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0, 0x18], [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28],
            [0x0A, 3, 0], [0x0C, 3, 0, 22, 0], [0x0E, 3, 0, 5, 0], [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x12, 3, 0, 1],
            [0x16, 3, 0, 0, 0, 1], [0x18, 1], [0x20, 3, 0, 5, 0],
            // Opcodes that do not exist, and requests that break their form.
            [0x3F], [0x00], [0x9A, 1], [0x04], [0x0A],
        ]
        for request in requests {
            conversation.deliver(request)
            #expect(conversation.sent.last == [0x01, request[0], 0, 0, 0x06])
        }
        conversation.deliver([0x02, 0x64, 0])
        #expect(conversation.sent.last == [0x03, 0x05, 0x02])
        conversation.deliver([0x02, 0x64])
        #expect(conversation.sent.last == [0x01, 0x02, 0, 0, 0x04])
        #expect(conversation.sent.count == before + requests.count + 2)
        // Commands get no answer: Write Command, Signed Write Command, one that does not exist.
        for command in [[0x52, 3, 0, 1], [0xD2, 3, 0, 1], [0x7F]] as [[UInt8]] { conversation.deliver(command) }
        // Nor does a confirmation of what was never indicated.
        conversation.deliver([0x1E])
        #expect(conversation.sent.count == before + requests.count + 2)
        for _ in steps..<5 { conversation.answer() }
        #expect(conversation.packetSize != nil)
    }

    @Test("the exchange that the device begins counts for both directions")
    func sizes() {
        var server = ATTServer([.mesh(.proxy)])
        server.unsupported = [0x02]
        var conversation = Conversation(.proxy, server)
        conversation.begin()
        conversation.answer()
        conversation.deliver(.exchangeMTURequest(100))
        for _ in 0..<4 { conversation.answer() }
        #expect(conversation.packetSize == 97)
        conversation.deliver(.exchangeMTURequest(50))
        #expect(throws: Never.self) { try conversation.client.write([UInt8](repeating: 0, count: 97)) }
    }

    @Test("notifications on Data Out come through, others do not")
    func notifications() {
        var conversation = Conversation()
        conversation.open()
        conversation.deliver(.notification(AttributeValue(Self.dataOut, [1, 2, 3])))
        conversation.deliver(.notification(AttributeValue(0x0C, [4])))
        conversation.deliver(.notification(AttributeValue(Self.dataOut, [UInt8](repeating: 5, count: 512))))
        conversation.deliver(
            .multipleNotification([
                AttributeValue(Self.dataOut, [6]), AttributeValue(0x20, [7]), AttributeValue(Self.dataOut, [8]),
            ])
        )
        #expect(conversation.received == [[1, 2, 3], [UInt8](repeating: 5, count: 512), [6], [8]])
        #expect(conversation.client.ignored == 2)
        // Empty, longer than any value, without a handle, cut off.
        conversation.deliver(.notification(AttributeValue(Self.dataOut, [])))
        conversation.deliver(.notification(AttributeValue(Self.dataOut, [UInt8](repeating: 5, count: 513))))
        conversation.deliver([0x1B, 0x0E])
        conversation.deliver([0x23, 0x0E, 0, 1, 0, 1])
        conversation.deliver([0x23, 0x0E, 0, 1, 0, 1, 0x0E, 0, 2, 0, 1])
        #expect(conversation.received.count == 4)
        #expect(conversation.client.ignored == 7)
        #expect(conversation.failure == nil)
    }

    @Test("packets that come before the response to the subscription are kept, in order, and no more than a few")
    func early() {
        for count in [0, 1, 64, 65, 5_000] {
            var conversation = Conversation()
            conversation.begin()
            for _ in 0..<4 { conversation.answer() }
            #expect(conversation.sent.last?.first == 0x12)
            let packets = (0..<count).map { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            for packet in packets { conversation.deliver(.notification(AttributeValue(Self.dataOut, packet))) }
            #expect(conversation.outputs.isEmpty)
            #expect(conversation.client.ignored == max(0, count - 64))
            conversation.answer()
            #expect(
                conversation.outputs
                    == [.opened(maximumPacketSize: 512)] + packets.prefix(64).map { .received($0) }
            )
        }
    }

    @Test("thousands of notifications come through in order")
    func many() {
        var conversation = Conversation(.proxy, mtu: 69)
        conversation.open()
        let packets = (0..<5_000).map { number in
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 + number % 66)
        }
        for packet in packets { conversation.deliver(.notification(AttributeValue(Self.dataOut, packet))) }
        #expect(conversation.received == packets)
        #expect(conversation.client.ignored == 0)
    }

    @Test("indications are confirmed, whatever they are")
    func indications() {
        var conversation = Conversation()
        conversation.open()
        let before = conversation.sent.count
        // Of Data Out itself, of a range elsewhere, backwards, too short, too long, without a handle.
        let values: [[UInt8]] = [
            [0x1D, 0x0E, 0, 0x01, 0, 0xFF, 0xFF], [0x1D, 8, 0, 0x10, 0, 0xFF, 0xFF], [0x1D, 8, 0, 1, 0, 9, 0],
            [0x1D, 8, 0, 0x0F, 0, 0x0A, 0], [0x1D, 8, 0, 1, 0, 0xFF], [0x1D, 8, 0, 1, 0, 0xFF, 0xFF, 0], [0x1D],
        ]
        for value in values { conversation.deliver(value) }
        #expect(conversation.sent.dropFirst(before) == ArraySlice(values.map { _ in [0x1E] }))
        #expect(conversation.failure == nil)
        #expect(conversation.client.ignored == values.count)
    }

    @Test(
        "a change of the service ends the link",
        arguments: [(1, 0xFFFF), (0x0A, 0x0F), (0x0F, 0x0F), (1, 0x0A), (0x0C, 0x0D)] as [(UInt16, UInt16)]
    )
    func change(first: UInt16, last: UInt16) throws {
        let value: [UInt8] = [UInt8(first), 0, UInt8(last & 0xFF), UInt8(last >> 8)]
        for steps in 2...5 {
            var conversation = Conversation()
            conversation.begin()
            for _ in 0..<steps { conversation.answer() }
            conversation.deliver(.indication(AttributeValue(8, value)))
            #expect(conversation.sent.last == [0x1E])
            #expect(conversation.failure == .servicesChanged)
            #expect(conversation.failure.map(BearerError.init)?.message == "the device has changed its services")
            let before = conversation.outputs.count
            conversation.deliver(.notification(AttributeValue(Self.dataOut, [1])))
            #expect(conversation.outputs.count == before)
            #expect(try conversation.client.write([1]) == nil)
        }
        var early = Conversation()
        early.begin()
        early.answer()
        early.deliver(.indication(AttributeValue(8, value)))
        for _ in 0..<4 { early.answer() }
        #expect(early.packetSize != nil, "before the service was looked for, a change does not matter")
    }

    @Test("connecting twice, and PDUs before the connection, do nothing")
    func beforehand() {
        var client = GATTClient(service: .proxy)
        #expect(client.receive([0x03, 23, 0], at: .zero).isEmpty)
        #expect(client.advance(to: .distantFuture).isEmpty)
        #expect(client.nextDeadline == nil)
        #expect(client.connected(at: .zero).count == 1)
        #expect(client.connected(at: .zero).isEmpty)
    }
}
