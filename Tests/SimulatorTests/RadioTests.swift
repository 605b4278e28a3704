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
        let first = advertiser.send(transmit, at: .zero, AdvertisingRules(settings), using: &generator)
        let second = advertiser.send(transmit, at: .zero, AdvertisingRules(settings), using: &generator)
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
        let sent = (0..<6).map { _ in
            advertiser.send(transmit, at: .zero, AdvertisingRules(settings), using: &generator)
        }
        #expect(sent[0]?.copies.first == sent[1]?.copies.first)
        #expect(sent.map { $0 != nil } == [true, true, true, true, true, false])
        #expect(advertiser.dropped == 1)
        let later = Instant(microseconds: 60_000)
        #expect(advertiser.send(transmit, at: later, AdvertisingRules(settings), using: &generator) != nil)
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

@Suite("RadioPlace and RadioNeighbours")
struct RadioPlaceTests {
    private static let primary = NetKeyIndex.primary
    private static let guests = TestNetwork.netKey(1)

    /// Stations at places for so many hops, with bearings of their own; `root` is at level 0.
    private func stations(
        _ canRelay: [Bool],
        hops: Int,
        root: Int = 0,
        isOn: (Int) -> Bool = { _ in true },
        subnets: (Int) -> [NetKeyIndex] = { _ in [.primary] }
    ) -> [RadioStation] {
        var generator = SeededGenerator(seed: 5)
        let bearings = canRelay.map { _ in UInt16(truncatingIfNeeded: generator.next()) }
        let places = RadioPlace.spread(
            hops: hops,
            root: root,
            canRelay: canRelay,
            bearings: bearings,
            kept: canRelay.map { _ in nil }
        )
        return places.indices.map { node in
            RadioStation(place: places[node], subnets: subnets(node), isRelay: canRelay[node] && isOn(node))
        }
    }

    /// For each node how many hops it is from `root` in a subnet when relays forward; nil if it cannot be reached.
    private func distances(
        _ stations: [RadioStation],
        root: Int = 0,
        in subnet: NetKeyIndex = .primary
    ) -> [Int?] {
        let radio = RadioNeighbours(stations, root: root, copyLoss: 0.05)
        var distances: [Int?] = Array(repeating: nil, count: stations.count)
        distances[root] = 0
        var front = [root]
        var distance = 0
        while !front.isEmpty {
            distance += 1
            var next: [Int] = []
            for node in front where node == root || stations[node].isRelay && stations[node].subnets.contains(subnet) {
                for neighbour in radio.neighbours[node] where distances[neighbour.node] == nil {
                    guard stations[neighbour.node].subnets.contains(subnet) else { continue }
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
        for share in [1, 2, 4] {
            let canRelay = (0..<100).map { $0 % share == 0 }
            let distances = distances(stations(canRelay, hops: hops, root: 10), root: 10)
            #expect(distances.allSatisfy { $0 != nil })
            #expect(distances.compactMap { $0 }.max() == hops)
        }
    }

    @Test("Without enough nodes that can relay the network is flatter")
    func flat() {
        for relays in 0...2 {
            let distances = distances(stations((0..<12).map { $0 > 0 && $0 <= relays }, hops: 9))
            #expect(distances.compactMap { $0 }.count == 12)
            #expect(distances.compactMap { $0 }.max() == relays + 1)
        }
    }

    @Test("Whichever relays are switched off, one that is left in a subnet reaches all of it", arguments: [2, 3])
    func lastRelay(hops: Int) {
        let canRelay = (0..<40).map { $0 % 3 != 2 }
        for last in canRelay.indices.dropFirst() where canRelay[last] {
            let distances = distances(stations(canRelay, hops: hops, isOn: { $0 == last }))
            #expect(distances.allSatisfy { $0 != nil })
        }
    }

    @Test("A node hears relays of its own subnets, and where there are none the root with more losses")
    func subnets() throws {
        // Every fifth node is in the guests' subnet alone; node 1 carries both.
        let stations = stations(
            [Bool](repeating: true, count: 60),
            hops: 2,
            isOn: { $0 % 5 != 4 },
            subnets: { $0 == 0 || $0 == 1 ? [.primary, Self.guests] : $0 % 5 == 4 ? [Self.guests] : [.primary] }
        )
        let distances = distances(stations, in: Self.guests)
        for node in stations.indices where stations[node].subnets.contains(Self.guests) {
            #expect(distances[node] != nil)
        }
        var silent = stations
        silent[1].isRelay = false
        let radio = RadioNeighbours(silent, root: 0, copyLoss: 0.05)
        let far = try #require(
            silent.indices.first { silent[$0].subnets == [Self.guests] && silent[$0].place.level == 2 }
        )
        #expect(radio.neighbours[far].map(\.node) == [0])
        let loss = try #require(radio.neighbours[far][0].copyLoss)
        #expect(abs(loss - (1 - 0.95 * 0.6)) < 1e-9)
    }

    @Test("A thousand nodes have few links each, and those who stand in one direction hear each other's relays")
    func bounded() {
        let stations = stations([Bool](repeating: true, count: 1_000), hops: 3)
        let radio = RadioNeighbours(stations, root: 0, copyLoss: 0)
        let nearRoot = stations.count { $0.place.level == 1 }
        #expect(radio.neighbours[0].count == nearRoot)
        #expect(radio.links.count < 1_000 * (RadioNeighbours.relaysInward + RadioNeighbours.relaysBeside + 1))
        for (node, station) in stations.enumerated() where station.place.level == 3 {
            let inward = radio.neighbours[node].filter { stations[$0.node].place.level == 2 }
            #expect(inward.count >= RadioNeighbours.relaysInward)
            let nearest = stations.enumerated()
                .filter { $0.element.place.level == 2 }
                .map { RadioPlace.angle($0.element.place.bearing, station.place.bearing) }.sorted()
            let farthestHeard = nearest[RadioNeighbours.relaysInward - 1]
            let heard = inward.map { RadioPlace.angle(stations[$0.node].place.bearing, station.place.bearing) }.sorted()
            #expect(heard.prefix(RadioNeighbours.relaysInward).allSatisfy { $0 <= farthestHeard })
        }
    }

    @Test("Places that are kept stay, and who comes later fills the levels up")
    func kept() {
        let before = RadioPlace.spread(
            hops: 3,
            root: 0,
            canRelay: [Bool](repeating: true, count: 5),
            bearings: [1, 2, 3, 4, 5],
            kept: [RadioPlace?](repeating: nil, count: 5)
        )
        #expect(before.map(\.level) == [0, 1, 2, 3, 1])
        let after = RadioPlace.spread(
            hops: 3,
            root: 0,
            canRelay: [true, true, true, true, true, true, false],
            bearings: [9, 9, 9, 9, 9, 9, 9],
            kept: before + [nil, nil]
        )
        #expect(Array(after.prefix(5)) == before)
        #expect(after[5] == RadioPlace(level: 2, bearing: 9) && after[6] == RadioPlace(level: 3, bearing: 9))
    }

    @Test("Nobody, and a root that is not there, are no trouble")
    func empty() {
        #expect(RadioNeighbours([], root: 0, copyLoss: 0).links.isEmpty)
        #expect(RadioPlace.spread(hops: 3, root: 0, canRelay: [], bearings: [], kept: []).isEmpty)
        let alone = RadioPlace.spread(hops: 3, root: 0, canRelay: [false], bearings: [7], kept: [nil])
        #expect(alone == [RadioPlace(level: 0, bearing: 7)])
    }
}
