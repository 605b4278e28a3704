package import MeshCore

/// The value of a field as it goes on the air. ``FieldType`` says what it means.
package enum FieldValue: Hashable, Sendable {
    /// A raw number.
    case integer(Int64)
    /// Octets as they are: a UUID, a text, the raw value of a property.
    case octets([UInt8])
    case model(ModelIdentifier)
    /// The raw numbers of a field that repeats.
    case integers([Int64])
    /// Parts that repeat.
    case records([FieldValues])
    case sensorData([MarshalledSensorData])
    case columns([SensorColumn])
}

extension FieldValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

/// The fields of a message with their values, in the order of the message.
package struct FieldValues: Hashable, Sendable {
    /// A field with its value.
    package struct Item: Hashable, Sendable {
        package let name: String
        package var value: FieldValue
    }

    package private(set) var items: [Item] = []

    package init() {}

    /// The name under which reserved bits are kept that were not 0: `reserved`, `reserved_2` and so on in a message.
    static func reservedName(_ position: Int) -> String {
        position == 1 ? "reserved" : "reserved_\(position)"
    }

    package var names: [String] { items.map(\.name) }

    /// The value of the field with that name; nil if the field is absent. Setting nil removes it.
    package subscript(name: String) -> FieldValue? {
        get { items.first { $0.name == name }?.value }
        set {
            let index = items.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): items[index].value = value
            case (let index?, nil): items.remove(at: index)
            case (nil, let value?): items.append(Item(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The raw number of the field with that name; nil if it is absent or no number.
    package func integer(_ name: String) -> Int64? {
        guard case .integer(let raw)? = self[name] else { return nil }
        return raw
    }

    /// The octets of the field with that name; nil if it is absent or has none.
    package func octets(_ name: String) -> [UInt8]? {
        guard case .octets(let octets)? = self[name] else { return nil }
        return octets
    }
}

extension FieldValues: ExpressibleByDictionaryLiteral {
    /// The fields in this order; of two with one name the later one counts.
    package init(dictionaryLiteral elements: (String, FieldValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}
