import DefinitionModel
package import MeshCore

/// A state of a model as a definition asks for it.
package struct DesiredModelState: Hashable, Sendable {
    /// The value for people: `10min`.
    package var text: String
    /// The state in octets.
    package var state: ModelState

    package init(text: String, state: ModelState) {
        self.text = text
        self.state = state
    }

    /// A setting without its place in the definition.
    init(_ setting: ModelStateSetting) {
        self.init(text: setting.text, state: setting.state)
    }
}

extension [Declared<DesiredModelState>] {
    /// These states over those of other settings, state by state, in the order of their forms.
    func merged(over others: Self) -> Self {
        if isEmpty || others.isEmpty { return self + others }
        let names = Set(map(\.value.state.form.name))
        return (self + others.filter { !names.contains($0.value.state.form.name) }).inOrder
    }

    /// The states in the order of their forms.
    var inOrder: Self { sorted { $0.value.state.form < $1.value.state.form } }
}

extension DesiredModel {
    /// The models through which the states are set, beside this one.
    var otherSetServers: Set<ModelIdentifier> {
        guard !states.isEmpty else { return [] }
        return Set(states.map(\.value.state.form.setServer)).subtracting([address.model])
    }
}

extension Resolver {
    /// Adds states of `defaults` to every element of a node that has the models for them, unless the node or its
    /// profile says something else. For an unknown composition they are kept as rules.
    mutating func addDefaultStates(_ states: [Declared<DesiredModelState>], to desired: inout DesiredNode) {
        for state in states {
            let form = state.value.state.form
            let rule = ModelRule(model: form.server, element: nil, isRequired: false, effect: .state(state.value))
            guard case .recorded(let position) = desired.origin, network.nodes[position].isCompositionKnown else {
                desired.rules.append(rule)
                continue
            }
            // Nodes without the model are not meant.
            let location = ModelRule.Place(rule: state.location, model: state.location, origin: state.origin)
            _ = rule.expand(on: network.nodes[position], models: &desired.models, at: location)
        }
    }

    /// Adds the states of a model to the model that reports them: a definition may name them under the setup server.
    func addStates(
        of definition: ModelDefinition,
        on element: UInt8,
        from origin: DeclarationOrigin,
        to models: inout [DesiredModel]
    ) {
        guard let settings = definition.states?.value else { return }
        for setting in settings {
            let address = ModelAddress(element: element, model: setting.value.state.form.server)
            let declared = Declared(DesiredModelState(setting.value), at: setting.location, by: origin)
            models.update(address, at: definition.identifier.location) {
                $0.states = [declared].merged(over: $0.states)
            }
        }
    }
}
