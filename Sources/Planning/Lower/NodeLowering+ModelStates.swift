import DefinitionModel
import MeshCore

extension NodeLowering {
    /// Adds states of the models above the foundation, each after the bindings of its keys.
    mutating func addModelStates(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        for model in difference.models {
            for state in model.states {
                let form = state.set.state.form
                let path = String.joined(model.address.path(builder.names), ".state.", form.name)
                let change = builder.add(
                    change(
                        .modelState,
                        path,
                        .update,
                        from: state.before.map { $0.form.text(of: $0.status) },
                        to: state.text
                    )
                )
                let setServer = ModelAddress(element: model.address.element, model: form.setServer)
                let bindings = [
                    bindingSteps[setServer]?[state.set.key], bindingSteps[model.address]?[state.set.readingKey],
                ].compactMap(\.self).sortedUnique()
                _ = send(.setModelState(state.set), change: change, after: bindings, in: &builder)
            }
        }
    }
}
