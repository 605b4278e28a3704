import DefinitionModel

/// Reads a table of separated values whose first line names the columns, in any order. Columns of other names do not
/// matter.
struct NamedColumns<Column: Hashable> {
    /// A line of the table after the first.
    struct Row {
        fileprivate let columns: [Column: Int]
        /// The values, at least one.
        let fields: [DelimitedText.Field]
        let width: Int

        /// The value of a column; nil if the line is too short for it.
        func field(_ column: Column) -> DelimitedText.Field? {
            guard let index = columns[column], index < fields.count else { return nil }
            return fields[index]
        }
    }

    /// The index of the file, for locations.
    let file: UInt32
    let limits: ReadingLimits
    /// What the first line names, for people: `uuid, static`.
    let usual: String
    /// The column of a name; nil for a name without meaning.
    let column: (String) -> Column?
    /// The recommended name of a column.
    let name: (Column) -> String

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - missing: the words for a column that is missing; nil if the table has what it needs.
    ///   - take: takes a row.
    func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ diagnostics: inout DiagnosticCollector,
        missing: (Set<Column>) -> String?,
        take: (Row, inout TextPlaces, inout DiagnosticCollector) -> Void
    ) {
        let start = SourceLocation(file: file, line: 1, column: 1)
        guard bytes.count <= limits.fileSize else {
            diagnostics.report(
                "the file has \(bytes.count) octets",
                at: start,
                hint: "no file may be larger than \(limits.fileSize >> 20) MiB; split it"
            )
            return
        }
        if let problem = TextScan.firstProblem(bytes) {
            let location = SourceLocation(file: file, line: problem.line, column: problem.column)
            diagnostics.report(problem.message, at: location, hint: problem.hint)
            return
        }
        var places = TextPlaces(bytes, file: file)
        var text = DelimitedText(bytes, from: TextScan.byteOrderMarkLength(bytes))
        var header: (columns: [Column: Int], width: Int)?
        while true {
            do {
                guard let record = try text.next() else { break }
                if let header {
                    let row = Row(columns: header.columns, fields: record, width: header.width)
                    take(row, &places, &diagnostics)
                } else {
                    guard let columns = columns(record, &places, &diagnostics, missing) else { return }
                    header = (columns, record.count)
                }
            } catch {
                diagnostics.report(error.message, at: places.location(error.offset), hint: error.hint)
                // Without its header, nothing in a table can be understood.
                if header == nil { return }
            }
        }
        if header == nil { diagnostics.report("the file is empty", at: start, hint: hint) }
    }

    private var hint: String { "the first line names the columns: \(usual)" }

    private func columns(
        _ record: [DelimitedText.Field],
        _ places: inout TextPlaces,
        _ diagnostics: inout DiagnosticCollector,
        _ missing: (Set<Column>) -> String?
    ) -> [Column: Int]? {
        var columns: [Column: Int] = [:]
        for (index, field) in record.enumerated() {
            guard let column = column(field.text) else { continue }
            if let first = columns[column] {
                diagnostics.report(
                    "two columns hold the \(name(column)) of the devices",
                    at: places.location(field.offset),
                    hint: "rename the one that does not",
                    related: [
                        Diagnostic.Related(message: "the other", location: places.location(record[first].offset))
                    ]
                )
                return nil
            }
            columns[column] = index
        }
        if let missing = missing(Set(columns.keys)) {
            let location = places.location(record.first?.offset ?? 0)
            diagnostics.report("there is no column \(missing)", at: location, hint: hint)
            return nil
        }
        return columns
    }
}
