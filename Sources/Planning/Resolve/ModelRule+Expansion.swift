import DefinitionModel
import MeshCore

extension ModelRule {
    /// The result of a rule on one node.
    enum Outcome {
        /// The rule was added to the desired state of these models.
        case applied([ModelAddress])
        /// The same, but a model had another publication, which stays; the location is that of the other one.
        case conflicting(ModelAddress, SourceLocation)
        case missing
    }

    /// The locations of the rule and of its model's name, and the origin of the rule.
    struct Place {
        var rule: SourceLocation
        var model: SourceLocation
        var origin = DeclarationOrigin.node
    }

    /// Adds the rule to the desired models of a node with a known composition. A publication of the node itself wins
    /// over that of a rule, and that over one of its profile.
    func expand(on node: Node, models: inout [DesiredModel], at place: Place) -> Outcome {
        let elements = node.elements(with: model, on: element)
        switch effect {
        case .subscribe(let groups):
            guard !elements.isEmpty else { return .missing }
            let addresses = elements.map { ModelAddress(element: $0, model: model) }
            for address in addresses {
                models.update(address, at: place.model) { desired in
                    var list = desired.subscriptions ?? Declared([], at: place.rule, by: place.origin)
                    for group in groups { list.value.insertSorted(group) }
                    desired.subscriptions = list
                }
            }
            return .applied(addresses)
        case .publish(let publication):
            guard let element = elements.first else { return .missing }
            let address = ModelAddress(element: element, model: model)
            var other: SourceLocation?
            models.update(address, at: place.model) { desired in
                if let present = desired.publication {
                    // The node itself wins over rules, and rules win over its profile and the defaults.
                    if present.origin == .node { return }
                    let isOfRule = if case .publication = present.origin { true } else { false }
                    if isOfRule, present.value != publication { other = present.location }
                }
                desired.publication = Declared(publication, at: place.rule, by: place.origin)
            }
            return other.map { .conflicting(address, $0) } ?? .applied([address])
        case .state(let state):
            let addresses = elements.filter { node.has(state.state.form.setServer, on: $0) }
                .map { ModelAddress(element: $0, model: model) }
            guard !addresses.isEmpty else { return .missing }
            for address in addresses {
                models.update(address, at: place.model) { desired in
                    // What the node or its profile says has a higher rank.
                    let state = Declared(state, at: place.rule, by: place.origin)
                    desired.states = desired.states.merged(over: [state])
                }
            }
            return .applied(addresses)
        }
    }

    /// The diagnostic for two different publications of one model.
    static func conflict(
        _ address: ModelAddress,
        on name: String,
        at location: SourceLocation,
        other: SourceLocation,
        _ names: ModelNames = ModelNames()
    ) -> Diagnostic {
        Diagnostic(
            .error,
            "`\(names.name(of: address.model))` on element \(address.element) of node `\(name)` has two publications",
            at: location,
            resource: "node." + name,
            hint: "A model publishes to one address; keep one of the two",
            related: [Diagnostic.Related(message: "the other one is here", location: other)]
        )
    }
}

extension Composition {
    /// Whether it has the model of a rule, where the rule wants it.
    func has(_ rule: ModelRule) -> Bool {
        guard let element = rule.element else { return elements.contains { $0.models.contains(rule.model) } }
        return Int(element) < elements.count && elements[Int(element)].models.contains(rule.model)
    }
}

extension Node {
    /// Indexes of the elements that have the model, ascending.
    func elements(with model: ModelIdentifier, on only: UInt8?) -> [UInt8] {
        if let only {
            return has(model, on: only) ? [only] : []
        }
        var result: [UInt8] = []
        for index in elements.indices where elements[index].place(of: model) != nil {
            if let index = UInt8(exactly: index) { result.append(index) }
        }
        return result
    }

    func has(_ model: ModelIdentifier, on element: UInt8) -> Bool {
        let index = Int(element)
        return index < elements.count && elements[index].place(of: model) != nil
    }
}
