import Catalogue
import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

/// What becomes of the states of `examples/office` when somebody interferes with it.
@Suite("States of the example office")
struct OfficeStatesTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("examples/office")

    private static func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    /// The office with one lamp a room, and without what has to do with secrets.
    ///
    /// - Parameter change: a text and what stands in its place.
    private static func definition(_ change: (String, String)? = nil) throws -> Definition {
        var text = try Self.text("office.yaml")
        if let change {
            try #require(text.contains(change.0))
            text = text.replacing(change.0, with: change.1)
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            guard let node = line.firstMatch(of: /^  ([a-z0-9-]+): +\{ uuid:/)?.output.1 else { return true }
            return node.hasSuffix("-1") || node.hasPrefix("switch-") || node == "presence-corridor"
        }
        let files = [
            ("office.yaml", lines.joined(separator: "\n")),
            ("devices/models.yaml", try Self.text("devices/models.yaml")),
        ]
        let result = DefinitionReader.read(
            files: SourceFiles(files: files.map { SourceFiles.File(path: $0.0, bytes: Array($0.1.utf8)) })
        )
        var definition = try #require(result.definitions.first, "\(result.diagnostics.map(\.message))")
        definition.provisioning = nil
        return definition
    }

    /// The office after its first apply, with a spare device for one of its lamps.
    private static func office(spare: DeviceUUID? = nil, for lamp: String = "") throws -> Commissioning {
        let definition = try Self.definition()
        let wanted = Set(definition.nodes.map(\.uuid.value))
        let file = SourceFiles.File(path: "devices.yaml", bytes: Array(try text("devices/devices.yaml").utf8))
        var devices = DeviceFile.read(files: SourceFiles(files: [file])).devices.filter { wanted.contains($0.uuid) }
        #expect(devices.count == 17)
        if let spare, let old = devices.first(where: { $0.name == lamp }) {
            devices.append(
                DeviceDescription(
                    uuid: spare,
                    name: "spare",
                    composition: old.composition,
                    capabilities: old.capabilities
                )
            )
        }
        let site = try Commissioning(devices)
        site.definition = definition
        let recap = try site.execute { $0.apply(try site.plan()) }
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.plan().isEmpty)
        return site
    }

    private static func node(_ name: String, _ site: Commissioning) throws -> Node {
        try required(site.network.nodes.first { $0.name == name && !$0.isExcluded })
    }

    /// What is known of the states of a node but the time, in the words of definitions.
    private static func known(_ node: Node) -> [String] {
        node.elements.enumerated().flatMap { index, element in
            element.models.flatMap(\.states).filter { $0.form.name != "time" }
                .map { "\(index) \($0.form.name) \($0.form.text(of: $0.status))" }
        }
    }

    @Test(
        "A lamp that is replaced gets all states of the one before it",
        arguments: [
            (
                "lamp-reception-1",
                [
                    "0 on-power-up restore", "0 scene.2 lightness 30%", "0 time-role client",
                    "0 lightness-default 100%", "0 lightness-range 5%, 100%",
                ]
            ),
            (
                "lamp-corridor-1",
                [
                    "0 on-power-up restore", "0 lightness-range 5%, 100%", "1 lc-mode on", "1 lc-occupancy-mode on",
                    "1 lc-property.light-control-time-run-on 5min", "1 lc-property.light-control-lightness-on 80%",
                ]
            ),
        ]
    )
    func replacement(lamp: String, states: [String]) throws {
        let spare = uuid(0x5BA2)
        let site = try Self.office(spare: spare, for: lamp)
        let old = try Self.node(lamp, site)
        let before = Self.known(old)
        #expect(Set(states).isSubset(of: before), "\(before)")
        site.world.setPower(old.uuid, isOn: false)
        let place = try #require(site.definition?.nodes.firstIndex { $0.name.value == lamp })
        site.definition?.nodes[place].uuid.value = spare
        let plan = try site.plan()
        #expect(plan.changes.contains { $0.kind == .provisioning && $0.action == .replace && $0.node == spare })
        let recap = try site.execute { $0.apply(plan) }
        #expect(recap.isComplete, "\(recap)")
        let new = try Self.node(lamp, site)
        #expect(new.uuid == spare && new.unicastAddress != old.unicastAddress)
        #expect(Self.known(new) == before)
        #expect(try site.plan().isEmpty)
        // What is recorded is what the new lamp reports.
        #expect(try site.execute { $0.readBack([spare]) }.isComplete)
        #expect(try site.network.drifts.isEmpty)
        #expect(Self.known(try Self.node(lamp, site)) == before)
    }

    @Test("A property of the corridor that another client has changed is drift by its name, and is set again")
    func drift() throws {
        let site = try Self.office()
        let lamp = try Self.node("lamp-corridor-1", site)
        let before = Self.known(lamp)
        // What the other client sets, in the words of the definition.
        let other = try Self.definition(("light-control-time-run-on: 5min", "light-control-time-run-on: 5s"))
        let profile = try #require(other.profiles.first { $0.name.value == "corridor-lamp" })
        let settings = try #require(profile.settings.elements[1]).models.flatMap { $0.states?.value ?? [] }
        let state = try #require(settings.first { $0.value.path == "properties.light-control-time-run-on" }).value.state
        let model = ModelAddress(element: 1, model: state.form.server)
        let setup = ModelAddress(element: 1, model: state.form.setServer)
        let set = ModelStateSet(
            state,
            of: model,
            key: try #require(lamp.model(at: setup)?.bindings.first),
            readingKey: try #require(lamp.model(at: model)?.bindings.first)
        )
        let plan = try site.plan()
        let foreign = Plan(
            identifier: Octets16(high: 0xF0, low: 1),
            lineage: plan.lineage,
            serial: plan.serial,
            network: plan.network,
            changes: [Change(address: "node", kind: .node, action: .update, node: lamp.uuid)],
            steps: [Step(change: 0, work: .configure(lamp.uuid, .setBriefly(set)))]
        )
        #expect(try site.execute { $0.apply(foreign) }.isComplete)
        #expect(try site.plan().isEmpty)

        #expect(try site.execute { $0.readBack([lamp.uuid]) }.isComplete)
        let network = try site.network
        let drift = try #require(network.drifts[lamp.uuid])
        let path = "element[1].light-lc-setup-server.state.lc-property.light-control-time-run-on"
        #expect(drift.resources.map { $0.path(in: network) } == [path])
        let repair = try site.plan()
        let change = try #require(repair.changes.first)
        #expect(repair.changes.count == 1 && change.address.hasSuffix(".state.lc-property.light-control-time-run-on"))
        #expect(change.before == "5s" && change.after == "5min" && change.drift != nil)
        let recap = try site.execute { $0.apply(repair) }
        #expect(recap.isComplete && recap.messagesSent == 1, "\(recap)")
        #expect(Self.known(try Self.node("lamp-corridor-1", site)) == before)
        #expect(try site.network.drifts.isEmpty && site.plan().isEmpty)
    }
}
