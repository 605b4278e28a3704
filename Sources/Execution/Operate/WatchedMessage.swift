package import Catalogue
package import MeshCore

/// A message that was heard, as far as the catalogue and the database know it.
package struct WatchedMessage: Hashable, Sendable {
    /// What a message is about.
    package enum Content: Hashable, Sendable {
        /// A server tells its states, or a client sets those of others.
        case states([WatchedState], isSet: Bool)
        /// A message that carries no state.
        case message(DecodedMessage)
        /// No message of the catalogue has this opcode, or the parameters do not go with it. Nil for a payload without
        /// an opcode.
        case unknown(Opcode?, [UInt8])
    }

    package let source: UnicastAddress
    /// The destination in the PDU.
    package let destination: Address
    /// The label of a virtual address.
    package let label: LabelUUID?
    /// The position of the node in the network, and the index of the element; nil for a stranger.
    package let place: WatchedPlace?
    /// The model that sent it, if that is known.
    package let model: ModelIdentifier?
    package let models: Set<ModelIdentifier>
    /// The message with its fields; nil if it is unknown.
    package let decoded: DecodedMessage?
    package let content: Content
}

/// The element of a node of the database.
package struct WatchedPlace: Hashable, Sendable {
    /// The position of the node in the network.
    package let node: Int
    package let element: Int
}

/// A state in a message that was heard.
package struct WatchedState: Hashable, Sendable {
    package let state: StateDescription
    /// What selects the instance where there are several.
    package let keys: FieldValues
    /// What the message says of it.
    package let reading: StateReading
}

/// A heartbeat that was heard (Mesh Protocol 3.6.5.10).
package struct WatchedHeartbeat: Hashable, Sendable {
    /// The node that sent it: its primary element.
    package let source: UnicastAddress
    package let destination: Address
    /// The position of the node in the network; nil for a stranger.
    package let place: WatchedPlace?
    /// Over how many hops it came to us, the link of the proxy included: 1 from the proxy itself.
    package let hops: Int
    /// The features in use at the sender.
    package let features: FeatureSet
}

/// Reads what is heard in a network, with the messages and states that are known.
package struct WatchReader: Sendable {
    private let network: MeshNetwork
    private let catalogue: MessageCatalogue
    private let statesByStatus: [Opcode: [StateDescription]]
    private let statesBySet: [Opcode: [StateDescription]]
    /// The nodes by the addresses of their elements.
    private let places: [UnicastAddress: WatchedPlace]

    /// A reader for one state of a database.
    ///
    /// - Parameters:
    ///   - catalogue: the messages that can be named.
    ///   - states: the states that they carry.
    package init(
        _ network: MeshNetwork,
        catalogue: MessageCatalogue = .sig,
        states: [StateDescription] = StateCatalogue.states
    ) {
        self.network = network
        self.catalogue = catalogue
        statesByStatus = Dictionary(grouping: states, by: \.statusMessage.opcode)
        var bySet: [Opcode: [StateDescription]] = [:]
        for state in states {
            let opcodes = [state.setMessage?.opcode, state.unacknowledgedSetMessage?.opcode].compactMap(\.self)
            for opcode in Set(opcodes) { bySet[opcode, default: []].append(state) }
        }
        statesBySet = bySet
        var places: [UnicastAddress: WatchedPlace] = [:]
        for (index, node) in network.nodes.enumerated() {
            for element in 0..<max(node.elements.count, 1) {
                guard let address = node.unicastAddress.element(UInt8(clamping: element)) else { continue }
                places[address] = WatchedPlace(node: index, element: element)
            }
        }
        self.places = places
    }

    package func read(_ message: IncomingMessage) -> WatchedMessage {
        let place = places[message.source]
        var reader = ByteReader(message.payload)
        let opcode = try? Opcode(decoding: &reader)
        let decoded = try? catalogue.decode(message.payload[...])
        let models = decoded.map(\.description).map { $0.isStatus ? $0.servers : $0.clients } ?? []
        let content: WatchedMessage.Content =
            if let decoded {
                self.content(decoded)
            } else {
                .unknown(opcode, opcode == nil ? message.payload : Array(reader.readRest()))
            }
        return WatchedMessage(
            source: message.source,
            destination: message.destination,
            label: message.label,
            place: place,
            model: sender(of: models, at: place),
            models: Set(decoded.map { $0.description.servers + $0.description.clients } ?? []),
            decoded: decoded,
            content: content
        )
    }

    package func read(_ heartbeat: Heartbeat, in message: IncomingControlMessage) -> WatchedHeartbeat {
        WatchedHeartbeat(
            source: message.source,
            destination: message.destination,
            place: places[message.source],
            hops: heartbeat.hops(receivedTTL: message.ttl),
            features: FeatureSet(rawValue: heartbeat.features)
        )
    }

    /// The first of the models that the element has; without knowledge of the element the first of all.
    private func sender(of models: [ModelIdentifier], at place: WatchedPlace?) -> ModelIdentifier? {
        guard let place, network.nodes[place.node].elements.indices.contains(place.element) else { return models.first }
        let element = network.nodes[place.node].elements[place.element]
        return models.first { element.place(of: $0) != nil } ?? models.first
    }

    private func content(_ decoded: DecodedMessage) -> WatchedMessage.Content {
        let description = decoded.description
        let isStatus = description.isStatus
        let candidates = (isStatus ? statesByStatus : statesBySet)[description.opcode] ?? []
        let found = candidates.compactMap { state -> WatchedState? in
            // Messages of a vendor may share an opcode, and differ in a fixed value.
            let carriers: [MessageDescription?] =
                isStatus ? [state.statusMessage] : [state.setMessage, state.unacknowledgedSetMessage]
            guard carriers.contains(description) else { return nil }
            guard let value = state.value(in: decoded.values) else { return nil }
            return WatchedState(
                state: state,
                keys: Self.keys(of: state, in: decoded.values),
                reading: .value(
                    value,
                    target: isStatus ? state.target(in: decoded.values) : nil,
                    remaining: isStatus ? decoded.values.integer("remaining") : nil
                )
            )
        }
        // A state that stands for one instance says more than that of all instances.
        let exact = found.filter { !$0.state.fixedKeys.items.isEmpty }
        let states = exact.isEmpty ? Self.fullest(found) : exact
        return states.isEmpty ? .message(decoded) : .states(states, isSet: !isStatus)
    }

    /// States that one status reports share it in full or in part, as those of several sensor messages: those with the
    /// most fields, of equals the first.
    private static func fullest(_ states: [WatchedState]) -> [WatchedState] {
        let most = states.max { $0.fieldCount < $1.fieldCount }?.fieldCount
        return states.first { $0.fieldCount == most }.map { [$0] } ?? []
    }

    private static func keys(of state: StateDescription, in values: FieldValues) -> FieldValues {
        var keys = FieldValues()
        for field in state.keys {
            if let value = values[field.name] { keys[field.name] = value }
        }
        return keys
    }
}

extension WatchedState {
    fileprivate var fieldCount: Int {
        guard case .value(let value, target: _, remaining: _) = reading else { return 0 }
        return value.items.count
    }
}
