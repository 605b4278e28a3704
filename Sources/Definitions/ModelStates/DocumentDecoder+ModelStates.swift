import Catalogue
import DefinitionModel
import MeshCore

/// The states of a model: `states: { range: [5%, 100%], properties: { light-control-time-run-on: 10min } }`.
extension DocumentDecoder {
    /// The states of a model, each once; nil if the value is no mapping.
    mutating func decodeStates(
        _ field: MappingEntry,
        of model: Located<ModelIdentifier>
    ) -> Located<[Located<ModelStateSetting>]>? {
        guard !isNull(field.value) else {
            report("a mapping of states is expected here, not nothing", at: field.key, hint: "write {} for none")
            return nil
        }
        guard let entries = entries(field.value, "a mapping of states") else { return nil }
        let known = declarableStates(of: model.value)
        var settings: [Located<ModelStateSetting>] = []
        for entry in entries {
            guard let name = text(entry.key, "the name of a state") else { continue }
            if let state = known.state(named: name) {
                decodeInstances(entry, of: state, keys: state.description.keys[...], [:], into: &settings)
            } else if let (state, instance) = known.instance(named: name) {
                decodeInstance(entry, of: state, instance.fixedKeys, into: &settings)
            } else {
                reportUnknownState(name, at: entry.key, of: model.value, known)
            }
        }
        return Located(settings, at: location(field.value))
    }

    /// States of models wherever they are: `states: { light-lightness-server: { on_power_up: restore } }`.
    mutating func decodeModelStates(_ field: MappingEntry) -> [ModelDefinition] {
        var models: [ModelDefinition] = []
        for entry in entries(field.value, "a mapping of models") ?? [] {
            guard let identifier = model(entry.key) else { continue }
            guard !models.contains(where: { $0.identifier.value == identifier.value }) else {
                report("the model \(modelNames.name(of: identifier.value)) occurs twice here", at: entry.key)
                continue
            }
            var model = ModelDefinition(identifier: identifier)
            model.states = decodeStates(entry, of: identifier)
            models.append(model)
        }
        checkStates(of: models)
        return models
    }

    private mutating func declarableStates(of model: ModelIdentifier) -> DeclarableStates {
        if let known = declarable[model] { return known }
        let states = DeclarableStates(of: model, in: knownModels)
        declarable[model] = states
        return states
    }

    /// The instances of a state under the keys that select them, one key a level.
    private mutating func decodeInstances(
        _ entry: MappingEntry,
        of state: DeclarableState,
        keys: ArraySlice<MessageDescription.Field>,
        _ selected: FieldValues,
        into settings: inout [Located<ModelStateSetting>]
    ) {
        guard let key = keys.first else { return decodeInstance(entry, of: state, selected, into: &settings) }
        guard tree.nodes[entry.value].kind == .mapping else {
            guard tree.nodes[entry.value].kind != .unreadable else { return }
            let title = kindTitle(entry.value)
            let instance = state.instances?.first?.name ?? key.type.example
            report(
                "a mapping with a key for each \(key.name) is expected here, not \(title)",
                at: isNull(entry.value) ? entry.key : entry.value,
                hint: "write for example `\(state.writtenName): { \(instance): … }`"
            )
            return
        }
        for instance in entries(entry.value, "a mapping") ?? [] {
            guard let value = keyValue(instance.key, key, of: state) else { continue }
            var selected = selected
            selected[key.name] = value
            decodeInstances(instance, of: state, keys: keys.dropFirst(), selected, into: &settings)
        }
    }

    /// What selects an instance: a property that the model can have, an index.
    private mutating func keyValue(
        _ node: Int,
        _ key: MessageDescription.Field,
        of state: DeclarableState
    ) -> FieldValue? {
        guard let text = text(node, "the \(key.name)") else { return nil }
        let allowed = state.instances
        let value: FieldValue
        do throws(ScalarProblem) {
            value = try StateWords.value(text, key.type)
        } catch {
            let names = allowed?.map(\.name)
            report(error.message, at: node, hint: names.map { StateWords.propertyHint(text, $0) } ?? error.hint)
            return nil
        }
        guard let allowed, !allowed.contains(where: { $0.fixedKeys[key.name] == value }) else { return value }
        report(
            "\(quoted(text)) is a property that this model refuses",
            at: node,
            hint: StateWords.propertyHint(text, allowed.map(\.name))
        )
        return nil
    }

