import Foundation
import Testing

@testable import MeshplanCLI

@Suite("Files that commands write beside their work")
struct OutputTargetTests {
    @Test(
        "never replace a definition, a key or a database",
        arguments: [
            (["report", "--html"], "house.yaml"), (["report", "--html"], ".meshplan/key"),
            (["get", "brian", "onoff", "--via", "simulator", "--metrics"], ".meshplan/house.meshdb"),
            (["get", "brian", "onoff", "--via", "simulator", "--metrics"], "house.yaml"),
            (["get", "brian", "onoff", "--via", "simulator", "-v", "--log-file"], ".meshplan/key"),
            (["get", "brian", "onoff", "--via", "simulator", "-v", "--log-file"], "house.yaml"),
            (["test", "--junit"], "house.yaml"),
        ]
    )
    func foreign(command: [String], path: String) throws {
        let fixture = try CommandFixture.house()
        let before = try #require(fixture.read(path))
        let result = fixture.run(command + [path])
        #expect(result.status == 1, "\(result.combined)")
        #expect(
            result.error.contains("exists and is not") || result.error.contains("is in the folder of mesh databases")
        )
        #expect(fixture.read(path) == before)
    }

    @Test("are replaced by files of their kind, and a folder is none")
    func own() throws {
        let fixture = try CommandFixture.house()
        for _ in 0..<2 { #expect(fixture.run("report", "--html", "r.html").status == 0) }
        let folder = fixture.run("report", "--html", ".")
        #expect(folder.status == 1 && folder.error.contains(". is a folder"), "\(folder.combined)")
        try fixture.write("", to: "empty.html")
        #expect(fixture.run("report", "--html", "empty.html").status == 0)
        let metrics = ["apply", "--auto-approve", "--via", "simulator", "--metrics", "m.prom"]
        for _ in 0..<2 { #expect(fixture.run(metrics).status == 0) }
    }

    @Test("with keys are ignored by git one by one where their folder holds other things")
    func keys() throws {
        let fixture = try CommandFixture.house()
        let here = fixture.run("keys", "export", "--wireshark", ".")
        #expect(here.status == 0, "\(here.combined)")
        let ignored = String(decoding: try #require(fixture.read(".gitignore")), as: UTF8.self).split(separator: "\n")
        for name in ["/btmesh_dev_keys", "/btmesh_nw_keys"] { #expect(ignored.contains(Substring(name)), "\(ignored)") }
        #expect(!ignored.contains("/."))
        #expect(fixture.run("keys", "export", "--wireshark", "new").output.contains("Added /new to"))
        // A Wireshark that never had a profile has no folder of them either.
        let deep = fixture.run("keys", "export", "--wireshark", "a/profiles/office")
        #expect(deep.status == 0 && deep.output.contains("Added /a/profiles/office to"), "\(deep.combined)")
        #expect(try fixture.mode("a/profiles/office") == 0o700)
    }
}
