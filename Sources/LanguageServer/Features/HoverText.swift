import Catalogue
import DefinitionModel
import MeshCore

/// Says what a text in a definition means: what the schema and the catalogue know of it.
struct HoverText {
    let outline: DefinitionOutline
    let names: KnownNames
    let schema: DefinitionSchema

    init(outline: DefinitionOutline, names: KnownNames, schema: DefinitionSchema = .own) {
        self.schema = schema
        self.outline = outline
        self.names = names
    }

    /// The paragraphs about a text; none if nothing is known of it.
    func text(of place: DefinitionOutline.Place) -> [String] {
        let path = outline.path(to: place.node)
        let known = names.models
        let meaning = place.isKey ? PlaceMeaning(ofKey: path, in: schema) : PlaceMeaning(ofValue: path, in: schema)
        switch meaning {
        case .model?: return model(place.scalar.text, known)
        case .state?: return DeclaredStatePlace(place.node, in: outline, known).map { state($0, known) } ?? []
        case .declaration(let thing)?, .reference(let thing)?:
            return described(place.scalar.text, thing, place) + (place.isKey ? [] : description(of: path))
        default: break
        }
        if let state = DeclaredStatePlace(place.node, in: outline, known) { return self.state(state, known) }
        return description(of: path)
    }

    private func description(of path: [DefinitionOutline.Step]) -> [String] {
        schema.shapes(at: path).compactMap(\.description).first.map { [$0] } ?? []
    }

    private func model(_ name: String, _ known: KnownModels) -> [String] {
        guard let identifier = known.names.model(named: name) else { return [] }
        let model = ModelCatalogue.model(identifier)
        var text = "`\(known.names.name(of: identifier))`"
        text += model.map { ": \($0.title), model \(identifier)" } ?? ": vendor model \(identifier)"
        var paragraphs = [text + "."]
        let extended = model?.extends.map { "`\(known.names.name(of: $0))`" } ?? []
        if !extended.isEmpty { paragraphs.append("It extends " + extended.joined(separator: ", ") + ".") }
        let states = DeclarableStates(of: identifier, in: known).states.map { "`\($0.writtenName)`" }
        if !states.isEmpty { paragraphs.append("States: " + states.joined(separator: ", ") + ".") }
        return paragraphs
    }

    private func state(_ place: DeclaredStatePlace, _ known: KnownModels) -> [String] {
        var text = "State `\(place.state.writtenName)`"
        if let server = place.state.description.server { text += " of `\(known.names.name(of: server))`" }
        if let instance = place.instance { text += ", instance `\(instance)`" }
        let fields = place.field.map { [$0] } ?? place.fields
        let values = fields.map { "- `\($0.name)`: \($0.type.declared.summary)" }
        return [text + ".", values.joined(separator: "\n")].filter { !$0.isEmpty }
    }

    /// A thing with its title and description.
    private func described(_ name: String, _ thing: NamedThing, _ place: DefinitionOutline.Place) -> [String] {
        let kind = thing.rawValue.prefix(1).uppercased() + thing.rawValue.dropFirst()
        // What is no name may be anything, even a key in the wrong place, and is not repeated.
        let isKnown =
            names.declarations.declaration(of: name, thing) != nil || names.location(of: name, thing) != nil
        guard isKnown else { return [] }
        var paragraphs: [String] = []
        if thing != .node || !place.isKey { paragraphs.append("\(kind) `\(name)`") }
        for definition in names.definitions {
            let wording: Wording? =
                switch thing {
                case .subnet: definition.subnets.first { $0.name.value == name }?.wording
                case .applicationKey: definition.applicationKeys.first { $0.name.value == name }?.wording
                case .group: definition.groups.first { $0.name.value == name }?.wording
                case .node:
                    definition.nodes.indices.first { definition.nodes[$0].name.value == name }
                        .map { definition.nodes[$0].wording }
                case .profile, .scene, .floor, .product, .module, .variable: nil
                }
            if let title = wording?.title?.value { paragraphs.append(title) }
            if let text = wording?.description?.value { paragraphs.append(text) }
        }
        if thing == .module,
            let module = names.declarations.declaration(
                of: name,
                .module,
                within: outline.modules(around: place.node)
            ), !module.parameters.isEmpty
        {
            paragraphs.append("Parameters: " + module.parameters.map { "`\($0.name)`" }.joined(separator: ", ") + ".")
        }
        return paragraphs
    }
}
