import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("The way back from a damaged database")
struct RestoringAdviceTests {
    private static let database = ".meshplan/house.meshdb"

    /// A network with a backup from before its last change.
    private func fixture() throws -> (CommandFixture, backup: String) {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("state", "rm", "--auto-approve", "node.Door Bell").status == 0)
        let folder = fixture.folder.appendingPathComponent(".meshplan/backups").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        try #require(names.count == 1)
        return (fixture, ".meshplan/backups/" + names[0])
    }

    /// The line of a message that contains a shell command.
    private func command(in text: String) -> String? {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.first { $0.contains("cp -p ") }.map(String.init)
    }

    private func shell(_ command: String, in fixture: CommandFixture) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = fixture.folder
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test("what is told, done, gives a database that goes on", arguments: ["cut", "empty", "gone", "other"])
    func wayBack(damage: String) throws {
        let (fixture, backup) = try fixture()
        let bytes = try #require(fixture.read(Self.database))
        switch damage {
        case "cut": try fixture.put(Array(bytes.prefix(bytes.count / 2)), to: Self.database)
        case "empty": try fixture.put([], to: Self.database)
        case "gone": try fixture.put(nil, to: Self.database)
        default: try fixture.put(Array("hello".utf8), to: Self.database)
        }
        // SQLite must not take the log of the damaged database for that of the backup.
        try fixture.put([UInt8](repeating: 1, count: 64), to: Self.database + "-wal")
        for arguments in [["show"], ["plan"], ["state", "list"], ["state", "verify"], ["doctor"]] {
            let result = fixture.run(arguments)
            #expect(result.status == 1, "\(arguments): \(result)")
            let told = try #require(command(in: result.error + result.output), "\(arguments): \(result)")
            #expect(told.hasSuffix("cp -p \(backup) \(Self.database)"))
            #expect(!told.contains("rm "))
            // If SQLite opens the file, it removes the log itself.
            let files = (damage == "gone" ? "" : Self.database + " ") + Self.database + "-wal"
            #expect(damage == "cut" || told.hasPrefix("mkdir .meshplan/damaged && mv \(files) .meshplan/damaged/ && "))
        }
        let result = fixture.run("show")
        #expect(result.error.contains("(serial 1)") && result.error.contains("--accept-older"))
        #expect(result.error.contains("The database was at serial 2"))
        try shell(try #require(command(in: result.error)), in: fixture)
        #expect(fixture.run("show").status == 7, "the lock file knows a later state")
        let again = fixture.run("show", "--accept-older")
        #expect(again.status == 0 && again.output.contains("Door Bell"), "\(again)")
        #expect(fixture.run("show").status == 0)
    }

    @Test("a backup that is damaged, or of another database, is passed over")
    func unfit() throws {
        let (fixture, backup) = try fixture()
        let good = try #require(fixture.read(backup))
        try fixture.put(Array(good.prefix(good.count / 2)), to: ".meshplan/backups/house-2-20261118T120000Z.meshdb")
        var changed = good
        changed.replaceSubrange((good.count - 6_000)..., with: repeatElement(0xA5, count: 6_000))
        try fixture.put(changed, to: ".meshplan/backups/house-3-20261118T130000Z.meshdb")
        let other = try CommandFixture()
        try other.copy("network.json")
        // All fixtures have the same random numbers. Creating another network first uses some up, so that the rest
        // differ.
        for arguments in [["init", "--network", "attic"], ["import", "--cdb", "network.json", "--network", "house"]] {
            try #require(other.run(arguments).status == 0)
        }
        let foreign = try #require(other.read(Self.database))
        try fixture.put(foreign, to: ".meshplan/backups/house-4-20261118T140000Z.meshdb")
        try fixture.put([], to: Self.database)
        #expect(command(in: fixture.run("show").error)?.hasSuffix("&& cp -p \(backup) \(Self.database)") == true)
        try fixture.put(nil, to: backup)
        #expect(command(in: fixture.run("show").error) == nil)
    }

    @Test("where no available secret opens a backup, the newest is named with that doubt")
    func unopened() throws {
        let (fixture, backup) = try fixture()
        try fixture.put([], to: Self.database)
        try fixture.put(nil, to: ".meshplan/key")
        let result = fixture.run("show")
        #expect(command(in: result.error)?.hasSuffix("&& cp -p \(backup) \(Self.database)") == true, "\(result.error)")
        #expect(result.error.contains("no available secret"))
    }

    @Test("a message about something else does not name backups")
    func needless() throws {
        let (fixture, _) = try fixture()
        try fixture.put(Array("hello".utf8), to: "copy.meshdb")
        for arguments in [
            ["state", "verify", "copy.meshdb"], ["show", "node.nothing"], ["show", "--network", "attic"],
        ] {
            let result = fixture.run(arguments)
            #expect(result.status != 0 && command(in: result.error) == nil, "\(result.error)")
        }
    }

    @Test("in a folder below the one with the database the way there is told")
    func below() throws {
        let (house, _) = try fixture()
        try house.write("", to: "sub/deep/x")
        let fixture = CommandFixture(inSystemFolder: house.folder.appendingPathComponent("sub/deep").path)
        let result = fixture.run("show")
        #expect(result.status == 1 && result.error.contains("there is one in ../.."), "\(result.error)")
        #expect(result.error.contains("cd ../.."))
        #expect(fixture.run("init").error.contains("There is a .meshplan with databases in ../.. already"))
    }
}
