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
}
