import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

/// Measured where the simulated air is busiest: every transmission that can be heard there counts, with its true length
/// and all of its copies.
@Suite("What counting hops takes of the air")
struct HopAirtimeTests {
    /// A survey of 100 nodes, and what it took.
    private struct Building: CustomStringConvertible {
        let result: HopSurveyResult
        /// How long the air was busy at the busiest place.
        let busiest: Duration
        /// How many nodes were measured right, and how many one hop wrong at most.
        let (exact, near): (Int, Int)

        /// The share of the air at the busiest place.
        var share: Double { Double(busiest.microseconds) / Double(result.elapsed.microseconds) }

        var description: String {
            "\(result.elapsed), \(share) at the busiest place, \(result.share) told, \(result.questions) questions, "
                + "\(result.answers) answers, \(exact) exact, \(near) within one"
        }

        /// - Parameters:
        ///   - spacing: one relay for so many nodes.
        ///   - depth: so many hops over the air.
        init(
            _ settings: WorldSettings,
            depth: Int,
            relayEvery spacing: Int,
            _ budget: HopBudget,
            seed: UInt64
        ) throws {
            var network = try House.network(lamps: 100)
            for place in network.nodes.indices where network.nodes[place].uuid != network.ownProvisioner {
                network.nodes[place].features.relay = place % spacing == 1 % spacing ? .enabled : .notSupported
            }
            var settings = settings
            settings.topology = .hops(depth)
            let site = try Site(lamps: 100, settings: settings, seed: seed, world: network, database: network)
            let (result, ending) = try site.execute { $0.surveyHops(budget) }
            #expect(ending == .completed)
            self.result = result
            busiest = site.world.airtime.values.max() ?? .zero
            let real = site.world.hopsFromClient()
            let errors = result.nodes.compactMap { uuid in
                real[uuid].flatMap { hops in result.sightings[uuid].map { abs($0.fewest - hops) } }
            }
            exact = errors.count { $0 == 0 }
            near = errors.count { $0 <= 1 }
        }
    }

    @Test(
        "100 nodes with ten relays: in three minutes, with a percent of the air, and nearly all hops exact",
        arguments: [false, true],
        [(2, 1), (3, 1), (3, 2)] as [(Int, UInt64)]
    )
    func tenRelays(isOffice: Bool, _ building: (depth: Int, seed: UInt64)) throws {
        let measured = try Building(
            isOffice ? .office : .ideal,
            depth: building.depth,
            relayEvery: 10,
            .airtime(0.01),
            seed: building.seed
        )
        let result = measured.result
        #expect(result.elapsed <= .seconds(180), "\(measured)")
        #expect(measured.share <= 0.01 && measured.share <= result.share && result.share <= 0.01, "\(measured)")
        #expect(measured.exact >= (isOffice ? 97 : 100) && measured.near == 100, "\(measured)")
    }

    @Test("Six hops deep it takes a little longer, or a little more of the air where every relay is heard")
    func deep() throws {
        let slow = try Building(.office, depth: 5, relayEvery: 10, .airtime(0.01), seed: 1)
        #expect(slow.share <= 0.01 && slow.result.share <= 0.01 && slow.result.elapsed <= .seconds(250), "\(slow)")
        // The Default TTL of 5 of those that are six hops away does not reach us.
        #expect(slow.result.sightings.count >= 81 && slow.exact >= slow.result.sightings.count - 3, "\(slow)")
        let timed = try Building(.office, depth: 5, relayEvery: 10, .time(.seconds(180)), seed: 1)
        #expect(timed.share <= 0.01 && timed.result.elapsed <= .seconds(180) && !timed.result.isCutShort, "\(timed)")
        #expect(timed.result.sightings.count >= 81 && timed.exact >= timed.result.sightings.count - 3, "\(timed)")
    }

    @Test("Where all 100 nodes relay, the share of the air is kept, and it takes longer")
    func allRelay() throws {
        let measured = try Building(.office, depth: 2, relayEvery: 1, .airtime(0.01), seed: 1)
        #expect(measured.share <= measured.result.share && measured.result.share <= 0.01, "\(measured)")
        #expect(measured.result.elapsed > .seconds(600), "\(measured)")
        #expect(measured.exact >= 97 && measured.near == 100, "\(measured)")
    }

    @Test("With a time, that is kept, and the air is told", arguments: [1, 10])
    func time(relayEvery spacing: Int) throws {
        let measured = try Building(.office, depth: 2, relayEvery: spacing, .time(.seconds(180)), seed: 1)
        #expect(measured.result.elapsed <= .seconds(180) && !measured.result.isCutShort, "\(measured)")
        #expect(measured.share <= measured.result.share, "\(measured)")
        #expect(measured.share < (spacing == 1 ? 0.05 : 0.01), "\(measured)")
        #expect(measured.exact >= 97, "\(measured)")
    }
}
