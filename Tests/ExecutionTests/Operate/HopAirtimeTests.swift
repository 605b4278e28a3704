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
    private struct Building {
        let result: HopSurveyResult
        /// How long the air was busy at the busiest place.
        let busiest: Duration
        /// How many nodes were measured right, and how many one hop wrong at most.
        let (exact, near): (Int, Int)

        /// The share of the air at the busiest place.
        var share: Double { Double(busiest.microseconds) / Double(result.elapsed.microseconds) }

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
                network.nodes[place].features.relay = place % spacing == 1 % spacing ? .enabled : .disabled
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
            print(
                "FIGURES depth \(depth) every \(spacing) seed \(seed) \(budget): \(result.elapsed) busiest \(share) told \(result.share) questions \(result.questions) answers \(result.answers) exact \(exact) near \(near) max \(real.values.max() ?? 0)"
            )
        }
    }

    @Test(
        "100 nodes with ten relays: in three minutes, with a percent of the air, and nearly all hops exact",
        arguments: [WorldSettings.ideal, .office],
        [(2, 1), (3, 2), (5, 3)] as [(Int, UInt64)]
    )
    func tenRelays(_ settings: WorldSettings, _ building: (depth: Int, seed: UInt64)) throws {
        let measured = try Building(
            settings,
            depth: building.depth,
            relayEvery: 10,
            .airtime(0.01),
            seed: building.seed
        )
        let result = measured.result
        #expect(result.elapsed <= .seconds(180))
        #expect(measured.share <= 0.01 && measured.share <= result.share && result.share <= 0.0101)
        #expect(measured.exact >= (settings == .ideal ? 100 : 97) && measured.near == 100)
    }

    @Test("Where all 100 nodes relay, the share of the air is kept, and it takes longer")
    func allRelay() throws {
        let measured = try Building(.office, depth: 2, relayEvery: 1, .airtime(0.01), seed: 1)
        #expect(measured.share <= 0.01 && measured.share <= measured.result.share)
        #expect(measured.result.elapsed > .seconds(600))
        #expect(measured.exact >= 97 && measured.near == 100)
    }

    @Test("With a time, that is kept, and the air is told", arguments: [1, 10])
    func time(relayEvery spacing: Int) throws {
        let measured = try Building(.office, depth: 2, relayEvery: spacing, .time(.seconds(180)), seed: 1)
        #expect(measured.result.elapsed <= .seconds(181) && !measured.result.isCutShort)
        #expect(measured.share <= measured.result.share)
        #expect(measured.exact >= 95)
    }
}
