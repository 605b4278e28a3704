import Foundation

/// A JSON Schema as tables for people: one table per kind of mapping, one row per key.
struct SchemaTables {
    private let definitions: [String: [String: Any]]

    init(_ definitions: [String: [String: Any]]) {
        self.definitions = definitions
    }

    /// Makes the tables, beginning with the definition as a whole.
    func render() -> String {
        let mappings = definitions.keys.filter { definitions[$0]?["properties"] != nil && $0 != "definition" }.sorted()
        let values = definitions.keys.filter { definitions[$0]?["properties"] == nil }.sorted()
        var text = (["definition"] + mappings).map(table).joined(separator: "\n")
        text += "\n## Values\n\n| value | what it is |\n| --- | --- |\n"
        for name in values { text += "| \(words(name)) | \(escaped(description(of: name))) |\n" }
        return text
    }

    private func table(of name: String) -> String {
        guard let mapping = definitions[name], let keys = mapping["properties"] as? [String: [String: Any]] else {
            return ""
        }
        let required = Set(mapping["required"] as? [String] ?? [])
        var text = "## \(words(name).prefix(1).uppercased() + words(name).dropFirst())\n\n"
        text += "\(escaped(description(of: name)))\n\n| key | value | meaning |\n| --- | --- | --- |\n"
        for key in keys.keys.sorted(by: { (required.contains($0) ? 0 : 1, $0) < (required.contains($1) ? 0 : 1, $1) }) {
            guard let property = keys[key] else { continue }
            let meaning =
                property["description"] as? String ?? reference(of: property).map(description(of:)) ?? ""
            let need = required.contains(key) ? " (required)" : ""
            text += "| `\(key)`\(need) | \(escaped(kind(of: property))) | \(escaped(meaning)) |\n"
        }
        return text
    }

    private func description(of name: String) -> String {
        definitions[name]?["description"] as? String ?? reference(of: definitions[name] ?? [:]).map(description(of:))
            ?? ""
    }

    private func reference(of property: [String: Any]) -> String? {
        (property["$ref"] as? String).map { String($0.split(separator: "/").last ?? "") }
    }

    /// The values that a property may have, in a few words.
    private func kind(of property: [String: Any]) -> String {
        if let name = reference(of: property) { return words(name) }
        if let choices = property["enum"] as? [Any] {
            var seen: Set<String> = []
            return choices.map { "\($0)" }.filter { seen.insert($0).inserted }.map { "`\($0)`" }.joined(separator: ", ")
        }
        for combination in ["anyOf", "oneOf"] {
            if let parts = property[combination] as? [[String: Any]] {
                var seen: Set<String> = []
                return parts.map(kind).filter { seen.insert($0).inserted }.joined(separator: " or ")
            }
        }
        let types = (property["type"] as? [String] ?? [property["type"] as? String].compactMap(\.self)).filter {
            $0 != "null"
        }
        if types.contains("array"), let items = property["items"] as? [String: Any] {
            return "list of \(kind(of: items))"
        }
        if types.contains("object") {
            if let values = property["additionalProperties"] as? [String: Any] {
                return "mapping of names to \(kind(of: values))"
            }
            return "mapping"
        }
        return types.map { $0 == "string" ? "text" : $0 == "integer" ? "number" : $0 }.joined(separator: " or ")
    }

    private func words(_ name: String) -> String { name.replacing("_", with: " ") }

    private func escaped(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
