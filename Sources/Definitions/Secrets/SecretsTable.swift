import DefinitionModel
import MeshCore

/// Reads a table of separated values with the secrets of devices.
struct SecretsTable {
    private let file: UInt32
    private let limits: ReadingLimits

    /// The content of a column.
    enum Column: Hashable {
        /// The Device UUID.
        case uuid
        /// The static value.
        case staticValue
        /// The public key.
        case publicKey

        /// The content of the column with that name; nil for an unknown name.
        init?(name: String) {
            let name = String(name.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
            switch name {
            case "uuid", "device_uuid": self = .uuid
            case "static", "static_oob", "oob": self = .staticValue
            case "public_key": self = .publicKey
            default: return nil
            }
        }

        /// The recommended name.
        var name: String {
            switch self {
            case .uuid: "uuid"
            case .staticValue: "static"
            case .publicKey: "public_key"
            }
        }
    }

    /// A reader for the file with that index.
    init(file: UInt32, limits: ReadingLimits) {
        self.file = file
        self.limits = limits
    }

    /// Adds the secrets of all rows.
    func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        into list: inout SecretsList,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard bytes.count <= limits.fileSize else {
            diagnostics.report(
                "the file has \(bytes.count) octets",
                at: SourceLocation(file: file, line: 1, column: 1),
                hint: "no file may be larger than \(limits.fileSize >> 20) MiB; split it"
            )
            return
        }
        if let problem = TextScan.firstProblem(bytes) {
            diagnostics.report(
                problem.message,
                at: SourceLocation(file: file, line: problem.line, column: problem.column),
                hint: problem.hint
            )
            return
        }
        var places = Places(bytes, file: file)
        var text = DelimitedText(bytes, from: TextScan.byteOrderMarkLength(bytes))
        var columns: [Column: Int]?
        var width = 0
        while true {
            do {
                guard let record = try text.next() else { break }
                if let columns {
                    add(record, columns, width, &places, into: &list, &diagnostics)
                } else {
                    guard let found = header(record, &places, &diagnostics) else { return }
                    columns = found
                    width = record.count
                }
            } catch {
                diagnostics.report(error.message, at: places.location(error.offset), hint: error.hint)
                // Without its header, nothing in a table can be understood.
                if columns == nil { return }
            }
        }
        if columns == nil {
            diagnostics.report(
                "the file is empty",
                at: SourceLocation(file: file, line: 1, column: 1),
                hint: Self.headerHint
            )
        }
    }

    private static let headerHint = "the first line names the columns: uuid, static, public_key"

    private func header(
        _ record: [DelimitedText.Field],
        _ places: inout Places,
        _ diagnostics: inout DiagnosticCollector
    ) -> [Column: Int]? {
        var columns: [Column: Int] = [:]
        for (index, field) in record.enumerated() {
            guard let column = Column(name: field.text) else { continue }
            if let first = columns[column] {
                diagnostics.report(
                    "two columns hold the \(column.name) of the devices",
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
        let place = places.location(record.first?.offset ?? 0)
        guard columns[.uuid] != nil else {
            diagnostics.report("there is no column `uuid`", at: place, hint: Self.headerHint)
            return nil
        }
        guard columns.count > 1 else {
            diagnostics.report("there is no column `static` or `public_key`", at: place, hint: Self.headerHint)
            return nil
        }
        return columns
    }

    private func add(
        _ record: [DelimitedText.Field],
        _ columns: [Column: Int],
        _ width: Int,
        _ places: inout Places,
        into list: inout SecretsList,
        _ diagnostics: inout DiagnosticCollector
    ) {
        if record.count > width {
            diagnostics.report(
                "the row has \(record.count) values and the table \(width) columns",
                at: places.location(record[width].offset),
                hint: "put values that hold the separator in quotes"
            )
            return
        }
        let field = { (column: Column) -> DelimitedText.Field? in
            guard let index = columns[column], index < record.count, !record[index].text.isEmpty else { return nil }
            return record[index]
        }
        guard let identity = field(.uuid) else {
            diagnostics.report("the row has no UUID", at: places.location(record[0].offset))
            return
        }
        let uuidPlace = places.location(identity.offset)
        var secrets = DeviceSecrets()
        var place = uuidPlace
        do {
            let uuid = try SecretsTable.uuid(identity.text)
            if let field = field(.staticValue) {
                place = places.location(field.offset)
                secrets.staticValue = try SecretDigits.staticValue(field.text)
            }
            if let field = field(.publicKey) {
                place = places.location(field.offset)
                secrets.publicKey = try SecretDigits.publicKey(field.text)
            }
            list.add(Located(uuid, at: uuidPlace), secrets, into: &diagnostics)
        } catch {
            diagnostics.report(error.message, at: place, hint: error.hint)
        }
    }

    /// A UUID. The error does not repeat the text, because a secret may be in the wrong column.
    static func uuid(_ text: String) throws(SecretProblem) -> DeviceUUID {
        if let uuid = DeviceUUID(text) { return uuid }
        throw SecretProblem(
            message: "this is not a UUID",
            hint: "write 32 hexadecimal digits, with or without hyphens"
        )
    }

    /// Lines and columns of offsets. Each offset is only a little higher than the one before, so the search never
    /// starts over.
    struct Places {
        private let bytes: UnsafeBufferPointer<UInt8>
        private let file: UInt32
        /// The start of the text, after a byte order mark.
        private let start: Int
        private var offset: Int
        private var lineStart: Int
        private var line: UInt32 = 1

        init(_ bytes: UnsafeBufferPointer<UInt8>, file: UInt32) {
            self.bytes = bytes
            self.file = file
            start = TextScan.byteOrderMarkLength(bytes)
            offset = start
            lineStart = start
        }

        mutating func location(_ target: Int) -> SourceLocation {
            while offset < target {
                if bytes[offset] == UInt8(ascii: "\n") {
                    line += 1
                    lineStart = offset + 1
                }
                offset += 1
            }
            // A place before the last one is in a line of the same record, so it is near.
            while target < lineStart {
                lineStart -= 1
                line -= 1
                while lineStart > start, bytes[lineStart - 1] != UInt8(ascii: "\n") { lineStart -= 1 }
            }
            if target < offset { offset = max(target, lineStart) }
            let column = bytes[lineStart..<max(target, lineStart)].count { $0 & 0xC0 != 0x80 } + 1
            return SourceLocation(file: file, line: line, column: UInt32(clamping: column))
        }
    }
}
