import DefinitionModel
import MeshCore

extension NodeExplainer {
    /// What is said about one model, rank by rank and by top-level rules.
    private struct Said {
        var layers: [(way: ValueSource.Way, model: DesiredModel)] = []
        var subscriptions: [(group: SubscriptionAddress, source: ValueSource)] = []
        var publications: [(publication: DesiredPublication, source: ValueSource)] = []

        /// What is said about the publication, the highest rank first: the node, rules, its profile, defaults.
        var ranked: [(publication: DesiredPublication?, source: ValueSource, isOfRule: Bool)] {
            let ofLayers = layers.compactMap { layer in
                layer.model.publication.map { declared in
                    (declared.value, ValueSource(way: layer.way, location: declared.location), false)
                }
            }
            let own = ofLayers.prefix { $0.1.way == .node }
            return own + publications.map { ($0.publication, $0.source, true) } + ofLayers.dropFirst(own.count)
        }
    }

    /// The values of the node's models, by element and model.
    mutating func models(subscriptions: [Int], publications: [Int]) -> [ExplainedValue] {
        var said: [ExplainedValue.Place: Said] = [:]
        for layer in layers {
            for model in layer.template.models {
                let place = self.place(of: model.address.model, on: model.address.element)
                said[place, default: Said()].layers.append((layer.way, model))
            }
        }
        for layer in layers {
            for state in layer.template.states { addDefault(state, layer.way, to: &said) }
        }
        for rule in subscriptions { addSubscription(rule, to: &said) }
        for rule in publications { addPublication(rule, to: &said) }
        var values: [ExplainedValue] = []
        for index in said.keys.sorted() {
            if let model = said[index] { values += self.values(of: model, at: index) }
        }
        return values + collected(besides: values)
    }

    /// States that follow from what is said elsewhere: scenes from what models do in them; entries of schedulers, and
    /// the time, from schedules.
    private func collected(besides values: [ExplainedValue]) -> [ExplainedValue] {
        desired.models.flatMap { model -> [ExplainedValue] in
            let place = self.place(of: model.address.model, on: model.address.element)
            let known = Set(values.filter { $0.place == place }.map(\.name))
            return model.states.compactMap { state in
                let form = state.value.state.form
                let name = "state." + form.name
                guard !known.contains(name) else { return nil }
                return ExplainedValue(
                    place: place,
                    name: name,
                    value: state.value.text,
                    sources: [ValueSource(way: way(of: state), location: state.location)],
                    record: record(of: .modelState(model.address, form.name))
                )
            }
        }
    }

    private func way(of state: Declared<DesiredModelState>) -> ValueSource.Way {
        switch state.origin {
        case .schedule(let number): return .schedules(explainer.definition.schedules[number].name.value)
        case .timeOfSchedules: return .network
        default: break
        }
        let layer = layers.first { layer in
            layer.template.models.contains { model in
                model.scenes.contains { $0.state.location == state.location }
            }
        }
        return layer?.way ?? .node
    }

    /// Adds a state of `defaults`, which has the lowest rank wherever the node has the models for it.
    private func addDefault(
        _ state: Declared<DesiredModelState>,
        _ way: ValueSource.Way,
        to said: inout [ExplainedValue.Place: Said]
    ) {
        let form = state.value.state.form
        for place in places(of: form.server, on: nil) {
            if let element = place.element, isRecorded, node.isCompositionKnown,
                !node.has(form.setServer, on: element)
            {
                continue
            }
            let address = ModelAddress(element: place.element ?? 0, model: form.server)
            var model = DesiredModel(address: address, location: state.location)
            model.states = [state]
            said[place, default: Said()].layers.append((way, model))
        }
    }

    private func addSubscription(_ rule: Int, to said: inout [ExplainedValue.Place: Said]) {
        let definition = explainer.definition.subscriptions[rule]
        let source = ValueSource(way: .subscriptions(rule + 1), location: definition.location)
        let groups = explainer.groups(ofSubscription: rule)
        for model in definition.models {
            for place in places(of: model.value, on: definition.element?.value) {
                said[place, default: Said()].subscriptions += groups.map { ($0, source) }
            }
        }
    }

    private func addPublication(_ rule: Int, to said: inout [ExplainedValue.Place: Said]) {
        let definition = explainer.definition.publications[rule]
        guard let publication = explainer.publication(ofPublication: rule),
            let place = places(of: definition.model.value, on: definition.element?.value).first
        else { return }
        let source = ValueSource(way: .publications(rule + 1), location: definition.location)
        said[place, default: Said()].publications.append((publication, source))
    }

    /// The places where a top-level rule finds its model; without an element while the composition is unknown.
    private func places(of model: ModelIdentifier, on element: UInt8?) -> [ExplainedValue.Place] {
        guard isRecorded, node.isCompositionKnown else {
            return [place(of: model, on: element)]
        }
        return node.elements(with: model, on: element).map { place(of: model, on: $0) }
    }

    private func place(of model: ModelIdentifier, on element: UInt8?) -> ExplainedValue.Place {
        ExplainedValue.Place(element: element, model: model, name: names.model(model))
    }

