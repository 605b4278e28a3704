import MeshCore
import PostgreSQL

/// The statements that write rows.
enum RowBatches {
    /// The conditions of a write.
    struct Guard {
        var lineage: Octets16
        /// The revision that the write sets.
        var revision: UInt64
        /// The fence of the writer's lock.
        var fence: Int64
        /// What distinguishes the acquisition of the lock from all others. After a promotion that lost one, the next
        /// acquisition has the same fence, but never the same token.
        var token: [UInt8]
        /// The timeline that the server must be on; nil if it does not tell.
        var timeline: UInt32?
    }

    private static let size = 4 << 20

    /// Rows in portions, none of which is very large.
    static func batches(of rows: [StoredRow]) -> [ArraySlice<StoredRow>] {
        var batches: [ArraySlice<StoredRow>] = []
        var (start, size) = (rows.startIndex, 0)
        for index in rows.indices {
            if size > RowBatches.size {
                batches.append(rows[start..<index])
                (start, size) = (index, 0)
            }
            size += rows[index].body.count + 64
        }
        if start < rows.endIndex { batches.append(rows[start...]) }
        return batches
    }

    static func insertion(of rows: ArraySlice<StoredRow>, into lineage: Octets16) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO meshplan_rows (lineage, kind, key, revision, body)
            SELECT $1, n.kind, n.key, n.revision, n.body
            FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[]) AS n(kind, key, revision, body)
            """,
            .octets(lineage.bytes),
            .integerList(rows.map { Int64($0.name.kind.rawValue) }),
            .octetsList(rows.map(\.name.key)),
            .integerList(rows.map { Int64(bitPattern: $0.revision) }),
            .octetsList(rows.map(\.body))
        )
    }

    /// A transaction whose second statement sets the revision if the conditions hold. Its writes do something only if
    /// it did.
    ///
    /// They look for the new revision under the writer's own fence, which nobody else can have set. If an earlier
    /// attempt at the same transaction has set it, they repeat what that attempt did.
    static func transaction(_ writes: [SQLStatement], from expected: UInt64, to new: Guard) -> [SQLStatement] {
        var conditions = "lineage = $1 AND fence = $3 AND revision = $5 AND \(isHeld)"
        if new.timeline != nil { conditions += " AND \(PostgreSQLConnection.timeline) = $6" }
        var update = new.statement(
            "UPDATE meshplan_networks SET revision = $2 WHERE \(conditions)",
            .integer(Int64(bitPattern: expected))
        )
        if let timeline = new.timeline { update.parameters.append(.integer(Int64(timeline))) }
        return [update] + writes
    }

    /// Puts rows, in as many statements as their size needs.
    static func puts(_ rows: [StoredRow], _ new: Guard) -> [SQLStatement] {
        batches(of: rows).map { rows in
            new.statement(
                """
                INSERT INTO meshplan_rows (lineage, kind, key, revision, body)
                SELECT $1, n.kind, n.key, n.revision, n.body
                FROM unnest($5::bigint[], $6::bytea[], $7::bigint[], $8::bytea[]) AS n(kind, key, revision, body)
                WHERE \(isOurs)
                ON CONFLICT (lineage, kind, key) DO UPDATE SET revision = excluded.revision, body = excluded.body
                """,
                .integerList(rows.map { Int64($0.name.kind.rawValue) }),
                .octetsList(rows.map(\.name.key)),
                .integerList(rows.map { Int64(bitPattern: $0.revision) }),
                .octetsList(rows.map(\.body))
            )
        }
    }

    /// Deletes rows. No statement if there are none.
    static func deletes(_ names: [RowName], _ new: Guard) -> [SQLStatement] {
        guard !names.isEmpty else { return [] }
        return [
            new.statement(
                """
                DELETE FROM meshplan_rows
                WHERE lineage = $1 AND \(isOurs)
                    AND (kind, key) IN (SELECT n.kind, n.key FROM unnest($5::bigint[], $6::bytea[]) AS n(kind, key))
                """,
                .integerList(names.map { Int64($0.kind.rawValue) }),
                .octetsList(names.map(\.key))
            )
        ]
    }

    static func replacement(of slots: [KeySlot], _ new: Guard) -> [SQLStatement] {
        [new.statement("DELETE FROM meshplan_key_slots WHERE lineage = $1 AND \(isOurs)")]
            + slots.enumerated().map { number, slot in
                new.statement(
                    """
                    INSERT INTO meshplan_key_slots (lineage, slot, kind, parameters, wrapped)
                    SELECT $1, $5, $6, $7, $8 WHERE \(isOurs)
                    """,
                    .integer(Int64(number)),
                    .integer(Int64(slot.kind)),
                    .octets(slot.parameters),
                    .octets(slot.wrapped)
                )
            }
    }

    private static let isHeld = """
        EXISTS (SELECT 1 FROM meshplan_locks l WHERE l.lineage = $1 AND l.fence = $3 AND l.token = $4)
        """

    private static let isOurs = """
        EXISTS (SELECT 1 FROM meshplan_networks WHERE lineage = $1 AND revision = $2 AND fence = $3) AND \(isHeld)
        """
}

extension RowBatches.Guard {
    /// A statement whose first four parameters are lineage, revision, fence and token.
    func statement(_ sql: String, _ further: SQLValue...) -> SQLStatement {
        var statement = SQLStatement(
            sql,
            .octets(lineage.bytes),
            .integer(Int64(bitPattern: revision)),
            .integer(fence),
            .octets(token)
        )
        statement.parameters += further
        return statement
    }
}
