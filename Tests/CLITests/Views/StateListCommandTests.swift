import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan state list")
struct StateListCommandTests {
    @Test("lists resources by the names that other commands take, all or those asked for")
    func lists() throws {
        let fixture = try CommandFixture.house()
        let all = fixture.run("state", "list")
        expectSnapshot(all.transcript, "state-list.txt")
        let groups = all.output.split(separator: "\n").filter { $0.hasPrefix("group.") }.joined(separator: "\n")
        #expect(fixture.run("state", "list", "group").output == groups + "\n")
        let one = fixture.run("state", "list", "node.Bedroom Light", "--json")
        #expect(one.output.split(separator: "\n").count == 2 && one.output.contains(#""kind":"node""#), "\(one.output)")
        let unknown = fixture.run("state", "list", "node.attic")
        #expect(unknown.status == 64 && unknown.error.contains("node.attic"))
    }

    @Test("the key file may lie elsewhere, by option or environment")
    func keyFile() throws {
        let fixture = try CommandFixture.house()
        let key = try #require(fixture.read(".meshplan/key"))
        try fixture.write("0000", to: ".meshplan/key")
        #expect(fixture.run("state", "list").status == 1)
        try fixture.write(String(decoding: key, as: UTF8.self), to: "safe")
        let open = fixture.run("state", "list", "--key-file", "safe")
        #expect(open.status == 1 && open.error.contains("chmod 600"), "a file for all is refused: \(open.error)")
    }
}