    private mutating func values(of said: Said, at place: ExplainedValue.Place) -> [ExplainedValue] {
        var bindings = bindings(of: said, at: place)
        let publication = publication(of: said, at: place)
        if let publication, let key = publicationKey(of: said, at: place) {
            let name = "binding." + names.appKey(key)
            if !bindings.contains(where: { $0.name == name }) {
                let path = ExplainedValue(place: place, name: "publication", sources: []).path
                bindings.append(
                    ExplainedValue(
                        place: place,
                        name: name,
                        value: "index \(key)",
                        sources: publication.sources.map { $0.needed(by: path) },
                        record: place.address.map { record(of: .binding($0, key)) } ?? .unknown,
                        uses: [.appKey(key)]
                    )
                )
            }
            need(key, by: "\(publication.path)", publication.sources)
        }
        for binding in bindings where binding.value != nil {
            for case .appKey(let key) in binding.uses { need(key, by: binding.path, binding.sources) }
        }
        return bindings + subscriptions(of: said, at: place) + (publication.map { [$0] } ?? [])
            + states(of: said, at: place)
    }

    private func bindings(of said: Said, at place: ExplainedValue.Place) -> [ExplainedValue] {
        let lists = said.layers.compactMap { layer in layer.model.bindings.map { (layer.way, $0) } }
        return list(
            lists,
            whenEmpty: "binding",
            name: { "binding." + names.appKey($0) },
            text: { "index \($0)" },
            record: { key in place.address.map { record(of: .binding($0, key)) } ?? .unknown },
            uses: { [.appKey($0)] }
        ).map { $0.at(place) }
    }

    private func subscriptions(of said: Said, at place: ExplainedValue.Place) -> [ExplainedValue] {
        let lists = said.layers.compactMap { layer in layer.model.subscriptions.map { (layer.way, $0) } }
        var values = list(
            lists,
            whenEmpty: "subscription",
            name: { "subscription." + names.group($0) },
            text: \.description,
            record: { group in place.address.map { record(of: .subscription($0, group)) } ?? .unknown },
            uses: { [.group($0)] }
        ).map { $0.at(place) }
        for (group, source) in said.subscriptions {
            let name = "subscription." + names.group(group)
            if let found = values.firstIndex(where: { $0.name == name }) {
                // Rules add to lists, so they restore an entry that was overridden.
                if values[found].value == nil { values[found].sources = [] }
                values[found].value = group.description
                values[found].sources.append(source)
                values[found].uses = [.group(group)]
                continue
            }
            values.removeAll { $0.name == "subscription" }
            values.append(
                ExplainedValue(
                    place: place,
                    name: name,
                    value: group.description,
                    sources: [source],
                    record: place.address.map { record(of: .subscription($0, group)) } ?? .unknown,
                    uses: [.group(group)]
                )
            )
        }
        return values
    }

    private func publication(of said: Said, at place: ExplainedValue.Place) -> ExplainedValue? {
        let key = publicationKey(of: said, at: place)
        func text(_ publication: DesiredPublication?) -> String? {
            publication.map { ValueText.publication($0, key: $0.key ?? key, names: names) }
        }
        guard let first = said.ranked.first else { return nil }
        // Rules of one rank that agree all count.
        let equal = said.ranked.prefix { $0.isOfRule && first.isOfRule && $0.publication == first.publication }
        let sources = equal.isEmpty ? [first.source] : equal.map(\.source)
        let wanted = first.publication
        var uses: [NetworkResource] = []
        if let wanted { uses = [wanted.target.group, key.map { .appKey($0) }].compactMap { $0 } }
        return ExplainedValue(
            place: place,
            name: "publication",
            value: text(wanted),
            sources: sources,
            overridden: said.ranked.dropFirst(sources.count).map {
                OverriddenValue(value: text($0.publication), source: $0.source)
            },
            record: place.address.map { record(of: .publication($0)) } ?? .unknown,
            uses: uses
        )
    }

    /// The states of the model, each from the layer of the highest rank that has it.
    private func states(of said: Said, at place: ExplainedValue.Place) -> [ExplainedValue] {
        var values: [ExplainedValue] = []
        for (way, model) in said.layers {
            for state in model.states {
                let form = state.value.state.form
                let name = "state." + form.name
                let source = ValueSource(way: way, location: state.location)
                if let found = values.firstIndex(where: { $0.name == name }) {
                    values[found].overridden.append(OverriddenValue(value: state.value.text, source: source))
                    continue
                }
                values.append(
                    ExplainedValue(
                        place: place,
                        name: name,
                        value: state.value.text,
                        sources: [source],
                        record: place.address.map { record(of: .modelState($0, form.name)) } ?? .unknown
                    )
                )
            }
        }
        return values
    }

    /// The key of the publication: the named one, or else the model's only one.
    private func publicationKey(of said: Said, at place: ExplainedValue.Place) -> AppKeyIndex? {
        guard let wanted = said.ranked.first?.publication else { return nil }
        if let key = wanted.key { return key }
        let bindings = said.layers.compactMap(\.model.bindings).first?.value ?? []
        return bindings.count == 1 ? bindings[0] : nil
    }
}

extension ExplainedValue {
    fileprivate func at(_ place: Place) -> ExplainedValue {
        var value = self
        value.place = place
        return value
    }
}

extension ExplainedValue.Place: Comparable {
    /// The model if its element is known.
    var address: ModelAddress? { element.map { ModelAddress(element: $0, model: model) } }

    /// By element (places without one last), then by model.
    package static func < (left: Self, right: Self) -> Bool {
        (left.element.map(Int.init) ?? .max, left.model) < (right.element.map(Int.init) ?? .max, right.model)
    }
}
