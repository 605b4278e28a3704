import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan import --write-definition")
struct WrittenDefinitionTests {
    /// A folder with a sample export of another tool.
    private func fixture(_ sample: String) throws -> CommandFixture {
        let fixture = try CommandFixture()
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appendingPathComponent("StoreTests/Resources/\(sample).json")
        try fixture.writePrivate(try String(contentsOf: file, encoding: .utf8), to: "network.json")
        try #require(fixture.run("init").status == 0)
        return fixture
    }

    @Test(
        "What other tools export becomes a definition that is valid and plans empty",
        arguments: ["01-spec-example-kotlin-lib", "02-coral-reexport", "04-ios-2.x-spec-draft"]
    )
    func samples(sample: String) throws {
        let fixture = try fixture(sample)
        let result = fixture.run("import", "--cdb", "network.json", "--network", "home", "--write-definition", "plans")
        expectSnapshot(result.transcript, "import-written-\(sample.prefix(2)).txt")
        let text = String(decoding: try required(fixture.read("plans/home.yaml")), as: UTF8.self)
        expectSnapshot(text, "written-\(sample.prefix(2)).yaml")
        #expect(try fixture.mode("plans/home.yaml") == 0o644)
        #expect(fixture.run("validate", "plans").status == 0)
        let plan = fixture.run("plan", "plans", "--detailed-exitcode")
        #expect(plan.status == 0 && plan.output.hasPrefix("No changes."), "\(plan.output)\(plan.error)")
        for key in try Self.keys(of: try required(fixture.read("network.json"))) {
            #expect(!text.lowercased().contains(key) && !result.output.lowercased().contains(key))
        }
    }

    /// The digits of all keys in a configuration database.
    private static func keys(of json: [UInt8]) throws -> [String] {
        let text = String(decoding: json, as: UTF8.self)
        let keys = text.matches(of: #/"(?:key|oldKey|deviceKey)"\s*:\s*"([0-9A-Fa-f]{32})"/#)
            .map { String($0.1).lowercased() }
        #expect(keys.count > 3)
        return keys
    }

    @Test("A file that is there is replaced only when that is asked for, and nothing is imported before")
    func existing() throws {
        let fixture = try fixture("04-ios-2.x-spec-draft")
        try fixture.write("version: 1\nnetwork: home\n", to: "home.yaml")
        let command = ["import", "--cdb", "network.json", "--write-definition", "."]
        let refused = fixture.run(command)
        #expect(refused.status == 1 && refused.error.contains("home.yaml already exists"))
        #expect(fixture.read(".meshplan/home.meshdb") == nil)
        #expect(fixture.read("home.yaml").map { String(decoding: $0, as: UTF8.self) } == "version: 1\nnetwork: home\n")
        #expect(fixture.run(command + ["--overwrite"]).status == 0)
        #expect(fixture.run("plan").output.hasPrefix("No changes."))
        #expect(fixture.read("home.yaml.new") == nil)
        try fixture.write("version: 1\nnetwork: b\n", to: "other/start.yaml")
        let other = fixture.run("import", "--cdb", "network.json", "--network", "b", "--write-definition", "other")
        #expect(other.status == 1 && other.error.contains("there is a definition of the network `b` in other already"))
        #expect(fixture.run("import", "--cdb", "network.json", "--network", "b", "--overwrite").status == 64)
    }

    @Test("A folder that cannot be made, or a file that cannot be written, is said and leaves no database")
    func unwritable() throws {
        let fixture = try fixture("04-ios-2.x-spec-draft")
        let missing = fixture.run("import", "--cdb", "network.json", "--network", "a", "--write-definition", "x/y")
        #expect(missing.status == 1 && missing.error.contains("cannot create x/y: No such file or directory"))
        try fixture.write("", to: "file")
        let file = fixture.run("import", "--cdb", "network.json", "--network", "a", "--write-definition", "file")
        #expect(file.status == 1 && file.error.contains("cannot create file"))
        #expect(fixture.read(".meshplan/a.meshdb") == nil)
    }

    @Test("What is taken out of a definition that was written leaves the nodes, as if it had been applied")
    func managed() throws {
        let fixture = try fixture("02-coral-reexport")
        let imported = fixture.run("import", "--cdb", "network.json", "--network", "home", "--write-definition", ".")
        #expect(imported.status == 0)
        let text = String(decoding: try required(fixture.read("home.yaml")), as: UTF8.self)
        let line = "        light-hsl-server: { keys: [home-automation], subscribe: [Bedroom] }\n"
        try #require(text.contains(line))
        try fixture.write(text.replacing(line, with: ""), to: "home.yaml")
        let plan = fixture.run("plan")
        #expect(plan.output.contains("0 to add, 0 to change, 2 to remove, 0 to forget"), "\(plan.output)\(plan.error)")
    }

    @Test("A database that already exists is adopted, also one that a definition manages, and again")
    func adopted() throws {
        let fixture = try CommandFixture.house()
        let adopted = fixture.run("adopt", "plans")
        #expect(adopted.status == 0 && adopted.output.hasPrefix("Wrote plans/house.yaml: 8 nodes"), "\(adopted.error)")
        let text = try required(fixture.read("plans/house.yaml"))
        let plan = fixture.run("plan", "plans", "--detailed-exitcode")
        #expect(plan.status == 0 && plan.output.hasPrefix("No changes."), "\(plan.output)\(plan.error)")
        // Whoever was cut short repeats the command; nothing but its own file is taken for that.
        #expect(fixture.run("adopt", "plans").status == 0)
        #expect(try required(fixture.read("plans/house.yaml")) == text)
        try fixture.write("version: 1\nnetwork: house\n", to: "plans/house.yaml")
        #expect(fixture.run("adopt", "plans").error.contains("plans/house.yaml already exists"))
        let again = fixture.run("adopt", "plans", "--overwrite")
        #expect(again.status == 0 && !again.output.contains("names of the database"))
        #expect(try required(fixture.read("plans/house.yaml")) == text)
        #expect(fixture.run("plan", "plans").output.hasPrefix("No changes."))
        #expect(fixture.run("adopt", "other", "--network", "nothing").status == 1)
        // What comes next can be copied, also with spaces in it.
        let spaced = fixture.run("adopt", "my house").output
        #expect(spaced.contains("Next: meshplan plan 'my house/house.yaml'\n"), "\(spaced)")
    }

    /// An inn with a lamp and a switch in each of eight rooms, commissioned in the simulator.
    private func inn() throws -> CommandFixture {
        let fixture = try CommandFixture()
        let places = (1...8).flatMap { ["lamp-\($0)", "switch-\($0)"] }
        func uuid(_ place: Int) -> String { "0d5c5a0e6f5b4f0ea1a50b1f1c1f" + String(format: "%04x", place + 1) }
        let devices = places.enumerated().map { place, name in
            "  \(name): { uuid: \(uuid(place)), product: \(name.prefix { $0 != "-" }) }\n"
        }
        try fixture.write(
            """
            products:
              lamp: { features: [relay, proxy], elements: [{ models: [generic-onoff-server] }] }
              switch: { elements: [{ models: [generic-onoff-client] }] }
            devices:
            \(devices.joined())
            """,
            to: "sim/devices.yaml"
        )
        try fixture.write(
            """
            version: 1
            network: inn
            subnets: { home: { index: 0 } }
            application_keys: { lighting: { subnet: home } }
            modules:
              guest-room:
                parameters: { n: number }
                groups: { room-$(n): {} }
                nodes:
                  lamp-$(n): { elements: { 0: { generic-onoff-server: { keys: [lighting] } } } }
                  switch-$(n): { elements: { 0: { generic-onoff-client: { keys: [lighting] } } } }
                subscriptions:
                  - { groups: [room-$(n)], models: [generic-onoff-server], nodes: lamp-$(n) }
                publications:
                  - { node: switch-$(n), model: generic-onoff-client, to: room-$(n), key: lighting }
            use:
              - { module: guest-room, for: { n: 1..8 } }
            """,
            to: "inn.yaml"
        )
        let assignments = places.enumerated().map { place, name in "\(name) \(uuid(place))\n" }
        try fixture.write(assignments.joined(), to: "inn.assignments")
        try #require(fixture.run("init", "--network", "inn").status == 0)
        let air = ["--auto-approve", "--via", "simulator", "--devices", "sim/devices.yaml"]
        let applied = fixture.run(["apply"] + air)
        try #require(
            applied.status == 0 && applied.output.contains("Apply complete."),
            "\(applied.output)\(applied.error)"
        )
        return fixture
    }

