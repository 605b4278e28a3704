import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

/// Time that passes only when somebody waits.
final class ManualClock {
    private(set) var time = Duration.zero
    private(set) var waits = 0
    /// Whether somebody who waits has had enough.
    var isImpatient = false
    /// Called at each wait.
    var onWait: () -> Void = {}

    var clock: StoreClock {
        StoreClock(
            now: { self.time },
            wait: { duration in
                self.time += duration
                self.waits += 1
                self.onWait()
                return !self.isImpatient
            }
        )
    }
}

/// A network in a database of its own on a real server, as several machines see it.
final class SharedFixture {
    let server: PostgreSQLServer
    let team: PostgreSQLServer.Database
    let folder: TemporaryFolder
    let key: DatabaseSecret
    let network: MeshNetwork
    let clock = ManualClock()
    var timing = LockTiming()

    init(nodes: Int = 2, seed: UInt64 = 1) throws {
        server = try PostgreSQLServer.shared
        team = try server.newDatabase()
        folder = try TemporaryFolder()
        var generator = SplitMix64(seed: seed)
        key = DatabaseSecret.random(using: &generator)
        network = try richNetwork(nodes: nodes)
        #expect(try store().prepare())
        _ = try MeshDatabase.create(
            at: try location(),
            network: network,
            key: key,
            now: now,
            using: generator
        )
    }

    var databaseName: String { team.name }

    /// What errors name.
    var name: String { "postgres:///\(databaseName)?host=\(server.folder), network house" }

    func store(user: String = "meshplan", through proxy: PostgreSQLProxy? = nil) throws -> SharedStore {
        let address = server.address(databaseName, user: user, through: proxy?.folder)
        return try SharedStore(address, clock: clock.clock, timing: timing)
    }

    func location(
        on machine: String = "desk",
        user: String = "meshplan",
        through proxy: PostgreSQLProxy? = nil
    ) throws -> DatabaseLocation {
        .shared(try store(user: user, through: proxy), network: "house", localPath: folder.file(machine))
    }

    /// Through a pooler.
    func openPooled(on machine: String = "desk") throws -> MeshDatabase {
        let address = server.address(databaseName, through: try PostgreSQLPooler.shared.folder)
        let store = try SharedStore(address, clock: clock.clock, timing: timing)
        return try MeshDatabase.open(at: .shared(store, network: "house", localPath: folder.file(machine)), key: key)
    }

    func open(
        on machine: String = "desk",
        user: String = "meshplan",
        through proxy: PostgreSQLProxy? = nil
    ) throws -> MeshDatabase {
        try MeshDatabase.open(at: try location(on: machine, user: user, through: proxy), key: key)
    }

    @discardableResult
    func sql(_ text: String) throws -> String { try server.sql(text, in: databaseName) }

    /// What machines keep in files, but for those of their locks.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasSuffix(".lock") && !$0.hasSuffix(".newest") }.sorted()
    }

    /// Lets the lock end as if its holder had been silent for too long.
    func expireLock() throws { try sql("UPDATE meshplan_locks SET expires = now() - interval '1 second'") }
}

/// A change that makes a new serial.
func renaming(_ network: MeshNetwork, to name: String) -> StoreChanges {
    var changes = StoreChanges()
    var network = network
    network.name = name
    changes.network = network
    return changes
}

/// The trait of tests that need a server.
let withServer = ConditionTrait.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.isNotInstalled)")

/// The trait of tests that need a pooler in front of the server.
let withPooler = ConditionTrait.enabled(
    if: PostgreSQLServer.isInstalled && PostgreSQLPooler.program != nil,
    "\(PostgreSQLPooler.isNotInstalled)"
)
