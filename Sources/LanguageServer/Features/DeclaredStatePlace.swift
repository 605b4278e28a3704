import Catalogue
import DefinitionModel
import MeshCore

/// A place within the states of a model: which state, and which of its fields.
struct DeclaredStatePlace {
    var state: DeclarableState
    /// The instance that its key or its own name selects.
    var instance: String?
    /// The field; nil where the place is the whole value of a state with several.
    var field: MessageDescription.Field?
    var fields: [MessageDescription.Field]
    /// Whether a key that selects an instance is expected here.
    var awaitsInstance: Bool

    /// The place of an entry; nil if it does not lie within the states of a model.
    init?(_ node: Int, in outline: DefinitionOutline, _ models: KnownModels) {
        let line = outline.line(to: node)
        let keys = line.map { outline.nodes[$0].key?.text }
        guard let (section, inScenes) = Self.section(keys), section + 1 < line.count,
            let model = keys[section - (inScenes ? 2 : 1)].flatMap(models.names.model),
            let name = keys[section + 1]
        else { return nil }
        let states = DeclarableStates(of: model, in: models, for: inScenes ? .scenes : .lasting)
        var rest = line[(section + 2)...]
        if let state = states.state(named: name) {
            self.state = state
            awaitsInstance = state.isKeyed && rest.isEmpty
            if state.isKeyed, let first = rest.popFirst() { instance = keys[line.count - rest.count - 1] ?? "\(first)" }
        } else if let (state, instance) = states.instance(named: name) {
            self.state = state
            self.instance = instance.name
            awaitsInstance = false
        } else {
            return nil
        }
        fields = state.description.fields
        if let instance, let property = DeviceProperty.all.first(where: { $0.name == instance }),
            fields.contains(where: { $0.type.notation == .propertyValue })
        {
            fields = property.fields
        }
        guard !awaitsInstance else { return }
        guard let entry = rest.first else {
            field = fields.count == 1 ? fields[0] : nil
            return
        }
        if let key = outline.nodes[entry].key {
            field = fields.first { $0.name == DeclarableStates.normalized(key.text) }
        } else if let list = outline.nodes[entry].parent,
            let index = outline.nodes[list].children.firstIndex(of: entry),
            fields.indices.contains(index)
        {
            field = fields[index]
        }
    }

    /// Where the states of a model begin among the keys above a place.
    private static func section(_ keys: [String?]) -> (place: Int, inScenes: Bool)? {
        guard let elements = keys.firstIndex(of: "elements"), elements + 3 < keys.count else { return nil }
        // elements: 0: model: states: …, and elements: 0: model: scenes: name: …
        switch keys[elements + 3] {
        case "states": return (elements + 3, false)
        case "scenes" where elements + 4 < keys.count: return (elements + 4, true)
        default: return nil
        }
    }

    /// The model in whose `states` or `scenes` an entry lies, and which of both; nil elsewhere.
    static func model(
        around node: Int,
        in outline: DefinitionOutline,
        _ models: KnownModels
    ) -> (model: ModelIdentifier, inScenes: Bool)? {
        let keys = outline.line(to: node).map { outline.nodes[$0].key?.text }
        guard let (section, inScenes) = section(keys),
            let model = keys[section - (inScenes ? 2 : 1)].flatMap(models.names.model)
        else { return nil }
        return (model, inScenes)
    }
}

extension FieldType {
    /// The words that a value of the field may be.
    var choices: [String] {
        switch notation {
        case .boolean: words.isEmpty ? ["on", "off"] : words.sorted { $0.key > $1.key }.map(\.value)
        case .set: words.sorted { $0.key < $1.key }.map(\.value) + ["all", "none"]
        case .property: DeviceProperty.all.map(\.name)
        default: words.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// What values there are, in a few words.
    var summary: String {
        var parts: [String] = []
        if let limits = ordinaryValues {
            parts.append("\(word(of: limits.lowerBound)) to \(word(of: limits.upperBound))")
        }
        let words = notation == .property ? [] : choices
        if !words.isEmpty, words.count <= 12 { parts.append(words.joined(separator: ", ")) }
        return parts.isEmpty ? "for example \(example)" : parts.joined(separator: ", or ")
    }
}
