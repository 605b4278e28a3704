import Foundation
import MeshCore
import Testing

import let Basics.programVersion

@testable import MeshplanCLI

/// What released versions wrote, each in a folder `Resources/version-NUMBER`: a network of two simulated lamps, with keys
/// that are counted up. Later versions read it, so these files are never made anew.
@Suite struct ReleasedVersionTests {
    private static let versions = ["0.3.0"]

    /// A folder with what a version wrote.
    private func fixture(_ version: String) throws -> CommandFixture {
        let fixture = try CommandFixture()
        fixture.environment["MESHPLAN_KEY_FILE"] = "fake.key"
        fixture.now = Timestamp(rawValue: 1_800_000_000)
        let resource = "version-\(version)/"
        for name in ["hq.yaml", "meshplan.lock.yaml"] { try fixture.copy(resource + name, to: name) }
        for name in ["keys", ".meshplan"] {
            try FileManager.default.createDirectory(
                at: fixture.folder.appendingPathComponent(name),
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        let secrets = [
            "fake.key": "fake.key", "hq.json": "hq.json", "later.plan": "later.mplan",
            "hq.meshdb": ".meshplan/hq.meshdb", "hq.meshdb.sequence": ".meshplan/hq.meshdb.sequence",
            "keys/building.key": "keys/building.key", "keys/guests.key": "keys/guests.key",
            "keys/lighting.key": "keys/lighting.key",
        ]
        for (from, to) in secrets {
            try fixture.copy(resource + from, to: to)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: fixture.folder.appendingPathComponent(to).path
            )
        }
        return fixture
    }

    private func nodes(_ fixture: CommandFixture, _ network: String) -> [String] {
        let shown = fixture.run("show", "--network", network).output
        return ["lamp-1", "lamp-2"].filter { shown.contains($0) }
    }

    @Test("its database opens, says who wrote it, and plans empty and with a change", arguments: versions)
    func database(version: String) throws {
        let fixture = try fixture(version)
        let verified = fixture.run("state", "verify")
        #expect(verified.status == 0 && verified.output.contains("by meshplan \(version)\n"), "\(verified.combined)")
        #expect(nodes(fixture, "hq") == ["lamp-1", "lamp-2"])
        let empty = fixture.run("plan", "--detailed-exitcode")
        #expect(empty.status == 0 && empty.output.contains("No changes."), "\(empty.combined)")
        let text = String(decoding: try #require(fixture.read("hq.yaml")), as: UTF8.self)
        try fixture.write(text.replacing("ttl: 5", with: "ttl: 7"), to: "hq.yaml")
        let changed = fixture.run("plan", "--detailed-exitcode")
        #expect(changed.status == 2 && changed.output.contains("5 -> 7"), "\(changed.combined)")
        #expect(changed.output.contains("0 to add, 2 to change"))
    }

    @Test("its history and its sequence numbers are read, and a change goes on from them", arguments: versions)
    func change(version: String) throws {
        let fixture = try fixture(version)
        #expect(fixture.run("network", "iv", "show").output.contains("0x0001: 512 of 16777216 sequence numbers"))
        let removed = fixture.run("state", "rm", "node.lamp-2", "--auto-approve")
        #expect(removed.status == 0, "\(removed.combined)")
        let history = fixture.run("state", "history").output
        #expect(history.contains("apply") && history.contains("state rm"), "\(history)")
        let listed = fixture.run("state", "list").output
        #expect(listed.contains("node.lamp-1") && !listed.contains("node.lamp-2"), "\(listed)")
        #expect(fixture.run("state", "verify").output.contains("by meshplan \(programVersion)\n"))
    }

    @Test("its saved plan is read", arguments: versions)
    func savedPlan(version: String) throws {
        let shown = try fixture(version).run("show", "later.mplan")
        #expect(shown.status == 0 && shown.output.contains("5 -> 7"), "\(shown.combined)")
    }

    @Test("its export is imported", arguments: versions)
    func export(version: String) throws {
        let fixture = try fixture(version)
        let imported = fixture.run("import", "--cdb", "hq.json", "--network", "again")
        #expect(imported.status == 0, "\(imported.combined)")
        #expect(nodes(fixture, "again") == ["lamp-1", "lamp-2"])
    }

    @Test("its saved plans of a fleet are read", arguments: versions)
    func fleetPlans(version: String) throws {
        let fixture = try fixture(version)
        let folder = "version-\(version)/plans/"
        try fixture.copy(folder + "fleet.json", to: "plans/fleet.json")
        for name in ["graz-1", "graz_2"] { try fixture.copy(folder + name + ".plan", to: "plans/\(name).mplan") }
        let shown = fixture.run("fleet", "show", "plans")
        #expect(shown.status == 0, "\(shown.combined)")
        #expect(shown.output.contains("Digest: 7190eb9ea1e5065124218be9663b48c1a38c7382fc455eaea985be2a9c1b3744"))
        try FileManager.default.createDirectory(
            at: fixture.folder.appendingPathComponent("sites/graz_2"),
            withIntermediateDirectories: true
        )
        try FileManager.default.createDirectory(
            at: fixture.folder.appendingPathComponent("sites/graz-1"),
            withIntermediateDirectories: true
        )
        var read: SavedFleet?
        _ = fixture.run { context in
            read = try? SavedFleet("plans", base: ".", expecting: nil, selecting: [], in: context)
        }
        let network = try #require(read?.fleet.networks.last)
        #expect(network.name == "graz_2" && network.via == ["simulator"])
        #expect(network.tags == ["chain": "north", "city": "Graz"])
        #expect(network.variables == ["building": "2", "name": "graz_2"])
    }

    @Test("what its agent knew is read", arguments: versions)
    func agent(version: String) throws {
        let fixture = try fixture(version)
        try fixture.copy("version-\(version)/agent.json", to: "agent.json")
        let path = fixture.folder.path + "/agent.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let state = try AgentState.read(path, as: "agent.json")
        #expect(state.nextNumber == 12 && state.testedDay == 20_786 && state.toldApprovals.count == 1)
        let settings = AgentSettings(lookEvery: 10, applies: true, sampling: AgentSampling(), testsAt: 7_200)
        #expect(state.settings == settings)
        let network = try #require(state.networks["graz_2"])
        #expect(state.networks.count == 2 && network.used.count == 2 && network.allowance == 17_986_087)
        #expect(network.asked == ["0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C020001": 1_795_994_140])
    }
}
