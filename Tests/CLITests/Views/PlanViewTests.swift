import DefinitionModel
import Foundation
import MeshCore
import Planning
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Plans on the terminal")
struct PlanViewTests {
    private let terminal = Style(isColoured: false, drawsBoxes: true, isTerminal: true, width: 80)

    /// A plan with a few changes of the network and of `nodeCount` nodes.
    private func plan(nodeCount: Int) throws -> Plan {
        var changes = [
            Change(address: "application_key.heating", kind: .applicationKey, action: .create, after: "name heating"),
            Change(
                address: "group.kitchen",
                kind: .group,
                action: .update,
                before: "0xC001, name k",
                after: "0xC001, name kitchen"
            ),
        ]
        var nodes: [NodeSummary] = []
        for number in 0..<nodeCount {
            let uuid = DeviceUUID(rawValue: Octets16(high: 1, low: UInt64(number)))
            let name = number == 0 ? "灯-\(number)" : "kitchen-\(number)"
            let first = changes.count
            let address: UnicastAddress = try #require(UnicastAddress(rawValue: UInt16(0x10 + number)))
            let model = "node.\(name).element[0].generic-onoff-server"
            changes.append(
                Change(address: "node.\(name)", kind: .node, action: .create, node: uuid, after: "name \(name)")
            )
            for group in ["kitchen", "all-lights"].prefix(number + 1) {
                changes.append(
                    Change(
                        address: "\(model).subscription.\(group)",
                        kind: .subscription,
                        action: .create,
                        node: uuid,
                        after: "0xC001"
                    )
                )
            }
            changes.append(
                Change(
                    address: "\(model).publication",
                    kind: .publication,
                    action: .update,
                    node: uuid,
                    before: "to kitchen, key lighting, period 10s",
                    after: "to all-lights, key lighting, ttl 5, period 1s, retransmit count 2 interval 50ms"
                )
            )
            changes.append(
                Change(
                    address: "\(model).binding.old",
                    kind: .binding,
                    action: .delete,
                    node: uuid,
                    before: "index 7",
                    isImplied: true
                )
            )
            changes.append(
                Change(
                    address: "node.\(name).ttl",
                    kind: .defaultTTL,
                    action: .update,
                    node: uuid,
                    before: "7",
                    after: "5"
                )
            )
            nodes.append(
                NodeSummary(
                    uuid: uuid,
                    name: name,
                    address: address,
                    action: number == 0 ? .manage : .update,
                    changes: first..<changes.count,
                    cost: MessageCost(messages: number + 1, pdusToNode: 2 * number + 1, pdusFromNode: number + 1)
                )
            )
        }
        let lobby = DeviceUUID(rawValue: Octets16(high: 2, low: 0))
        changes.append(Change(address: "node.lobby", kind: .node, action: .forget, node: lobby, before: "managed"))
        nodes.append(
            NodeSummary(
                uuid: lobby,
                name: "lobby",
                address: .first,
                action: .forget,
                changes: changes.count - 1..<changes.count,
                cost: .zero
            )
        )
        return Plan(
            identifier: Octets16(high: 0xA, low: 0xB),
            lineage: Octets16(high: 3, low: 4),
            serial: 12,
            network: "house",
            nodes: nodes,
            changes: changes,
            steps: changes.indices.map { Step(change: $0, work: .edit(.forget(lobby))) },
            notes: ["7 nodes of the database are not in the definition and are left alone."]
        )
    }

    @Test("a small plan shows the changes of each node")
    func small() throws {
        expectSnapshot(PlanView(plan: try plan(nodeCount: 2), style: terminal).render(), "plan-small.txt")
    }

    @Test("a large plan shows one line for each node, and all with --full")
    func large() throws {
        let plan = try plan(nodeCount: 20)
        expectSnapshot(PlanView(plan: plan, style: .plain).render(), "plan-large.txt")
        let full = PlanView(plan: plan, style: .plain, isFull: true).render()
        #expect(full.contains("element[0].generic-onoff-server.subscription.kitchen"))
        #expect(!full.contains("--full"))
    }

    @Test("a plan without changes says so in one line")
    func empty() {
        let plan = Plan(
            identifier: Octets16(high: 0, low: 0),
            lineage: Octets16(high: 0, low: 0),
            serial: 1,
            network: "house",
            changes: [],
            steps: []
        )
        #expect(PlanView(plan: plan, style: .plain).render() == "No changes. The network matches the definition.\n")
    }

    @Test("as JSON a plan is one object a line with the summary last")
    func json() throws {
        var text = ""
        let output = Output {
            text += $0
            return nil
        }
        let lines = JSONLines(output, command: "plan", clock: { 1_795_000_000_123 })
        PlanJSON(plan: try plan(nodeCount: 2)).write(to: lines)
        expectSnapshot(CommandFixture.untimed(text), "plan.jsonl")
        for line in text.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["type"] is String)
        }
    }
}
