/// A part of a JSON Schema. The members of its objects keep their order.
indirect enum Schema: Hashable, Sendable {
    case text(String)
    case number(Int)
    /// True or false.
    case flag(Bool)
    case list([Schema])
    case object([Member])

    /// A member of an object.
    struct Member: Hashable, Sendable {
        let name: String
        let value: Schema
    }

    /// The members of an object; nothing for anything else.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The schema with its members behind a description; as it is if there is none.
    func described(_ documentation: String?) -> Schema {
        guard let documentation else { return self }
        return .object([Member(name: "description", value: .text(documentation))] + members)
    }
}

// MARK: - Shapes

extension Schema {
    /// A part that has a name.
    static func ref(_ part: String) -> Schema { ["$ref": .text("#/$defs/\(part)")] }

    static func anyOf(_ schemas: [Schema]) -> Schema { ["anyOf": .list(schemas)] }

    static func words(_ words: [String]) -> Schema { ["enum": .list(words.map { .text($0) })] }

    /// A list; each entry once if it is `unique`.
    static func list(of entries: Schema, atLeast: Int? = nil, unique: Bool = false) -> Schema {
        var members = [Member(name: "type", value: "array"), Member(name: "items", value: entries)]
        if let atLeast { members.append(Member(name: "minItems", value: .number(atLeast))) }
        if unique { members.append(Member(name: "uniqueItems", value: true)) }
        return .object(members)
    }

    /// A list, or nothing.
    static func section(listing entries: Schema) -> Schema { ["type": ["array", "null"], "items": entries] }

    /// A mapping with free keys, or nothing.
    static func section(of values: Schema? = nil, named keys: Schema = .ref("name")) -> Schema {
        var members = [Member(name: "type", value: ["object", "null"]), Member(name: "propertyNames", value: keys)]
        if let values { members.append(Member(name: "additionalProperties", value: values)) }
        return .object(members)
    }

    /// A whole number, which may be in quotes.
    static func number(_ range: ClosedRange<Int>, pattern: String) -> Schema {
        [
            "type": ["integer", "string"], "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
            "pattern": .text(pattern),
        ]
    }
}

extension Schema: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral number: Int) { self = .number(number) }
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
    init(arrayLiteral entries: Schema...) { self = .list(entries) }
    init(dictionaryLiteral members: (String, Schema)...) {
        self = .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}

// MARK: - Text

extension Schema {
    var json: String {
        var text = ""
        write(to: &text, indent: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int) {
        switch self {
        case .text(let value): text += Self.quoted(value)
        case .number(let value): text += "\(value)"
        case .flag(let value): text += "\(value)"
        case .list(let entries):
            Self.write(entries, "[", "]", to: &text, indent: indent) { $1.write(to: &$0, indent: indent + 2) }
        case .object(let members):
            Self.write(members, "{", "}", to: &text, indent: indent) { text, member in
                text += Self.quoted(member.name) + ": "
                member.value.write(to: &text, indent: indent + 2)
            }
        }
    }

    private static func write<Part>(
        _ parts: [Part],
        _ start: String,
        _ end: String,
        to text: inout String,
        indent: Int,
        _ write: (inout String, Part) -> Void
    ) {
        guard !parts.isEmpty else {
            text += start + end
            return
        }
        let margin = "\n" + String(repeating: " ", count: indent)
        for (position, part) in parts.enumerated() {
            text += (position == 0 ? start : ",") + margin + "  "
            write(&text, part)
        }
        text += margin + end
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
