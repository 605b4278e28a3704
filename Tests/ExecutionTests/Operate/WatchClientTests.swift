import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("A client that watches")
struct WatchClientTests {
    private let onOff: [UInt8] = [0x82, 0x04, 0x01]

    private func group(_ number: UInt16) throws -> Destination { .group(try required(GroupAddress(rawValue: number))) }

    @Test("It keeps a link without any request, and hears the groups that it asked the proxy for, and us")
    func groupFilter() throws {
        let field = try WatchedProxy()
        field.watch([0xC001, 0xC002])
        try field.run(for: .seconds(5))
        #expect(field.links == 1 && field.coverage == .listed(3))
        for destination in [0xC001, 0xC002, 0xC003] as [UInt16] { try field.say(onOff, to: group(destination)) }
        try field.say(onOff, to: .unicast(unicast(0x0001)), element: 1)
        #expect(field.messages.map(\.destination.rawValue) == [0xC001, 0xC002, 0x0001])
        #expect(field.messages.map(\.source.rawValue) == [0x0010, 0x0010, 0x0011])
        try field.run(for: .seconds(600))
        #expect(field.links == 1, "nobody takes the link away")
        let entry = try required(field.client.takeReplayEntries().first { $0.source.rawValue == 0x0011 })
        #expect(entry.ivIndex == 5, "what was accepted can be stored against replays")
    }

    @Test("What is heard twice is told once, whether the same PDU or a replay of it")
    func duplicates() throws {
        let field = try WatchedProxy()
        field.watch([0xC001])
        try field.run(for: .seconds(5))
        let first = try required(field.say(onOff, to: group(0xC001)).first)
        #expect(field.messages.count == 1)
        field.notify(.network, first)
        field.hear(first)
        try field.say(onOff, to: group(0xC001))
        field.notify(.network, first)
        #expect(field.messages.count == 2)
    }

    @Test("A message to a group in segments is put together, and so is one to a virtual address with a known label")
    func segments() throws {
        let label = LabelUUID(rawValue: Octets16(high: 0x1234, low: 0x5678))
        let field = try WatchedProxy(label: label)
        field.watch([0xC001, label.virtualAddress.rawValue], labels: [label])
        try field.run(for: .seconds(5))
        let long = [UInt8](repeating: 0x5A, count: 60)
        try field.say([0xC1, 0x59, 0x00] + long, to: group(0xC001))
        try field.run(for: .seconds(5))
        #expect(field.messages.map(\.payload) == [[0xC1, 0x59, 0x00] + long])
        #expect(field.messages.first?.isSegmented == true)
        try field.say(onOff, to: .virtual(label))
        #expect(field.messages.last?.label == label)
    }

    @Test("Heartbeats have the hops, with the link of the proxy among them")
    func heartbeats() throws {
        let field = try WatchedProxy()
        field.watch([0xFFFF])
        try field.run(for: .seconds(5))
        try field.heartbeat(to: 0xFFFF, initialTTL: 7, hopsToProxy: 1)
        try field.heartbeat(to: 0xFFFF, initialTTL: 7, hopsToProxy: 3)
        let reader = WatchReader(try House.network(lamps: 1))
        let heartbeats = field.heard.compactMap { event -> WatchedHeartbeat? in
            guard case .heartbeat(let heartbeat, let message) = event else { return nil }
            return reader.read(heartbeat, in: message)
        }
        #expect(heartbeats.map(\.hops) == [2, 4])
        #expect(heartbeats.allSatisfy { $0.features == [.relay, .proxy] && $0.place?.node == 1 })
    }

    @Test("A proxy with a small list passes on everything instead, and says how much room there was")
    func smallFilter() throws {
        let field = try WatchedProxy(capacity: 3)
        field.watch([0xC001, 0xC002, 0xC003, 0xC004])
        try field.run(for: .seconds(20))
        #expect(field.coverage == .everything(room: 3))
        try field.say(onOff, to: group(0xC004))
        #expect(field.messages.count == 1)
    }

    @Test("A lost link is followed by another, whose filter is set again; who gives up can be told to go on")
    func lostLink() throws {
        let field = try WatchedProxy()
        field.watch([0xC001])
        try field.run(for: .seconds(5))
        field.dropLink()
        #expect(field.losses == ["out of range"])
        try field.run(for: .seconds(20))
        #expect(field.links == 2)
        try field.say(onOff, to: group(0xC001))
        #expect(field.messages.count == 1)
        field.isInReach = false
        field.dropLink()
        try field.run(for: .seconds(300))
        #expect(field.losses.last == "nobody there, for good")
        #expect(field.client.nextDeadline == nil)
        field.isInReach = true
        field.watch([0xC001])
        try field.run(for: .seconds(20))
        try field.say(onOff, to: group(0xC001))
        #expect(field.links == 3 && field.messages.count == 2)
    }

    @Test("Without a wish nothing is connected to, and nothing is told")
    func noWish() throws {
        let field = try WatchedProxy()
        try field.run(for: .seconds(60))
        #expect(field.links == 0 && field.heard.isEmpty)
    }
}
