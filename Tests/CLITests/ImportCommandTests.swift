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
        let before = fixture.read(".meshplan/house.meshdb")
        let result = fixture.run("import", "--cdb", "network.json")
        #expect(result.status == 1 && result.error.contains("there is a database of the network `house` already"))
        #expect(fixture.read(".meshplan/house.meshdb") == before)
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
        #expect(noFile.status == 1 && noFile.error == "Error: cannot read nothing.json: No such file or directory\n")
        #expect(fixture.run("import", "--cdb", ".").error == "Error: cannot read .: it is a folder\n")
        let noInit = fixture.run("import", "--cdb", "network.json")
        #expect(noInit.status == 1 && noInit.error.contains("Begin with: meshplan init"))
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
