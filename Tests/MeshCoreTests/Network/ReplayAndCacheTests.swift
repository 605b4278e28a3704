import TestSupport
import Testing

@testable import MeshCore

@Suite("Replay protection and network message cache")
struct ReplayAndCacheTests {
    @Test("a message that comes by two ways is handled once")
    func cache() throws {
        var client = Sample.stack(Sample.client)
        var node = Sample.stack(Sample.node)
        let pdu = try client.send(Sample.message([1, 2, 3]), at: .zero).1.transmitted[0]
        #expect(node.receive(networkPDU: pdu, at: .zero).delivered.count == 1)
        #expect(node.receive(networkPDU: pdu, at: .zero) == [.dropped(.alreadySeen)])
    }

    @Test("a replay after a restart is refused by the stored list")
    func replay() throws {
        var client = Sample.stack(Sample.client, next: 10)
        var node = Sample.stack(Sample.node)
        let old = try client.send(Sample.message([1, 2, 3]), at: .zero).1.transmitted[0]
        let new = try client.send(Sample.message([4, 5, 6]), at: .zero).1.transmitted[0]
        #expect(node.receive(networkPDU: new, at: .zero).delivered.count == 1)
        #expect(node.receive(networkPDU: old, at: .zero) == [.dropped(.replayed)])

        let stored = node.replay.entries
        #expect(stored == [.init(source: Sample.client, ivIndex: 0x1234_5678, sequence: 11)])
        var restarted = Sample.stack(Sample.node, replay: ReplayProtection(stored))
        #expect(restarted.receive(networkPDU: new, at: .zero) == [.dropped(.replayed)])
        let newer = try client.send(Sample.message([7]), at: .zero).1.transmitted[0]
        #expect(restarted.receive(networkPDU: newer, at: .zero).delivered.count == 1)
    }

