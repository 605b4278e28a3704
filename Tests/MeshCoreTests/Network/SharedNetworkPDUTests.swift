import TestSupport
import Testing

@testable import MeshCore

@Suite("A network PDU that many receive")
struct SharedNetworkPDUTests {
    /// Stacks that share their prepared keys, with addresses of their own.
    private func stacks(_ count: Int) -> [MeshStack] {
        let keys = Sample.keys()
        return (0..<count).map { number in
            var stack = Sample.stack(Sample.unicast(0x0100 + UInt16(number)))
            stack.keys = keys
            return stack
        }
    }

    @Test("Receivers with the same keys relay one PDU, which is the one that each would make alone")
    func relayed() throws {
        var client = Sample.stack(Sample.client)
        let octets = try client.send(Sample.message([1, 2, 3], ttl: 5), at: .zero).1.transmitted[0]
        var stacks = stacks(3)
        let shared = SharedNetworkPDU(octets)
        let first = stacks[0].receive(shared, at: .zero)
        let second = stacks[1].receive(shared, at: .zero)
        let relayed = try #require(first.relayed)
        #expect(second.relayed === relayed)
        #expect(first.destination == Sample.node.address && first.actions.isEmpty)
        let alone = stacks[2].receive(networkPDU: octets, at: .zero)
        #expect(alone == [.relay(relayed.octets, source: Sample.client, destination: Sample.node.address)])
        #expect(stacks[0].receive(shared, at: .zero).actions == [.dropped(.alreadySeen)])
    }

    @Test("Receivers at another IV index or with other keys get what they would find out themselves")
    func others() throws {
        var client = Sample.stack(Sample.client)
        let octets = try client.send(Sample.message([1, 2, 3], ttl: 5), at: .zero).1.transmitted[0]
        let shared = SharedNetworkPDU(octets)
        for round in 0..<2 {
            var stacks = stacks(4)
            // One ahead still accepts the index before; two ahead takes the PDU for one of its own index.
            stacks[1].ivIndex = IVIndex(value: Sample.ivIndex.value + 1)
            stacks[2].ivIndex = IVIndex(value: Sample.ivIndex.value + 2)
            stacks[3].keys = KeyRing()
            let refused: [StackAction?] = [
                nil, nil, .dropped(.network(.notAuthentic)), .dropped(.network(.unknownNID(0x68))),
            ]
            // The order in which they hear must not matter.
            for index in round == 0 ? [2, 3, 0, 1] : [1, 0, 3, 2] {
                var alone = stacks[index]
                let expected = alone.receive(networkPDU: octets, at: .zero)
                let reception = stacks[index].receive(shared, at: .zero)
                if let refusal = refused[index] {
                    #expect(reception.actions == [refusal] && expected == [refusal])
                    #expect(reception.relayed == nil)
                } else {
                    let relayed = try #require(reception.relayed)
                    #expect(
                        expected == [.relay(relayed.octets, source: Sample.client, destination: Sample.node.address)]
                    )
                }
            }
        }
    }

    @Test("A message to a group is delivered to each as if it had opened it alone; keys that do not open it stay out")
    func payload() throws {
        var client = Sample.stack(Sample.client)
        let message = OutgoingMessage(
            source: Sample.client,
            destination: .group(try #require(GroupAddress(rawValue: 0xC001))),
            payload: [0x82, 0x01],
            security: .application(Sample.appKeyIndex),
            ttl: 3
        )
        let octets = try client.send(message, at: .zero).1.transmitted[0]
        let shared = SharedNetworkPDU(octets)
        var stacks = stacks(3)
        stacks[2].keys.removeAppKey(Sample.appKeyIndex)
        for index in [2, 0, 1] {
            var alone = stacks[index]
            let expected = alone.receive(networkPDU: octets, at: .zero)
            let reception = stacks[index].receive(shared, at: .zero)
            #expect(reception.actions == Array(expected.dropLast()))
            #expect(reception.actions.delivered.map(\.payload) == (index == 2 ? [] : [[0x82, 0x01]]))
            #expect(stacks[index].replay.entries == alone.replay.entries)
        }
    }

    @Test(
        "What passes at the network layer does what the whole stack does with it",
        arguments: [0, 1, 2, 5] as [UInt8]
    )
    func passages(ttl: UInt8) throws {
        var client = Sample.stack(Sample.client)
        var message = Sample.message([1, 2, 3], ttl: ttl)
        let toNode = try client.send(message, at: .zero).1.transmitted[0]
        message.destination = .group(try #require(GroupAddress(rawValue: 0xC001)))
        message.security = .application(Sample.appKeyIndex)
        let toGroup = try client.send(message, at: .zero).1.transmitted[0]
        var stacks = stacks(6)
        // The destination, the source, one at another IV index, one further on, one without keys, and one other.
        stacks[0] = Sample.stack(Sample.node)
        stacks[1] = Sample.stack(Sample.client)
        stacks[2].ivIndex = IVIndex(value: Sample.ivIndex.value + 1)
        stacks[3].ivIndex = IVIndex(value: Sample.ivIndex.value + 2)
        stacks[4].keys = KeyRing()
        var alone = stacks
        var seen: Set<String> = []
        for octets in [toNode, toGroup, toNode, toGroup] {
            let shared = SharedNetworkPDU(octets)
            for index in [2, 0, 5, 1, 4, 3, 5] {
                let expected = alone[index].receive(networkPDU: octets, at: .zero)
                let isRefused = expected.allSatisfy { if case .dropped = $0 { true } else { false } }
                let passage = stacks[index].pass(shared)
                seen.insert("\(passage)")
                switch passage {
                case .over: #expect(isRefused, "stack \(index)")
                case .onward:
                    let onward = try #require(shared.onward)
                    let source = Sample.client
                    #expect(expected == [.relay(onward.octets, source: source, destination: shared.destination)])
                case .arrival:
                    let reception = stacks[index].receive(shared, at: .zero)
                    #expect(reception.actions == expected.filter { if case .relay = $0 { false } else { true } })
                    #expect((reception.relayed != nil) == (reception.actions.count < expected.count))
                }
            }
        }
        #expect(seen.count == (ttl >= 2 ? 3 : 2))
    }

    @Test("Digests tell octets apart that differ in one bit, in length or in order")
    func digests() {
        let octets = (0..<29).map { UInt8(truncatingIfNeeded: $0 * 37) }
        var seen: Set<UInt64> = [SharedNetworkPDU(octets).digest]
        #expect(SharedNetworkPDU(octets).digest == seen.first)
        var count = 1
        for index in octets.indices {
            for bit in 0..<8 {
                var other = octets
                other[index] ^= 1 << UInt8(bit)
                seen.insert(SharedNetworkPDU(other).digest)
                count += 1
            }
            seen.insert(SharedNetworkPDU(Array(octets.prefix(index))).digest)
            count += 1
        }
        seen.insert(SharedNetworkPDU(octets.reversed()).digest)
        #expect(seen.count == count + 1)
    }
}

@Suite("The network message cache as a table")
struct NetworkMessageCacheTests {
    @Test("It answers like a plain list of the last PDUs", arguments: [1, 2, 7, 64])
    func likeAList(capacity: Int) {
        var cache = NetworkMessageCache(capacity: capacity)
        var list: [UInt32] = []
        var state: UInt64 = 1
        for _ in 0..<5_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let sequence = UInt32(state >> 40) % UInt32(2 * capacity + 1)
            let pdu = NetworkPDU(
                ivIndex: 4,
                isControl: false,
                ttl: 1,
                sequence: sequence,
                source: .first,
                destination: Address(rawValue: 2),
                transportPDU: [1]
            )
            let isNew = !list.contains(sequence)
            if isNew {
                list.append(sequence)
                if list.count > capacity { list.removeFirst() }
            }
            #expect(cache.insert(pdu) == isNew)
            #expect(cache.count == list.count)
        }
        cache.removeAll()
        #expect(cache.count == 0)
    }

    @Test("Stacks that keep their caches together have each one of its own")
    func shared() {
        let caches = SharedRecency(members: 2, capacity: 3)
        var first = NetworkMessageCache(caches, member: 0)
        var second = NetworkMessageCache(caches, member: 1)
        var hint = 0
        #expect((1...4).allSatisfy { first.insert($0, hint: &hint) })
        #expect((1...4).map { first.contains($0, hint: &hint) } == [false, true, true, true])
        #expect(second.count == 0 && second.insert(2, hint: &hint) && !second.insert(2, hint: &hint))
        first.removeAll()
        #expect(first.count == 0 && second.count == 1 && second.contains(2, hint: &hint))
        #expect(NetworkMessageCache(caches, member: 1).count == 0, "a new stack begins empty")
    }
}

