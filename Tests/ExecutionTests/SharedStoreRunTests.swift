import DefinitionModel
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// Runs whose database is on a server, behind a proxy that cuts the connection.
@Suite(
    "A run with a shared database",
    .enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.isNotInstalled)")
)
struct SharedStoreRunTests {
    /// Time that passes only when somebody waits.
    private final class Clock {
        var time = Duration.zero

        var clock: StoreClock {
            StoreClock(
                now: { self.time },
                wait: { duration in
                    self.time += duration
                    return true
                }
            )
        }
    }

    private struct Setup {
        let site: Site
        let proxy: PostgreSQLProxy
        let server: PostgreSQLServer
        let team: PostgreSQLServer.Database
        let location: DatabaseLocation
        /// The same database as another machine sees it.
        let elsewhere: DatabaseLocation

        init() throws {
            server = try PostgreSQLServer.shared
            team = try server.newDatabase()
            proxy = try PostgreSQLProxy(of: server)
            let store = try SharedStore(server.address(team.name, through: proxy.folder), clock: Clock().clock)
            _ = try store.prepare()
            location = .shared(store, network: "house", localPath: proxy.folder + "/house")
            elsewhere = .shared(store, network: "house", localPath: proxy.folder + "/elsewhere")
            var settings = WorldSettings.ideal
            settings.copyLoss = 0.1
            settings.topology = .hops(2)
            site = try Site(lamps: 2, settings: settings, at: location)
        }

        /// Another process on the same machine goes on; nobody has to wait for the lock of the first one to end.
        func goOn() throws -> Recap {
            proxy.mend()
            try site.reopen(at: location)
            return try site.resolveAndApply()
        }

        var databaseName: String { team.name }

        func expireLock() throws {
            try server.sql("UPDATE meshplan_locks SET expires = now() - interval '1 second'", in: databaseName)
        }

        var kept: [String] {
            get throws {
                let files = try FileManager.default.contentsOfDirectory(atPath: proxy.folder)
                return files.filter { $0.contains("spill") }
            }
        }
    }

    @Test(
        "A connection that is cut at any commit and stays away loses nothing",
        arguments: PostgreSQLProxy.Cut.allCases
    )
    func cut(_ cut: PostgreSQLProxy.Cut) throws {
        var moment = 1
        while true {
            let setup = try Setup()
            let plan = try setup.site.plan()
            setup.proxy.cut(atCommit: moment, cut, refusing: .max)
            let first = try setup.site.apply(plan)
            guard setup.proxy.hasCut else {
                #expect(first.isComplete)
                break
            }
            guard case .storeFailed(let reason) = first.ending else {
                Issue.record("moment \(moment): \(first.ending)")
                return
            }
            #expect(reason.contains("house.spill"), "moment \(moment)")
            #expect(try setup.kept == ["house.spill"], "moment \(moment)")
            let second = try setup.goOn()
            #expect(second.ending == .completed, "moment \(moment)")
            #expect(try setup.site.plan().isEmpty, "moment \(moment)")
            #expect(setup.site.world.mismatches(against: try setup.site.network) == [], "moment \(moment)")
            // Among others: no sequence number was used twice.
            #expect(setup.site.world.violations == [], "moment \(moment)")
            #expect(try setup.kept == [], "moment \(moment)")
            moment += 1
        }
        #expect(moment > 8, "the run has that many commits")
    }

    @Test(
        "A connection that is cut at any commit and comes back costs the run nothing",
        arguments: PostgreSQLProxy.Cut.allCases
    )
    func blink(_ cut: PostgreSQLProxy.Cut) throws {
        var moment = 1
        while true {
            let setup = try Setup()
            let plan = try setup.site.plan()
            setup.proxy.cut(atCommit: moment, cut, refusing: 2)
            let recap = try setup.site.apply(plan)
            #expect(recap.isComplete, "moment \(moment): \(recap.ending)")
            #expect(setup.site.world.violations == [], "moment \(moment)")
            guard setup.proxy.hasCut else { break }
            #expect(try setup.site.plan().isEmpty, "moment \(moment)")
            #expect(try setup.kept == [], "moment \(moment)")
            moment += 3
        }
        #expect(moment > 8, "the run has that many commits")
    }

    @Test("A run whose lock was taken over stops sending at its next commit")
    func fenced() throws {
        let setup = try Setup()
        var taken = 0
        var sent = 0
        setup.site.onEvent = { event in
            guard case .progress(let decided, _) = event, decided > 0, taken == 0 else { return }
            taken = decided
            _ = try? setup.expireLock()
            let other = try? MeshDatabase.open(at: setup.elsewhere, key: setup.site.key)
            let bert = LockHolder(user: "bert", host: "laptop", process: 2, operation: "import", since: Site.now)
            try? other?.lock(holder: bert).release()
            sent = setup.site.world.violations.count
        }
        let recap = try setup.site.apply(try setup.site.plan())
        #expect(taken > 0 && sent == 0)
        guard case .storeFailed(let reason) = recap.ending else {
            Issue.record("\(recap.ending)")
            return
        }
        #expect(reason.contains("the lock was lost"))
        #expect(recap.applied <= taken)
        #expect(try setup.kept == [])
        setup.site.onEvent = { _ in }
        #expect(try setup.goOn().ending == .completed)
        #expect(try setup.site.plan().isEmpty)
        #expect(setup.site.world.violations == [])
    }
}
