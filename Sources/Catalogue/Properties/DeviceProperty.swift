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

extension DeviceProperty {
    /// Reads a raw value by the number of its octets. Values that the specification prohibits are kept: their meaning
    /// is ``Meaning/unknown(_:)``.
    ///
    /// - Throws: ``MessageDecodeError`` if no layout has this length.
    package func decode(_ octets: [UInt8]) throws(MessageDecodeError) -> FieldValues {
        guard let layout = layout(length: octets.count) else {
            let missing = length - octets.count
            throw MessageDecodeError(
                offset: min(octets.count, length),
                field: name,
                reason: missing > 0 ? .truncated(needed: missing) : .trailing(count: -missing)
            )
        }
        var decoder = PartDecoder(octets[...], allowsProhibited: true)
        try decoder.read(layout.map { .field($0) })
        try decoder.finish()
        return decoder.values
    }

    /// Writes a raw value.
    ///
    /// - Parameter length: The number of octets that the node uses; nil for the specification's.
    /// - Throws: ``MessageEncodeError`` if a field is missing, unknown or does not fit, or no layout has this length.
    package func encode(_ values: FieldValues, length: Int? = nil) throws(MessageEncodeError) -> [UInt8] {
        guard let layout = layout(length: length ?? self.length) else {
            throw .value(name, "no layout of \(length ?? 0) octets is known")
        }
        if let foreign = values.names.first(where: { name in !layout.contains { $0.name == name } }) {
            throw .unknownField(foreign, known: layout.map(\.name))
        }
        var encoder = PartEncoder(values, allowsProhibited: true)
        try encoder.write(layout.map { .field($0) })
        return encoder.bytes
    }

    /// A raw value for people: `21.5 °C`, or `voltage_value 230 V, sensing_duration 1 s`. Octets of a length that no
    /// layout has are written as `hex:00ff`.
    package static func text(of octets: [UInt8], property identifier: UInt16) -> String {
        guard let property = property(identifier), let layout = property.layout(length: octets.count),
            let values = try? property.decode(octets)
        else { return "hex:" + Hexadecimal.encode(octets) }
        let texts = layout.map { ($0.name, values[$0.name].map($0.type.text(ofValue:)) ?? "") }
        return texts.count == 1 ? texts[0].1 : texts.map { "\($0) \($1)" }.joined(separator: ", ")
    }

    /// The raw value that a text stands for: `21.5 °C`, the fields as ``text(of:property:)`` writes them, or the octets
    /// in their order as `hex:00ff`.
    ///
    /// - Parameter length: The number of octets that the node uses; nil for the specification's.
    /// - Throws: ``TextError`` if the text is none of them.
    package static func octets(
        reading text: String,
        property identifier: UInt16,
        length: Int? = nil
    ) throws(TextError) -> [UInt8] {
        let text = text.trimmed
        if text.hasPrefix("hex:") {
            guard let octets = Hexadecimal.decode(text.dropFirst(4)), !octets.isEmpty else {
                throw TextError("\(text) has no whole octets")
            }
            return octets
        }
        guard let property = property(identifier), let layout = property.layout(length: length ?? property.length)
        else { throw TextError("how this property is written is not known: give its octets as hex:00ff") }
        var values = FieldValues()
        if layout.count == 1 {
            values[layout[0].name] = try layout[0].type.value(reading: text)
        } else {
            for part in text.split(separator: ",") {
                let words = String(part).trimmed.split(separator: " ", maxSplits: 1)
                guard words.count == 2, let field = layout.first(where: { $0.name == words[0] }) else {
                    throw TextError("\(part): name a field of \(layout.map(\.name).joined(separator: ", "))")
                }
                values[field.name] = try field.type.value(reading: String(words[1]))
            }
        }
        do throws(MessageEncodeError) {
            return try property.encode(values, length: length)
        } catch {
            throw TextError("\(error)")
        }
    }
}
