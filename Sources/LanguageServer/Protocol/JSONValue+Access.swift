import SystemLayer

extension JSONValue {
    /// A member of an object; nil if this is none, or has no such member.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The whole number, if it is one that fits.
    var whole: Int? {
        if case .number(let spelling) = self { Int(spelling) } else { nil }
    }

    var truth: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The items, if it is an array.
    var items: [JSONValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// The members, if it is an object.
    var members: [JSONMember]? {
        if case .object(let members) = self { members } else { nil }
    }

    var isObject: Bool { members != nil }

    /// An object without the members that are nil, in this order.
    static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
    }
}
