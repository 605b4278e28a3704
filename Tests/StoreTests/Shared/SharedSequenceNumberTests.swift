import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Store

@Suite("Sequence numbers of a shared database", withServer)
struct SharedSequenceNumberTests {
    /// The first number that a run on a machine gets.
    private func first(_ fixture: SharedFixture, on machine: String, ivIndex: UInt32 = 5) throws -> UInt32 {
        let database = try fixture.open(on: machine)
        let lease = try database.lock(holder: holder())
        return try database.sequenceNumbers(with: lease, blockSize: 100).next(for: .first, ivIndex: ivIndex)
    }

    @Test("Machines go on behind one another, and one that never sent leaves nothing out")
    func machines() throws {
        let fixture = try SharedFixture()
        let numbers = try ["desk", "laptop", "desk", "server", "laptop"].map { try first(fixture, on: $0) }
        #expect(numbers == [0, 100, 200, 300, 400])
        #expect(try fixture.files() == ["desk.sequence", "laptop.sequence", "server.sequence"])
    }

    @Test("A server that was put back to an older copy is noticed, and others may have sent since")
    func restored() throws {
        let fixture = try SharedFixture()
        _ = try first(fixture, on: "desk")
        try fixture.sql("CREATE TABLE backup AS SELECT * FROM meshplan_rows")
        try fixture.sql("CREATE TABLE head AS SELECT * FROM meshplan_networks")
        #expect(try first(fixture, on: "desk") == 100)
        #expect(try first(fixture, on: "laptop") == 200)
        try fixture.sql(
            """
            DELETE FROM meshplan_rows; INSERT INTO meshplan_rows SELECT * FROM backup;
            UPDATE meshplan_networks SET revision = (SELECT revision FROM head)
            """
        )
        #expect(try first(fixture, on: "desk") == 200 + 65_536)
        #expect(try first(fixture, on: "laptop") == 300 + 65_536)
        #expect(try first(fixture, on: "desk") == 400 + 65_536)
    }

    @Test("Numbers begin anew with a higher IV index on every machine")
    func ivIndex() throws {
        let fixture = try SharedFixture()
        _ = try first(fixture, on: "desk")
        #expect(try first(fixture, on: "laptop", ivIndex: 6) == 0)
        #expect(try first(fixture, on: "desk", ivIndex: 6) == 100)
    }

    @Test("A block whose reservation is cut off is not handed out twice", arguments: PostgreSQLProxy.Cut.allCases)
    func cutOff(_ cut: PostgreSQLProxy.Cut) throws {
        let fixture = try SharedFixture()
        let proxy = try PostgreSQLProxy(of: fixture.server)
        #expect(try first(fixture, on: "desk") == 0)
        do {
            let database = try fixture.open(through: proxy)
            let lease = try database.lock(holder: holder())
            let numbers = try database.sequenceNumbers(with: lease, blockSize: 100)
            proxy.cut(atCommit: 1, cut, refusing: .max)
            #expect(throws: SequenceNumberError.self) { _ = try numbers.next(for: .first, ivIndex: 5) }
            #expect(throws: SequenceNumberError.self) { _ = try numbers.next(for: .first, ivIndex: 5) }
        }
        try fixture.expireLock()
        // Another machine comes first; what was kept is put aside, and nothing is left out for that.
        #expect(try first(fixture, on: "laptop") == (cut == .beforeCommit ? 100 : 200))
        #expect(try first(fixture, on: "desk") == (cut == .beforeCommit ? 200 : 300))
    }
}
