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

extension String {
    /// The text as a JSON value.
    var json: JSONValue { .string(self) }
}
