package import MeshCore

/// The Configuration Server model and the other foundation models that use the DeviceKey, as a function: a request and
/// a node's state give an answer and the node's new state (Mesh Protocol 4.4).
///
/// It answers all messages of Mesh Protocol 1.0.1, and those of 1.1 for models of the primary element. It ignores
/// malformed, prohibited and unknown messages, as nodes do.
package struct ConfigurationServer: Sendable {
    /// What a node can store.
    package var limits: NodeLimits
    /// Whether models that extend each other on one element share one subscription list.
    package var sharesSubscriptionLists: Bool
    /// How the node deviates from others.
    package var quirks: Set<DeviceQuirk>

    package init(
        limits: NodeLimits = NodeLimits(),
        sharesSubscriptionLists: Bool = false,
        quirks: Set<DeviceQuirk> = []
    ) {
        self.limits = limits
        self.sharesSubscriptionLists = sharesSubscriptionLists
        self.quirks = quirks
    }

    /// Answers a request, which was secured with the node's DeviceKey.
    ///
    /// - Parameters:
    ///   - payload: opcode and parameters.
    ///   - netKeyIndex: the subnet that the request came through.
    ///   - state: the node's state; changed as the request demands.
    ///   - refusal: the status to answer instead of acting, if the answer has a status.
    /// - Returns: the access payload of the answer; nil if there is none.
    package func respond(
        to payload: [UInt8],
        through netKeyIndex: NetKeyIndex,
        state: inout NodeConfigurationState,
        refusal: ConfigStatusCode? = nil
    ) -> [UInt8]? {
        respond(to: payload, through: netKeyIndex, state: &state) { _ in refusal }
    }

    /// The same, with a refusal for each opcode, because one message may hold several requests.
    func respond(
        to payload: [UInt8],
        through netKeyIndex: NetKeyIndex,
        state: inout NodeConfigurationState,
        refusal: (Opcode) -> ConfigStatusCode?
    ) -> [UInt8]? {
        var reader = ByteReader(payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return nil }
        let parameters = reader.readRest()
        guard opcode == OpcodesAggregatorSequence.opcode else {
            let outcome = handle(opcode, parameters, through: netKeyIndex, state: &state, refusal: refusal(opcode))
            guard case .handled(let answer) = outcome else { return nil }
            return answer
        }
        guard state.hasPrimary(.opcodesAggregatorServer),
            let sequence = try? OpcodesAggregatorSequence(parameters: parameters)
        else { return nil }
        let isPrimary = sequence.elementAddress == state.address
        let status = OpcodesAggregator.status(of: sequence, elements: state.addresses) { opcode, parameters in
            guard isPrimary, Self.serves(opcode, state) else {
                // The model is there, but it does not use the DeviceKey.
                let element = Int(sequence.elementAddress.rawValue) - Int(state.address.rawValue)
                let isKnown = ApplicationModels.model(for: opcode, on: element, of: state) != nil
                return .refused(isKnown ? .wrongAccessKey : .wrongOpcode)
            }
            return handle(opcode, parameters, through: netKeyIndex, state: &state, refusal: refusal(opcode))
        }
        return status.encoded
    }

    /// Handles one request for the primary element.
    private func handle(
        _ opcode: Opcode,
        _ parameters: ArraySlice<UInt8>,
        through netKeyIndex: NetKeyIndex,
        state: inout NodeConfigurationState,
        refusal: ConfigStatusCode?
    ) -> OpcodesAggregator.Outcome {
        guard Self.serves(opcode, state), let entry = Self.handlers[opcode] else { return .refused(.wrongOpcode) }
        guard !quirks.contains(.silent(opcode)) else { return .handled(nil) }
        let request = Request(server: self, netKeyIndex: netKeyIndex, refusal: refusal)
        do throws(DecodeError) {
            return .handled(asQuirks(try entry.handler(parameters, request, &state), to: opcode))
        } catch { return .refused(.messageNotUnderstood) }
    }

    /// Whether the primary element of a node has a model that takes a message under the DeviceKey.
    static func serves(_ opcode: Opcode, _ state: NodeConfigurationState) -> Bool {
        guard let entry = handlers[opcode] else { return false }
        return entry.model.map(state.hasPrimary) ?? true
    }

    /// The context of a request that a handler needs beside the message.
    struct Request: Sendable {
        let server: ConfigurationServer
        let netKeyIndex: NetKeyIndex
        let refusal: ConfigStatusCode?

        /// Acts on the state, unless the request must be refused.
        func act(
            on state: inout NodeConfigurationState,
            _ action: (inout NodeConfigurationState) -> ConfigStatusCode
        ) -> ConfigStatusCode {
            refusal ?? action(&state)
        }

        /// Acts on a model, unless the node does not have it or the request must be refused.
        func act(
            on state: inout NodeConfigurationState,
            _ address: UnicastAddress,
            _ model: ModelIdentifier,
            _ action: (inout NodeConfigurationState, NodeConfigurationState.ModelPosition) -> ConfigStatusCode
        ) -> ConfigStatusCode {
            if let refusal { return refusal }
            do throws(NodeConfigurationState.Refusal) {
                return action(&state, try state.position(address, model))
            } catch {
                return error.status
            }
        }
    }

    typealias Handler =
        @Sendable (ArraySlice<UInt8>, Request, inout NodeConfigurationState) throws(DecodeError) ->
        [UInt8]

    /// The handler of a message, and the model that it needs. The Configuration Server is always there.
    private struct Entry: Sendable {
        let model: ModelIdentifier?
        let handler: Handler
    }

    private static let handlers: [Opcode: Entry] = {
        let configuration = keyHandlers + modelHandlers + publicationHandlers + nodeHandlers + heartbeatHandlers
        let others: [(ModelIdentifier, [(Opcode, Handler)])] = [
            (.sarConfigurationServer, sarHandlers),
            (.privateBeaconServer, privateBeaconHandlers),
            (.onDemandPrivateProxyServer, onDemandPrivateProxyHandlers),
            (.largeCompositionDataServer, largeCompositionHandlers),
            (.bridgeConfigurationServer, bridgeHandlers),
        ]
        var table: [Opcode: Entry] = [:]
        for (opcode, handler) in configuration { table[opcode] = Entry(model: nil, handler: handler) }
        for (model, handlers) in others {
            for (opcode, handler) in handlers { table[opcode] = Entry(model: model, handler: handler) }
        }
        return table
    }()

    /// The entry of a message in the table of handlers.
    static func on<Message: AcknowledgedMessage>(
        _: Message.Type,
        _ answer:
            @escaping @Sendable (Message, Request, inout NodeConfigurationState) throws(DecodeError) -> Message.Status
    ) -> (Opcode, Handler) {
        (
            Message.opcode,
            { (parameters, request, state) throws(DecodeError) in
                try answer(try Message(parameters: parameters), request, &state).encoded
            }
        )
    }
}
