import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("A connection that breaks", withServer)
struct BrokenConnectionTests {
    /// A network that is changed through a proxy.
    private struct Site {
        let fixture: SharedFixture
        let proxy: PostgreSQLProxy
        let database: MeshDatabase
        let lease: WriteLease

        init(nodes: Int = 2) throws {
            fixture = try SharedFixture(nodes: nodes)
            proxy = try PostgreSQLProxy(of: fixture.server)
            database = try fixture.open(through: proxy)
            lease = try database.lock(holder: holder("apply"))
        }

        func rename(_ name: String) throws { try database.commit(renaming(fixture.network, to: name), with: lease) }

        /// Sends a change into nothing and ends the run.
        func lose(_ name: String, _ cut: PostgreSQLProxy.Cut) throws -> StoreError? {
            proxy.cut(atCommit: 1, cut, refusing: .max)
            let error = storeError { try rename(name) }
            #expect(proxy.hasCut)
            lease.release()
            proxy.mend()
            try fixture.expireLock()
            return error
        }

        var spill: String { fixture.folder.file("desk.spill") }
    }

    @Test("A proxy that leads nowhere for a moment is asked again, and not for ever")
    func dropped() throws {
        let fixture = try SharedFixture()
        let proxy = try PostgreSQLProxy(of: fixture.server)
        proxy.cut(atCommit: 0, .beforeCommit, refusing: 3)
        #expect(try fixture.open(through: proxy).snapshot().serial == 1)
        #expect(fixture.clock.waits == 3)
        proxy.cut(atCommit: 0, .beforeCommit, refusing: .max)
        #expect(storeError { _ = try fixture.open(through: proxy) }?.code == .unreachable)
        #expect(fixture.clock.time < .seconds(20))
    }

    @Test(
        "A commit that is cut off is brought to its end over another connection",
        arguments: PostgreSQLProxy.Cut.allCases
    )
    func reconnects(_ cut: PostgreSQLProxy.Cut) throws {
        let site = try Site()
        for round in 1...4 {
            site.proxy.cut(atCommit: 1, cut, refusing: round)
            try site.rename("name \(round)")
            #expect(site.proxy.hasCut)
            #expect(site.lease.serial == UInt64(round) + 1)
        }
        // Nobody waited longer than somebody else would for the lock.
        #expect(site.fixture.clock.time < .seconds(40))
        #expect(site.fixture.clock.waits >= 4 + 3 + 2 + 1)
        let snapshot = try site.fixture.open().snapshot()
        #expect(snapshot.serial == 5)
        #expect(snapshot.network.name == "name 4")
        #expect(try site.fixture.files() == [])
    }

