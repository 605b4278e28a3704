import DefinitionModel
import Definitions
import MeshCore
import TestSupport
import Testing

@testable import Planning

@Suite("Drift: declared, recorded, observed")
struct DriftReportTests {
    private let since = Timestamp(rawValue: 1_000)

    /// The office after a node told otherwise.
    private func office(_ name: String, _ change: (inout Node) throws -> Void) throws -> Office {
        var office = try Office()
        let recorded = try #require(office.network.nodes.first { $0.name == name })
        try office.change(name, change)
        let observed = try #require(office.network.nodes.first { $0.name == name })
        office.network.drifts[recorded.uuid] = NodeDrift(recorded: recorded, observed: observed, at: since)
        return office
    }

    private func definition(_ yaml: String) throws -> Definition {
        let text = Office.definition + yaml
        let files = SourceFiles(files: [SourceFiles.File(path: "office.yaml", bytes: Array(text.utf8))])
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        #expect(diagnostics.filter { $0.severity == .error } == [])
        return try #require(definitions.first)
    }

    private func text(_ office: Office, _ yaml: String?) throws -> String {
        let report = DriftReport.make(of: office.network, definition: try yaml.map { try definition($0) })
        return report.nodes.flatMap { node in
            node.entries.map { entry in
                let declared =
                    switch entry.declared {
                    case .unmanaged: "-"
                    case .value(let value): value ?? "none"
                    }
                let (recorded, observed) = (entry.recorded ?? "none", entry.observed ?? "none")
                return "\(node.name).\(entry.path): \(declared) | \(recorded) | \(observed)"
            } + node.adopted.map { "\(node.name) adopts \($0.path(in: office.network))" }
        }.joined(separator: "\n")
    }

    private func lampChange(_ node: inout Node) throws {
        let sensing = try #require(AppKeyIndex(rawValue: 1))
        let guests = try #require(NetKeyIndex(rawValue: 1))
        let kitchen = try #require(GroupAddress(rawValue: 0xC001))
        node.defaultTTL = 9
        node.features.relay = .disabled
        node.netKeys.append(NodeKey(index: guests))
        node.appKeys.append(NodeKey(index: sensing))
        node.elements[0].models[1].subscriptions = [.group(kitchen)]
        node.elements[0].models[2].publication = Publication(address: .group(kitchen), appKeyIndex: .first, ttl: 3)
        node.elements[1].models[0].bindings.append(sensing)
    }

