/// A key of a mapping, as far as it does not matter what the mapping becomes: what it is called, what it means, and
/// what it takes.
struct Property: Sendable {
    let keyword: Keyword
    let schema: Schema
    /// What it means, for completion, for hovering and for the manual; nil if ``schema`` says it.
    let documentation: String?
    let isRequired: Bool

    init(_ keyword: Keyword, _ schema: Schema, _ documentation: String? = nil, isRequired: Bool = false) {
        self.keyword = keyword
        self.schema = schema
        self.documentation = documentation
        self.isRequired = isRequired
    }
}

/// A mapping with fixed keys. The decoder reads these descriptions, and the JSON Schema is made from them.
struct Record: Hashable, Sendable, CustomStringConvertible {
    /// The name of the mapping in the schema.
    let title: String
    /// What it is, for messages: "a subnet".
    let noun: String
    /// What it is, for people.
    let documentation: String
    /// Whether nothing may stand in place of it.
    let isOptional: Bool
    let properties: [Property]
    /// What else the schema says about it.
    let conditions: Schema
    /// The same as ``keys``.
    let allowed: KeywordSet
    /// The same as ``required``.
    let needed: KeywordSet

    var keys: [Keyword] { properties.map(\.keyword) }
    var required: [Keyword] { properties.filter(\.isRequired).map(\.keyword) }

    init(
        _ title: String,
        as noun: String,
        _ documentation: String,
        isOptional: Bool = false,
        where conditions: Schema = [:],
        _ properties: [Property]
    ) {
        self.title = title
        self.noun = noun
        self.documentation = documentation
        self.isOptional = isOptional
        self.conditions = conditions
        self.properties = properties
        allowed = KeywordSet(properties.map(\.keyword))
        needed = KeywordSet(properties.filter(\.isRequired).map(\.keyword))
    }

    var description: String { title }

    static func == (left: Record, right: Record) -> Bool { left.title == right.title }
    func hash(into hasher: inout Hasher) { hasher.combine(title) }

    func allows(_ symbol: UInt32) -> Bool { allowed.contains(symbol) }

    /// Whether keys that begin with `x-` are left alone: they hold anchors.
    var holdsAnchors: Bool { title == Record.definition.title || title == Record.module.title }
    /// The beginning of such a key.
    static let anchorPrefix = Array("x-".utf8)

    var schema: Schema {
        var members: [Schema.Member] = [
            Schema.Member(name: "description", value: .text(documentation)),
            Schema.Member(name: "type", value: isOptional ? ["object", "null"] : "object"),
            Schema.Member(
                name: "properties",
                value: .object(
                    properties.map {
                        Schema.Member(name: $0.keyword.rawValue, value: $0.schema.described($0.documentation))
                    }
                )
            ),
            Schema.Member(name: "additionalProperties", value: false),
        ]
        if !required.isEmpty {
            members.append(Schema.Member(name: "required", value: .list(required.map { .text($0.rawValue) })))
        }
        return .object(members + conditions.members)
    }
}
