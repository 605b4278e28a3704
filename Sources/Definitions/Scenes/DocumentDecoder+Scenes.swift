import Catalogue
import DefinitionModel
import MeshCore

/// Scenes: names for numbers at the top, and what they are under the models.
extension DocumentDecoder {
    /// An entry of `scenes`: `presentation: 1`.
    mutating func decodeScene(_ entry: NamedEntry) -> Bool {
        if isNull(entry.value) {
            report(
                "the scene \(quoted(entry.name.value)) has no number",
                at: entry.key,
                hint: "nodes know scenes by number: \(entry.name.value): 1"
            )
            return false
        }
        guard let number = scalar(entry.value, "the number of a scene", Self.sceneNumber) else { return false }
        fragment.definition.scenes.append(SceneDefinition(name: entry.name, number: number))
        return true
    }

    /// The number of a scene, decimal or with `0x`; 0 means no scene.
    private static func sceneNumber(_ text: String) throws(ScalarProblem) -> UInt16 {
        if let number = Numbers.hexadecimal(text), number > 0 { return number }
        return UInt16(try Numbers.decimal(text, in: 1...0xFFFF, "the number of a scene"))
    }

    /// What a model does in scenes: `scenes: { presentation: { lightness: 20% } }`.
    mutating func decodeSceneSettings(
        _ field: MappingEntry,
        of model: Located<ModelIdentifier>
    ) -> [SceneSettings] {
        guard !isNull(field.value) else {
            report("a mapping of scenes is expected here, not nothing", at: field.key, hint: "write {} for none")
            return []
        }
        var scenes: [SceneSettings] = []
        for entry in entries(field.value, "a mapping of scenes") ?? [] {
            guard let name = scalar(entry.key, "the name of a scene", Words.name) else { continue }
            guard let states = entries(entry.value, "a mapping of states") else { continue }
            var settings: [Located<ModelStateSetting>] = []
            for state in states { decodeSceneState(state, of: model.value, into: &settings) }
            guard !settings.isEmpty else {
                if states.count == 0 {
                    report(
                        "the scene \(quoted(name.value)) has no value here",
                        at: entry.key,
                        hint: "write for example `\(name.value): { \(sceneExample(of: model.value)) }`"
                    )
                }
                continue
            }
            scenes.append(SceneSettings(scene: name, states: settings))
        }
        return scenes
    }

    private mutating func decodeSceneState(
        _ entry: MappingEntry,
        of model: ModelIdentifier,
        into settings: inout [Located<ModelStateSetting>]
    ) {
        guard let name = text(entry.key, "the name of a state") else { return }
        let known = statesInScenes(of: model)
        guard let state = known.state(named: name) else {
            let title = modelNames.name(of: model)
            let names = known.states.flatMap(\.allNames)
            guard !names.isEmpty else {
                report(
                    "\(title) has no state that a scene holds",
                    at: entry.key,
                    hint: "scenes hold states of lights, levels and light controllers, under their servers"
                )
                return
            }
            let isKept = DeclarableStates(of: model, in: knownModels).state(named: name) != nil
            report(
                isKept
                    ? "no scene holds the state \(quoted(name)) of \(title)"
                    : "\(title) has no state \(quoted(name))",
                at: entry.key,
                hint: isKept
                    ? "write it under `states:`"
                    : Suggestion.hint(
                        for: DeclarableStates.normalized(name),
                        among: names,
                        are: "states of this model in scenes"
                    )
            )
            return
        }
        decodeInstance(entry, of: state, [:], into: &settings)
    }

    private mutating func statesInScenes(of model: ModelIdentifier) -> DeclarableStates {
        if let known = inScenes[model] { return known }
        let states = DeclarableStates(of: model, in: knownModels, for: .scenes)
        inScenes[model] = states
        return states
    }

    private mutating func sceneExample(of model: ModelIdentifier) -> String {
        guard let state = statesInScenes(of: model).states.first else { return "lightness: 20%" }
        return "\(state.writtenName): \(state.example(for: [:]))"
    }
}
