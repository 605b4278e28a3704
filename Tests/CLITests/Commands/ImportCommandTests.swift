import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan import")
struct ImportCommandTests {
    @Test("reads a configuration database and lists what it has repaired")
    func imports() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        _ = fixture.run("init")
        expectSnapshot(fixture.run("import", "--cdb", "network.json").transcript, "import.txt")
        #expect(try fixture.mode(".meshplan/brian-and-mary-s-house.meshdb") == 0o600)
        expectSnapshot(fixture.run("show").transcript, "show.txt")
    }

    @Test("takes the name of the network from the definition beside it, or as told")
    func names() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        try fixture.write("version: 1\nnetwork: villa\n", to: "villa.yaml")
        _ = fixture.run("init")
        #expect(fixture.run("import", "--cdb", "network.json").output.contains(".meshplan/villa.meshdb"))
        #expect(fixture.run("import", "--cdb", "network.json", "--network", "b").output.contains(".meshplan/b.meshdb"))
        #expect(fixture.run("import", "--cdb", "network.json", "--network", "../c").status == 64)
        #expect(fixture.run("show").error.contains("there are several networks: b, villa"))
        #expect(fixture.run("show", "--network", "b").status == 0)
    }

    @Test("never overwrites a database")
    func exists() throws {
        let fixture = try CommandFixture.house()
        let text = String(decoding: try #require(fixture.read("network.json")), as: UTF8.self)
        let other = text.replacing("mary", with: "marie").replacing("Mary", with: "Marie")
        try #require(other != text)
        try fixture.write(other, to: "other.json")
        try #require(fixture.run(HistoryCommandTests.apply).status == 0)
        let before = fixture.read(".meshplan/house.meshdb")
        for file in ["network.json", "other.json"] {
            let result = fixture.run("import", "--cdb", file)
            #expect(result.status == 1 && result.error.contains("there is a database of the network `house` already"))
        }
        #expect(fixture.read(".meshplan/house.meshdb") == before)
        let fresh = try CommandFixture.house()
        try fresh.write(other, to: "other.json")
        #expect(fresh.run("import", "--cdb", "other.json").status == 1)
    }

    @Test("the same import again goes on, wherever it was cut short", arguments: ["all", "definition", "database"])
    func again(what: String) throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        try #require(fixture.run("init").status == 0)
        let command = ["import", "--cdb", "network.json", "--network", "house", "--write-definition", "written"]
        let first = fixture.run(command)
        try #require(first.status == 0, "\(first.error)")
        let definition = fixture.read("written/house.yaml")
        // What an import leaves that was killed earlier, or could not tell that it had succeeded.
        let lost: [String] =
            switch what {
            case "definition": ["written/house.yaml"]
            case "database": [".meshplan/house.meshdb", "meshplan.lock.yaml"]
            default: []
            }
        for path in lost { try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent(path)) }
        let database = fixture.read(".meshplan/house.meshdb")
        let again = fixture.run(command)
        #expect(again.status == 0, "\(again.output)\(again.error)")
        #expect(again.output.contains("The database holds this import already.") == (what != "database"))
        #expect(fixture.read("written/house.yaml") == definition)
        if what != "database" { #expect(fixture.read(".meshplan/house.meshdb") == database) }
        #expect(fixture.run("plan", "written", "--detailed-exitcode").status == 0)
    }

    @Test(
        "what is no configuration database is refused by name and place, and makes no file",
        arguments: [
            ("", "wrong.json"), ("{\n  \"meshUUID\": \"x\",,\n}", "line 2"), ("{\"nodes\": []}", "meshUUID"),
            ("[1, 2]", "object"),
        ]
    )
    func wrongJSON(text: String, expected: String) throws {
        let fixture = try CommandFixture()
        _ = fixture.run("init")
        try fixture.write(text, to: "wrong.json")
        let result = fixture.run("import", "--cdb", "wrong.json", "--network", "house")
        #expect(result.status == 65)
        #expect(result.error.hasPrefix("Error: wrong.json: ") && result.error.contains(expected))
        #expect(fixture.read(".meshplan/house.meshdb") == nil)
    }

    @Test("a file that is not there, a folder and a missing init each have one clear message")
    func missing() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        let noFile = fixture.run("import", "--cdb", "nothing.json")
        #expect(
            noFile.status == 1 && noFile.error.hasPrefix("Error: cannot read nothing.json: No such file or directory\n")
        )
        #expect(fixture.run("import", "--cdb", ".").error.hasPrefix("Error: cannot read .: it is a folder\n"))
        let noInit = fixture.run("import", "--cdb", "network.json")
        #expect(noInit.status == 1 && noInit.error.contains("Start with: meshplan init"))
    }

    /// The example network with 60 more nodes at the end, which share one UUID and deviate from the format.
    private static func crowded(_ fixture: CommandFixture) throws -> String {
        try fixture.copy("network.json")
        let text = try #require(fixture.read("network.json").map { String(decoding: $0, as: UTF8.self) })
        let start = try #require(text.firstRange(of: #/"nodes"\s*:\s*\[/#))
        let nodes = (0..<60).map { number in
            """
            {"UUID":"000000000000000000000000000000AA","name":"n\(number)","unicastAddress":"\(String(0x3000 + number, radix: 16))",
            "deviceKey":"00112233445566778899AABBCCDDEEFF","security":"secure","configComplete":true,"excluded":false,
            "netKeys":[{"index":0,"updated":false}],"appKeys":[],"elements":[]},
            """
        }
        return String(text[..<start.upperBound] + nodes.joined() + text[start.upperBound...])
    }

    @Test("a long list of repairs is cut short, but not those of identities")
    func importantRepairs() throws {
        let fixture = try CommandFixture()
        try fixture.write(try Self.crowded(fixture), to: "crowded.json")
        _ = fixture.run("init")
        let result = fixture.run("import", "--cdb", "crowded.json")
        #expect(result.status == 0)
        #expect(result.error.components(separatedBy: "; replaced by ").count - 1 == 59)
        #expect(result.error.contains("more; all of them: meshplan import --lint"))
        let lint = fixture.run("import", "--cdb", "crowded.json", "--lint")
        #expect(lint.output.components(separatedBy: "a UUID without hyphens").count - 1 == 60)
    }

    @Test("--lint lists all that departs from the format, needs no init and changes nothing")
    func lint() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        let result = fixture.run("import", "--cdb", "network.json", "--lint")
        expectSnapshot(result.transcript, "import-lint.txt")
        #expect(result.status == 9)
        #expect(fixture.read(".meshplan/key") == nil)
        expectSnapshot(
            fixture.run("import", "--cdb", "network.json", "--lint", "--json").transcript,
            "import-lint.jsonl"
        )
        #expect(fixture.run("import", "--cdb", "network.json", "--lint", "--strict").status == 65)
        _ = fixture.run("init")
        _ = fixture.run("import", "--cdb", "network.json", "--network", "house")
        _ = fixture.run("export", "--cdb", "again.json", "--network", "house")
        let clean = fixture.run("import", "--cdb", "again.json", "--lint", "--strict")
        #expect(clean.status == 0 && clean.output.hasSuffix("It can be imported as it is.\n"))
    }

    @Test("--lint names every place that is refused")
    func lintRefusals() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        let text = try #require(fixture.read("network.json").map { String(decoding: $0, as: UTF8.self) })
        let start = try #require(text.firstRange(of: #/"groups"\s*:\s*\[/#))
        let wrong = #"{"name":"a","address":"FFFF"},{"name":"b","address":1000},"#
        try fixture.write(
            String(text[..<start.upperBound] + wrong + text[start.upperBound...]),
            to: "wrong.json"
        )
        expectSnapshot(fixture.run("import", "--cdb", "wrong.json", "--lint").transcript, "import-lint-refused.txt")
    }

    @Test("--strict refuses a file that needs repairs and lists them, and makes no database")
    func strict() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        _ = fixture.run("init")
        let result = fixture.run("import", "--cdb", "network.json", "--strict", "--network", "house")
        #expect(result.status == 65)
        #expect(result.error.contains("/nodes/1/elements/0/models/6: model 1204 is there twice; merged\n"))
        #expect(result.error.contains("the file needs 3 repairs, which --strict refuses"))
        #expect(fixture.read(".meshplan/house.meshdb") == nil)
    }

    @Test("a file that leaves the unit of intervals open says how to answer, and takes the answer")
    func intervals() throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        let text = try #require(fixture.read("network.json").map { String(decoding: $0, as: UTF8.self) })
        // Nothing in it may show the unit.
        let old = text.replacing(#/"interval"\s*:\s*60\b/#, with: #""interval":20"#)
            .replacing(#/"version"\s*:\s*"[^"]*"/#, with: #""version":"1.0""#)
            .replacing(#/"id"\s*:\s*"[^"]*"/#, with: #""id":"TBD""#)
        try fixture.write(old, to: "old.json")
        _ = fixture.run("init")
        let open = fixture.run("import", "--cdb", "old.json", "--network", "house")
        #expect(open.status == 65 && open.error.contains("Say which with --interval-steps yes or --interval-steps no"))
        #expect(
            fixture.run("import", "--cdb", "old.json", "--lint").output.contains("\nSay which with --interval-steps")
        )
        #expect(fixture.run("import", "--cdb", "old.json", "--network", "a", "--interval-steps", "yes").status == 0)
        #expect(fixture.run("import", "--cdb", "old.json", "--network", "b", "--interval-steps", "no").status == 0)
        let shown = ["a", "b"].map { fixture.run("export", "--cdb", "\($0).json", "--network", $0) }
        #expect(shown.allSatisfy { $0.status == 0 })
        let intervals = ["a.json", "b.json"].map { name in
            String(decoding: fixture.read(name) ?? [], as: UTF8.self).contains("\"interval\": 210")
        }
        #expect(intervals == [true, false])
    }

    @Test(
        "--lint and --json go only with what they are about",
        arguments: [["--json"], ["--lint", "--network", "a"], ["--lint", "--write-definition", "."]]
    )
    func lintUsage(options: [String]) throws {
        let fixture = try CommandFixture()
        try fixture.copy("network.json")
        #expect(fixture.run(["import", "--cdb", "network.json"] + options).status == 64)
    }

    @Test(
        "names become slugs",
        arguments: [
            ("Brian and Mary's House", "brian-and-mary-s-house"), ("  HQ 2 ", "hq-2"), ("Büro", "b-ro"), ("灯", "mesh"),
            ("", "mesh"),
        ]
    )
    func slugs(name: String, slug: String) {
        #expect(name.slug == slug)
    }
}
