import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@Suite("Random definitions over the simulated network")
struct RandomApplyTests {
    private static let seeds = propertySeeds(60)

    @Test("An apply brings the nodes to what is recorded, sends what was planned, and the next plan is empty")
    func converges() throws {
        var (applied, messages) = (0, 0)
        for seed in Self.seeds {
            let example = RandomCase(seed: seed, isReachable: true)
            let result = Planner.plan(
                definition: example.definition,
                network: example.network,
                base: (Octets16(high: 1, low: 1), 1),
                identifier: Octets16(high: 2, low: 2)
            )
            guard result.plan != nil, result.refusals.isEmpty else { continue }
            let site = try Site(
                lamps: 1,
                seed: seed,
                database: example.network,
                definition: example.definition
            )
            let plan = try site.plan()
            let recap = try site.apply(plan)
            #expect(recap.isComplete, "seed \(seed): \(recap)")
            let mismatches = try site.world.mismatches(against: site.network)
            #expect(mismatches == [], "seed \(seed)")
            #expect(site.world.violations == [], "seed \(seed)")
            let again = try site.plan()
            #expect(again.steps == [], "seed \(seed)")
            #expect(again.changes == [], "seed \(seed)")
            applied += 1
            messages += plan.cost.messages
        }
        #expect(applied > Self.seeds.count / 5, "\(applied) applied")
        #expect(messages > applied * 5, "\(messages) messages")
    }
}
