/// The kinds of things that definitions name in one place and refer to in others.
enum NamedThing: String, CaseIterable {
    /// A subnet.
    case subnet
    /// An application key.
    case applicationKey = "application key"
    /// A group.
    case group
    /// A profile.
    case profile
    /// A node.
    case node
    /// A scene.
    case scene
    /// A floor.
    case floor
    /// A product.
    case product
    /// A module.
    case module
    /// A variable.
    case variable

    /// The section that declares such things.
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
    /// It declares a thing.
    case declaration(NamedThing)
    /// It names a thing.
    case reference(NamedThing)
    /// It names where messages go: a group, a node with or without an element, or a fixed group.
    case target
    /// It selects nodes: by name, by pattern, or all.
    case selector
    /// It is the name of a tag.
    case tag
    /// It is a model.
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
            guard owner == "include" || owner == "models" else { return nil }
            self = .file
            return
        }
        switch owner {
        case "profile": self = .reference(.profile)
        case "subnet", "subnets": self = .reference(.subnet)
        // The key of a subnet or an application key is where its octets come from.
        case "key" where above.contains(where: { !Set($0.names).isDisjoint(with: ["subnet", "application_key"]) }):
            return nil
        case "key", "keys", "application_keys": self = .reference(.applicationKey)
        case "subscribe", "groups", "parent": self = .reference(.group)
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

    private static func isInModule(_ path: [DefinitionOutline.Step]) -> Bool {
        path.count > 3 && (path.first == .key("modules") || path.contains(.key("override")))
    }

    private static func holdsSections(_ shapes: [DefinitionSchema.Shape]) -> Bool {
        shapes.contains { ["definition", "module", "override"].contains($0.names.last) }
    }
}
