import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

/// Measured where the simulated air is busiest: every transmission that can be heard there counts, with its true length
/// and all of its copies, whether it is a heartbeat, a request or an answer.
@Suite("What counting hops takes of the air")
struct HopAirtimeTests {
    /// A survey of 100 nodes over the radio of an office, and what it took.
    private struct Office {
        let network: MeshNetwork
        let result: HopSurveyResult
        /// How long the air was busy at the busiest place.
        let busiest: Duration
        /// How much of that was busy before anybody was asked for heartbeats.
        let reading: Duration
        /// The hops as they are, and as they were measured, of nodes that were heard.
        let hops: [(real: Int, measured: Int)]

        /// The share of the air at the busiest place.
        var share: Double { Double(busiest.microseconds) / Double(result.elapsed.microseconds) }

        /// - Parameter spacing: one relay for so many nodes.
        init(relayEvery spacing: Int, seed: UInt64) throws {
            var network = try House.network(lamps: 100)
            for place in network.nodes.indices where network.nodes[place].uuid != network.ownProvisioner {
                network.nodes[place].features.relay = place % spacing == 1 % spacing ? .enabled : .disabled
            }
            self.network = network
            let site = try Site(lamps: 100, settings: .office, seed: seed, world: network, database: network)
            func most() -> Duration { site.world.airtime.values.max() ?? .zero }
            var reading = Duration.zero
            var options = HopSurveyOptions(duration: .seconds(180))
            options.spread(count: HopAirtime(network).heartbeats(ofEach: 100, within: .seconds(180)))
            let (result, ending) = try site.execute { executor in
                executor.surveyHops(options) { event in if case .declaring = event { reading = most() } }
            }
            #expect(ending == .completed)
            (self.result, self.reading, busiest) = (result, reading, most())
            let real = site.world.hopsFromClient()
            hops = result.sightings.compactMap { uuid, sighting in real[uuid].map { ($0, sighting.fewest) } }
        }
    }

    @Test("The upper bound that is told holds at the busiest place", arguments: [1, 10], [1, 2] as [UInt64])
    func bound(relayEvery spacing: Int, seed: UInt64) throws {
        let office = try Office(relayEvery: spacing, seed: seed)
        let result = office.result
        let told = HopAirtime(office.network).share(
            ofMessages: result.expectedHeartbeats + result.messages,
            within: result.elapsed
        )
        #expect(office.share <= told)
        // The bound is not much more than what is true where all nodes hear each other's relays.
        #expect(office.share > told / 3)
        #expect(result.messages >= 2 * 3 * 100 && result.expectedHeartbeats == 100)
        // Asking every node for one value and hearing its answer is already more than a percent of three minutes.
        #expect(office.reading > .milliseconds(1_800))
        #expect(office.share < (spacing == 1 ? 0.20 : 0.045))
        // The first heartbeat to arrive may have made a detour, but none can have come on a shorter way than there is.
        #expect(office.hops.count >= 75 && office.hops.allSatisfy { $0.measured >= $0.real })
    }
}