    @Test("A reader's connection that breaks is made again")
    func reads() throws {
        let site = try Site()
        try site.fixture.sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = '\(site.fixture.databaseName)' AND pid <> pg_backend_pid()
            """
        )
        #expect(try site.database.snapshot().serial == 1)
    }

    @Test("While the server stays away, it is looked for as long as the lock lasts, and what was to be stored is kept")
    func spills() throws {
        let site = try Site()
        let clock = site.fixture.clock
        var (pauses, last) = ([Duration](), clock.time)
        clock.onWait = {
            pauses.append(clock.time - last)
            last = clock.time
        }
        let error = try #require(try site.lose("kept", .beforeCommit))
        clock.onWait = {}
        // The pauses double, and none is longer than 4 s.
        let doubled: [Duration] = [100, 200, 400, 800, 1600, 3200].map { .milliseconds($0) }
        #expect(Array(pauses.prefix(6)) == doubled)
        #expect(pauses.max() == .seconds(4))
        #expect(error.code == .unreachable)
        #expect(error.message.hasSuffix("the unsaved changes are in \(site.spill)"))
        #expect(error.hint?.hasPrefix("run the same command again") == true)
        #expect(site.fixture.clock.time >= .seconds(40) && site.fixture.clock.time < .seconds(60))
        #expect(try mode(site.spill) == 0o600)
        let bytes = Data(try readFile(site.spill))
        #expect(bytes.range(of: Data("kept".utf8)) == nil)
        #expect(try site.fixture.open().snapshot().serial == 1)

        // The next writer on this machine stores it first.
        let database = try site.fixture.open()
        let lease = try database.lock(holder: holder())
        #expect(lease.spill == .stored)
        #expect(lease.serial == 2)
        let snapshot = try database.snapshot()
        #expect(snapshot.serial == 2)
        #expect(snapshot.network.name == "kept")
        #expect(try site.fixture.files() == [])
        #expect(try database.commit(renaming(site.fixture.network, to: "after"), with: lease) == 3)
        lease.release()
        #expect(try site.fixture.open().lock(holder: holder()).spill == nil)
    }

    @Test("What was kept stays where it is while the database still cannot take it")
    func keptAgain() throws {
        let site = try Site()
        _ = try site.lose("kept", .beforeCommit)
        let kept = try readFile(site.spill)
        let database = try site.fixture.open(through: site.proxy)
        site.proxy.cut(atCommit: 1, .beforeCommit, refusing: .max)
        let error = storeError { _ = try database.lock(holder: holder()) }
        #expect(site.proxy.hasCut)
        site.proxy.mend()
        #expect(error?.code == .unreachable)
        #expect(error?.message.hasSuffix("the unsaved changes are still in \(site.spill)") == true)
        #expect(try readFile(site.spill) == kept)
        #expect(try site.fixture.files().filter { $0.contains("spill") } == ["desk.spill"])
    }

    @Test("After a commit that could not be made, nothing more is written and what is kept stays")
    func failsForGood() throws {
        let site = try Site()
        site.proxy.cut(atCommit: 1, .beforeCommit, refusing: .max)
        let first = storeError { try site.rename("first") }
        let kept = try readFile(site.spill)
        site.proxy.mend()
        #expect(storeError { try site.rename("second") } == first)
        #expect(storeError { _ = try site.database.sequenceNumbers(with: site.lease) } == first)
        #expect(try readFile(site.spill) == kept)
        #expect(try site.fixture.open().snapshot().serial == 1)
    }

    @Test("The lock that a run could not give back is taken from it at once by its own machine, and by no other")
    func ownLock() throws {
        let site = try Site()
        site.proxy.cut(atCommit: 1, .beforeCommit, refusing: .max)
        #expect(storeError { try site.rename("kept") }?.code == .unreachable)
        site.lease.release()
        let laptop = try site.fixture.open(on: "laptop")
        #expect(storeError { _ = try laptop.lock(holder: holder()) }?.code == .locked)
        let lease = try site.fixture.open().lock(holder: holder())
        #expect(lease.spill == .stored)
        try writeFile(site.spill, [])
        #expect(storeError { _ = try site.fixture.open().lock(holder: holder()) }?.code == .locked)
        #expect(lease.isHeld)
    }

    @Test("The note of an earlier lock takes no later lock away")
    func laterLock() throws {
        let site = try Site()
        _ = try site.lose("kept", .beforeCommit)
        let laptop = try site.fixture.open(on: "laptop")
        let theirs = try laptop.lock(holder: holder())
        #expect(storeError { _ = try site.fixture.open().lock(holder: holder()) }?.code == .locked)
        #expect(try laptop.commit(renaming(site.fixture.network, to: "theirs"), with: theirs) == 2)
    }

    @Test("What was stored although nobody heard of it is not stored twice")
    func lostAcknowledgement() throws {
        let site = try Site()
        #expect(try site.lose("heard of by nobody", .afterCommit)?.code == .unreachable)
        #expect(try site.fixture.open().snapshot().serial == 2)
        let database = try site.fixture.open()
        let lease = try database.lock(holder: holder())
        #expect(lease.spill == .wasStored)
        #expect(try database.snapshot().serial == 2)
        #expect(try database.snapshot().network.name == "heard of by nobody")
        #expect(try site.fixture.files() == [])
    }

    @Test("If others have gone on meanwhile, what was kept is put aside", arguments: PostgreSQLProxy.Cut.allCases)
    func outdated(_ cut: PostgreSQLProxy.Cut) throws {
        let site = try Site()
        _ = try site.lose("mine", cut)
        let laptop = try site.fixture.open(on: "laptop")
        let theirs = try laptop.lock(holder: holder())
        #expect(theirs.spill == nil, "it is another machine's")
        let serial = try laptop.commit(renaming(site.fixture.network, to: "theirs"), with: theirs)
        theirs.release()
        let database = try site.fixture.open()
        let lease = try database.lock(holder: holder())
        #expect(lease.spill == .outdated(site.spill + "-outdated"))
        #expect(try site.fixture.files() == ["desk.spill-outdated"])
        #expect(try database.snapshot().network.name == "theirs")
        #expect(try database.commit(renaming(site.fixture.network, to: "next"), with: lease) == serial + 1)
    }

    @Test("A damaged file is put aside, and nothing of it reaches the database")
    func damagedSpill() throws {
        let site = try Site()
        _ = try site.lose("kept", .beforeCommit)
        let whole = try readFile(site.spill)
        var names: [String] = []
        for length in [0, 5, 30, 49, 60, whole.count / 2, whole.count - 1] {
            try writeFile(site.spill, Array(whole[..<length]))
            let lease = try site.fixture.open().lock(holder: holder())
            guard case .unreadable(let path)? = lease.spill else {
                Issue.record("\(length) octets: \(String(describing: lease.spill))")
                continue
            }
            #expect(try readFile(path) == Array(whole[..<length]))
            names.append(String(path.dropFirst(site.spill.count)))
        }
        #expect(names == ["-unreadable"] + (2...7).map { "-unreadable-\($0)" })
        for place in stride(from: 49, to: whole.count, by: whole.count / 7) {
            var changed = whole
            changed[place] ^= 1
            try writeFile(site.spill, changed)
            guard case .unreadable? = try site.fixture.open().lock(holder: holder()).spill else {
                Issue.record("octet \(place)")
                continue
            }
        }
        #expect(try site.fixture.open().snapshot().serial == 1)
        try writeFile(site.spill, whole)
        #expect(try site.fixture.open().lock(holder: holder()).spill == .stored)
    }

    @Test("What is kept for another database of the same name is left alone")
    func foreignSpill() throws {
        let site = try Site()
        _ = try site.lose("kept", .beforeCommit)
        let kept = try readFile(site.spill)
        let other = try SharedFixture(seed: 5)
        try writeFile(other.folder.file("desk.spill"), kept)
        let database = try other.open()
        let lease = try database.lock(holder: holder())
        #expect(lease.spill == nil)
        #expect(try readFile(other.folder.file("desk.spill")) == kept)
        // Nor does a file of its own take its place.
        try other.sql("ALTER TABLE meshplan_rows ADD CHECK (false) NOT VALID")
        let error = storeError { try database.commit(renaming(other.network, to: "x"), with: lease) }
        #expect(error?.code == .inputOutput)
        #expect(try other.files() == ["desk.spill", "desk.spill-other"])
        #expect(try readFile(other.folder.file("desk.spill-other")) == kept)
    }

    @Test("If nothing can be kept either, the error says that")
    func noPlaceForSpill() throws {
        let site = try Site()
        try FileManager.default.removeItem(atPath: site.fixture.folder.path)
        let error = try #require(try site.lose("lost", .beforeCommit))
        #expect(error.message.contains("could not be written to \(site.spill) either"))
    }

    @Test("Who has had enough waits no longer, and what was to be stored is kept")
    func impatient() throws {
        let site = try Site()
        site.fixture.clock.isImpatient = true
        #expect(try site.lose("kept", .beforeCommit)?.code == .unreachable)
        #expect(site.fixture.clock.waits == 1)
        #expect(try site.fixture.files() == ["desk.spill"])
    }

    @Test("Who lost the lock while the server was away does not write after that")
    func fencedWhileAway() throws {
        let site = try Site()
        site.proxy.cut(atCommit: 1, .beforeCommit, refusing: 2)
        site.fixture.clock.onWait = {
            try? site.fixture.expireLock()
            try? site.fixture.open(on: "laptop").lock(holder: holder("import")).release()
        }
        let error = storeError { try site.rename("late") }
        #expect(error?.code == .stale)
        #expect(try site.fixture.open().snapshot().serial == 1)
        #expect(try site.fixture.files() == [])
    }

    @Test("Transactions that the server takes back for the sake of others are made again")
    func conflicts() throws {
        let site = try Site()
        try site.fixture.sql(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('tries') <= 3 THEN RAISE 'conflict' USING ERRCODE = '40001'; END IF;
                RETURN NEW; END $$;
            CREATE TRIGGER refuse BEFORE UPDATE ON meshplan_networks FOR EACH ROW EXECUTE FUNCTION refuse();
            """
        )
        try site.rename("in the end")
        #expect(try site.fixture.sql("SELECT last_value FROM tries") == "4")
        #expect(try site.fixture.open().snapshot().network.name == "in the end")
        try site.fixture.sql("ALTER SEQUENCE tries RESTART WITH 1 MINVALUE -1000; SELECT setval('tries', -1000)")
        let error = storeError { try site.rename("never") }
        #expect(error?.message.hasPrefix("others keep changing the same rows") == true)
        #expect(try site.fixture.sql("SELECT last_value FROM tries") == "-989")
    }
}
