package import Catalogue
package import MeshCore

/// A state of a model on one element.
package struct StatePlace: Hashable, Sendable {
    /// The position of the node in the network.
    package let node: Int
    package let element: Int
    /// The model that reads it or, of a setup server, sets it.
    package let model: ModelIdentifier
    /// The state, and which of several.
    package let selector: StateSelector

    package init(node: Int, element: Int, model: ModelIdentifier, selector: StateSelector) {
        self.node = node
        self.element = element
        self.model = model
        self.selector = selector
    }

    package var state: StateDescription { selector.state }
}

/// A state that cannot be read or set, and why.
package struct StateRefusal: Hashable, Sendable {
    package let place: StatePlace
    package let problem: OperatingProblem
}

/// The requests that read states from the elements of a target.
package struct StateInquiry: Hashable, Sendable {
    /// The states that are read, one for each request.
    package private(set) var places: [StatePlace] = []
    package private(set) var requests: [OperatingRequest] = []
    /// What cannot be read. Of states that nobody named, what has no key is left out.
    package private(set) var refusals: [StateRefusal] = []
    package private(set) var needs: Set<OwnModel> = []

    /// Plans to read states.
    ///
    /// - Parameters:
    ///   - selectors: the states; empty for those that change in operation.
    ///   - models: the models whose states are known.
    /// - Throws: ``StateError`` if no element has a state that is named, or if there is nothing to read.
    package init(
        _ target: ResolvedTarget,
        _ selectors: [StateSelector],
        of models: KnownModels = .sig,
        in network: MeshNetwork
    ) throws(StateError) {
        var found: Set<String> = []
        for part in target.elements {
            for place in Self.places(of: part, selectors, models) {
                found.insert(place.state.name)
                try add(place, isNamed: !selectors.isEmpty, in: network)
            }
        }
        for selector in selectors where !found.contains(selector.state.name) {
            throw .nobodyHas(selector.state.name, others: Self.names(of: target, models))
        }
        guard selectors.isEmpty, requests.isEmpty else { return }
        let named = Self.namesWithKey(of: target, models, in: network)
        throw named.isEmpty ? .nothingToRead : .nothingUnnamed(known: named)
    }

    /// Plans to read these states again.
    ///
    /// - Throws: ``StateError`` if a state is one of several and none is selected.
    package init(_ places: [StatePlace], in network: MeshNetwork) throws(StateError) {
        for place in places { try add(place, isNamed: true, in: network) }
    }

    private mutating func add(_ place: StatePlace, isNamed: Bool, in network: MeshNetwork) throws(StateError) {
        let node = network.nodes[place.node]
        let payload = try place.selector.getPayload()
        do throws(OperatingProblem) {
            let key = try network.operatingKey(of: place.model, element: place.element, on: node)
            guard let destination = node.unicastAddress.element(UInt8(clamping: place.element)) else { return }
            places.append(place)
            requests.append(
                OperatingRequest(
                    node: node.uuid,
                    destination: destination,
                    payload: payload,
                    key: key.index,
                    subnets: [key.boundNetKey],
                    answer: place.state.statusMessage.opcode,
                    status: place.state.statusMessage,
                    instance: place.selector.instance
                )
            )
            if let client = place.state.getMessage.clients.first { needs.insert(OwnModel(client, key: key.index)) }
        } catch {
            if isNamed { refusals.append(StateRefusal(place: place, problem: error)) }
        }
    }

    /// The states of an element that are named, or that change in operation if none is.
    static func places(
        of part: ResolvedTarget.Element,
        _ selectors: [StateSelector],
        _ models: KnownModels
    ) -> [StatePlace] {
        part.models.flatMap { model in
            chosen(selectors, of: model.identifier, models).map { selector in
                StatePlace(node: part.node, element: part.element, model: model.identifier, selector: selector)
            }
        }
    }

    private static func chosen(
        _ selectors: [StateSelector],
        of model: ModelIdentifier,
        _ models: KnownModels
    ) -> [StateSelector] {
        guard selectors.isEmpty else { return selectors.filter { $0.state.server == model } }
        guard model >= firstOfApplications else { return [] }
        return models.states(of: model).filter { $0.server == model && $0.changesInOperation }
            .map { StateSelector($0) }
    }

    /// The first model above the foundation, by its identifier (Mesh Model).
    private static let firstOfApplications = ModelIdentifier.sig(0x1000)

    /// The names of the states that a target has with a key, so that they can be read.
    private static func namesWithKey(
        of target: ResolvedTarget,
        _ models: KnownModels,
        in network: MeshNetwork
    ) -> [String] {
        var names: Set<String> = []
        for part in target.elements {
            for model in part.models.map(\.identifier) {
                let node = network.nodes[part.node]
                guard (try? network.operatingKey(of: model, element: part.element, on: node)) != nil else { continue }
                names.formUnion(models.states(of: model).filter { $0.server == model }.map(\.name))
            }
        }
        return names.sorted()
    }

    /// The names of the states of a target, sorted.
    static func names(of target: ResolvedTarget, _ models: KnownModels = .sig) -> [String] {
        var identifiers: Set<ModelIdentifier> = []
        for part in target.elements { identifiers.formUnion(part.models.map(\.identifier)) }
        let states = identifiers.flatMap { model in models.states(of: model).filter { $0.server == model } }
        return Set(states.map(\.name)).sorted()
    }
}

extension StateDescription {
    /// Whether it says how the node is at present, so that it is read when no state is named: it is set for the moment,
    /// or measured, and there is one of it.
    fileprivate var changesInOperation: Bool {
        let isMeasured = statusMessage.opcode == Self.sensorStatus || statusMessage.opcode == Self.batteryStatus
        return !isLasting && (setMessage != nil || isMeasured && name != "sensor-column")
            && (try? getParameters()) != nil
    }

    private static let sensorStatus = Opcode(rawValue: 0x52)
    private static let batteryStatus = Opcode(rawValue: 0x8224)
}