@Suite("The last keys that many members have seen")
struct SharedRecencyTests {
    @Test(
        "Each member remembers what it would remember alone, whatever they see in which order",
        arguments: [1, 5, 32]
    )
    func likeLists(capacity: Int) {
        let count = 130
        let recency = SharedRecency(members: count, capacity: capacity)
        var lists = [[UInt64]](repeating: [], count: count)
        var hints = [Int](repeating: 0, count: 200)
        var state: UInt64 = 7
        func number(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var disagreements = 0
        for step in 0..<30_000 {
            let member = number(below: count)
            // What is on air changes in time. Some members hear all of it, others more than that, or little.
            let index = (step / 200 + number(below: 40) * (member % 3)) % hints.count
            let key = UInt64(index + 1)
            if number(below: 1_000) == 0 {
                recency.forgetAll(of: member)
                lists[member] = []
            }
            // A hint may be old, and what it points to may belong to another key by now.
            if number(below: 2) == 0 { hints[index] = 0 }
            let isNew = !lists[member].contains(key)
            if recency.contains(key, member, hint: &hints[index]) == isNew { disagreements += 1 }
            if recency.insert(key, member, hint: &hints[index]) != isNew { disagreements += 1 }
            guard isNew else { continue }
            lists[member].append(key)
            if lists[member].count > capacity { lists[member].removeFirst() }
        }
        #expect(disagreements == 0)
        #expect(lists.indices.allSatisfy { recency.count(of: $0) == lists[$0].count })
        #expect(lists.contains { $0.count == capacity })
    }
}