    @Test("Rooms that repeat are adopted as a module with assignments, or node by node with --flat")
    func rooms() throws {
        let fixture = try inn()
        func lines(_ path: String) throws -> Int {
            String(decoding: try required(fixture.read(path)), as: UTF8.self).split(separator: "\n").count
        }
        let folded = fixture.run("adopt", "folded")
        #expect(folded.status == 0, "\(folded.error)")
        #expect(
            folded.output.contains("16 nodes are in 1 module, with devices in folded/inn.assignments\n"),
            "\(folded.output)"
        )
        let text = String(decoding: try required(fixture.read("folded/inn.yaml")), as: UTF8.self)
        #expect(text.contains("{ module: room, for: { n: 1..8 } }") && !text.contains("uuid:"), "\(text)")
        let plan = fixture.run("plan", "folded", "--detailed-exitcode")
        #expect(plan.status == 0 && plan.output.hasPrefix("No changes."), "\(plan.output)\(plan.error)")
        let flat = fixture.run("adopt", "flat", "--flat")
        #expect(flat.status == 0 && !flat.output.contains("module"), "\(flat.output)")
        #expect(fixture.read("flat/inn.assignments") == nil)
        #expect(fixture.run("plan", "flat", "--detailed-exitcode").status == 0)
        #expect(try lines("folded/inn.yaml") < lines("flat/inn.yaml"))
        // Files that are there stay, unless they are to be replaced.
        try FileManager.default.removeItem(at: fixture.folder.appending(path: "folded/inn.yaml"))
        try fixture.write("# other\n", to: "folded/inn.assignments")
        let refused = fixture.run("adopt", "folded")
        #expect(
            refused.status == 1 && refused.error.contains("folded/inn.assignments already exists"),
            "\(refused.error)"
        )
        #expect(fixture.run("adopt", "folded", "--overwrite").status == 0)
        #expect(fixture.run("import", "--cdb", "network.json", "--flat").status == 64)
    }

    @Test("What an apply has made of a network is adopted without a change")
    func applied() throws {
        let fixture = try CommandFixture.house()
        let applied = fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve")
        try #require(applied.status == 0, "\(applied.error)")
        #expect(fixture.run("adopt", "plans").status == 0)
        let plan = fixture.run("plan", "plans", "--detailed-exitcode")
        #expect(plan.status == 0 && plan.output.hasPrefix("No changes."), "\(plan.output)\(plan.error)")
        #expect(fixture.run("drift", "plans").status == 0)
    }
}