    mutating func decodeInstance(
        _ entry: MappingEntry,
        of state: DeclarableState,
        _ selected: FieldValues,
        into settings: inout [Located<ModelStateSetting>]
    ) {
        guard let values = decodeStateValue(entry, of: state, selected) else { return }
        let setting: ModelStateSetting
        do throws(MessageEncodeError) {
            setting = try state.setting(values)
        } catch {
            let example = state.example(for: selected)
            report(
                "this is no value of \(state.name): \(error)",
                at: entry.value,
                hint: "write for example `\(example)`"
            )
            return
        }
        if let first = settings.first(where: { $0.value.state.form.name == setting.state.form.name }) {
            report(
                "the state \(setting.path) is declared twice",
                at: entry.key,
                related: [Diagnostic.Related(message: "first here", location: first.location)]
            )
            return
        }
        settings.append(Located(setting, at: location(isNull(entry.value) ? entry.key : entry.value)))
    }

    /// Reports states that are declared both under a server and under its setup server of one element.
    mutating func checkStates(of models: [ModelDefinition]) {
        var seen: [String: (model: ModelIdentifier, location: SourceLocation)] = [:]
        for index in models.indices {
            guard let states = models[index].states?.value, !states.isEmpty else { continue }
            for setting in states {
                let form = setting.value.state.form
                let name = "\(form.setServer) \(form.name)"
                guard let first = seen.updateValue((models[index].identifier.value, setting.location), forKey: name),
                    first.model != models[index].identifier.value
                else { continue }
                diagnostics.report(
                    "the state \(setting.value.path) is declared twice in this element",
                    at: setting.location,
                    hint: "\(modelNames.name(of: first.model)) and "
                        + "\(modelNames.name(of: models[index].identifier.value)) hold it together",
                    related: [Diagnostic.Related(message: "first here", location: first.location)]
                )
            }
        }
    }

    // MARK: - Names that are no state of the model

    private mutating func reportUnknownState(
        _ word: String,
        at node: Int,
        of model: ModelIdentifier,
        _ known: DeclarableStates
    ) {
        guard diagnostics.wants(.error) else { return diagnostics.drop(.error) }
        let title = modelNames.name(of: model)
        let name = DeclarableStates.normalized(word)
        let names = known.states.map { $0.shortName ?? $0.writtenName }
        let allowed = names.isEmpty ? nil : "states of this model: \(names.sorted().joined(separator: ", "))"
        switch known.others[name] {
        case .doesNotLast:
            report(
                "\(quoted(word)) does not last: the next message or the node itself changes it",
                at: node,
                hint: "a definition declares what a node keeps" + (allowed.map { "; \($0)" } ?? "")
            )
            return
        case .cannotBeSet:
            let hint = allowed ?? "a definition declares what can be set"
            report("nodes report \(quoted(word)), but nothing sets it", at: node, hint: hint)
            return
        case nil: break
        }
        if known.states.isEmpty, known.others.isEmpty, model.company != nil, knownModels.states(of: model).isEmpty {
            report(
                "no state of \(title) is known",
                at: node,
                hint: "describe its messages and states under `models:`, in this file or in one that it names"
            )
            return
        }
        let hint =
            holder(of: name).map { "it is a state of \($0): write it under that model" }
            ?? Suggestion.hint(for: name, among: known.states.flatMap(\.allNames), are: "states of this model")
            ?? "no state of this model can be declared"
        report("\(title) has no state \(quoted(word))", at: node, hint: hint)
    }

    /// The server that holds a state of that name; nil if there is none.
    private func holder(of name: String) -> String? {
        for known in [name, name.replacing("_", with: "-")] {
            guard let state = knownModels.state(named: known), state.isLasting, state.setMessage != nil,
                let server = state.server
            else { continue }
            return modelNames.name(of: server)
        }
        return nil
    }
}
