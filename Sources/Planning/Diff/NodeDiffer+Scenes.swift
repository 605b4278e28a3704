import Catalogue
import DefinitionModel
import MeshCore

/// What a node is asked before values are set for a moment, and what it is given back afterwards.
extension NodeDiffer {
    /// Adds the values to hold and to restore, if the difference stores scenes, or if an earlier run has not restored
    /// everything.
    func compareHeldStates(_ desired: DesiredNode, node: Node, _ difference: inout NodeDifference) {
        var holding: [HeldStateRequest] = []
        let stored = difference.models.flatMap(\.states).flatMap(\.set.state.contents)
        if !stored.isEmpty {
            let servers = node.elements.indices.filter { node.elements[$0].place(of: .sceneServer) != nil }
            for element in touched(by: stored, servers: servers, on: node) {
                holding += requests(on: element, in: desired, node: node).filter { node.held(like: $0.state) == nil }
            }
        }
        difference.holding = holding
        difference.restoring = node.held.compactMap { request(for: $0, in: desired, node: node) } + holding
    }

    /// The elements whose states change when those values are set: theirs, and those of light controllers that the same
    /// Scene Server stores, because a light that is set leaves its controller.
    private func touched(by values: [ElementState], servers: [Int], on node: Node) -> [Int] {
        var elements = Set(values.map { Int($0.element) })
        for element in node.elements.indices where node.elements[element].place(of: .lightControlServer) != nil {
            let server = servers.last { $0 <= element }
            if values.contains(where: { part in servers.last { $0 <= Int(part.element) } == server }) {
                elements.insert(element)
            }
        }
        return elements.sorted()
    }

    /// The states of an element that say what its light does: those of models with a key that no other of these models
    /// extends.
    private func requests(on element: Int, in desired: DesiredNode, node: Node) -> [HeldStateRequest] {
        guard node.elements.indices.contains(element), let index = UInt8(exactly: element) else { return [] }
        var requests: [HeldStateRequest] = []
        for model in node.elements[element].models {
            for state in StateCatalogue.states(of: model.identifier) where state.isInScenes {
                guard state.server == model.identifier, let form = ModelStateForm(state) else { continue }
                let held = HeldState(model: ModelAddress(element: index, model: model.identifier), form: form)
                if let request = request(for: held, in: desired, node: node) { requests.append(request) }
            }
        }
        let extended = Set(requests.map(\.state.model.model))
            .reduce(into: Set<ModelIdentifier>()) { $0.formUnion(Self.allExtended(by: $1)) }
        return requests.filter { !extended.contains($0.state.model.model) }
    }

    private static func allExtended(by model: ModelIdentifier) -> Set<ModelIdentifier> {
        var found: Set<ModelIdentifier> = []
        var open = ModelCatalogue.model(model)?.extends ?? []
        while let next = open.popLast() {
            if found.insert(next).inserted { open += ModelCatalogue.model(next)?.extends ?? [] }
        }
        return found
    }

    /// The requests for a state under keys that are bound to its models; nil if there is no such key.
    private func request(for state: HeldState, in desired: DesiredNode, node: Node) -> HeldStateRequest? {
        func key(_ model: ModelAddress) -> AppKeyIndex? {
            desired.model(at: model)?.stateKey ?? node.model(at: model)?.bindings.first { node.knows($0) }
        }
        let setServer = ModelAddress(element: state.model.element, model: state.form.setServer)
        guard let readingKey = key(state.model), let key = key(setServer) else { return nil }
        return HeldStateRequest(HeldState(model: state.model, form: state.form), key: key, readingKey: readingKey)
    }
}

extension ModelStateForm {
    /// The form of a state of which there is one; nil if it cannot be set, or if something selects its instance.
    fileprivate init?(_ state: StateDescription) {
        guard state.keys.isEmpty, state.fixedKeys.items.isEmpty, let server = state.server,
            let setServer = state.setServer, let parameters = try? state.getParameters()
        else { return nil }
        self.init(
            name: state.name,
            server: server,
            setServer: setServer,
            getPayload: state.getMessage.opcode.encoded + parameters,
            statusOpcode: state.statusMessage.opcode
        )
    }
}
