import Catalogue
import DefinitionModel
import MeshCore

/// The value of a state in a scene, as a definition asks for it.
struct DesiredSceneState {
    var scene: SceneDefinition
    var state: Declared<DesiredModelState>
}

extension [DesiredSceneState] {
    /// These values over those of other settings, value by value, in the order of scenes and forms.
    func merged(over others: Self) -> Self {
        if isEmpty || others.isEmpty { return self + others }
        let own = Set(map(\.key))
        return (self + others.filter { !own.contains($0.key) }).sorted { $0.key < $1.key }
    }
}

extension DesiredSceneState {
    fileprivate struct Key: Hashable, Comparable {
        var scene: UInt16
        var name: String

        static func < (left: Key, right: Key) -> Bool { (left.scene, left.name) < (right.scene, right.name) }
    }

    fileprivate var key: Key { Key(scene: scene.number.value, name: state.value.state.form.name) }
}

extension Resolver {
    /// Adds what a model does in scenes to the model that reports the states.
    func addScenes(
        of definition: ModelDefinition,
        on element: UInt8,
        from origin: DeclarationOrigin,
        to models: inout [DesiredModel]
    ) {
        for settings in definition.scenes {
            guard let scene = self.definition.scenes.first(where: { $0.name.value == settings.scene.value }) else {
                continue
            }
            for setting in settings.states {
                let address = ModelAddress(element: element, model: setting.value.state.form.server)
                let declared = Declared(DesiredModelState(setting.value), at: setting.location, by: origin)
                models.update(address, at: definition.identifier.location) {
                    $0.scenes = [DesiredSceneState(scene: scene, state: declared)].merged(over: $0.scenes)
                }
            }
        }
    }
}

extension [DesiredModel] {
    /// Makes states of the Scene Servers of what models do in scenes. A Scene Server stores the states of its element
    /// and of those that follow, up to the next one (Mesh Model 5.1.3).
    mutating func collectScenes() {
        guard contains(where: { !$0.scenes.isEmpty }) else { return }
        let servers = filter { $0.address.model == .sceneServer || $0.address.model == .sceneSetupServer }
            .map(\.address.element)
        var scenes: [SceneKey: [(element: UInt8, state: DesiredSceneState)]] = [:]
        for model in self where !model.scenes.isEmpty {
            let element = model.address.element
            // The checks of the definition report values that no server stores.
            guard let server = servers.last(where: { $0 <= element }) else { continue }
            for state in model.scenes {
                scenes[SceneKey(server: server, number: state.scene.number.value), default: []]
                    .append((element, state))
            }
        }
        for (key, states) in scenes.sorted(by: { $0.key < $1.key }) {
            let ordered = states.sorted { ($0.element, $0.state.rank) < ($1.element, $1.state.rank) }
            guard let first = ordered.first, ordered.count <= 255 else { continue }
            let contents = ordered.map { ElementState(element: $0.element, state: $0.state.state.value.state) }
            guard let state = ModelState(scene: key.number, storing: contents) else { continue }
            let text = "\(first.state.scene.name.value): \(ElementState.text(of: contents))"
            let declared = Declared(
                DesiredModelState(text: text, state: state),
                at: first.state.state.location,
                by: first.state.state.origin
            )
            update(ModelAddress(element: key.server, model: .sceneServer), at: first.state.state.location) {
                $0.states = [declared].merged(over: $0.states)
            }
        }
    }
}

private struct SceneKey: Hashable, Comparable {
    var server: UInt8
    var number: UInt16

    static func < (left: SceneKey, right: SceneKey) -> Bool {
        (left.server, left.number) < (right.server, right.number)
    }
}

extension DesiredSceneState {
    /// The place of the state in the catalogue: what a light controller does to a light is set after the light.
    fileprivate var rank: Int {
        StateCatalogue.states.firstIndex { $0.name == state.value.state.form.name } ?? .max
    }
}

extension ModelState {
    /// A scene in the register of a Scene Server.
    fileprivate init?(scene number: UInt16, storing contents: [ElementState]) {
        guard let form = ModelStateForm(scene: number),
            let payload = MessageCatalogue.sig.payload("scene-store", ["scene": .integer(Int64(number))])
        else { return nil }
        self.init(form: form, setPayload: payload, storing: contents)
    }
}

extension ModelStateForm {
    /// The form of a scene; nil if the catalogue lacks its messages.
    init?(scene number: UInt16) {
        guard let get = MessageCatalogue.sig.payload("scene-register-get", [:]),
            let status = MessageCatalogue.sig.message(named: "scene-register-status")
        else { return nil }
        self.init(
            name: "scene.\(number)",
            server: .sceneServer,
            setServer: .sceneSetupServer,
            getPayload: get,
            statusOpcode: status.opcode,
            register: number
        )
    }

    /// The message by which a node removes the state, if it is an entry of a list: a scene, or an entry of a scheduler.
    var removal: ModelState? {
        if let register {
            let payload = MessageCatalogue.sig.payload("scene-delete", ["scene": .integer(Int64(register))])
            return payload.map {
                ModelState(form: self, setPayload: $0, expected: MaskedOctets(), isRemoval: true)
            }
        }
        guard let state = StateCatalogue.states(reportedBy: statusOpcode).first(where: { !$0.removal.items.isEmpty }),
            let keys = try? state.getMessage.decode(Array(getPayload.dropFirst(state.getMessage.opcode.encoded.count)))
        else { return nil }
        var values = state.removal.merging(keys)
        for field in state.fields where values[field.name] == nil { values[field.name] = .integer(0) }
        guard let removed = try? state.modelState(values), removed.form == self else { return nil }
        return ModelState(
            form: self,
            setPayload: removed.setPayload,
            expected: removed.expected,
            isRemoval: true
        )
    }
}

extension MessageCatalogue {
    /// A message as octets: opcode and parameters; nil if there is no such message.
    fileprivate func payload(_ name: String, _ values: FieldValues) -> [UInt8]? {
        guard let message = message(named: name), let parameters = try? message.encode(values) else { return nil }
        return message.opcode.encoded + parameters
    }
}
