/// The kinds of things that definitions name in one place and refer to in others.
enum NamedThing: String, CaseIterable {
    case subnet
    case applicationKey = "application key"
    case group
    case profile
    case node
    case scene
    case floor
    case product
    case module
    case variable

    var section: String {
        switch self {
        case .subnet: "subnets"
        case .applicationKey: "application_keys"
        case .group: "groups"
        case .profile: "profiles"
        case .node: "nodes"
        case .scene: "scenes"
        case .floor: "floors"
        case .product: "products"
        case .module: "modules"
        case .variable: "variables"
        }
    }

    /// The thing that a section declares; nil for other sections.
    init?(section: String) {
        guard let thing = Self.allCases.first(where: { $0.section == section }) else { return nil }
        self = thing
    }
}

/// What the text at a place of a definition means.
enum PlaceMeaning: Equatable {
    case declaration(NamedThing)
    case reference(NamedThing)
    /// It names where messages go: a group, a node with or without an element, or a fixed group.
    case target
    /// It selects nodes: by name, by pattern, or all.
    case selector
    /// It consists of words, some of which are names.
    case sentence(NamedSentence)
    case tag
    case model
    /// It is a state of the model above; in scenes or not.
    case state(inScenes: Bool)
    /// It is a parameter of the module that is used.
    case parameter
    /// It is the path of a file, from the folder of the one where it stands.
    case file

    /// The meaning of a key; nil if the schema says it all.
    init?(ofKey path: [DefinitionOutline.Step], in schema: DefinitionSchema) {
        guard case .key? = path.last else { return nil }
        let above = schema.shapes(at: path.dropLast())
        guard case .key(let owner)? = path.dropLast().last else { return nil }
        // The entries of sections, also those of modules.
        if path.count == 2 || Self.isInModule(path), let thing = NamedThing(section: owner),
            Self.holdsSections(schema.shapes(at: path.dropLast(2)))
        {
            self = .declaration(thing)
            return
        }
        switch owner {
        case "states": self = .state(inScenes: false)
        case "tags": self = .tag
        case "nodes" where above.contains(where: { $0.names.contains("selector") }): self = .tag
        case "node_identity", "private_node_identity": self = .reference(.subnet)
        case "scenes": self = .reference(.scene)
        case "with": self = .parameter
        default:
            if above.contains(where: { $0.names.contains("scene_states") }) {
                self = .state(inScenes: true)
            } else if above.contains(where: { $0.schema["propertyNames"]?["$ref"]?.text == "#/$defs/model_name" }) {
                self = .model
            } else {
                return nil
            }
        }
    }

    /// The meaning of a value; nil if the schema says it all.
    init?(ofValue path: [DefinitionOutline.Step], in schema: DefinitionSchema) {
        var path = path[...]
        while path.last == .item { path.removeLast() }
        guard case .key(let owner)? = path.last else { return nil }
        let above = schema.shapes(at: path.dropLast())
        if Self.holdsSections(above) {
            guard ["include", "models", "products"].contains(owner) else { return nil }
            self = .file
            return
        }
        if let meaning = Self.inTests(owner, above) ?? Self.inSchedules(owner, path, above) {
            self = meaning
            return
        }
        switch owner {
        case "profile": self = .reference(.profile)
        case "subnet", "subnets": self = .reference(.subnet)
        // The key of a subnet or an application key is where its octets come from.
        case "key" where above.contains(where: { !Set($0.names).isDisjoint(with: ["subnet", "application_key"]) }):
            return nil
        case "key", "keys", "application_keys": self = .reference(.applicationKey)
        case "publish" where above.contains(where: { $0.names.contains("requirement") }): self = .reference(.group)
        case "subscribe", "groups", "parent": self = .reference(.group)
        case "from" where above.contains(where: { $0.names.contains("moved") }),
            "to" where above.contains(where: { $0.names.contains("moved") }):
            self = .sentence(.address)
        case "node": self = .reference(.node)
        case "product": self = .reference(.product)
        case "module": self = .reference(.module)
        case "floor": self = .reference(.floor)
        case "to", "addresses": self = .target
        case "from" where above.contains(where: { $0.names.contains("heartbeat_subscribe") }): self = .target
        case "nodes": self = .selector
        case "each", "for_each", "tag": self = .tag
        case "model", "models": self = .model
        case "rows", "plan", "positions": self = .file
        default: return nil
        }
        // Free values, such as those of tags and parameters, may have keys of these names.
        if above.allSatisfy({ $0.schema["properties"]?[owner] == nil }) { return nil }
    }

    /// The meaning of a value in a step of a test, in what it expects, or in how its runs differ.
    private static func inTests(_ owner: String, _ above: [DefinitionSchema.Shape]) -> PlaceMeaning? {
        func isIn(_ part: String) -> Bool { above.contains { $0.names.contains(part) } }
        switch owner {
        case "press", "sense", "fault": return isIn("test_step") ? .sentence(.node) : nil
        case "set": return isIn("test_step") ? .sentence(.operated) : nil
        case "recall": return isIn("test_step") ? .sentence(.recalled) : nil
        case "power_on", "power_off": return isIn("test_step") ? .selector : nil
        case "nodes": return isIn("expectation") || isIn("test_variation") ? .selector : nil
        case "heartbeat": return isIn("expectation") ? .reference(.node) : nil
        case "node", "without": return isIn("test_variation") ? .selector : nil
        default: return nil
        }
    }

    /// The meaning of a schedule that is a sentence, or of what it does.
    private static func inSchedules(
        _ owner: String,
        _ path: ArraySlice<DefinitionOutline.Step>,
        _ above: [DefinitionSchema.Shape]
    ) -> PlaceMeaning? {
        if owner == "do", above.contains(where: { $0.names.contains("schedule") }) { return .sentence(.schedule) }
        guard path.dropLast().last == .key("schedules"), path.count == 2 || isInModule(Array(path)) else { return nil }
        return .sentence(.schedule)
    }

    private static func isInModule(_ path: [DefinitionOutline.Step]) -> Bool {
        path.count > 3 && (path.first == .key("modules") || path.contains(.key("override")))
    }

    private static func holdsSections(_ shapes: [DefinitionSchema.Shape]) -> Bool {
        shapes.contains { ["definition", "module", "override"].contains($0.names.last) }
    }
}
