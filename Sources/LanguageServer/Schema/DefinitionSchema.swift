import SystemLayer

/// The JSON Schema of definitions, which is in the program, as a source of keys, words and descriptions.
///
/// It is the same file that editors can use by themselves, and tests hold it and the reader of definitions together.
struct DefinitionSchema: Sendable {
    /// What may stand at a place.
    struct Shape {
        /// The schema, an object.
        var schema: JSONValue
        /// The names of the parts of the schema that led here: `name_reference`, `name`.
        var names: [String]
        /// The description nearest to the place; nil if there is none.
        var description: String?
    }

    /// The schema that belongs to this program.
    static let own = DefinitionSchema(PackageResources.meshplan_schema_json)

    static let devices = DefinitionSchema(PackageResources.meshplan_devices_schema_json)
    static let fleet = DefinitionSchema(PackageResources.meshplan_fleet_schema_json)
    static let settings = DefinitionSchema(PackageResources.meshplan_settings_schema_json)

    private let root: JSONValue
    private let parts: [String: JSONValue]

    /// The schema in a document; one without any shape if it cannot be read.
    init(_ bytes: [UInt8]) {
        root = (try? JSONParser.parse(bytes)) ?? .object([])
        parts = Dictionary((root["$defs"]?.members ?? []).map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// What may stand behind the steps from a document.
    func shapes(at path: some Sequence<DefinitionOutline.Step>) -> [Shape] {
        var shapes = flattened(root)
        for step in path { shapes = shapes.flatMap { inside($0, step) } }
        return shapes
    }

    /// What a shape allows behind one step.
    private func inside(_ shape: Shape, _ step: DefinitionOutline.Step) -> [Shape] {
        switch step {
        case .item: return shape.schema["items"].map { flattened($0) } ?? []
        case .key(let key):
            if let property = shape.schema["properties"]?[key] {
                // The sections of modules, and what instances override, are as in a definition.
                if ["module", "override"].contains(shape.names.last), NamedThing(section: key) != .module,
                    let section = parts["definition"]?["properties"]?[key], key != "description"
                {
                    return flattened(section)
                }
                return flattened(property)
            }
            // A name of an entry says nothing about what entries are.
            return flattened(shape.schema["additionalProperties"])
        }
    }

    /// A schema with its references followed and its alternatives side by side.
    private func flattened(
        _ schema: JSONValue?,
        names: [String] = [],
        description: String? = nil,
        depth: Int = 0
    ) -> [Shape] {
        guard let schema, schema.isObject, depth < 16 else { return [] }
        let description = description ?? schema["description"]?.text
        let prefix = "#/$defs/"
        if let reference = schema["$ref"]?.text, reference.hasPrefix(prefix) {
            let name = String(reference.dropFirst(prefix.count))
            return flattened(parts[name], names: names + [name], description: description, depth: depth + 1)
        }
        // Beside properties, alternatives only say which of them are needed.
        if schema["properties"] == nil, let alternatives = schema["anyOf"]?.items {
            return alternatives.flatMap {
                flattened($0, names: names, description: description, depth: depth + 1)
            }
        }
        return [Shape(schema: schema, names: names, description: description)]
    }
}

extension DefinitionSchema.Shape {
    /// The keys that may stand here, with what they mean; nil where keys are names.
    func keys(in schema: DefinitionSchema) -> [(name: String, description: String?)] {
        (self.schema["properties"]?.members ?? []).map { member in
            (member.name, schema.description(of: member.value))
        }
    }

    /// The words that may stand here.
    var words: [String] {
        if names.contains("switch") { return ["on", "off"] }
        if names.contains("off") { return ["off"] }
        let values = (schema["enum"]?.items ?? []) + [schema["const"]].compactMap { $0 }
        var words: [String] = []
        for value in values {
            let word: String? =
                switch value {
                case .string(let text): text
                case .number(let spelling): spelling
                case .bool(let value): value ? "true" : "false"
                default: nil
                }
            if let word, !words.contains(word) { words.append(word) }
        }
        return words
    }
}

extension DefinitionSchema {
    /// The description of a schema, or of what it refers to.
    func description(of schema: JSONValue) -> String? { flattened(schema).lazy.compactMap(\.description).first }
}
