import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Saved plans of a fleet")
struct FleetPlansTests {
    private static let apply = ["fleet", "apply", "--plan", "plans", "--devices", "devices/all.yaml"]

    private static func digest(of result: CommandFixture.Result) throws -> String {
        let line = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("Digest: ") })
        return String(line.dropFirst("Digest: ".count))
    }

    private static func names(_ fixture: CommandFixture, _ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path + "/" + folder).sorted()
    }

    /// Another machine with the databases and the plans, but without definitions.
    private static func machine(of fixture: CommandFixture) throws -> CommandFixture {
        let other = try CommandFixture()
        for name in ["sites", "plans", "devices"] {
            try FileManager.default.copyItem(
                at: fixture.folder.appendingPathComponent(name),
                to: other.folder.appendingPathComponent(name)
            )
        }
        return other
    }

    @Test("What was saved is applied exactly, in waves, where there is no definition, and only once")
    func wholeLife() throws {
        let fixture = try FleetCommandTests.shops()
        let saved = fixture.run("fleet", "plan", "--out", "plans", "--detailed-exitcode")
        expectSnapshot(saved.transcript, "fleet-plans-saved.txt")
        #expect(saved.status == 2)
        #expect(try Self.names(fixture, "plans") == ["fleet.json", "graz-1.mplan", "graz-2.mplan", "wien-1.mplan"])
        #expect(try fixture.mode("plans") == 0o700)
        for name in try Self.names(fixture, "plans") { #expect(try fixture.mode("plans/" + name) == 0o600) }
        let shown = fixture.run("fleet", "show", "plans")
        expectSnapshot(shown.transcript, "fleet-plans-shown.txt")
        let digest = try Self.digest(of: saved)
        #expect(try Self.digest(of: shown) == digest)
        // Made again, in whatever form it is shown, they are the same.
        for arguments in [[], ["--details"], ["--workers", "1"]] {
            let again = fixture.run(["fleet", "plan", "--out", "plans"] + arguments)
            #expect(try Self.digest(of: again) == digest, "\(again.combined)")
            #expect(!again.combined.contains("plans.meshplan-"), "\(again.combined)")
        }

        let machine = try Self.machine(of: fixture)
        let other = machine.run(Self.apply + ["--expect-digest", String(repeating: "0", count: 64)])
        #expect(other.status == 7, "\(other.combined)")
        #expect(other.error.contains("the plans have the digest \(digest)"))
        let waves = ["--waves", "city=Graz,rest", "--gate", "drift", "--expect-digest", String(digest.prefix(12))]
        let applied = machine.run(Self.apply + waves)
        #expect(applied.status == 0, "\(applied.combined)")
        #expect(applied.output.contains("Wave 2 of 2: 1 network") && applied.output.contains("Gate: drift"))
        let again = machine.run(Self.apply)
        #expect(again.status == 7, "\(again.combined)")
        #expect(again.output.contains("3 networks: 3 stale."))

        try FileManager.default.removeItem(at: machine.folder.appendingPathComponent("sites"))
        let lost = machine.run(Self.apply)
        #expect(lost.status == 1, "\(lost.combined)")
        #expect(lost.error.contains("there is no folder sites/graz-1, where graz-1 was planned"))

        // Here the databases know nothing of it.
        let some = fixture.run(Self.apply + ["--select", "city=Wien"])
        #expect(some.status == 0 && some.output.contains("1 network: 1 applied."), "\(some.combined)")
        let next = fixture.run("fleet", "plan", "--out", "plans", "--json")
        #expect(next.status == 0 && next.output.contains(#""up_to_date":["wien-1"]"#), "\(next.output)")
        #expect(try Self.names(fixture, "plans") == ["fleet.json", "graz-1.mplan", "graz-2.mplan"])
        let schema = try JSONSchema("meshplan-events.schema.json")
        let line = try #require(next.output.split(separator: "\n").first { $0.contains(#""type":"fleet_plans""#) })
        let mistakes = schema.mistakes(in: try JSONParser.parse(Array(line.utf8)))
        #expect(mistakes.isEmpty, "\(mistakes)")
    }

    @Test("A file that was changed, removed or added is named, and nothing is applied")
    func tampering() throws {
        let fixture = try FleetCommandTests.shops()
        try #require(fixture.run("fleet", "plan", "--out", "plans").status == 0)
        let plan = try #require(fixture.read("plans/graz-2.mplan"))
        let index = String(decoding: try #require(fixture.read("plans/fleet.json")), as: UTF8.self)
        func refused(_ message: String) {
            for command in [Self.apply, ["fleet", "show", "plans"]] {
                let result = fixture.run(command)
                #expect(result.status == 65, "\(result.combined)")
                #expect(result.error.contains(message), "\(result.error)")
            }
        }
        var changed = plan
        changed[plan.count / 2] ^= 1
        try fixture.put(changed, to: "plans/graz-2.mplan")
        refused("plans/graz-2.mplan was changed after the plans were saved")
        try fixture.put(nil, to: "plans/graz-2.mplan")
        refused("plans/graz-2.mplan is missing")
        try fixture.put(plan, to: "plans/graz-2.mplan")
        try fixture.put(plan, to: "plans/graz-3.mplan")
        refused("plans/graz-3.mplan was added after the plans were saved")
        try fixture.put(nil, to: "plans/graz-3.mplan")
        for (old, new) in [
            ("2 to provision", "1 to provision"), ("sites/graz-1", "sites/graz-2"), (#""simulator""#, #""gatt""#),
            (#""city": "Wien""#, #""city": "Graz""#),
        ] {
            try fixture.write(index.replacing(old, with: new), to: "plans/fleet.json")
            refused("plans/fleet.json was changed after the plans were saved")
        }
        try fixture.write(String(index.dropLast(20)), to: "plans/fleet.json")
        refused("plans/fleet.json is damaged, or of another version of meshplan")
        try fixture.write("{}", to: "plans/fleet.json")
        refused("plans/fleet.json does not describe saved plans of a fleet")
        try fixture.put(nil, to: "plans/fleet.json")
        refused("plans holds no saved plans of a fleet")
        #expect(!fixture.run("fleet", "status").output.contains("apply"))

        try fixture.write(index, to: "plans/fleet.json")
        #expect(fixture.run(["fleet", "show", "plans"]).status == 0)
        #expect(fixture.run("fleet", "apply", "--expect-digest", "01234567").status == 64)
    }

    @Test("Nothing but saved plans is replaced, and a plan that cannot be made leaves what was there")
    func targets() throws {
        let fixture = try FleetCommandTests.shops()
        func refused(_ target: String, _ message: String) {
            let result = fixture.run("fleet", "plan", "--out", target)
            #expect(result.status == 1 && result.output.isEmpty, "\(result.combined)")
            #expect(result.error.contains(message), "\(result.error)")
        }
        refused("fleet.yaml", "fleet.yaml exists and is not a folder")
        refused("devices", "devices holds something other than saved plans of a fleet: all.yaml")
        refused(".meshplan/plans", "is in the folder of mesh databases")
        try fixture.write("{}", to: "other/fleet.json")
        refused("other", "other exists and holds no saved plans of a fleet")
        try #require(fixture.run("fleet", "plan", "--out", "plans/").status == 0)
        try fixture.write("mine", to: "plans/notes.txt")
        refused("plans", "plans holds something other than saved plans of a fleet: notes.txt")
        try fixture.put(nil, to: "plans/notes.txt")

        // One network without its key is left out. Without any, the former plans stay.
        let keys = ["graz-1", "graz-2", "wien-1"].map { "sites/\($0)/.meshplan/key" }
        try fixture.put(nil, to: keys[1])
        let part = fixture.run("fleet", "plan", "--out", "plans")
        #expect(part.status == 1, "\(part.combined)")
        #expect(part.output.contains("1 network that cannot be planned is left out."))
        #expect(fixture.run("fleet", "show", "plans").output.contains("could not be planned: graz-2"))
        let before = fixture.read("plans/fleet.json")
        for key in [keys[0], keys[2]] { try fixture.put(nil, to: key) }
        let none = fixture.run("fleet", "plan", "--out", "plans")
        #expect(none.status == 1 && none.error.contains("nothing is saved to plans"), "\(none.combined)")
        #expect(fixture.read("plans/fleet.json") == before)
        #expect(try Self.names(fixture, ".").filter { $0.hasPrefix("plans.") }.isEmpty)

        // A command that was killed while it replaced them: no process has this number.
        let (place, left) = (fixture.folder.path + "/plans", fixture.folder.path + "/plans.meshplan-2147483647")
        try FileManager.default.moveItem(atPath: place, toPath: left + ".former")
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        #expect(fixture.run("fleet", "show", "plans").status == 65)
        #expect(fixture.run("fleet", "plan", "--out", "plans").status == 1)
        #expect(fixture.read("plans/fleet.json") == before)
        #expect(try Self.names(fixture, ".").filter { $0.hasPrefix("plans.") }.isEmpty)
    }

    @Test("An address of a database is written without its password")
    func passwords() {
        var network = FleetNetwork(name: "a", folder: "/sites/./a", definition: ["a.yaml", "/shared/b.yaml"])
        network.state = "postgres://me:secret@host/mesh?password=secret&connect_timeout=2"
        network.keyFile = "/sites/key"
        let paths = FleetPaths(base: "/sites/")
        let written = paths.written(network)
        #expect(written.state == "postgres://me@host/mesh?connect_timeout=2")
        #expect(written.folder == "a" && written.keyFile == "key")
        #expect(written.definition == ["a/a.yaml", "/shared/b.yaml"])
        let usable = paths.usable(written)
        #expect(usable.folder == "/sites/a" && usable.keyFile == "/sites/key" && usable.definition.isEmpty)
    }
}
