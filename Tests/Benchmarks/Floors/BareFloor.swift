import CSQLite
import CYAML

/// The least work of any planner: every libyaml event of the definition and every row of the database, with the C
/// libraries only, and without keeping anything.
enum BareFloor {
    /// Runs libyaml's parser over the text and counts its events.
    static func countEvents(of text: [UInt8]) -> Int {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return 0 }
        defer { yaml_parser_delete(&parser) }
        return text.withUnsafeBufferPointer { buffer in
            yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
            var count = 0
            while true {
                var event = yaml_event_t()
                guard yaml_parser_parse(&parser, &event) == 1 else { return count }
                let isEnd = event.type == YAML_STREAM_END_EVENT
                yaml_event_delete(&event)
                count += 1
                if isEnd { return count }
            }
        }
    }

    /// Reads every column of every row of every table and counts the octets.
    static func readRows(ofDatabaseAt path: String) -> Int {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return 0 }
        var tables: [String] = []
        forEachRow(of: "SELECT name FROM sqlite_master WHERE type = 'table'", in: database) { row in
            if let name = sqlite3_column_text(row, 0) { tables.append(String(cString: name)) }
        }
        var octets = 0
        for table in tables {
            forEachRow(of: "SELECT * FROM \"\(table)\"", in: database) { row in
                for column in 0..<sqlite3_column_count(row) {
                    _ = sqlite3_column_blob(row, column)
                    octets += Int(sqlite3_column_bytes(row, column))
                }
            }
        }
        return octets
    }

    private static func forEachRow(of query: String, in database: OpaquePointer?, _ body: (OpaquePointer?) -> Void) {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else { return }
        while sqlite3_step(statement) == SQLITE_ROW { body(statement) }
    }
}
