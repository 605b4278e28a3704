import DefinitionModel
import Foundation
import MeshCore
import Planning
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Plans that provision, on the terminal")
struct PlanProvisioningViewTests {
    /// An empty network, and devices for it.
    private func fixture(_ nodes: String) throws -> CommandFixture {
        let fixture = try CommandFixture()
        try #require(fixture.run("init", "--network", "shop").status == 0)
        try fixture.write(
            """
            version: 1
            network: shop
            provisioning: { require: authenticated }
            subnets: { floor: { index: 0 }, tills: {} }
            application_keys: { lighting: { subnet: floor }, sales: { subnet: tills } }
            groups: { all-lights: {} }
            profiles:
              lamp:
                ttl: 5
                features: { relay: on, proxy: off }
                elements: { 0: { generic-onoff-server: { keys: [lighting] } } }
            nodes:
            \(nodes)
            subscriptions:
              - { groups: [all-lights], models: [generic-onoff-server], nodes: { kind: lamp } }
            """,
            to: "shop.yaml"
        )
        return fixture
    }

    private func lamp(_ number: Int, _ more: String = "") -> String {
        "  lamp-\(number): { uuid: \(String(0x1000 + number, radix: 16).padded), profile: lamp, tags: { kind: lamp }\(more) }\n"
    }

    @Test("a few devices are shown with all that they will get and what that waits for")
    func small() throws {
        let till =
            "  till: { uuid: 000000000000000000000000000000aa, address: 0x0200, subnets: [tills], "
            + "provisioning: { oob: output, attention: 5s } }\n"
            + "  switch: { uuid: 000000000000000000000000000000bb, elements: "
            + "{ 0: { generic-onoff-client: { publish: { to: lamp-1, key: lighting } } } } }"
        let fixture = try fixture(lamp(1) + till)
        expectSnapshot(fixture.run("plan").transcript, "plan-shop.txt")
        expectSnapshot(fixture.run("plan", "--json").transcript, "plan-shop.jsonl")
    }

    @Test("two hundred devices are one row with their names, and their details only --full")
    func large() throws {
        let fixture = try fixture((1...200).map { lamp($0) }.joined())
        let lines = fixture.run("plan").output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("+ 200 nodes will be provisioned, each ") } == 1)
        #expect(lines.count < 230)
        #expect(lines.allSatisfy { $0.count <= 100 || $0.hasPrefix("Plan: ") || $0.hasPrefix("Time: ") })
        #expect(lines.count { $0.hasPrefix("      each: reads composition +1 key") } == 1)
        #expect(lines.contains { $0.hasPrefix("Plan: 200 to provision, ") && $0.contains("At least ") })
        #expect(lines.contains { $0.contains("200 devices are provisioned into subnet floor.") })
        let full = fixture.run("plan", "--full").output
        #expect(full.contains("element[0].generic-onoff-server.subscription.all-lights"))
    }

    @Test("nodes that are replaced or reset are named so, and counted apart from changes of resources")
    func membership() {
        let lamp = DeviceUUID(rawValue: Octets16(high: 0, low: 1))
        let till = DeviceUUID(rawValue: Octets16(high: 0, low: 2))
        let changes = [
            Change(
                address: "node.lamp",
                kind: .provisioning,
                action: .replace,
                node: lamp,
                before: "0x0010, seen unprovisioned",
                after: "at an address that apply chooses, in subnet floor"
            ),
            Change(address: "node.lamp.composition", kind: .composition, action: .update, node: lamp),
            Change(address: "node.till", kind: .node, action: .delete, node: till, before: "0x0200"),
        ]
        let plan = Plan(
            identifier: Octets16(high: 0, low: 0),
            lineage: Octets16(high: 0, low: 0),
            serial: 3,
            network: "shop",
            nodes: [
                NodeSummary(uuid: lamp, name: "lamp", address: nil, action: .replace, changes: 0..<2, cost: .zero),
                NodeSummary(
                    uuid: till,
                    name: "till",
                    address: .first,
                    action: .reset,
                    changes: 2..<3,
                    cost: ConfigurationAction.resetNode.cost
                ),
            ],
            changes: changes,
            steps: [
                Step(change: 0, work: .provision(ProvisioningOrder(uuid: lamp, name: "lamp", netKeyIndex: .primary))),
                Step(change: 2, work: .configure(till, .resetNode)),
            ]
        )
        let style = Style(isColoured: false, drawsBoxes: true, isTerminal: true, width: 80)
        expectSnapshot(PlanView(plan: plan, style: style).render(), "plan-membership.txt")
    }
}

extension String {
    /// The digits, filled up with leading zeros to the length of a UUID.
    fileprivate var padded: String { String(repeating: "0", count: 32 - count) + self }
}
