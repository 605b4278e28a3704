import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Properties of plans")
struct PlannerPropertyTests {
    private static let seeds = 0..<UInt64(2000)

    private func plan(_ definition: Definition, _ network: MeshNetwork) -> PlanningResult {
        Planner.plan(
            definition: definition,
            network: network,
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2)
        )
    }

    @Test("Random cases plan well and get applied, after which the plan is empty and the definition holds")
    func applied() throws {
        var planned = 0
        var steps = 0
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network).plan else { continue }
            planned += 1
            steps += plan.steps.count
            var simulation = StepSimulation(example.network)
            for (position, step) in plan.steps.enumerated() {
                let before = simulation.network
                do { try simulation.apply(step) } catch { Issue.record("seed \(seed) step \(position): \(error)") }
                #expect(step.dependencies.allSatisfy { $0 < position })
                #expect(simulation.network != before, "seed \(seed): step \(position) changes nothing: \(step.work)")
            }
            let again = self.plan(example.definition, simulation.network)
            #expect(again.plan?.steps == [], "seed \(seed)")
            #expect(again.plan?.changes == [], "seed \(seed)")
            expectAgreement(simulation.network, example, seed)
        }
        // Most cases must be plans and not refusals, or the test says little.
        #expect(planned > Self.seeds.count / 2)
        #expect(steps > planned * 5)
    }

    @Test("After any failures the steps that do not depend on them still work, and one more apply completes")
    func failures() throws {
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network).plan else { continue }
            var random = SplitMix64(seed: ~seed)
            var simulation = StepSimulation(example.network)
            var failed: Set<Int> = []
            for (position, step) in plan.steps.enumerated() {
                if random.chance(20) || step.dependencies.contains(where: failed.contains) {
                    failed.insert(position)
                    continue
                }
                do { try simulation.apply(step) } catch { Issue.record("seed \(seed) step \(position): \(error)") }
            }
            let again = try #require(self.plan(example.definition, simulation.network).plan, "seed \(seed)")
            for step in again.steps { try simulation.apply(step) }
            #expect(self.plan(example.definition, simulation.network).plan?.steps == [], "seed \(seed)")
            expectAgreement(simulation.network, example, seed)
        }
    }

    @Test("The same inputs give the same plan, and its file gives it back")
    func deterministic() throws {
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            let first = plan(example.definition, example.network)
            #expect(first == plan(example.definition, example.network), "seed \(seed)")
            guard let plan = first.plan else {
                #expect(first.diagnostics.contains { $0.severity == .error })
                continue
            }
            let bytes = PlanFile.encode(plan)
            #expect(try PlanFile.decode(bytes) == plan, "seed \(seed)")
            #expect(plan.cost == plan.steps.map(\.cost).reduce(.zero, +))
        }
    }

    @Test("Nodes outside the definition are left alone but for being forgotten")
    func untouched() throws {
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network).plan else { continue }
            var simulation = StepSimulation(example.network)
            for step in plan.steps { try simulation.apply(step) }
            let named = Set(example.definition.nodes.map(\.uuid.value))
            for (before, after) in zip(example.network.nodes, simulation.network.nodes)
            where !named.contains(before.uuid) {
                var forgotten = before
                forgotten.isManaged = false
                #expect(after == forgotten, "seed \(seed)")
            }
        }
    }

    /// Compares the network with what the definition says of models, by another way than the planner's.
    private func expectAgreement(_ network: MeshNetwork, _ example: RandomCase, _ seed: UInt64) {
        let definition = example.definition
        for entry in definition.nodes {
            guard let node = network.nodes.first(where: { $0.uuid == entry.uuid.value }) else { continue }
            #expect(node.isManaged && node.name == entry.name.value)
            let profile = definition.profiles.first { $0.name == entry.profile }?.settings
            let ttl = (entry.settings.defaultTTL ?? profile?.defaultTTL)?.value
            if let ttl { #expect(node.defaultTTL == ttl) }
            for (index, element) in node.elements.enumerated() {
                for model in element.models {
                    let own = entry.settings.elements[UInt8(index)]?.models
                        .first { $0.identifier.value == model.identifier }
                    let base = profile?.elements[UInt8(index)]?.models
                        .first { $0.identifier.value == model.identifier }
                    if let keys = own?.keys ?? base?.keys {
                        let names = model.bindings.compactMap { key in
                            network.appKeys.first { $0.index == key }?.name
                        }
                        #expect(Set(names) == Set(keys.value.map(\.value)), "seed \(seed)")
                    }
                    var groups = (own?.subscribe ?? base?.subscribe)?.value.map(\.value)
                    for rule in definition.subscriptions
                    where rule.models.contains(where: { $0.value == model.identifier })
                        && (rule.nodes.tags.isEmpty || entry.tags["room"]?.value == "kitchen")
                    {
                        groups = (groups ?? []) + rule.groups.map(\.value)
                    }
                    if let groups {
                        let names = model.subscriptions.compactMap { address in
                            network.groups.first { $0.address == address }?.name
                        }
                        #expect(Set(names) == Set(groups), "seed \(seed)")
                    }
                }
            }
        }
    }
}