    @Test("Without a definition nothing is declared")
    func withoutDefinition() throws {
        #expect(
            try text(try office("lamp-1", lampChange), nil) == """
                lamp-1.subnet.guests: - | none | index 1
                lamp-1.application_key.sensing: - | none | index 1
                lamp-1.element[1].generic-level-server.binding.sensing: - | none | index 1
                lamp-1.element[0].generic-onoff-server.subscription.all-lights: - | 0xC000 | none
                lamp-1.element[0].generic-onoff-server.subscription.kitchen: - | none | 0xC001
                lamp-1.element[0].light-lightness-server.publication: - | none | to kitchen, key lighting, ttl 3
                lamp-1.ttl: - | 5 | 9
                lamp-1.relay: - | on | off
                """
        )
    }

    @Test("What is declared stands beside, what is declared as observed is adopted, the rest is not managed")
    func declarations() throws {
        let yaml = Office.nodes(
            lamp1: """
                ttl: 9, features: { relay: on }, subnets: [building], application_keys: [lighting, sensing],
                elements: { 0: { generic-onoff-server: { subscribe: [all-lights, kitchen] },
                light-lightness-server: { publish: none } }, 1: { generic-level-server: { keys: [lighting] } } }
                """
        )
        #expect(
            try text(try office("lamp-1", lampChange), yaml) == """
                lamp-1.element[1].generic-level-server.binding.sensing: none | none | index 1
                lamp-1.element[0].generic-onoff-server.subscription.all-lights: 0xC000 | 0xC000 | none
                lamp-1.element[0].light-lightness-server.publication: none | none | to kitchen, key lighting, ttl 3
                lamp-1.relay: on | on | off
                lamp-1 adopts subnet.guests
                lamp-1 adopts application_key.sensing
                lamp-1 adopts element[0].generic-onoff-server.subscription.kitchen
                lamp-1 adopts ttl
                """
        )
    }

    @Test("An entry of a bridging table is called the same in drift and plans, whatever became of its direction")
    func bridging() throws {
        let guests = try #require(NetKeyIndex(rawValue: 1))
        let pair = NetKeyIndexPair(first: .primary, second: guests)
        func entry(_ second: UInt16, _ directions: BridgingDirections) throws -> BridgingTableEntry {
            BridgingTableEntry(
                subnets: pair,
                addresses: BridgedAddresses(
                    first: try #require(UnicastAddress(rawValue: 0x0010)),
                    second: Address(rawValue: second),
                    directions: directions
                )
            )
        }
        var office = try Office()
        try office.change("lamp-1") { node in
            node.netKeys.append(NodeKey(index: guests))
            node.elements[0].models.append(Model(identifier: .bridgeConfigurationServer))
            node.bridgingTable = [try entry(0x0012, .oneWay), try entry(0xC001, .oneWay)]
        }
        let recorded = try #require(office.network.nodes.first { $0.name == "lamp-1" })
        try office.change("lamp-1") { $0.bridgingTable = [try entry(0x0012, .bothWays)] }
        let observed = try #require(office.network.nodes.first { $0.name == "lamp-1" })
        office.network.drifts[recorded.uuid] = NodeDrift(recorded: recorded, observed: observed, at: since)
        #expect(
            try text(office, nil) == """
                lamp-1.bridging_table.lamp-1@building.lamp-2@guests: - | one way | both ways
                lamp-1.bridging_table.lamp-1@building.kitchen@guests: - | one way | none
                """
        )
        let table = """
            subnet_bridge: { table: [{ subnets: [building, guests], addresses: [lamp-1, lamp-2], direction: one_way }, \
            { subnets: [building, guests], addresses: [lamp-1, kitchen], direction: one_way }] }
            """
        let plan = try #require(try office.result(Office.definition + Office.nodes(lamp1: table)).plan)
        #expect(
            plan.changes.map { "\($0.address): \($0.drift?.recorded ?? "-")" } == [
                "node.lamp-1.bridging_table.lamp-1@building.lamp-2@guests: one way",
                "node.lamp-1.bridging_table.lamp-1@building.kitchen@guests: one way",
            ]
        )
    }

    @Test("A plan says which changes somebody else is the cause of")
    func plan() throws {
        let office = try office("lamp-1") { node in
            node.defaultTTL = 9
            node.elements[0].models[1].subscriptions = []
        }
        let yaml = Office.nodes(
            lamp1: "ttl: 5, elements: { 0: { generic-onoff-server: { subscribe: [all-lights, kitchen] } } }",
            lamp2: "ttl: 7"
        )
        let plan = try #require(try office.result(Office.definition + yaml).plan)
        let marks = plan.changes.map { change in
            "\(change.address): \(change.drift.map { "\($0.recorded ?? "none") since \($0.since.rawValue)" } ?? "-")"
        }
        #expect(
            marks == [
                "node.lamp-1.element[0].generic-onoff-server.subscription.all-lights: 0xC000 since 1000",
                "node.lamp-1.element[0].generic-onoff-server.subscription.kitchen: -",
                "node.lamp-1.ttl: 5 since 1000",
                "node.lamp-2.ttl: -",
            ]
        )
        #expect(
            plan.notes.map(\.text) == [
                "2 changes are there because 1 node was changed outside of meshplan; the list of drift tells more."
            ]
        )
        let saved = try PlanFile.decode(PlanFile.encode(plan))
        #expect(saved.changes == plan.changes && saved.notes.map(\.text) == plan.notes.map(\.text))
    }

    @Test("An unknown label goes by Overwrite or Delete All, for it cannot be named")
    func unknownLabel() throws {
        let virtual = try #require(VirtualAddress(rawValue: 0x8123))
        let office = try office("lamp-1") { $0.elements[0].models[1].subscriptions.append(.unknownLabel(virtual)) }
        func steps(_ list: String) throws -> [ConfigurationAction] {
            let yaml = Office.nodes(lamp1: "elements: { 0: { generic-onoff-server: { subscribe: \(list) } } }")
            let plan = try #require(try office.result(Office.definition + yaml).plan)
            return plan.steps.compactMap { if case .configure(_, let action) = $0.work { action } else { nil } }
        }
        let model = ModelAddress(element: 0, model: .sig(0x1000))
        let all = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        let kitchen = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC001)))
        #expect(try steps("[all-lights]") == [.overwriteSubscriptions(model, all)])
        #expect(
            try steps("[all-lights, kitchen]") == [
                .overwriteSubscriptions(model, all), .addSubscription(model, kitchen),
            ]
        )
        #expect(try steps("[]") == [.deleteAllSubscriptions(model)])
    }

    @Test("The lines that adopt drift make the definition agree with the node")
    func adoption() throws {
        let office = try office("lamp-1") { node in
            try lampChange(&node)
            node.elements[0].models[1].subscriptions.append(.group(try #require(GroupAddress(rawValue: 0xC010))))
        }
        let yaml = Office.nodes(
            lamp1: "ttl: 5, features: { relay: on }, subnets: [building], application_keys: [lighting]",
            lamp2: "ttl: 5"
        )
        let definition = try definition(yaml)
        let report = DriftReport.make(of: office.network, definition: definition)
        let adoption = DriftAdoption.make(of: report, network: office.network, definition: definition)
        #expect(adoption.groups == ["group-c010: { address: 0xC010 }"])
        let lines = try #require(adoption.nodes.first)
        #expect(lines.name == "lamp-1" && lines.notes == [] && adoption.nodes.count == 1)
        #expect(
            lines.lines.joined(separator: "\n") == """
                subnets: [building, guests]
                application_keys: [lighting, sensing]
                ttl: 9
                features: { relay: off }
                elements:
                  0:
                    generic-onoff-server: { subscribe: [kitchen, group-c010] }
                    light-lightness-server: { publish: { to: kitchen, key: lighting, ttl: 3 } }
                  1:
                    generic-level-server: { keys: [lighting, sensing] }
                """
        )
        // Put where the report says: the node says exactly this, and the group is declared.
        var text = Office.definition.replacing("alarm: {} }", with: "alarm: {}, \(adoption.groups[0]) }")
        text += "nodes:\n  lamp-1:\n    uuid: \(String(repeating: "0", count: 30))11\n"
        text += lines.lines.map { "    " + $0 + "\n" }.joined()
        text += "  lamp-2: { uuid: \(String(repeating: "0", count: 30))12, ttl: 5 }\n"
        text += "  switch-1: { uuid: \(String(repeating: "0", count: 30))13 }\n"
        let result = try office.result(text)
        let plan = try #require(result.plan, "\(result.diagnostics)")
        #expect(plan.nodes.isEmpty, "\(plan.changes)")
        let files = SourceFiles(files: [SourceFiles.File(path: "office.yaml", bytes: Array(text.utf8))])
        let adopted = try #require(DefinitionReader.read(files: files).definitions.first)
        #expect(DriftReport.make(of: office.network, definition: adopted).isEmpty)
    }

    @Test("What rules say is mended at the rules, and what cannot be declared is told")
    func adoptionByHand() throws {
        let virtual = try #require(VirtualAddress(rawValue: 0x8123))
        let strange = try #require(NetKeyIndex(rawValue: 0x123))
        var office = try office("lamp-1") { node in
            node.elements[0].models[1].subscriptions = [.unknownLabel(virtual)]
            node.netKeys.append(NodeKey(index: strange))
        }
        let recorded = try #require(office.network.nodes.first { $0.name == "switch-1" })
        try office.change("switch-1") { node in
            node.elements[0].models[0].publication?.ttl = 3
        }
        let observed = try #require(office.network.nodes.first { $0.name == "switch-1" })
        office.network.drifts[recorded.uuid] = NodeDrift(recorded: recorded, observed: observed, at: since)
        let rules = """
            subscriptions:
              - { groups: [all-lights], models: [generic-onoff-server], nodes: lamp-* }
            publications:
              - { node: switch-1, model: generic-onoff-client, to: kitchen, key: lighting }
            """
        let definition = try definition(Office.nodes() + rules)
        let report = DriftReport.make(of: office.network, definition: definition)
        let adoption = DriftAdoption.make(of: report, network: office.network, definition: definition)
        let start = Office.definition.count { $0 == "\n" }
        let notes = adoption.nodes.flatMap { node in
            node.notes.map { note in "\(note.location.map { String(Int($0.line) - start) } ?? "-") \(note.text)" }
        }
        #expect(
            notes == [
                "- the node has subnet index 291, which the definition does not declare; it is left out here",
                "- the node uses the virtual address 0x8123, whose label the database does not know; it cannot be "
                    + "declared",
                "6 this subscribes generic-onoff-server to all-lights: leave lamp-1 out of it",
                "8 in place of this for switch-1: { node: switch-1, model: generic-onoff-client, "
                    + "to: kitchen, key: lighting, ttl: 3 }",
            ]
        )
    }

    @Test("Both retransmissions can be adopted, each if it drifted")
    func adoptedTransmissions() throws {
        func lines(_ change: (inout Node) -> Void) throws -> [String] {
            var office = try Office()
            try office.change("lamp-1") { $0.networkTransmit = TransmitParameters(octet: 0x0A) }
            let recorded = try #require(office.network.nodes.first { $0.name == "lamp-1" })
            try office.change("lamp-1", change)
            let observed = try #require(office.network.nodes.first { $0.name == "lamp-1" })
            office.network.drifts[recorded.uuid] = NodeDrift(recorded: recorded, observed: observed, at: since)
            let definition = try definition(Office.nodes(lamp1: "ttl: 5"))
            let report = DriftReport.make(of: office.network, definition: definition)
            return DriftAdoption.make(of: report, network: office.network, definition: definition).nodes
                .flatMap(\.lines)
        }
        let transmit = TransmitParameters(count: 2, steps: 0)
        #expect(try lines { $0.relayRetransmit = transmit } == ["relay_retransmit: { count: 3, interval: 10ms }"])
        #expect(try lines { $0.networkTransmit = transmit } == ["network_transmit: { count: 3, interval: 10ms }"])
    }
}
