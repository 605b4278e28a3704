import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("The search for hops")
struct HopSearchTests {
    /// A network as a search sees it.
    private struct Field {
        /// The hops of each node.
        let hops: [Int]
        /// The Default TTL of nodes.
        var defaultTTL: UInt8 = 100
        /// By how much answers of a node go out with another TTL than it says.
        var error: (Int) -> Int = { _ in 0 }
        /// Whether a question, counted from 0, or its answer is lost.
        var isLost: (Int) -> Bool = { _ in false }
        /// How long an answer of a node takes.
        var delay: (Int) -> Duration = { _ in .milliseconds(200) }
        /// Whether nodes relay.
        var relays = true
        /// The nodes that sleep.
        var sleepers: Set<Int> = []

        private var nodes: [Node] {
            get throws {
                try hops.indices.map { number in
                    var node = Node(
                        uuid: DeviceUUID(rawValue: Octets16(high: 3, low: UInt64(number))),
                        name: "n\(number)",
                        unicastAddress: try required(UnicastAddress(rawValue: UInt16(number + 2))),
                        deviceKey: nil
                    )
                    node.features.relay = relays && !sleepers.contains(number) ? .enabled : .disabled
                    node.features.lowPower = sleepers.contains(number) ? .enabled : .notSupported
                    return node
                }
            }
        }

        /// Plays a search.
        ///
        /// - Returns: the hops that were measured, and the number of questions.
        func play() throws -> (hops: [Int?], questions: Int) {
            let nodes = try nodes
            let network = MeshNetwork(
                uuid: Octets16(high: 1, low: 1),
                name: "n",
                ivIndex: IVIndex(value: 0),
                netKeys: [],
                provisioners: [],
                ownProvisioner: DeviceUUID(rawValue: Octets16(high: 0, low: 0)),
                nodes: nodes
            )
            var now = Instant.zero
            var search = HopSearch(nodes, HopAirtime(network), HopPace(.airtime(1), at: now)) { _, _ in }
            var answers: [(at: Instant, place: Int)] = []
            for _ in 0..<100_000 {
                while let next = answers.indices.min(by: { answers[$0].at < answers[$1].at }), answers[next].at <= now {
                    let place = answers.remove(at: next).place
                    let ttl = hops[place] == 1 ? 0 : Int(defaultTTL) + error(place) - hops[place] + 1
                    search.answered(place, defaultTTL: defaultTTL, ttl: UInt8(clamping: ttl), least: 2, at: now)
                }
                switch search.next(at: now) {
                case .done:
                    let sightings = search.sightings
                    return (nodes.map { sightings[$0.uuid]?.fewest }, search.questions)
                case .wait(let instant): now = answers.map(\.at).min().map { min($0, instant) } ?? instant
                case .ask(let place, let ttl):
                    if Int(ttl) >= hops[place], !isLost(search.questions) {
                        answers.append((now.advanced(by: delay(place)), place))
                    }
                    search.sent(at: now)
                }
            }
            throw MissingValue()
        }
    }

    @Test("Every number of hops is found exactly, also between the TTLs of far rounds")
    func exact() throws {
        let hops = Array(1...40) + [5, 17, 23, 39]
        let found = try Field(hops: hops).play()
        #expect(found.hops == hops)
        #expect(found.questions < hops.count * 12)
    }

    @Test("Answers that go out with another TTL than the Default TTL do not deceive", arguments: [-3, 1, 2, 5])
    func otherTTL(_ error: Int) throws {
        let hops = [1, 2, 2, 3, 3, 4, 5, 6]
        #expect(try Field(hops: hops, error: { _ in error }).play().hops == hops)
    }

    @Test("One lost message does not make a node farther away", arguments: 0..<30)
    func lost(_ number: Int) throws {
        let hops = [1, 2, 2, 3, 3, 4, 4, 5]
        #expect(try Field(hops: hops, isLost: { $0 == number }).play().hops == hops)
    }

    @Test("Sleeping nodes are asked once for all, wherever they are, and have time to answer")
    func late() throws {
        let hops = [1, 2, 3, 4, 5, 3, 6]
        let found = try Field(
            hops: hops,
            delay: { $0 > 4 ? .seconds(7) : .milliseconds(200) },
            sleepers: [5, 6]
        ).play()
        #expect(found.hops == hops && found.questions == (1 + 1 + 2 + 3 + 4) + 2)
        // Two times, if the first answer takes too long.
        let slower = try Field(hops: hops, delay: { $0 > 4 ? .seconds(15) : .zero }, sleepers: [5, 6]).play()
        #expect(slower.hops == hops && slower.questions == (1 + 1 + 2 + 3 + 4) + 4)
    }

    @Test("Without relays nobody is looked for far away: one round and two last calls are enough")
    func noRelays() throws {
        let found = try Field(hops: [1, 2, 2, 200], relays: false).play()
        #expect(found.hops == [1, 2, 2, nil] && found.questions == 4 + 2)
    }
}
