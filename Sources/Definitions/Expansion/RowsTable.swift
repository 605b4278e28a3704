import DefinitionModel
import MeshCore

/// A file of separated values: its columns, and one record for each row.
struct RowsTable {
    /// The symbols of the names of the columns.
    var columns: [UInt32] = []
    /// The rows, as symbols of their texts.
    var rows: [Row] = []
    /// The index of the file.
    var file: UInt32

    /// A row.
    struct Row {
        /// The line of the file, from 1.
        var line: UInt32
        /// The symbols of its values, as many as there are columns.
        var values: [UInt32]
    }

    static let ending = ".csv"
}

extension DocumentDecoder {
    /// Reads a file of separated values; nil if something in it is wrong, which is reported.
    mutating func readRows(_ bytes: [UInt8], of file: UInt32) -> RowsTable? {
        bytes.withUnsafeBufferPointer { bytes in
            if let problem = TextScan.firstProblem(bytes) {
                let location = SourceLocation(file: file, line: problem.line, column: problem.column)
                diagnostics.report(problem.message, at: location, hint: problem.hint)
                return nil
            }
            var table = RowsTable(file: file)
            var text = DelimitedText(bytes, from: TextScan.byteOrderMarkLength(bytes))
            var isWhole = true
            var lines = LineCounter(bytes)
            while true {
                do throws(DelimitedText.Problem) {
                    guard let record = try text.next() else { break }
                    let line = lines.line(of: record[0].offset)
                    if table.columns.isEmpty {
                        table.columns = columns(record, line: line, of: file) ?? []
                        if table.columns.isEmpty { return nil }
                    } else if record.count != table.columns.count {
                        diagnostics.report(
                            "the row has \(record.count) values, but there are \(table.columns.count) columns",
                            at: SourceLocation(file: file, line: line, column: 1),
                            hint: "put quotes around values that hold the separator"
                        )
                        isWhole = false
                    } else {
                        table.rows.append(RowsTable.Row(line: line, values: record.map { symbols.intern($0.text) }))
                    }
                } catch {
                    let location = SourceLocation(file: file, line: lines.line(of: error.offset), column: 1)
                    diagnostics.report(error.message, at: location, hint: error.hint)
                    isWhole = false
                }
            }
            return isWhole ? table : nil
        }
    }

    private mutating func columns(_ record: [DelimitedText.Field], line: UInt32, of file: UInt32) -> [UInt32]? {
        var columns: [UInt32] = []
        for (number, field) in record.enumerated() {
            let location = SourceLocation(file: file, line: line, column: 1)
            guard TextTemplate.isName(Array(field.text.utf8)[...]) else {
                diagnostics.report(
                    field.text.isEmpty
                        ? "column \(number + 1) has no name"
                        : "\(quoted(field.text)) cannot be the name of a column",
                    at: location,
                    hint: "the first line names the columns; names are a letter, then letters, digits, `_` and `-`"
                )
                return nil
            }
            // What a row says stands in plans, reports and messages.
            if let column = SecretsTable.Column(name: field.text), column != .uuid {
                diagnostics.report(
                    "the column \(quoted(field.text)) is one of a table with secrets, which cannot be rows",
                    at: location,
                    hint: "keep what a module needs in a table of its own"
                )
                return nil
            }
            let symbol = symbols.intern(field.text)
            guard !columns.contains(symbol) else {
                diagnostics.report("the column \(quoted(field.text)) occurs twice", at: location)
                return nil
            }
            columns.append(symbol)
        }
        return columns
    }
}

/// Finds the lines of ascending offsets.
private struct LineCounter {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var line: UInt32 = 1

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func line(of index: Int) -> UInt32 {
        while offset < min(index, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        return line
    }
}
