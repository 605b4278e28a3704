import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Properties of plans")
struct PlannerPropertyTests {
    private static let seeds = propertySeeds(500)

    /// What may pass where guards are not what is tested: all but what nodes would refuse.
    private static let bearable = Set(PlanGuard.allCases).subtracting([
        .transportNetKey, .lastNetKey, .protectedNode, .protectedResource,
    ])

    /// What is planned; plans that guards refuse count as none.
    private func plan(
        _ definition: Definition,
        _ network: MeshNetwork,
        allowed: Set<PlanGuard> = bearable
    ) -> PlanningResult {
        var result = Planner.plan(
            definition: definition,
            network: network,
            base: (Octets16(high: 1, low: 1), 1),
            identifier: Octets16(high: 2, low: 2),
            options: PlannerOptions(allowed: allowed)
        )
        if !result.refusals.isEmpty { result.plan = nil }
        return result
    }

    @Test("Random cases plan well and get applied, after which the plan is empty and the definition holds")
    func applied() throws {
        var planned = 0
        var steps = 0
        var (provisioned, lowered, removed) = (0, 0, 0)
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network).plan else { continue }
            planned += 1
            steps += plan.steps.count
            var simulation = StepSimulation(example.network, compositions: example.compositions)
            simulation.apply(plan.claims)
            for (position, step) in plan.steps.enumerated() {
                let before = simulation.network
                do { try simulation.apply(step) } catch { Issue.record("seed \(seed) step \(position): \(error)") }
                #expect(step.dependencies.allSatisfy { $0 < position })
                switch step.work {
                case .configureWhenKnown: lowered += simulation.network == before ? 0 : 1
                case .provision:
                    provisioned += 1
                    fallthrough
                default:
                    #expect(
                        simulation.network != before,
                        "seed \(seed): step \(position) changes nothing: \(step.work)"
                    )
                }
            }
            let again = self.plan(example.definition, simulation.network)
            // What compositions turned out to lack, the next plan refuses; that no node has a model, only it can tell.
            let errors = again.diagnostics.filter { $0.severity == .error }.map(\.message)
            let problems = simulation.problems.filter { $0.severity == .error }.map(\.message)
            if problems.isEmpty, !errors.isEmpty {
                #expect(errors.allSatisfy { $0.hasPrefix("none of the selected nodes has") }, "seed \(seed): \(errors)")
                continue
            }
            guard problems.isEmpty else {
                #expect(!errors.isEmpty, "seed \(seed): \(problems)")
                continue
            }
            #expect(again.plan?.steps == [], "seed \(seed)")
            #expect(again.plan?.changes == [], "seed \(seed)")
            #expect(again.plan?.claims == Claims(), "seed \(seed)")
            expectAgreement(simulation.network, example, seed)
            removed += expectNothingDropped(simulation.network, example, seed)
        }
        #expect(removed > Self.seeds.count / 8)
        // Most cases must be plans and not refusals, or the test says little.
        #expect(planned > Self.seeds.count / 2)
        #expect(steps > planned * 5)
        #expect(provisioned > Self.seeds.count / 4)
        #expect(lowered > Self.seeds.count / 4)
    }

    /// Deleting an AppKey ends all its bindings with one message.
    @Test("No plan unbinds all bindings that definitions asked for of a key, and leaves the node the key")
    func leavesNoNeedlessKeys() throws {
        var (deleted, kept) = (0, 0)
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network).plan else { continue }
            var simulation = StepSimulation(example.network, compositions: example.compositions)
            simulation.apply(plan.claims)
            var unbound: [DeviceUUID: Set<AppKeyIndex>] = [:]
            for step in plan.steps {
                try simulation.apply(step)
                switch step.work {
                case .configure(let uuid, .unbind(_, let key)): unbound[uuid, default: []].insert(key)
                case .configure(_, .deleteAppKey): deleted += 1
                default: break
                }
            }
            for (uuid, keys) in unbound {
                let before = try #require(example.network.nodes.first { $0.uuid == uuid })
                let after = try #require(simulation.network.nodes.first { $0.uuid == uuid })
                let entry = example.definition.nodes.first { $0.uuid.value == uuid }
                let profile = example.definition.profiles.first { $0.name == entry?.profile }?.settings
                let isListed = (entry?.settings.applicationKeys ?? profile?.applicationKeys) != nil
                guard before.isCompositionKnown, !isListed else { continue }
                let models = before.elements.flatMap(\.models)
                for key in keys where after.knows(key) {
                    let isOthers = models.contains { model in
                        model.bindings.contains(key) && !model.managedBindings.contains(key)
                            || model.publication?.appKeyIndex == key && !model.isPublicationManaged
                    }
                    let isBound = after.elements.flatMap(\.models).contains { $0.bindings.contains(key) }
                    #expect(isOthers || isBound, "seed \(seed): \(after.name) keeps \(key)")
                    kept += 1
                }
            }
        }
        #expect(kept > 0)
        #expect(deleted > Self.seeds.count / 20)
    }

    @Test("After any failures the steps that do not depend on them still work, and one more apply completes")
    func failures() throws {
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network).plan else { continue }
            var whole = StepSimulation(example.network, compositions: example.compositions)
            for step in plan.steps { try whole.apply(step) }
            guard self.plan(example.definition, whole.network).plan != nil else { continue }
            var random = SplitMix64(seed: ~seed)
            var simulation = StepSimulation(example.network, compositions: example.compositions)
            simulation.apply(plan.claims)
            var failed: Set<Int> = []
            for (position, step) in plan.steps.enumerated() {
                if random.chance(20) || step.dependencies.contains(where: failed.contains) {
                    failed.insert(position)
                    continue
                }
                do { try simulation.apply(step) } catch { Issue.record("seed \(seed) step \(position): \(error)") }
            }
            let again = try #require(self.plan(example.definition, simulation.network).plan, "seed \(seed)")
            simulation.apply(again.claims)
            for step in again.steps { try simulation.apply(step) }
            #expect(self.plan(example.definition, simulation.network).plan?.steps == [], "seed \(seed)")
            expectAgreement(simulation.network, example, seed)
        }
    }

    @Test("No part of a plan that guards let pass breaks what they guard, wherever it is cut off")
    func prefixes() throws {
        var checked = 0
        for seed in Self.seeds.prefix(Self.seeds.count / 3) {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network, allowed: []).plan else { continue }
            let before = GuardedNetwork(example.network)
            var simulation = StepSimulation(example.network, compositions: example.compositions)
            for (position, step) in plan.steps.enumerated() {
                try simulation.apply(step)
                // What depends on compositions can be guarded only when they are known.
                if case .configureWhenKnown = step.work { break }
                let broken = GuardedNetwork(simulation.network).broken(since: before)
                    // Publishers come before others end, so that more may be heard for a while.
                    .filter { $0.planGuard != .replayList }
                #expect(broken.isEmpty, "seed \(seed) step \(position): \(broken)")
                checked += 1
            }
        }
        #expect(checked > Self.seeds.count)
    }

    @Test("The same inputs give the same plan, and its file gives it back")
    func deterministic() throws {
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            let first = plan(example.definition, example.network)
            #expect(first == plan(example.definition, example.network), "seed \(seed)")
            guard var plan = first.plan else {
                #expect(first.diagnostics.contains { $0.severity == .error })
                continue
            }
            // Notes are worded before a plan is saved.
            plan.notes = plan.notes.map { Advice($0.text) }
            let bytes = PlanFile.encode(plan)
            #expect(try PlanFile.decode(bytes) == plan, "seed \(seed)")
            #expect(plan.cost == plan.steps.map(\.cost).reduce(.zero, +))
        }
    }

    @Test("Nodes outside the definition are left alone but for being forgotten or reset")
    func untouched() throws {
        for seed in Self.seeds {
            let example = RandomCase(seed: seed)
            guard let plan = plan(example.definition, example.network).plan else { continue }
            var simulation = StepSimulation(example.network, compositions: example.compositions)
            for step in plan.steps { try simulation.apply(step) }
            let named = Set(example.definition.nodes.map(\.uuid.value))
            for before in example.network.nodes where !named.contains(before.uuid) {
                let after = simulation.network.nodes.first { $0.uuid == before.uuid }
                if before.isManaged, before.removalPolicy == .reset {
                    #expect(after == nil, "seed \(seed)")
                    #expect(simulation.network.isExcluded(before.unicastAddress), "seed \(seed)")
                } else {
                    var forgotten = before
                    forgotten.isManaged = false
                    // It is left alone from now on, whoever configured it.
                    if before.isManaged { forgotten.disown() }
                    #expect(after == forgotten, "seed \(seed)")
                }
            }
            let taken = simulation.network.nodes.flatMap { Array($0.addresses) }
            #expect(Set(taken).count == taken.count, "seed \(seed): an address was given out twice")
        }
    }

    /// Checks that what was managed and is not mentioned has gone.
    ///
    /// - Returns: how many resources of the network have gone.
    private func expectNothingDropped(_ network: MeshNetwork, _ example: RandomCase, _ seed: UInt64) -> Int {
        let definition = example.definition
        let named = Set(definition.nodes.map(\.uuid.value))
        let outside = network.nodes.filter { !named.contains($0.uuid) }
        let groups = Set(definition.groups.map(\.name.value))
        for group in network.groups where group.isManaged { #expect(groups.contains(group.name), "seed \(seed)") }
        let keys = Set(definition.applicationKeys.map(\.name.value))
        for key in network.appKeys where key.isManaged && !keys.contains(key.name) {
            #expect(outside.contains { $0.knows(key.index) }, "seed \(seed): nobody keeps \(key.name)")
        }
        let subnets = Set(definition.subnets.map(\.name.value))
        for key in network.netKeys where key.isManaged && !subnets.contains(key.name) {
            let isKept =
                outside.contains { $0.knows(key.index) }
                || network.appKeys.contains { $0.boundNetKey == key.index }
                || network.pendingProvisionings.contains { $0.netKeyIndex == key.index }
            #expect(isKept, "seed \(seed): nobody keeps \(key.name)")
        }
        for node in network.nodes {
            for key in node.netKeys { #expect(network.netKeys.contains { $0.index == key.index }, "seed \(seed)") }
            for key in node.appKeys { #expect(network.appKeys.contains { $0.index == key.index }, "seed \(seed)") }
        }
        let gone = example.network.groups.count { group in !network.groups.contains { $0.address == group.address } }
        return gone + example.network.appKeys.count { key in !network.appKeys.contains { $0.index == key.index } }
            + example.network.netKeys.count { key in !network.netKeys.contains { $0.index == key.index } }
    }

    /// Compares the network with what the definition says of models, by another way than the planner's.
    private func expectAgreement(_ network: MeshNetwork, _ example: RandomCase, _ seed: UInt64) {
        let definition = example.definition
        for entry in definition.nodes {
            guard let node = network.nodes.first(where: { $0.uuid == entry.uuid.value }) else { continue }
            #expect(node.isManaged && node.name == entry.name.value)
            ExpectedNode(example: example, entry: entry, node: node, network: network, seed: seed).check()
            let profile = definition.profiles.first { $0.name == entry.profile }?.settings
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
                    if let publish = (own?.publish ?? base?.publish)?.value,
                        case .name(let name) = publish.target.value,
                        let uuid = definition.nodes.first(where: { $0.name.value == name })?.uuid.value
                    {
                        let target = network.nodes.first { $0.uuid == uuid }
                        #expect(
                            model.publication?.address == target.map { .unicast($0.unicastAddress) },
                            "seed \(seed): \(entry.name.value) publishes to \(name)"
                        )
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

extension Node {
    /// Nobody has asked for what is there.
    fileprivate mutating func disown() {
        for element in elements.indices {
            for model in elements[element].models.indices {
                elements[element].models[model].managedBindings = []
                elements[element].models[model].managedSubscriptions = []
                elements[element].models[model].isPublicationManaged = false
            }
        }
    }
}
