import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("backups of databases")
struct BackupTests {
    private func backups(_ fixture: CommandFixture) -> [String] {
        let folder = fixture.folder.appendingPathComponent(".meshplan/backups").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test("are made before a command changes the database, and open again in its place")
    func before() throws {
        let fixture = try CommandFixture.house()
        #expect(backups(fixture).isEmpty)
        try #require(fixture.run(HistoryCommandTests.apply).status == 0)
        let name = try #require(backups(fixture).first)
        let backup = try #require(Backup(name))
        #expect(backups(fixture).count == 1 && name.hasPrefix("house-1-20261118T110640Z-") && backup.serial == 1)
        #expect(try fixture.mode(".meshplan/backups/" + name) == 0o600)
        #expect(try fixture.mode(".meshplan/backups") == 0o700)
        // Without a change there is no backup.
        fixture.now.rawValue += 60
        try #require(fixture.run(HistoryCommandTests.apply).status == 0)
        #expect(backups(fixture).count == 1)
        let folder = fixture.folder.appendingPathComponent(".meshplan")
        let database = folder.appendingPathComponent("house.meshdb")
        try FileManager.default.removeItem(at: database)
        try FileManager.default.copyItem(
            at: folder.appendingPathComponent("backups/" + name),
            to: database
        )
        #expect(fixture.run("show").status == 7, "the lock file knows a later state")
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("meshplan.lock.yaml"))
        let refused = fixture.run("show")
        #expect(refused.status == 7 && refused.error.contains("is older than .meshplan/house.meshdb.newest says"))
        let accepted = fixture.run("show", "--accept-older")
        #expect(accepted.status == 0 && accepted.error.contains("at serial 1 instead of the known serial"))
        #expect(accepted.output.contains("Door Bell") && fixture.run("show").status == 0)
    }

    @Test("are off where the environment says so, and a wrong word there is refused")
    func off() throws {
        let fixture = try CommandFixture.house()
        fixture.environment["MESHPLAN_BACKUPS"] = "many"
        let refused = fixture.run(HistoryCommandTests.apply)
        #expect(refused.status == 65 && refused.error.contains("MESHPLAN_BACKUPS"))
        fixture.environment["MESHPLAN_BACKUPS"] = "0"
        #expect(fixture.run(HistoryCommandTests.apply).status == 0 && backups(fixture).isEmpty)
    }

    @Test("that cannot be made keep the command from changing anything")
    func failing() throws {
        let fixture = try CommandFixture.house()
        try fixture.write("", to: ".meshplan/backups")
        let result = fixture.run(HistoryCommandTests.apply)
        #expect(result.status == 1, "\(result.output)\(result.error)")
        #expect(result.error.contains("nothing was changed, because there would be no way back"))
        #expect(fixture.run("state", "history").output.hasPrefix("No changes yet"))
        fixture.environment["MESHPLAN_BACKUPS"] = "0"
        #expect(fixture.run(HistoryCommandTests.apply).status == 0)
    }

    @Test("are kept: the last ones, and one a day for two weeks")
    func retention() throws {
        let now = Timestamp(rawValue: 1_795_000_000)
        let lineage = Octets16(high: 0x0123_4567_89AB_CDEF, low: 0)
        func backup(_ serial: UInt64, daysAgo days: Int64, _ seconds: Int64 = 0) -> Backup {
            let time = Timestamp(rawValue: now.rawValue - days * 86_400 + seconds)
            return Backup(network: "house", serial: serial, time: time, lineage: lineage)
        }
        let daily = (0..<30).map { backup(UInt64(100 - $0), daysAgo: Int64($0)) }
        let superfluous = Backups.superfluous(daily.shuffled(), keeping: 3)
        #expect(Set(superfluous) == Set(daily[14...]))
        let today = (0..<30).map { backup(UInt64(200 + $0), daysAgo: 0, Int64($0)) }
        let both = Backups.superfluous(today + daily, keeping: 10)
        #expect(Set(both) == Set(today[..<20] + [daily[0]] + daily[14...]))
        #expect(Backups.superfluous([], keeping: 10).isEmpty)
        // A clock that was wrong for a while neither keeps old backups nor costs new ones.
        let ahead = (0..<12).map { backup(UInt64(20 + $0), daysAgo: -365 * 30, Int64($0)) }
        let behind = (0..<3).map { backup(UInt64(300 + $0), daysAgo: 365 * 50, Int64($0)) }
        #expect(
            Set(Backups.superfluous(ahead + today + behind, keeping: 10)) == Set(ahead.dropLast() + today[..<23])
        )
        for backup in daily + today { #expect(Backup(backup.name) == backup) }
        let others = [
            "house.meshdb", "house-1-2026.meshdb", "house-1-20261118T110640Z.meshdb",
            "house-x-20261118T110640Z-01234567.meshdb", "house-01-20261118T110640Z-01234567.meshdb",
            "house-1-20261318T110640Z-01234567.meshdb",
            "house-1-20261118T110640Z-0123456.meshdb", "house-1-20261118T110640Z-ABCDEF01.meshdb",
        ]
        for name in others { #expect(Backup(name) == nil) }
        let dashed = try #require(Backup("a-b-7-20261118T110640Z-01234567.meshdb"))
        #expect(dashed.network == "a-b" && dashed.isOf(lineage) && !dashed.isOf(Octets16(high: 0, low: 0)))
    }
}
