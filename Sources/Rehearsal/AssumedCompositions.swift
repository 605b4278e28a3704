import Catalogue
import DefinitionModel
import MeshCore

/// What nodes are made of as far as a definition lets one guess: the models that it uses, and those without which they
/// could not work.
struct AssumedCompositions {
    /// The models of each node of the definition, by its position and the index of the element.
    private var models: [[[ModelIdentifier]]]

    /// Guesses for all nodes of a definition.
    init(_ definition: Definition) {
        let profiles = Dictionary(firstOf: definition.profiles.map { ($0.name.value, $0) })
        models = definition.nodes.map { node in
            var elements: [[ModelIdentifier]] = [[.configurationServer, .healthServer]]
            let settings = [node.profile.flatMap { profiles[$0.value]?.settings }, node.settings].compactMap(\.self)
            for (index, element) in settings.flatMap({ $0.elements.sorted { $0.key < $1.key } }) {
                for model in element.models {
                    Self.add(model.identifier.value, to: &elements, at: Int(index))
                    for state in model.states?.value ?? [] {
                        Self.add(state.value.state.form.setServer, to: &elements, at: Int(index))
                    }
                }
            }
            return elements
        }
        let index = NodeSelectorIndex(definition.nodes)
        for rule in definition.subscriptions {
            for node in index.matches(rule.nodes) {
                for model in rule.models { need(model.value, at: rule.element?.value, of: node) }
            }
        }
        for rule in definition.publications {
            for node in index.matches(rule.nodes) { need(rule.model.value, at: rule.element?.value, of: node) }
        }
    }

    /// The composition of a node, by its position in the definition. It can be everything: relay, proxy and friend.
    func composition(of node: Int) -> Composition {
        Composition(
            company: Self.nobody,
            product: 0,
            version: 0,
            replayListSize: Self.replayListSize,
            features: [.relay, .proxy, .friend],
            elements: models[node].map { CompositionElement(location: 0, models: $0) }
        )
    }

    /// The company identifier that Assigned Numbers reserve for tests.
    private static let nobody: UInt16 = 0xFFFF
    /// As many sources as products for buildings usually remember.
    private static let replayListSize: UInt16 = 255

    /// A rule without an element is for the elements that have the model; where none has it, it is on the first.
    private mutating func need(_ model: ModelIdentifier, at element: UInt8?, of node: Int) {
        if element == nil, models[node].contains(where: { $0.contains(model) }) { return }
        Self.add(model, to: &models[node], at: Int(element ?? 0))
    }

    private static func add(_ model: ModelIdentifier, to elements: inout [[ModelIdentifier]], at index: Int) {
        while elements.count <= index { elements.append([]) }
        guard !elements[index].contains(model) else { return }
        elements[index].append(model)
        // A controller extends the model of its lamp, which is on an element before it.
        for base in ModelCatalogue.model(model)?.extends ?? [] where model != lightController || base == onOffServer {
            add(base, to: &elements, at: index)
        }
        // What stores scenes or schedules can also be told which.
        if let setup = ModelCatalogue.model(named: model.name.replacing("-server", with: "-setup-server")) {
            add(setup.identifier, to: &elements, at: index)
        }
    }

    private static let lightController = ModelCatalogue.model(named: "light-lc-server")?.identifier
    private static let onOffServer = ModelCatalogue.model(named: "generic-onoff-server")?.identifier
}
