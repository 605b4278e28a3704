import CPostgreSQL

/// The result of a statement.
package struct SQLResult: Sendable {
    package var rows: [SQLRow]
    /// How many rows were inserted, changed, deleted or found.
    package var count: Int
}

/// A row of a query. Nothing about it is trusted: a column of an unexpected type is an error.
package struct SQLRow: Sendable {
    private struct Column {
        let type: UInt32
        let octets: [UInt8]?
    }

    private let columns: [Column]

    /// Copies a row out of a result of libpq in binary format.
    init(_ result: OpaquePointer, row: Int32) {
        columns = (0..<PQnfields(result)).map { column in
            let type = UInt32(PQftype(result, column))
            guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column)
            else {
                return Column(type: type, octets: nil)
            }
            let buffer = UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column)))
            return Column(type: type, octets: Array(buffer))
        }
    }

    /// Whether a column is `NULL`.
    package func isNull(_ column: Int) -> Bool {
        columns.indices.contains(column) && columns[column].octets == nil
    }

    /// A column of type `bytea`.
    ///
    /// - Throws: ``PostgreSQLError/Kind/shape`` if it has another type, is `NULL`, or does not exist.
    package func octets(_ column: Int) throws(PostgreSQLError) -> [UInt8] {
        try value(column, of: SQLType.octets)
    }

    /// A column of type `bigint`.
    ///
    /// - Throws: ``PostgreSQLError/Kind/shape`` if it has another type, is `NULL`, or does not exist.
    package func integer(_ column: Int) throws(PostgreSQLError) -> Int64 {
        let octets = try value(column, of: SQLType.integer)
        guard octets.count == 8 else { throw PostgreSQLError(.shape, "a number of \(octets.count) octets") }
        return Int64(bitPattern: octets.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// A column of type `text`.
    ///
    /// - Throws: ``PostgreSQLError/Kind/shape`` if it has another type, is `NULL`, does not exist, or is not UTF-8.
    package func text(_ column: Int) throws(PostgreSQLError) -> String {
        guard let text = String(validating: try value(column, of: SQLType.text), as: UTF8.self) else {
            throw PostgreSQLError(.shape, "a text that is not UTF-8")
        }
        return text
    }

    private func value(_ column: Int, of type: UInt32) throws(PostgreSQLError) -> [UInt8] {
        guard columns.indices.contains(column) else {
            throw PostgreSQLError(.shape, "\(columns.count) columns where there should be more than \(column)")
        }
        let found = columns[column]
        guard found.type == type, let octets = found.octets else {
            throw PostgreSQLError(.shape, "column \(column) of type \(found.type) where there should be \(type)")
        }
        return octets
    }
}
