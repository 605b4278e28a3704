import DefinitionModel
import MeshCore

/// Reads a table of separated values with the secrets of devices.
struct SecretsTable {
    private let file: UInt32
    private let limits: ReadingLimits

    /// The content of a column.
    enum Column: Hashable {
        case uuid
        case staticValue
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

    func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        into list: inout SecretsList,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let columns = NamedColumns(
            file: file,
            limits: limits,
            usual: "uuid, static, public_key",
            column: Column.init(name:),
            name: \.name
        )
        columns.read(bytes, &diagnostics) { found in
            found.contains(.uuid) ? found.count > 1 ? nil : "`static` or `public_key`" : "`uuid`"
        } take: { row, places, diagnostics in
            add(row, &places, into: &list, &diagnostics)
        }
    }

    private func add(
        _ row: NamedColumns<Column>.Row,
        _ places: inout TextPlaces,
        into list: inout SecretsList,
        _ diagnostics: inout DiagnosticCollector
    ) {
        guard row.fields.count <= row.width else {
            diagnostics.report(
                "the row has \(row.fields.count) values and the table \(row.width) columns",
                at: places.location(row.fields[row.width].offset),
                hint: "put values that hold the separator in quotes"
            )
            return
        }
        let field = { (column: Column) in row.field(column).flatMap { $0.text.isEmpty ? nil : $0 } }
        guard let identity = field(.uuid) else {
            diagnostics.report("the row has no UUID", at: places.location(row.fields[0].offset))
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
}
