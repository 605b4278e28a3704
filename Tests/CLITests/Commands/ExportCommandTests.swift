import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan export")
struct ExportCommandTests {
    @Test("writes what an import reads again, for the owner alone, and leaves it as it is while nothing changes")
    func exports() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("export", "--cdb", "out.json")
        expectSnapshot(result.transcript, "export.txt")
        #expect(try fixture.mode("out.json") == 0o600)
        let bytes = try #require(fixture.read("out.json"))
        let again = fixture.run("export", "--cdb", "out.json")
        #expect(again.status == 0 && again.output == "Nothing has changed since out.json was written.\n")
        #expect(fixture.read("out.json") == bytes)
        #expect(fixture.run("import", "--cdb", "out.json", "--network", "copy").status == 0)
        #expect(fixture.run("apply", "house.yaml", "--via", "simulator", "--auto-approve").status == 0)
        #expect(fixture.run("export", "--cdb", "out.json", "--network", "house").output.contains("Exported"))
        #expect(fixture.read("out.json") != bytes)
    }

    @Test("parts of it, and files without keys")
    func parts() throws {
        let fixture = try CommandFixture.house()
        let part = fixture.run("export", "--cdb", "part.json", "--subnet", "Molly's Network", "--partial")
        #expect(part.status == 0 && part.output.contains("no device keys"), "\(part.error)")
        let text = String(decoding: try #require(fixture.read("part.json")), as: UTF8.self)
        #expect(text.contains("\"partial\": true") && !text.contains("deviceKey"))
        let reading = fixture.run("export", "--cdb", "reading.json", "--without-keys", "--json")
        expectSnapshot(reading.transcript, "export.jsonl")
        #expect(try fixture.mode("reading.json") == 0o644)
        let refused = fixture.run("import", "--cdb", "reading.json", "--network", "copy")
        #expect(refused.status == 65 && refused.error.contains("netKeys/0/key"), "\(refused.error)")
        let unknown = fixture.run("export", "--cdb", "x.json", "--subnet", "cellar")
        #expect(unknown.status == 64 && unknown.error.contains("There are: "))
        #expect(fixture.read("x.json") == nil)
    }

    @Test("a file of something else is not overwritten, and a readable one is closed")
    func files() throws {
        let fixture = try CommandFixture.house()
        try fixture.write("{\"meshUUID\": \"1\"}", to: "notes.json")
        let refused = fixture.run("export", "--cdb", "notes.json")
        #expect(refused.status == 1 && refused.error.contains("did not export it from this network"))
        #expect(fixture.run("export", "--cdb", "network.json").status == 1, "another tool wrote it")
        #expect(fixture.run("export", "--cdb", ".meshplan").status == 1)
        #expect(fixture.run("export", "--cdb", "nowhere/out.json").status == 1)
        #expect(fixture.run("export", "--cdb", "out.json").status == 0)
        let path = fixture.folder.appendingPathComponent("out.json").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(fixture.run("export", "--cdb", "out.json").status == 0)
        #expect(try fixture.mode("out.json") == 0o600)
    }
}
