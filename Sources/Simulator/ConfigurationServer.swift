package import MeshCore

/// The Configuration Server model as a function: a request and a node's state give an answer and the node's new state
/// (Mesh Protocol 4.4.1).
///
/// All messages of Mesh Protocol 1.0.1 are answered. What is malformed, prohibited or unknown is not: nodes ignore it.
package struct ConfigurationServer: Sendable {
    /// What a node can store.
    package var limits: NodeLimits
    /// Whether models that extend each other on one element share one subscription list.
    package var sharesSubscriptionLists: Bool

    /// A server with those limits.
    package init(limits: NodeLimits = NodeLimits(), sharesSubscriptionLists: Bool = false) {
        self.limits = limits
        self.sharesSubscriptionLists = sharesSubscriptionLists
    }

    /// Answers a request, which was secured with the node's DeviceKey.
    ///
    /// - Parameters:
    ///   - payload: opcode and parameters.
    ///   - netKeyIndex: the subnet that the request came through.
    ///   - state: what the node is; changed if the request demands it.
    ///   - refusal: the status to answer instead of acting, where the answer has one.
    /// - Returns: the access payload of the answer, nil if there is none.
    package func respond(
        to payload: [UInt8],
        through netKeyIndex: NetKeyIndex,
        state: inout NodeConfigurationState,
        refusal: ConfigStatusCode? = nil
    ) -> [UInt8]? {
        var reader = ByteReader(payload)
        guard let opcode = try? Opcode(decoding: &reader), let handler = Self.handlers[opcode] else { return nil }
        let request = Request(server: self, netKeyIndex: netKeyIndex, refusal: refusal)
        return try? handler(reader.readRest(), request, &state)
    }

    /// What a handler knows beside the message.
    struct Request: Sendable {
        let server: ConfigurationServer
        let netKeyIndex: NetKeyIndex
        let refusal: ConfigStatusCode?

        /// Acts on the state unless the request is to be refused.
        func act(
            on state: inout NodeConfigurationState,
            _ action: (inout NodeConfigurationState) -> ConfigStatusCode
        ) -> ConfigStatusCode {
            refusal ?? action(&state)
        }

        /// Acts on a model of the state, if there is the model, unless the request is to be refused.
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

    private static let handlers: [Opcode: Handler] = Dictionary(
        keyHandlers + modelHandlers + publicationHandlers + nodeHandlers + heartbeatHandlers,
        uniquingKeysWith: { first, _ in first }
    )

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
