import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan plan and show")
struct PlanCommandTests {
    @Test("shows the difference, changes nothing, and ends as --detailed-exitcode says")
    func plan() throws {
        let fixture = try CommandFixture.house()
        let before = fixture.read(".meshplan/house.meshdb")
        expectSnapshot(fixture.run("plan").transcript, "plan-house.txt")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 2)
        #expect(fixture.read(".meshplan/house.meshdb") == before)
    }

    @Test("writes one object a line with --json, and no key")
    func json() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("plan", "--json").transcript, "plan-house.jsonl")
    }

    @Test("saves a plan for its owner alone, which show shows as plan did")
    func save() throws {
        let fixture = try CommandFixture.house()
        let planned = fixture.run("plan", "--out", "house.mplan")
        #expect(
            planned.output.hasSuffix(
                "Saved to house.mplan. Apply exactly this plan with: meshplan apply house.mplan --via BEARER\n"
            )
        )
        #expect(try fixture.mode("house.mplan") == 0o600)
        let shown = fixture.run("show", "house.mplan")
        #expect(planned.output.hasPrefix(shown.output) && shown.output.contains("Plan: "))
        #expect(shown.error.isEmpty && shown.status == 0)
        #expect(fixture.run("show", "house.mplan", "--json").output.contains(#""type":"plan_summary""#))
    }

    @Test("a plan never takes the place of something else", arguments: ["house.yaml", ".", "/dev/null"])
    func otherTarget(path: String) throws {
        let fixture = try CommandFixture.house()
        let before = fixture.read("house.yaml")
        let result = fixture.run("plan", "--out", path)
        #expect(result.status == 1 && result.output.isEmpty && result.error.hasPrefix("Error: \(path) "))
        #expect(fixture.read("house.yaml") == before)
        for _ in 1...2 { #expect(fixture.run("plan", "--out", "house.plan").status == 0) }
    }

    @Test("a saved plan among definitions, and one that does not exist, are told apart from definitions")
    func notADefinition() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("plan", "--out", "house.mplan")
        for arguments in [
            ["plan", "house.mplan"], ["validate", "house.yaml", "house.mplan"],
            ["apply", "house.mplan", "house.yaml", "--via", "simulator"],
        ] {
            let result = fixture.run(arguments)
            #expect(result.status == 64)
            #expect(result.error.hasPrefix("Error: house.mplan is a saved plan, not a definition\n"))
        }
        let missing = fixture.run("show", "lost.mplan")
        #expect(
            missing.status == 1
                && missing.error.hasPrefix("Error: cannot read lost.mplan: No such file or directory\n")
        )
    }

    @Test("a plan that cannot be saved is one clear message")
    func unwritable() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("plan", "--out", "nowhere/house.mplan")
        #expect(result.status == 1 && result.error.contains("nowhere/house.mplan"))
    }

    @Test("a definition that does not fit the network is invalid, with the place of each problem")
    func misfit() throws {
        let fixture = try CommandFixture.house()
        try fixture.write(
            "version: 1\nnetwork: house\nnodes:\n  stranger: { uuid: 00000000000000000000000000000001, address: 0x7FFF }\n",
            to: "house.yaml"
        )
        let result = fixture.run("plan")
        #expect(result.status == 65 && result.error.hasPrefix("house.yaml:4:64: error: "))
        #expect(fixture.run("plan", "--json").output.contains(#""type":"diagnostic","severity":"error""#))
    }

    @Test("what a guard refuses ends with 5, in plan and in apply")
    func refused() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let lines = definition.split(separator: "\n", omittingEmptySubsequences: false)
        try fixture.write(lines.filter { !$0.hasPrefix("  bell:") }.joined(separator: "\n"), to: "house.yaml")
        let result = fixture.run("plan")
        #expect(result.status == 5 && result.error.contains("node `bell` (0x0104) is protected"))
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 5)
    }

    @Test("without database, key or network there is one clear message")
    func missing() throws {
        let fixture = try CommandFixture()
        try fixture.copy("house.yaml")
        #expect(fixture.run("plan").error.contains("there is no .meshplan/key"))
        _ = fixture.run("init")
        let noDatabase = fixture.run("plan")
        #expect(noDatabase.status == 1 && noDatabase.error.contains("there is no database of the network `house`"))
        #expect(noDatabase.error.contains("meshplan import --cdb FILE --network house"))
        #expect(fixture.run("plan", "--network", "other").status == 64)
    }

    @Test("a key file of another folder does not open the database")
    func wrongKey() throws {
        let fixture = try CommandFixture.house()
        let other = try CommandFixture()
        _ = other.run("init")
        let key = String(decoding: try #require(other.read(".meshplan/key")), as: UTF8.self)
        // The seeded generator gives both the same key, so one digit is changed.
        let digit: Character = key.first == "0" ? "1" : "0"
        try fixture.write(String(digit) + key.dropFirst(), to: ".meshplan/key")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: fixture.folder.appendingPathComponent(".meshplan/key").path
        )
        let result = fixture.run("plan")
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("Error: the key file .meshplan/key does not open .meshplan/house.meshdb\n"))
    }

    @Test("a key file that others can read, or that holds no key, is refused")
    func badKey() throws {
        let fixture = try CommandFixture.house()
        let path = fixture.folder.appendingPathComponent(".meshplan/key").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(fixture.run("plan").error.contains("mode 0644"))
        try fixture.write("not a key", to: ".meshplan/key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let result = fixture.run("plan")
        #expect(result.status == 1 && result.error.contains("does not hold 64 hexadecimal digits"))
        #expect(!result.error.contains("not a key"))
    }

    @Test("a file that is no database is not touched", arguments: ["", "SQLite format 3\0 but not", "hello"])
    func foreignFile(text: String) throws {
        let fixture = try CommandFixture.house()
        try fixture.write(text, to: ".meshplan/house.meshdb")
        let result = fixture.run("plan")
        #expect(result.status == 1 && result.error.hasPrefix("Error: .meshplan/house.meshdb: "))
        #expect(fixture.read(".meshplan/house.meshdb") == Array(text.utf8))
    }

    @Test("several networks ask for a choice")
    func severalNetworks() throws {
        let fixture = try CommandFixture.house()
        try fixture.write("version: 1\nnetwork: villa\n", to: "villa.yaml")
        let result = fixture.run("plan")
        #expect(result.status == 64 && result.error.contains("the files define several networks: house, villa"))
        #expect(fixture.run("plan", "--network", "house").status == 0)
    }

    @Test("show finds nodes by name, UUID and address, and groups by name and address")
    func show() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("show", "node.Door Bell").transcript, "show-node.txt")
        #expect(fixture.run("show", "node.0x0103").output == fixture.run("show", "node.Door Bell").output)
        #expect(fixture.run("show", "node.27668C97-32A3-45B5-6149-4865E288CBC2").status == 0)
        expectSnapshot(fixture.run("show", "group.Bedroom").transcript, "show-group.txt")
        #expect(fixture.run("show", "group.0xc023").output == fixture.run("show", "group.Bedroom").output)
        #expect(fixture.run("show", "node.nobody").status == 64)
        let json = fixture.run("show", "--json").output
        for line in json.split(separator: "\n") {
            #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        }
    }

    @Test("transmissions are counted as in definitions, in text and JSON alike")
    func transmissions() throws {
        let fixture = try CommandFixture.house()
        let text = fixture.run("show", "node.Bedroom Light").output
        #expect(text.contains("relay retransmit       3 times, 60ms apart"))
        let json = fixture.run("show", "node.Bedroom Light", "--json").output
        #expect(json.contains(#""relay_retransmit":{"count":3,"interval_ms":60}"#))
    }

    @Test("no command shows a key of the network")
    func secrets() throws {
        let fixture = try CommandFixture.house()
        let document = try JSONSerialization.jsonObject(with: Data(try #require(fixture.read("network.json"))))
        var keys: Set<String> = []
        func collect(_ value: Any) {
            if let members = value as? [String: Any] {
                for (name, member) in members {
                    if ["key", "oldKey", "deviceKey"].contains(name), let text = member as? String {
                        keys.insert(text)
                    }
                    collect(member)
                }
            } else if let items = value as? [Any] {
                for item in items { collect(item) }
            }
        }
        collect(document)
        #expect(keys.count > 10)
        let outputs = [
            ["show"], ["show", "--json"], ["show", "node.Door Bell"], ["plan", "--full"], ["plan", "--json"],
            ["apply", "--via", "simulator", "--auto-approve", "--json"],
        ].map { fixture.run($0) }
        let all = outputs.map { $0.output + $0.error }.joined().lowercased()
        #expect(all.count > 10_000)
        for key in keys { #expect(!all.contains(key.lowercased())) }
    }
}
