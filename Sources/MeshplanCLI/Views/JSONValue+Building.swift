import Store
import SystemLayer

extension JSONValue {
    /// An object without the members that are nil. Members keep their order, so that the type of an object comes first.
    static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue {
    /// A member of an object.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text, if it is one.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number, if it is one.
    var number: Int? { if case .number(let text) = self { Int(text) } else { nil } }
}

extension String {
    var json: JSONValue { .string(self) }
}
