import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Files in the hands of others")
struct StrangeHandsTests {
    private static let files = [
        "", "/key", "/house.meshdb", "/house.meshdb.lock", "/house.meshdb.sequence", "/house.meshdb.newest",
    ].map { ".meshplan" + $0 }

    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("state", "key", "add", "--new-key-file", "a.key").status == 0)
        return fixture
    }

    @Test("nothing is changed while others may write to something of the database, and doctor names it")
    func modes() throws {
        let fixture = try house()
        // The key file is refused by itself when others may use it.
        for file in Self.files where !file.hasSuffix("key") {
            let path = fixture.folder.appendingPathComponent(file).path
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let mode = try #require(try fixture.mode(file))
            try FileManager.default.setAttributes([.posixPermissions: 0o720], ofItemAtPath: path)
            let result = fixture.run("state", "key", "add", "--new-key-file", "b.key")
            #expect(result.status != 0 && result.error.contains("other users can write to \(file)"), "\(result)")
            #expect(result.error.contains("chmod"))
            #expect(fixture.run("show").status == 0, "reading harms nobody")
            let said = fixture.run("doctor").combined
            #expect(said.contains("other users can write to \(file)"), "\(file): \(said)")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        #expect(fixture.run("state", "key", "add", "--new-key-file", "c.key").status == 0)
    }

    @Test("nothing is changed while something of the database belongs to another user", .enabled(if: geteuid() == 0))
    func owners() throws {
        let fixture = try house()
        for file in Self.files {
            let path = fixture.folder.appendingPathComponent(file).path
            guard FileManager.default.fileExists(atPath: path) else { continue }
            #expect(chown(path, 65_534, 65_534) == 0)
            let result = fixture.run("state", "key", "add", "--new-key-file", "b.key")
            #expect(result.status != 0 && result.error.contains("\(file) belongs to another user"), "\(result)")
            #expect(fixture.run("doctor").combined.contains("\(file) belongs to another user"))
            #expect(chown(path, 0, 0) == 0)
        }
        // Whoever owns the folder with .meshplan could replace everything in it.
        for path in [""] + Self.files.map({ "/" + $0 }) { chown(fixture.folder.path + path, 65_534, 65_534) }
        #expect(fixture.run("state", "key", "add", "--new-key-file", "b.key").status == 0)
    }

    @Test("a pipe in the place of the lock is refused, not waited for")
    func pipe() throws {
        let fixture = try house()
        let lock = fixture.folder.appendingPathComponent(".meshplan/house.meshdb.lock").path
        unlink(lock)
        #expect(mkfifo(lock, 0o600) == 0)
        let result = fixture.run("state", "key", "add", "--new-key-file", "b.key")
        #expect(result.status != 0 && result.error.contains("no regular file but a pipe"), "\(result)")
    }

    @Test("logs are for their owner alone, and written through no link")
    func logs() throws {
        let fixture = try house()
        fixture.byteInput = .init { _ in .end }
        _ = fixture.run("lsp", "--log-file", "lsp.log")
        #expect(try fixture.mode("lsp.log") == 0o600)
        let link = fixture.folder.appendingPathComponent("link.log").path
        #expect(symlink(fixture.folder.path + "/elsewhere", link) == 0)
        let capture = fixture.folder.appendingPathComponent("link.pcapng").path
        #expect(symlink(fixture.folder.path + "/elsewhere", capture) == 0)
        let scan = ["scan", "--via", "simulator"]
        for command in [
            ["lsp", "--log-file", "link.log"], scan + ["--log-file", "link.log"], scan + ["--capture", "link.pcapng"],
        ] {
            let result = fixture.run(command)
            #expect(result.status != 0 && result.error.contains("it is a link"), "\(result)")
            #expect(fixture.read("elsewhere") == nil)
        }
    }
}
