import Foundation
import SystemLayer

/// What `schemas/meshplan-events.schema.json` uses of JSON Schema: types, members, patterns, choices, references and
/// conditions. Members that no schema describes are mistakes here, although readers must ignore them.
struct JSONSchema {
    private let root: JSONValue

    /// The schema with a name.
    init(_ name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        root = try JSONParser.parse(Array(Data(contentsOf: folder.appending(path: "schemas/\(name)"))))
    }

    /// The definitions by their names.
    var definitions: [String: JSONValue] {
        let members = (root["$defs"]?.members ?? []).map { ($0.name, $0.value) }
        return Dictionary(members, uniquingKeysWith: { first, _ in first })
    }

    /// What is wrong with a value; empty if nothing.
    func mistakes(in value: JSONValue) -> [String] { mistakes(in: value, root, "") }

    private func mistakes(in value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        var found: [String] = []
        if let reference = schema["$ref"]?.text {
            guard let target = definitions[String(reference.dropFirst("#/$defs/".count))] else {
                return ["\(path): \(reference) leads nowhere"]
            }
            found += mistakes(in: value, target, path)
        }
        if let type = schema["type"]?.text, !value.has(type) { return ["\(path): \(value) is no \(type)"] }
        if let only = schema["const"], value != only { found.append("\(path): \(value) is not \(only)") }
        if let choices = schema["enum"]?.items, !choices.contains(value) {
            found.append("\(path): \(value) is none of \(choices)")
        }
        if let least = schema["minimum"]?.number, value.number ?? least < least {
            found.append("\(path): \(value) is below \(least)")
        }
        if let pattern = schema["pattern"]?.text, let text = value.text,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            found.append("\(path): \(text) does not match \(pattern)")
        }
        if let items = schema["items"] {
            for (place, item) in (value.items ?? []).enumerated() {
                found += mistakes(in: item, items, "\(path)[\(place)]")
            }
        }
        if let members = value.members { found += mistakes(in: members, of: value, schema, path) }
        for condition in schema["allOf"]?.items ?? [] {
            guard let premise = condition["if"], let conclusion = condition["then"],
                mistakes(in: value, premise, path).isEmpty
            else { continue }
            found += mistakes(in: value, conclusion, path)
        }
        return found
    }

    private func mistakes(
        in members: [JSONMember],
        of value: JSONValue,
        _ schema: JSONValue,
        _ path: String
    ) -> [String] {
        var found: [String] = []
        for name in (schema["required"]?.items ?? []).compactMap(\.text) where value[name] == nil {
            found.append("\(path): \(name) is missing in \(value.line)")
        }
        guard let known = schema["properties"] else { return found }
        // The premise of a condition and the whole look at the type only.
        let isWhole = known["type"]?["const"] != nil && schema["required"] != nil
        for member in members {
            if let described = known[member.name] {
                found += mistakes(in: member.value, described, "\(path).\(member.name)")
            } else if isWhole {
                found.append("\(path).\(member.name) is not described: \(value.line)")
            }
        }
        return found
    }
}

extension JSONValue {
    /// The member of an object.
    subscript(name: String) -> JSONValue? { members?.first { $0.name == name }?.value }

    /// The members of an object.
    var members: [JSONMember]? { if case .object(let members) = self { members } else { nil } }

    /// The elements of an array.
    var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

    /// The text of a string.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The value of a number.
    fileprivate var number: Double? { if case .number(let text) = self { Double(text) } else { nil } }

    /// Whether the value is of a type of JSON Schema.
    fileprivate func has(_ type: String) -> Bool {
        switch (type, self) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("number", .number): true
        case ("integer", .number): number.map { $0 == $0.rounded() } ?? false
        default: false
        }
    }
}
