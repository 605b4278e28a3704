import MeshCore
import TestSupport
import Testing

@testable import Store

/// Each round trip to a server on another continent takes longer than all else that a command does. What a test allows
/// beside the questions it names is one round trip for each new connection.
@Suite("Round trips to a shared database", withServer)
struct RoundTripTests {
    private let fixture: SharedFixture
    private let proxy: PostgreSQLProxy

    init() throws {
        fixture = try SharedFixture(nodes: 3)
        proxy = try PostgreSQLProxy(of: fixture.server)
    }

    /// How many round trips something takes.
    private func turns(_ body: () throws -> Void) rethrows -> Int {
        let before = proxy.turns
        try body()
        return proxy.turns - before
    }

    @Test("Whoever reads everything needs one for opening and one for reading")
    func reading() throws {
        var opened: MeshDatabase?
        let opening = try turns {
            let database = try fixture.open(through: proxy)
            _ = try database.version()
            _ = try database.pendingConfirmation()
            _ = try database.unfinishedReturn()
            opened = database
        }
        #expect(opening == 2)
        let database = try #require(opened)
        let own = try #require(fixture.network.nodes.first { $0.uuid == fixture.network.ownProvisioner })
        let reading = try turns {
            #expect(try database.snapshot().network == fixture.network)
            _ = try database.reservation(of: own.unicastAddress)
            _ = try database.timings(ofLast: 8)
        }
        #expect(reading == 1)
    }

    @Test("Whoever asks again is told what has changed")
    func askingAgain() throws {
        let database = try fixture.open(through: proxy)
        let first = try database.version()
        let other = try fixture.open(on: "laptop")
        let lease = try other.lock(holder: holder("apply"))
        try other.commit(renaming(fixture.network, to: "new"), with: lease)
        lease.release()
        #expect(try database.version().serial == first.serial + 1)
        #expect(try database.snapshot().network.name == "new")
        #expect(try database.version().serial == first.serial + 1)
    }

    @Test("What was seen long ago is asked again")
    func age() throws {
        let database = try fixture.open(through: proxy)
        let other = try fixture.open(on: "laptop")
        let lease = try other.lock(holder: holder("apply"))
        try other.commit(renaming(fixture.network, to: "new"), with: lease)
        lease.release()
        _ = fixture.clock.clock.wait(.seconds(3))
        #expect(try database.version().serial == 2)
    }

    @Test("Writing needs one for the lock and all that it protects, one for each transaction, and one for the end")
    func writing() throws {
        let database = try fixture.open(through: proxy)
        let count = try turns {
            let lease = try database.lock(holder: holder("apply"))
            #expect(try database.snapshot(with: lease).network == fixture.network)
            #expect(try database.copy(to: fixture.folder.file("copy")) == false)
            try database.pull(to: fixture.folder.file("backup"))
            _ = try database.history()
            try database.commit(renaming(fixture.network, to: "new"), with: lease)
            #expect(try database.snapshot(with: lease).network.name == "new")
            lease.release()
            #expect(try database.version().serial == 2)
        }
        #expect(count == 3)
        #expect(try fixture.open().snapshot().network.name == "new")
        let backup = try MeshDatabase.open(at: fixture.folder.file("backup"), key: fixture.key)
        #expect(try backup.snapshot().network == fixture.network)
    }

    @Test("Whoever does not get the lock reads no rows")
    func refused() throws {
        let lease = try fixture.open().lock(holder: holder("apply"))
        let database = try fixture.open(on: "laptop", through: proxy)
        let count = turns { #expect(storeError { _ = try database.lock(holder: holder("import")) }?.code == .locked) }
        #expect(count == 1)
        lease.release()
    }

    @Test("The question for the names of networks opens the only one, over the same connection")
    func only() throws {
        let store = try fixture.store(through: proxy)
        let location = DatabaseLocation.shared(store, network: "house", localPath: fixture.folder.file("desk"))
        let count = try turns {
            #expect(try store.networks() == ["house"])
            _ = try MeshDatabase.open(at: location, key: fixture.key).version()
        }
        #expect(count == 2)
        // That answer was used up.
        let further = try turns { _ = try MeshDatabase.open(at: location, key: fixture.key) }
        #expect(further == 1)
    }
}
