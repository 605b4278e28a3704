import MeshCore
import TestSupport
import Testing

@testable import Store

/// Copies are handed on, so a file is judged before anything in it is run.
@Suite("Schemas of files that were handed on")
struct ForeignSchemaTests {
    /// Rows without an end.
    private static let endless = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x)"

    @Test(
        "A view in place of a table, a trigger, an index or a further table is refused before it is queried",
        arguments: [
            "ALTER TABLE rows RENAME TO r; CREATE VIEW rows AS \(endless) SELECT r.kind, r.key, r.revision, r.body FROM x, r",
            "ALTER TABLE header RENAME TO h; CREATE VIEW header AS \(endless) SELECT h.lineage, h.revision FROM x, h",
            "ALTER TABLE keySlots RENAME TO k; CREATE VIEW keySlots AS \(endless) SELECT k.* FROM x, k",
            "CREATE TRIGGER t AFTER UPDATE ON header BEGIN DELETE FROM rows; END",
            "CREATE INDEX i ON rows (revision)", "CREATE TABLE more (a)", "DROP TABLE keySlots",
            "ALTER TABLE rows ADD COLUMN more BLOB",
        ]
    )
    func schema(_ sql: String) throws {
        let fixture = try Fixture()
        try SQLiteConnection(fixture.path, patience: .seconds(5)).run(sql)
        let error = storeError { _ = try fixture.reopened() }
        #expect(error?.code == .damaged)
        #expect(error?.message == "does not have the tables of a mesh database, or has more than those")
    }

    @Test("A huge row, key or slot is not read into memory", arguments: ["body", "key", "parameters", "wrapped"])
    func huge(_ column: String) throws {
        let fixture = try Fixture()
        let table = column == "body" || column == "key" ? "rows" : "keySlots"
        let end = table == "rows" ? "WHERE kind = 9" : ""
        try SQLiteConnection(fixture.path, patience: .seconds(5), greatestValue: 1 << 30)
            .run("UPDATE \(table) SET \(column) = zeroblob(100000000) \(end)")
        let error = storeError { _ = try fixture.reopened().snapshot() }
        #expect(error?.code == (table == "rows" ? .damaged : .wrongKey))
    }

    @Test("What one passphrase may cost has a bound, and so has what all slots of a file cost together")
    func costly() throws {
        #expect(!Scrypt.Cost(logN: 19, r: 8, p: 1).isAcceptable)
        #expect(!Scrypt.Cost(logN: 14, r: 8, p: 64).isAcceptable)
        func slots(_ count: Int, _ cost: Scrypt.Cost) -> [KeySlot] {
            let parameters = KeySlotParameters(
                identifier: [1, 2, 3, 4],
                created: now,
                label: "",
                derivation: .scrypt(cost, salt: [UInt8](repeating: 0, count: KeySlotParameters.saltLength))
            )
            return (0..<count).map { _ in KeySlot(kind: 2, parameters: parameters.encoded(), wrapped: []) }
        }
        #expect(KeySlot.affordable(slots(32, .standard)).count == 32)
        #expect(KeySlot.affordable(slots(32, Scrypt.Cost(logN: 18, r: 8, p: 2))).count == 8)
    }
}
