package import DefinitionModel
package import MeshCore

/// A table of separated values that says which device is at which place, from a scanner or a delivery note. The first
/// line names the columns: `place` and `uuid`; others do not matter here.
package struct AssignmentTable: Hashable, Sendable {
    /// A row.
    package struct Row: Hashable, Sendable {
        /// The place.
        package var place: Located<String>
        /// The device.
        package var device: Located<DeviceUUID>
    }

    /// The rows that could be read, in their order.
    package private(set) var rows: [Row] = []
    /// How many rows have no device yet.
    package private(set) var open = 0
    /// Whether a column holds static values, which belong to the secrets of an apply.
    package private(set) var hasSecrets = false

    /// Reads a table.
    ///
    /// - Parameter files: the one file.
    /// - Returns: the table, and all problems, arranged for display.
    package static func read(files: SourceFiles) -> (table: AssignmentTable, diagnostics: [Diagnostic]) {
        var table = AssignmentTable()
        let limits = ReadingLimits()
        var diagnostics = DiagnosticCollector(limit: limits.diagnostics)
        for (index, file) in files.files.enumerated() {
            file.bytes.withUnsafeBufferPointer { bytes in
                table.read(bytes, file: UInt32(clamping: index), limits, &diagnostics)
            }
        }
        return (table, diagnostics.finished())
    }

    private static let hint = "the first line names the columns: place, uuid"

    private mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        file: UInt32,
        _ limits: ReadingLimits,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let start = SourceLocation(file: file, line: 1, column: 1)
        guard bytes.count <= limits.fileSize else {
            diagnostics.report("the file has \(bytes.count) octets", at: start, hint: "split it")
            return
        }
        if let problem = TextScan.firstProblem(bytes) {
            let place = SourceLocation(file: file, line: problem.line, column: problem.column)
            diagnostics.report(problem.message, at: place, hint: problem.hint)
            return
        }
        var places = SecretsTable.Places(bytes, file: file)
        var text = DelimitedText(bytes, from: TextScan.byteOrderMarkLength(bytes))
        var columns: (place: Int, uuid: Int)?
        while true {
            do {
                guard let record = try text.next() else { break }
                if let columns {
                    add(record, columns, &places, &diagnostics)
                } else {
                    columns = header(record, &places, &diagnostics)
                    if columns == nil { return }
                }
            } catch {
                diagnostics.report(error.message, at: places.location(error.offset), hint: error.hint)
                if columns == nil { return }
            }
        }
        if columns == nil { diagnostics.report("the file is empty", at: start, hint: Self.hint) }
    }

    private mutating func header(
        _ record: [DelimitedText.Field],
        _ places: inout SecretsTable.Places,
        _ diagnostics: inout DiagnosticCollector
    ) -> (place: Int, uuid: Int)? {
        var found: [String: Int] = [:]
        for (index, field) in record.enumerated() {
            let kind: String
            switch field.text.lowercased() {
            case "place", "node", "name": kind = "place"
            case "uuid", "device_uuid", "device uuid", "qr", "label": kind = "uuid"
            case "static", "static_oob", "oob":
                hasSecrets = true
                continue
            default: continue
            }
            if let first = found[kind] {
                diagnostics.report(
                    "two columns hold the \(kind) of the devices",
                    at: places.location(field.offset),
                    hint: "rename the one that does not",
                    related: [
                        Diagnostic.Related(message: "the other", location: places.location(record[first].offset))
                    ]
                )
                return nil
            }
            found[kind] = index
        }
        guard let place = found["place"], let uuid = found["uuid"] else {
            diagnostics.report(
                "there is no column `\(found["place"] == nil ? "place" : "uuid")`",
                at: places.location(record.first?.offset ?? 0),
                hint: Self.hint
            )
            return nil
        }
        return (place, uuid)
    }

    private mutating func add(
        _ record: [DelimitedText.Field],
        _ columns: (place: Int, uuid: Int),
        _ places: inout SecretsTable.Places,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let place = columns.place < record.count ? record[columns.place] : nil
        let device = columns.uuid < record.count ? record[columns.uuid] : nil
        guard let device, !device.text.isEmpty else {
            open += 1
            return
        }
        guard let place, Name.isValid(place.text) else {
            diagnostics.report(
                place.map { $0.text.isEmpty ? "the row has no place" : "\(quoted($0.text)) is not the name of a place" }
                    ?? "the row has no place",
                at: places.location(place?.offset ?? record[0].offset)
            )
            return
        }
        guard let uuid = LabelText.uuid(in: device.text) else {
            // Not repeated, because a secret may be in the wrong column.
            diagnostics.report(
                "there is no UUID in this text",
                at: places.location(device.offset),
                hint: "write 32 hexadecimal digits, with or without hyphens, or the text of a label that holds them"
            )
            return
        }
        let row = Row(
            place: Located(place.text, at: places.location(place.offset)),
            device: Located(uuid, at: places.location(device.offset))
        )
        rows.append(row)
    }
}
