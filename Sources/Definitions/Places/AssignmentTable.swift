package import DefinitionModel
package import MeshCore

/// A table of separated values that says which device is at which place, from a scanner or a delivery note. The first
/// line names the columns: `place` and `uuid`; others do not matter here.
package struct AssignmentTable: Hashable, Sendable {
    /// A row.
    package struct Row: Hashable, Sendable {
        package var place: Located<String>
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

    private enum Column: String {
        case place
        case uuid
        case staticValue

        init?(name: String) {
            switch name.lowercased() {
            case "place", "node", "name": self = .place
            case "uuid", "device_uuid", "device uuid", "qr", "label": self = .uuid
            case "static", "static_oob", "oob": self = .staticValue
            default: return nil
            }
        }
    }

    private mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        file: UInt32,
        _ limits: ReadingLimits,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let columns = NamedColumns(
            file: file,
            limits: limits,
            usual: "place, uuid",
            column: Column.init(name:),
            name: { $0 == .staticValue ? "static value" : $0.rawValue }
        )
        var hasSecrets = false
        columns.read(bytes, &diagnostics) { found in
            hasSecrets = found.contains(.staticValue)
            return found.contains(.place) ? found.contains(.uuid) ? nil : "`uuid`" : "`place`"
        } take: { row, places, diagnostics in
            add(row, &places, &diagnostics)
        }
        if hasSecrets { self.hasSecrets = true }
    }

    private mutating func add(
        _ row: NamedColumns<Column>.Row,
        _ places: inout TextPlaces,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard let device = row.field(.uuid), !device.text.isEmpty else {
            open += 1
            return
        }
        let place = row.field(.place)
        guard let place, Name.isValid(place.text) else {
            diagnostics.report(
                place.map { $0.text.isEmpty ? "the row has no place" : "\(quoted($0.text)) is not the name of a place" }
                    ?? "the row has no place",
                at: places.location(place?.offset ?? row.fields[0].offset)
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
        rows.append(
            Row(
                place: Located(place.text, at: places.location(place.offset)),
                device: Located(uuid, at: places.location(device.offset))
            )
        )
    }
}
