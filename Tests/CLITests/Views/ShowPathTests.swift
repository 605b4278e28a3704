import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan show: parts, and what is meant where there is none")
struct ShowPathTests {
    @Test("shows a subnet and an application key with who has them")
    func keys() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        expectSnapshot(fixture.run("show", "subnet.molly").transcript, "show-subnet.txt")
        expectSnapshot(fixture.run("show", "key.heating").transcript, "show-key.txt")
        #expect(fixture.run("show", "key.1200").output.hasPrefix("Application key setup  AppKey index 1200\n"))
        #expect(fixture.run("show", "subnet.home", "--json").output.contains(#""type":"subnet""#))
        #expect(fixture.run("show", "key.setup", "--json").output.contains(#""type":"application_key""#))
    }

    @Test(
        "leads to what is meant",
        arguments: [
            ("node.brain", "Did you mean `node.brian`?"), ("nodes.brian", "Did you mean `node.brian`?"),
            ("brian", "Did you mean `node.brian`?"), ("group.bedrom", "Did you mean `group.bedroom`?"),
            ("subnet.mol", "Did you mean `subnet.molly`?"), ("key.heatin", "Did you mean `key.heating`?"),
            ("cat-flap", "Did you mean `group.cat-flap` or `key.cat-flap`?"),
            ("house.yaml", "That looks like a definition: meshplan validate house.yaml checks it"),
            ("devices.yaml", "That looks like a definition"), ("notes.txt", "That is a file, but no saved plan."),
            ("xyzzy", "Use node.NAME, group.NAME, subnet.NAME, key.NAME or the path of a saved plan"),
        ]
    )
    func suggestions(_ text: String, _ hint: String) throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        try fixture.write("", to: "notes.txt")
        try fixture.write("", to: "devices.yaml")
        let result = fixture.run("show", text)
        #expect(result.status == 64 && result.error.hasPrefix("Error: there is no `\(text)` in the network `house`\n"))
        #expect(result.error.replacing("\n  ", with: " ").contains(hint), "\(result.error)")
        #expect(text != "xyzzy" || !result.error.contains("Did you mean"))
    }
}