    @Test("a segmented message cannot be replayed, not even from its retransmissions")
    func replaySegments() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        let first = try client.send(Sample.message([UInt8](0..<30)), at: .zero).1.transmitted
        let second = client.advance(to: .ms(400)).transmitted
        #expect(second.count == 3)
        #expect(first.flatMap { node.receive(networkPDU: $0, at: .zero) }.delivered.count == 1)
        var restarted = Sample.stack(Sample.node, replay: ReplayProtection(node.replay.entries))
        let replayed = (first + second).flatMap { restarted.receive(networkPDU: $0, at: .ms(1)) }
        #expect(replayed == [StackAction](repeating: .dropped(.replayed), count: 6))
    }

    @Test("unsegmented messages between segments do no harm")
    func interleaved() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        let segments = try client.send(Sample.message([UInt8](0..<30)), at: .zero).1.transmitted
        let single = try client.send(Sample.message([1, 2]), at: .zero).1.transmitted[0]
        var actions = node.receive(networkPDU: segments[0], at: .zero)
        actions += node.receive(networkPDU: single, at: .zero)
        actions += segments.dropFirst().flatMap { node.receive(networkPDU: $0, at: .zero) }
        #expect(actions.delivered.map(\.payload.count) == [2, 30])
        #expect(node.replay[Sample.client]?.sequence == 3)
    }

    @Test("a message whose first segments were lost gets through behind later messages, once")
    func overtaken() throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        let lost = try client.send(Sample.message([UInt8](0..<30)), at: .zero).1.transmitted
        let single = try client.send(Sample.message([1, 2]), at: .zero).1.transmitted[0]
        #expect(node.receive(networkPDU: single, at: .ms(1)).delivered.count == 1)
        #expect(node.receive(networkPDU: lost[0], at: .ms(2)) == [.dropped(.replayed)], "a segment held back is old")
        let again = client.advance(to: .ms(400)).transmitted
        #expect(again.flatMap { node.receive(networkPDU: $0, at: .ms(401)) }.delivered.count == 1)

        var restarted = Sample.stack(Sample.node, replay: ReplayProtection(node.replay.entries))
        let replayed = again.flatMap { restarted.receive(networkPDU: $0, at: .ms(402)) }
        #expect(replayed == [StackAction](repeating: .dropped(.replayed), count: 3))
    }

    @Test("once a newer IV index was heard from a source, its older messages are replays")
    func ivIndexOrder() {
        var list = ReplayProtection()
        list.record(.first, ivIndex: 5, sequence: 900)
        #expect(list.verdict(.first, ivIndex: 6, sequence: 0) == .accepted)
        list.record(.first, ivIndex: 6, sequence: 0)
        #expect(list.verdict(.first, ivIndex: 5, sequence: 0xFF_FFFF) == .replayed)
        #expect(list.verdict(.first, ivIndex: 6, sequence: 0) == .replayed)
        list.record(.first, ivIndex: 5, sequence: 7)
        #expect(list[.first]?.ivIndex == 6)
    }

    @Test("a full list drops new sources and keeps the known ones")
    func full() {
        var list = ReplayProtection(capacity: 2)
        list.record(Sample.unicast(1), ivIndex: 0, sequence: 1)
        list.record(Sample.unicast(2), ivIndex: 0, sequence: 1)
        #expect(list.verdict(Sample.unicast(3), ivIndex: 0, sequence: 1) == .full)
        #expect(list.verdict(Sample.unicast(2), ivIndex: 0, sequence: 2) == .accepted)
        list.record(Sample.unicast(3), ivIndex: 0, sequence: 1)
        #expect(list.entries.map(\.source) == [Sample.unicast(1), Sample.unicast(2)])
        list.remove(Sample.unicast(1))
        #expect(list.verdict(Sample.unicast(3), ivIndex: 0, sequence: 1) == .accepted)
    }

    @Test("a message that nothing opens does not move the list")
    func undecryptable() throws {
        var client = Sample.stack(Sample.client)
        client.keys.setDeviceKey(Sample.appKey, of: Sample.node)
        var node = Sample.stack(Sample.node)
        let pdu = try client.send(Sample.message([1, 2, 3]), at: .zero).1.transmitted[0]
        #expect(node.receive(networkPDU: pdu, at: .zero) == [.dropped(.undecryptable)])
        #expect(node.replay.entries.isEmpty)
    }

    @Test("what is not authentic does not keep what follows from being read", arguments: [2, 30])
    func afterForgery(size: UInt8) throws {
        var client = Sample.stack(Sample.client)
        client.sar.segmentInterval = .zero
        var node = Sample.stack(Sample.node)
        for number in 0..<3 as Range<Int64> {
            let at = Instant.ms(number * 10_000)
            let (identifier, actions) = try client.send(Sample.message([UInt8](0..<size)), at: at)
            client.cancel(identifier)
            let forged = actions.transmitted.map { Array($0.dropLast()) + [($0.last ?? 0) ^ 1] }
            for pdu in forged {
                #expect(node.receive(networkPDU: pdu, at: at) == [.dropped(.network(.notAuthentic))])
            }
            let received = actions.transmitted.flatMap { node.receive(networkPDU: $0, at: at) }
            #expect(received.delivered.map(\.payload.count) == [Int(size)])
        }
    }

    @Test("a message of another device key does not keep what follows from being read")
    func afterWrongDeviceKey() throws {
        var stranger = Sample.stack(Sample.client)
        stranger.keys.setDeviceKey(Sample.appKey, of: Sample.node)
        var client = Sample.stack(Sample.client, next: 10)
        var node = Sample.stack(Sample.node)
        let wrong = try stranger.send(Sample.message([1]), at: .zero).1.transmitted[0]
        #expect(node.receive(networkPDU: wrong, at: .zero) == [.dropped(.undecryptable)])
        let right = try client.send(Sample.message([1]), at: .zero).1.transmitted[0]
        #expect(node.receive(networkPDU: right, at: .zero).delivered.count == 1)
    }

    @Test("the cache forgets the oldest when it is full")
    func bounded() {
        var cache = NetworkMessageCache(capacity: 3)
        func pdu(_ sequence: UInt32, ivIndex: UInt32 = 4) -> NetworkPDU {
            NetworkPDU(
                ivIndex: ivIndex,
                isControl: false,
                ttl: 1,
                sequence: sequence,
                source: .first,
                destination: Address(rawValue: 2),
                transportPDU: [1]
            )
        }
        let pdus = [pdu(0), pdu(1), pdu(2), pdu(0), pdu(0, ivIndex: 5), pdu(0), pdu(2)]
        // The fifth takes the place of the first, which is new again then.
        #expect(pdus.map { cache.insert($0) } == [true, true, true, false, true, true, false])
        #expect(cache.count == 3)
    }

    @Test("a recovery of an even number of IV indexes does not make new PDUs look seen")
    func cacheAfterRecovery() throws {
        var client = Sample.stack(Sample.client)
        var node = Sample.stack(Sample.node)
        for value in [Sample.ivIndex.value, Sample.ivIndex.value + 2] {
            client.ivIndex = IVIndex(value: value)
            node.ivIndex = IVIndex(value: value)
            let pdu = try client.send(Sample.message([1, 2, 3]), at: .zero).1.transmitted[0]
            #expect(node.receive(networkPDU: pdu, at: .zero).delivered.map(\.sequence) == [0])
        }
    }

    @Test("own PDUs that come back are dropped, and none is relayed to its sender")
    func echo() throws {
        var client = Sample.stack(Sample.client)
        let pdu = try client.send(Sample.message([1, 2, 3]), at: .zero).1.transmitted[0]
        #expect(client.receive(networkPDU: pdu, at: .zero) == [.dropped(.ownSource)])
    }

    @Test("a PDU is relayed from TTL 2 on, and not past its destination", arguments: [0, 1, 2, 127] as [UInt8])
    func relay(ttl: UInt8) throws {
        var client = Sample.stack(Sample.client)
        let pdu = try client.send(Sample.message([1, 2, 3], ttl: ttl), at: .zero).1.transmitted[0]
        var relay = Sample.stack(Sample.unicast(0x0100))
        let actions = relay.receive(networkPDU: pdu, at: .zero)
        if ttl < 2 {
            #expect(actions.isEmpty)
        } else {
            guard case .relay(let bytes, Sample.client, Sample.node.address) = actions.first, actions.count == 1 else {
                Issue.record("\(actions)")
                return
            }
            #expect(try relay.decode(networkPDU: bytes).pdu.ttl == ttl - 1)
        }
        var node = Sample.stack(Sample.node)
        #expect(node.receive(networkPDU: pdu, at: .zero).count == 1)
    }
}
