import Foundation
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Scratch")
struct ScratchTests {
    @Test func show() throws {
        for seed in (ProcessInfo.processInfo.environment["SEEDS"] ?? "").split(separator: ",").compactMap({ UInt64($0) }
        ) {
            let example = RandomCase(seed: seed)
            print("=== seed \(seed)")
            for node in example.network.nodes {
                print(
                    node.name,
                    node.uuid,
                    node.netKeys.map(\.index),
                    node.appKeys.map(\.index),
                    node.features,
                    node.unprovisionedSeenAt as Any,
                    node.bridgingTable as Any,
                    node.states,
                    node.elements.map {
                        $0.models.map {
                            "\($0.identifier) \($0.bindings) \($0.managedBindings) pub \($0.publication.map { "\($0.appKeyIndex)" } ?? "-") \($0.isPublicationManaged) subs \($0.subscriptions) \($0.managedSubscriptions)"
                        }
                    }
                )
            }
            print(
                "keys",
                example.network.netKeys.map { ($0.index, $0.name, $0.isManaged) },
                example.network.appKeys.map { ($0.index, $0.boundNetKey, $0.name) }
            )
            for node in example.definition.nodes {
                print(node.name.value, node.profile?.value as Any, node.tags.mapValues(\.value), brief(node.settings))
            }
            for p in example.definition.profiles { print(p.name.value, brief(p.settings)) }
            for p in example.definition.defaults {
                print("defaults", p.nodes?.tags.mapValues(\.value) as Any, brief(p.settings))
            }
            guard let plan = example.plan() else {
                print("no plan")
                continue
            }
            print(PlanDebugText.text(plan))
            var simulation = StepSimulation(example.network, compositions: example.compositions)
            for step in plan.steps { try simulation.apply(step) }
            print("problems", simulation.problems.map(\.message))
            print("again", example.plan(of: simulation.network).map { PlanDebugText.text($0) } as Any)
            for node in simulation.network.nodes {
                print(
                    "after",
                    node.name,
                    node.netKeys.map(\.index),
                    node.appKeys.map(\.index),
                    node.features,
                    node.bridgingTable as Any,
                    node.states
                )
            }
            let explainer = Explainer(example.definition, network: simulation.network)
            for entry in example.definition.nodes {
                for v in explainer.node(entry.name.value)?.values ?? [] {
                    if case .differs(let r) = v.record { print("DIFF", entry.name.value, v, r as Any) }
                }
            }
        }
    }
    func brief(_ s: NodeSettings) -> String {
        "subnets \(s.subnets?.value.map(\.value) as Any) keys \(s.applicationKeys?.value.map(\.value) as Any) relay \(s.relay?.value as Any) \(s.relayRetransmit?.value as Any) proxy \(s.proxy?.value as Any) states \(s.states.map(\.value)) table \(s.bridgingTable?.value.map { ($0.subnets.map(\.value), $0.addresses.map(\.value)) } as Any) elements \(s.elements.mapValues { $0.models.map { "\($0.identifier.value) \($0.keys?.value.map(\.value) as Any) \($0.subscribe?.value.map(\.value) as Any) pub \($0.publish != nil)" } })"
    }
}
