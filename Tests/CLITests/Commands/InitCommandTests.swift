import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan init")
struct InitCommandTests {
    @Test("makes folder, key file and .gitignore with the right modes, and says so")
    func first() throws {
        let fixture = try CommandFixture()
        expectSnapshot(fixture.run("init", "--network", "house").transcript, "init.txt")
        #expect(try fixture.mode(".meshplan") == 0o700)
        #expect(try fixture.mode(".meshplan/key") == 0o600)
        #expect(try fixture.mode(".meshplan/house.meshdb") == 0o600)
        #expect(
            fixture.read(".gitignore") == Array(".meshplan/\n*.mplan\n*.gateway.pem\n*.client.pem\n*.meshplan-*\n".utf8)
        )
    }

    @Test("a second time changes nothing")
    func again() throws {
        let fixture = try CommandFixture()
        #expect(fixture.run("init", "--network", "house").status == 0)
        let key = fixture.read(".meshplan/key")
        let result = fixture.run("init", "--network", "house")
        #expect(result.output == "Everything exists already.\n" && result.status == 0)
        #expect(fixture.read(".meshplan/key") == key)
    }

    @Test(
        "completes a .gitignore without touching what is in it",
        arguments: [
            ("build", "build\n.meshplan/\n*.mplan\n*.gateway.pem\n*.client.pem\n*.meshplan-*\n"),
            (
                "/.meshplan/\n*.meshplan-*\n*.mplan\n*.client.pem\n*.gateway.pem\n",
                "/.meshplan/\n*.meshplan-*\n*.mplan\n*.client.pem\n*.gateway.pem\n"
            ),
            (".meshplan\r\n", ".meshplan\r\n*.mplan\n*.gateway.pem\n*.client.pem\n*.meshplan-*\n"),
        ]
    )
    func gitIgnore(before: String, after: String) throws {
        let fixture = try CommandFixture()
        try fixture.write(before, to: ".gitignore")
        #expect(fixture.run("init").status == 0)
        #expect(fixture.read(".gitignore") == Array(after.utf8))
    }

    @Test("does not make a new key beside databases that the lost one opens")
    func lostKey() throws {
        let fixture = try CommandFixture()
        _ = fixture.run("init", "--network", "house")
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent(".meshplan/key"))
        let result = fixture.run("init")
        #expect(result.status == 1 && result.error.contains("the key file is missing"))
        #expect(fixture.read(".meshplan/key") == nil)
        #expect(fixture.run("show").error.contains("which opens the databases here"))
    }

    @Test(
        "refuses names that are none",
        arguments: ["..", "../x", "a/b", "", "a b", String(repeating: "x", count: 65)]
    )
    func names(name: String) throws {
        let fixture = try CommandFixture()
        #expect(fixture.run("init", "--network", name).status == 64)
        #expect(fixture.read(".gitignore") == nil)
    }

    @Test("a folder that cannot be written is one clear message")
    func readOnly() throws {
        // Nobody can create folders here, not even root.
        let fixture = CommandFixture(inSystemFolder: "/proc")
        let result = fixture.run("init")
        #expect(result.status == 1)
        let message = "Error: cannot create .meshplan: No such file or directory\n"
        #expect(result.error == message + "  Check the path; create the folder first if it is new.\n")
    }

    @Test("a file where the folder should be is one clear message")
    func fileInTheWay() throws {
        let fixture = try CommandFixture()
        try fixture.write("x", to: ".meshplan")
        let result = fixture.run("init")
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("Error: cannot create .meshplan: there is something else of that name\n"))
    }
}
