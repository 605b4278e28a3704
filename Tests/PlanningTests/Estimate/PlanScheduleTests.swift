import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Plans in whatever order their graph allows")
struct PlanScheduleTests {
    @Test("Every order ends in the same network, and no node is cut off before its last message, wherever it stops")
    func orders() throws {
        var (checked, shuffled) = (0, 0)
        for seed in propertySeeds(300) {
            let example = RandomCase(seed: seed)
            guard let plan = example.plan(allowed: []) else { continue }
            var inOrder = StepSimulation(example.network, compositions: example.compositions)
            for step in plan.steps { try inOrder.apply(step) }
            guard inOrder.problems.isEmpty else { continue }
            let provisions = plan.steps.contains { if case .provision = $0.work { true } else { false } }
            var random = SplitMix64(seed: ~seed)
            for _ in 0..<2 {
                var order = RandomOrder(plan)
                var simulation = StepSimulation(example.network, compositions: example.compositions)
                let reach = ReachAudit(before: example.network, after: inOrder.network)
                var last = -1
                while let position = order.next(using: &random) {
                    let step = plan.steps[position]
                    for problem in reach.problems(of: step, in: simulation.network) {
                        Issue.record("seed \(seed) step \(position): \(problem)")
                    }
                    do { try simulation.apply(step) } catch { Issue.record("seed \(seed) step \(position): \(error)") }
                    checked += 1
                    if position < last { shuffled += 1 }
                    last = position
                }
                #expect(order.isDone, "seed \(seed): some steps can never start")
                // Devices take addresses in the order in which they come.
                if !provisions { #expect(simulation.network == inOrder.network, "seed \(seed)") }
            }
        }
        #expect(checked > 1000 && shuffled > 100, "\(checked) steps, \(shuffled) out of order")
    }
}

/// A random order of a plan's steps of those in which executions may go: the steps of a node one after another, each after
/// what it depends on, and none before a barrier is reached by all in front of it.
struct RandomOrder {
    private let plan: Plan
    private var done: Set<Int> = []
    private var lanes: [DeviceUUID: [Int]] = [:]
    private var edits: [Int] = []

    init(_ plan: Plan) {
        self.plan = plan
        for (position, step) in plan.steps.enumerated() {
            if let node = step.work.lane { lanes[node, default: []].append(position) } else { edits.append(position) }
        }
    }

    var isDone: Bool { done.count == plan.steps.count }

    mutating func next(using random: inout SplitMix64) -> Int? {
        let heads = lanes.sorted { $0.key < $1.key }.compactMap { $0.value.first { !done.contains($0) } }
        let candidates = (heads + edits.filter { !done.contains($0) }).filter(isReady)
        guard let position = candidates.randomElement(using: &random) else { return nil }
        done.insert(position)
        return position
    }

    private func isReady(_ position: Int) -> Bool {
        let barrier = plan.barriers.last { $0 <= position } ?? 0
        return plan.steps[position].dependencies.allSatisfy(done.contains) && (0..<barrier).allSatisfy(done.contains)
    }
}

extension Step.Work {
    /// The node whose steps go one after another.
    fileprivate var lane: DeviceUUID? {
        switch self {
        case .edit: nil
        case .configure(let node, _): node
        case .provision(let order): order.uuid
        case .configureWhenKnown(let configuration): configuration.node
        case .readBack(let node): node
        }
    }
}

/// Watches whether every message can arrive, with nothing of the planner: under the key that secures it there must be a
/// proxy and, where the node is none, a relay, if there are such before and after the plan.
struct ReachAudit {
    private let before: MeshNetwork
    private let after: MeshNetwork

    init(before: MeshNetwork, after: MeshNetwork) {
        self.before = before
        self.after = after
    }

    func problems(of step: Step, in network: MeshNetwork) -> [String] {
        let uuid: DeviceUUID
        switch step.work {
        case .configure(let node, _): uuid = node
        case .configureWhenKnown(let configuration): uuid = configuration.node
        case .edit, .provision, .readBack: return []
        }
        guard let node = network.nodes.first(where: { $0.uuid == uuid }) else { return ["there is no such node"] }
        guard let key = node.netKeys.map(\.index).min() else { return ["\(node.name) has no NetKey"] }
        guard network.netKeys.contains(where: { $0.index == key }) else { return ["NetKey \(key) is gone"] }
        if case .configure(_, .deleteNetKey(key)) = step.work { return ["\(node.name) loses the key of the message"] }
        var problems: [String] = []
        let isProxy: (Node) -> Bool = { $0.features.proxy == .enabled }
        if has(before, key, isProxy), has(after, key, isProxy), !has(network, key, isProxy) {
            problems.append("no proxy in subnet \(key) for \(node.name)")
        }
        let isRelay: (Node) -> Bool = { $0.features.relay == .enabled }
        if !isProxy(node), has(before, key, isRelay), has(after, key, isRelay), !has(network, key, isRelay) {
            problems.append("no relay in subnet \(key) for \(node.name)")
        }
        // Who carries messages all the time and is to carry those of this subnet, has its key before others are sent some.
        if !isProxy(node), !isRelay(node) {
            let carriers = network.nodes.filter { other in
                other.uuid != uuid && isProxy(other) && !other.knows(key) && was(other, isProxy)
                    && after.nodes.contains { $0.uuid == other.uuid && $0.knows(key) }
            }
            for carrier in carriers {
                problems.append("\(carrier.name) does not carry subnet \(key) for \(node.name) yet")
            }
        }
        return problems
    }

    private func was(_ node: Node, _ isCarrier: (Node) -> Bool) -> Bool {
        before.nodes.contains { $0.uuid == node.uuid && $0.unprovisionedSeenAt == nil && isCarrier($0) }
    }

    private func has(_ network: MeshNetwork, _ key: NetKeyIndex, _ isCarrier: (Node) -> Bool) -> Bool {
        network.nodes.contains { $0.unprovisionedSeenAt == nil && $0.knows(key) && isCarrier($0) }
    }
}
