import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("Errors of shared databases", withServer)
struct SharedStoreErrorTests {
    private func fails(_ url: String) -> StoreError? {
        storeError { _ = try SharedStore(url, clock: ManualClock().clock).networks() }
    }

    @Test("Addresses that cannot be read are never quoted")
    func addresses() {
        for url in [
            "postgres://anna:s3cret%zz@host/db", "postgres://anna:s3cret@host:port/db",
            "postgres://anna:s3cret@[::1/db",
            "postgresql://anna:s3cret@host/db?nonsense=1", "host=h password=s3cret", "s3cret",
        ] {
            let error = fails(url)
            #expect(error?.code == .invalidDocument || error?.code == .unreachable, "\(url)")
            #expect(error.map { String(reflecting: $0).contains("s3cret") } == false, "\(url)")
            #expect(error?.hint != nil)
        }
    }

    @Test("A name shows host and database and nothing else")
    func names() throws {
        func name(_ url: String) throws -> String { try SharedStore(url, clock: ManualClock().clock).name }
        let long = "postgres://anna:s3cret@db.example:5433/mesh?sslmode=require"
        #expect(try name(long) == "postgres://db.example:5433/mesh")
        #expect(try name("postgresql://anna:s3cret@db.example/mesh") == "postgres://db.example/mesh")
        #expect(try name("postgres://anna@%2Frun%2Fpg/mesh") == "postgres:///mesh?host=/run/pg")
        #expect(try name("postgres://a,b/mesh?password=s3cret") == "postgres://a,b/mesh")
        let store = try SharedStore("postgres://anna:s3cret@h/mesh", clock: ManualClock().clock)
        #expect(!String(reflecting: store).contains("s3cret"))
        var dumped = ""
        dump(store, to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }

    @Test(
        "An address with parameters in a wrong place is refused, and nothing of it is shown",
        arguments: [
            "postgres://127.0.0.1:1/mesh&password=S3cretPw", "postgres://127.0.0.1:1/mesh password=S3cretPw",
            "postgres://127.0.0.1:1/mesh%3Fpassword=S3cretPw", "postgres://127.0.0.1:1/mesh%20S3cretPw",
            "postgres://127.0.0.1:1/?dbname=mesh%26password%3DS3cretPw",
        ]
    )
    func misplaced(_ url: String) {
        let error = storeError { _ = try SharedStore(url, clock: ManualClock().clock) }
        #expect(error != nil && !"\(String(describing: error))".contains("S3cret"), "\(String(describing: error))")
    }

    @Test("A server that is not there, says so at once")
    func unreachable() throws {
        let clock = ManualClock()
        let folder = try TemporaryFolder()
        let path = folder.path.replacing("/", with: "%2F")
        let store = try SharedStore("postgres://anna:s3cret@\(path)/mesh", clock: clock.clock)
        let error = storeError { _ = try store.networks() }
        #expect(error?.code == .unreachable)
        #expect(error?.message.hasPrefix("cannot be reached: ") == true)
        #expect(clock.waits == 0)
    }

    @Test("Authentication, database and tables that are missing are told apart")
    func missing() throws {
        let server = try PostgreSQLServer.shared
        let database = try server.newDatabase()
        let name = database.name
        let wrong = fails(server.address(name, user: PostgreSQLServer.guarded.user + ":s3cret"))
        #expect(wrong?.code == .permissionDenied)
        #expect(wrong?.message == "the server refuses the user: password authentication failed for user \"guarded\"")
        let none = fails(server.address("nowhere"))
        #expect(none?.code == .missing)
        #expect(none?.message == "there is no such database on the server: database \"nowhere\" does not exist")
        let empty = fails(server.address(name))
        #expect(empty?.code == .missing)
        #expect(empty?.message == "there are no tables of meshplan")
        #expect(empty?.hint?.remedies == [.createStore("postgres:///\(name)?host=\(server.folder)")])
        #expect(empty?.path == "postgres:///\(name)?host=\(server.folder)")
        withExtendedLifetime(database) {}
    }

    @Test("A user with a password and the rights to rows works, and is told which right is missing")
    func rights() throws {
        let fixture = try SharedFixture()
        let guarded = PostgreSQLServer.guarded
        let user = guarded.user + ":" + guarded.password.replacing("%", with: "%25")
        let refused = storeError { _ = try fixture.open(user: user) }
        #expect(refused?.code == .permissionDenied)
        #expect(refused?.message == "the server's user may not do that: permission denied for table meshplan_schema")
        try fixture.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guarded")
        let database = try fixture.open(user: user)
        #expect(try database.snapshot().serial == 1)
        #expect(storeError { _ = try database.lock(holder: holder()) }?.code == .permissionDenied)
        try fixture.sql("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guarded")
        let lease = try database.lock(holder: holder())
        #expect(try database.commit(renaming(fixture.network, to: "x"), with: lease) == 2)
        // Who may not make tables need not.
        #expect(try !fixture.store(user: user).prepare())
    }

    @Test("A replica can be read, and refuses changes with a way out")
    func readOnly() throws {
        let fixture = try SharedFixture()
        try fixture.sql("ALTER DATABASE \(fixture.databaseName) SET default_transaction_read_only = on")
        let database = try fixture.open()
        #expect(try database.snapshot().serial == 1)
        let error = storeError { _ = try database.lock(holder: holder()) }
        #expect(error?.code == .readOnly)
        #expect(error?.hint?.contains("target_session_attrs=read-write") == true)
    }

    @Test("Tables of another version are refused")
    func versions() throws {
        let fixture = try SharedFixture()
        try fixture.sql("UPDATE meshplan_networks SET format = 9")
        #expect(storeError { _ = try fixture.open() }?.message == "has format 9, this program knows format 1")
        try fixture.sql("UPDATE meshplan_schema SET version = 2")
        for error in [storeError { _ = try fixture.open() }, storeError { _ = try fixture.store().prepare() }] {
            #expect(error?.code == .newerFormat)
            #expect(error?.message == "the tables have version 2, this program knows version 1")
        }
        try fixture.sql("DROP TABLE meshplan_rows; UPDATE meshplan_schema SET version = 1")
        try fixture.sql("UPDATE meshplan_networks SET format = 1")
        let broken = storeError { _ = try fixture.open().snapshot() }
        #expect(broken?.code == .missing)
    }

    @Test("A full server changes nothing, and what was to be stored is kept")
    func full() throws {
        let fixture = try SharedFixture()
        let database = try fixture.open()
        let lease = try database.lock(holder: holder())
        try fixture.sql(
            """
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON meshplan_rows FOR EACH ROW EXECUTE FUNCTION full_disk();
            """
        )
        let error = storeError { try database.commit(renaming(fixture.network, to: "x"), with: lease) }
        #expect(error?.code == .diskFull)
        #expect(try fixture.open().snapshot().serial == 1)
        lease.release()
        try fixture.sql("DROP TRIGGER full_disk ON meshplan_rows")
        let next = try database.lock(holder: holder())
        #expect(next.spill == .stored)
        #expect(try fixture.open().snapshot().network.name == "x")
    }

    @Test("Several may make the tables at once")
    func concurrentPreparation() async throws {
        let server = try PostgreSQLServer.shared
        let database = try server.newDatabase()
        let name = database.name
        let address = server.address(name)
        let errors = await withTaskGroup(of: StoreError?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    storeError { _ = try SharedStore(address, clock: ManualClock().clock).prepare() }
                }
            }
            var errors: [StoreError] = []
            for await error in group { if let error { errors.append(error) } }
            return errors
        }
        #expect(errors == [])
        #expect(try server.sql("SELECT count(*), min(version) FROM meshplan_schema", in: name) == "2|1")
        withExtendedLifetime(database) {}
    }

    @Test("Networks are listed, and one that is removed while it is in use is noticed")
    func networks() throws {
        let fixture = try SharedFixture()
        #expect(try fixture.store().networks() == ["house"])
        let database = try fixture.open()
        try fixture.sql("DELETE FROM meshplan_networks")
        #expect(storeError { _ = try database.snapshot() }?.code == .stale)
        #expect(storeError { _ = try fixture.open() }?.message == "there is no database of that network")
    }

    @Test("A large network goes in and out")
    func large() throws {
        let fixture = try SharedFixture(nodes: 3_000)
        let snapshot = try fixture.open().snapshot()
        #expect(snapshot.network == fixture.network)
        let database = try fixture.open()
        let lease = try database.lock(holder: holder())
        var changes = StoreChanges()
        changes.nodes = snapshot.network.nodes
        #expect(try database.commit(changes, with: lease) == 2)
        #expect(try fixture.open().snapshot().network == fixture.network)
    }
}
