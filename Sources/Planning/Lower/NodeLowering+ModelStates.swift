import DefinitionModel
import MeshCore

extension NodeLowering {
    /// Adds states of the models above the foundation, each after the bindings of its keys. What stores the values that
    /// hold comes last, because the others say what a light can do.
    mutating func addModelStates(_ difference: NodeDifference, to builder: inout PlanBuilder) {
        var storing: [(change: Int, state: ModelStateDifference)] = []
        for model in difference.models {
            for state in model.states {
                let form = state.set.state.form
                let path = ResourcePath(model.address.path(builder.names), ".state.", form.name)
                let isRemoval = state.set.state.isRemoval
                let change = builder.add(
                    change(
                        .modelState,
                        path,
                        isRemoval ? .delete : .update,
                        from: state.before.map(builder.names.value),
                        to: isRemoval ? nil : state.text
                    )
                )
                if state.set.state.contents.isEmpty {
                    _ = send(.setModelState(state.set), change: change, after: bindings(of: state.set), in: &builder)
                } else {
                    storing.append((change, state))
                }
            }
        }
        addStored(storing, difference, to: &builder)
    }

    /// Adds what is stored: all values are read, set, stored, and restored at the end. A value is restored even if
    /// something between failed, so it depends on nothing but its reading; the steps of a node keep their order.
    private mutating func addStored(
        _ storing: [(change: Int, state: ModelStateDifference)],
        _ difference: NodeDifference,
        to builder: inout PlanBuilder
    ) {
        guard !storing.isEmpty || !difference.restoring.isEmpty else { return }
        let first =
            storing.first?.change
            ?? builder.add(change(.modelState, "held_states", .update, to: "as before the scenes were stored"))
        var held: [Int: Int] = [:]
        for (place, request) in difference.holding.enumerated() {
            let after = bindings(of: request)
            held[difference.restoring.count - difference.holding.count + place] =
                send(.holdState(request), change: first, after: after, in: &builder)
        }
        for (change, state) in storing {
            var steps: [Int] = []
            for part in state.parts {
                let after = held.values.sorted() + bindings(of: part)
                steps.append(send(.setBriefly(part), change: change, after: after, in: &builder))
            }
            _ = send(.setModelState(state.set), change: change, after: bindings(of: state.set) + steps, in: &builder)
        }
        for (place, request) in difference.restoring.enumerated() {
            let after = held[place].map { [$0] } ?? []
            _ = send(.restoreState(request), change: first, after: after, in: &builder)
        }
    }

    private func bindings(of set: ModelStateSet) -> [Int] {
        let setServer = ModelAddress(element: set.model.element, model: set.state.form.setServer)
        return [bindingSteps[setServer]?[set.key], bindingSteps[set.model]?[set.readingKey]].compactMap(\.self)
            .sortedUnique()
    }

    private func bindings(of request: HeldStateRequest) -> [Int] {
        let model = request.state.model
        let setServer = ModelAddress(element: model.element, model: request.state.form.setServer)
        return [bindingSteps[setServer]?[request.key], bindingSteps[model]?[request.readingKey]].compactMap(\.self)
            .sortedUnique()
    }
}
