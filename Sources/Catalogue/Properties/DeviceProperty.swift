import MeshCore

/// A device property (Device Properties 1.1): what a sensor measures or a property server stores.
package struct DeviceProperty: Hashable, Sendable {
    /// The identifier, never 0.
    package let identifier: UInt16
    /// The name in the Assigned Numbers: `Present Ambient Light Level`.
    package let title: String
    /// The name in commands and files: `present-ambient-light-level`.
    package let name: String
    /// The fields for each length that devices use; the specification's length first.
    package let layouts: [[MessageDescription.Field]]
    /// Whether a sensor reports it in columns: a value, then where its column begins and ends.
    package let isHistogram: Bool

    /// The fields in the specification's layout.
    package var fields: [MessageDescription.Field] { layouts[0] }
    /// The number of octets in the specification's layout.
    package var length: Int { Self.length(of: fields) }

    /// The property with that identifier; nil if the catalogue does not know it.
    package static func property(_ identifier: UInt16) -> DeviceProperty? { byIdentifier[identifier] }

    /// The property with that name; nil if there is none.
    package static func property(named name: String) -> DeviceProperty? { byName[name] }

    /// Every property, by identifier.
    package static let all: [DeviceProperty] = TableLines(PropertyTable.text).map { line in
        TableLines.value(line) { () throws(NotationError) in try DeviceProperty(line: line) }
    }

    private static let byIdentifier = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The name of a property; `0x1234` if the catalogue does not know it.
    package static func name(of identifier: UInt16) -> String {
        property(identifier)?.name ?? "0x" + identifier.hexadecimal.lowercased()
    }

    /// The identifier behind a name or a number such as `0x004e`; nil if it is neither.
    package static func identifier(named name: String) -> UInt16? {
        if let property = property(named: name) { return property.identifier }
        guard name.hasPrefix("0x"), name.count <= 6, name.dropFirst(2).allSatisfy(\.isHexDigit) else { return nil }
        return UInt16(name.dropFirst(2), radix: 16)
    }

    private init(line: Substring) throws(NotationError) {
        let columns = line.columns
        guard (3...4).contains(columns.count), let number = UInt16(String(columns[0]).trimmed, radix: 16) else {
            throw NotationError("a property has an identifier, a title and fields")
        }
        identifier = number
        title = String(columns[1]).trimmed
        name = Self.name(of: title)
        isHistogram = columns.count == 4
        var layouts: [[MessageDescription.Field]] = []
        for form in try PartNotation.forms(columns[2]) { layouts.append(form.flatMap(\.fields)) }
        self.layouts = layouts
    }

    /// Letters and digits, with hyphens between: `magnetic-flux-density-3d`.
    private static func name(of title: String) -> String {
        let words = title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.joined(separator: "-")
    }

    private static func length(of fields: [MessageDescription.Field]) -> Int {
        fields.reduce(0) { $0 + ($1.type.bits ?? 0) } / 8
    }

    /// The layout of a value with so many octets; nil if none is known.
    package func layout(length: Int) -> [MessageDescription.Field]? {
        layouts.first { Self.length(of: $0) == length }
    }
}
