import MeshCore
import Testing

@testable import Simulator

@Suite("Advertiser")
struct AdvertiserTests {
    private func settings(legacy: Bool = false, sets: Int = 1, queue: Int = 32) -> WorldSettings {
        var settings = WorldSettings.ideal
        settings.advertisingDelay = .milliseconds(5)...(.milliseconds(5))
        settings.isAdvertisingLegacy = legacy
        settings.advertisingSets = sets
        settings.advertisingQueue = queue
        return settings
    }

    @Test(
        "A PDU keeps an advertising set for C(I + 5) + 3.8 ms, an old controller for I + (C + 1)(I + 10) ms",
        arguments: [(0, false, 3_800), (1, false, 28_800), (2, false, 53_800), (2, true, 110_000)]
            as [(
                UInt8, Bool, Int64
            )]
    )
    func serviceTime(count: UInt8, legacy: Bool, expected: Int64) throws {
        let settings = settings(legacy: legacy)
        let transmit = try #require(TransmitParameters(count: count, steps: 1))
        var advertiser = Advertiser(sets: 1)
        var generator = SeededGenerator(seed: 1)
        let first = advertiser.send(transmit, at: .zero, settings: settings, using: &generator)
        let second = advertiser.send(transmit, at: .zero, settings: settings, using: &generator)
        #expect(first?.copies.count == Int(count) + 1)
        let start = try #require(first?.copies.first)
        let next = try #require(second?.copies.first)
        #expect(next.microseconds - start.microseconds == expected)
    }

    @Test("Several sets send at once, and a full queue drops")
    func queue() throws {
        let settings = settings(sets: 2, queue: 3)
        let transmit = TransmitParameters(octet: 0x0A)
        var advertiser = Advertiser(sets: 2)
        var generator = SeededGenerator(seed: 1)
        let sent = (0..<6).map { _ in advertiser.send(transmit, at: .zero, settings: settings, using: &generator) }
        #expect(sent[0]?.copies.first == sent[1]?.copies.first)
        #expect(sent.map { $0 != nil } == [true, true, true, true, true, false])
        #expect(advertiser.dropped == 1)
        let later = Instant(microseconds: 60_000)
        #expect(advertiser.send(transmit, at: later, settings: settings, using: &generator) != nil)
    }
}

@Suite("ConnectionEvents")
struct ConnectionEventsTests {
    @Test("Packets go out at the next events, a few at each, in order")
    func arrivals() {
        var direction = ConnectionEvents(interval: .milliseconds(15), packets: 2)
        let arrivals = (0..<5).map { _ in direction.arrival(of: Instant(microseconds: 1_000)).microseconds }
        #expect(arrivals == [15_000, 15_000, 30_000, 30_000, 45_000])
        #expect(direction.arrival(of: Instant(microseconds: 20_000)).microseconds == 45_000)
        #expect(direction.arrival(of: Instant(microseconds: 100_000)).microseconds == 105_000)
    }
}

@Suite("Interference")
struct InterferenceTests {
    @Test("A copy survives as exp(-0.752 ms · rate) says", arguments: [0.0, 75, 400, 2_000])
    func survival(rate: Double) {
        let exponent = 0.000_752 * rate
        // The series of exp, far enough for the exponents used.
        var term = 1.0
        var sum = 1.0
        for index in 1..<40 {
            term *= -exponent / Double(index)
            sum += term
        }
        #expect(abs(Interference.survival(eventsPerSecond: rate) - sum) < 0.001)
    }

    @Test("The load is what was heard in the last second")
    func load() {
        var load = AirLoad()
        for millisecond in 0..<1_000 {
            load.add(1, at: Instant(microseconds: Int64(millisecond) * 1_000))
        }
        let busy = load.eventsPerSecond(at: Instant(microseconds: 1_000_000))
        #expect(busy > 900 && busy < 1_100)
        #expect(load.eventsPerSecond(at: Instant(microseconds: 3_000_000)) == 0)
    }
}

@Suite("RadioNeighbours")
struct RadioNeighboursTests {
    /// For each node how many hops it is from `root` when relays forward; nil if it cannot be reached.
    private func distances(_ radio: RadioNeighbours, root: Int, isRelay: [Bool]) -> [Int?] {
        var distances: [Int?] = Array(repeating: nil, count: isRelay.count)
        distances[root] = 0
        var front = [root]
        var distance = 0
        while !front.isEmpty {
            distance += 1
            var next: [Int] = []
            for node in front where node == root || isRelay[node] {
                for neighbour in radio.neighbours[node] where distances[neighbour.node] == nil {
                    distances[neighbour.node] = distance
                    next.append(neighbour.node)
                }
            }
            front = next
        }
        return distances
    }

    @Test("Every node is reached, and the farthest is as far as asked for", arguments: [1, 2, 3, 6])
    func spread(hops: Int) {
        let isRelay = (0..<100).map { $0 % 4 == 1 }
        let radio = RadioNeighbours(hops: hops, root: 10, isRelay: isRelay)
        let distances = distances(radio, root: 10, isRelay: isRelay)
        #expect(distances.allSatisfy { $0 != nil })
        #expect(distances.compactMap { $0 }.max() == hops)
    }

    @Test("Without enough relays the network is flatter")
    func flat() {
        for relays in 0...2 {
            let isRelay = (0..<12).map { $0 > 0 && $0 <= relays }
            let radio = RadioNeighbours(hops: 9, root: 0, isRelay: isRelay)
            let distances = distances(radio, root: 0, isRelay: isRelay)
            #expect(distances.compactMap { $0 }.count == 12)
            #expect(distances.compactMap { $0 }.max() == relays + 1)
        }
    }

    @Test("Nobody, and a root that is not there, are no trouble")
    func empty() {
        #expect(RadioNeighbours(hops: 3, root: 0, isRelay: []).links.isEmpty)
        #expect(RadioNeighbours(hops: 3, root: 5, isRelay: [true]).links.isEmpty)
    }
}
