import Catalogue
import DefinitionModel
import MeshCore

/// Scenes as they were stored. Of scenes that others have stored nobody knows what they are.
extension DefinitionDraft {
    /// Names for the numbers of the scenes that are known of some nodes.
    static func scenes(of nodes: [Node]) -> [SceneDefinition] {
        var numbers: Set<UInt16> = []
        for node in nodes {
            for element in node.elements {
                for model in element.models { numbers.formUnion(model.states.compactMap(\.form.register)) }
            }
        }
        return numbers.sorted().map { SceneDefinition(name: made(sceneName($0)), number: made($0)) }
    }

    static func sceneName(_ number: UInt16) -> String { "scene-\(number)" }

    /// What a model does in scenes, as its Scene Server has stored it.
    static func scenes(of model: Model, on element: UInt8, of node: Node) -> [SceneSettings] {
        let servers = node.elements.prefix(Int(element) + 1)
        guard let server = servers.last(where: { $0.place(of: .sceneServer) != nil }),
            let place = server.place(of: .sceneServer)
        else { return [] }
        let declarable = DeclarableStates(of: model.identifier, in: .sig, for: .scenes)
        var scenes: [SceneSettings] = []
        for state in server.models[place].states.sorted(by: { ($0.form.register ?? 0) < ($1.form.register ?? 0) }) {
            guard let number = state.form.register, let contents = try? StoredContents(state.status) else { continue }
            let settings = contents.parts.filter { $0.element == element }
                .compactMap { setting(of: $0, model, declarable) }
            guard !settings.isEmpty else { continue }
            scenes.append(SceneSettings(scene: made(sceneName(number)), states: settings.map(made)))
        }
        return scenes
    }

    /// The value of a scene, if it is one of the states that the model reports.
    private static func setting(
        of part: StoredContents.Part,
        _ model: Model,
        _ declarable: DeclarableStates
    ) -> ModelStateSetting? {
        var reader = ByteReader(part.setPayload)
        guard let opcode = try? Opcode(decoding: &reader) else { return nil }
        let parameters = Array(reader.readRest())
        let state = declarable.states.first {
            $0.description.setMessage?.opcode == opcode && $0.description.server == model.identifier
        }
        guard let state, let values = try? state.description.setMessage?.decode(parameters) else { return nil }
        return try? state.setting(values)
    }
}
