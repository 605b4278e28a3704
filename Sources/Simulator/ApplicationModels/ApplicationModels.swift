import MeshCore

/// The models of a node that use AppKeys and are simulated: the Health Server and the Solicitation PDU RPL
/// Configuration Server, both of the primary element.
enum ApplicationModels {
    private static let models: [Opcode: ModelIdentifier] = [
        HealthAttentionGet.opcode: .healthServer,
        HealthAttentionSet.opcode: .healthServer,
        HealthAttentionSetUnacknowledged.opcode: .healthServer,
        SolicitationPDURPLItemsClear.opcode: .solicitationReplayServer,
        SolicitationPDURPLItemsClearUnacknowledged.opcode: .solicitationReplayServer,
    ]

    /// The model on an element that handles a message; nil if there is none.
    static func model(for opcode: Opcode, on element: Int, of state: NodeConfigurationState) -> Model? {
        guard element == 0, let identifier = models[opcode] else { return nil }
        return state.elements.first?.models.first { $0.identifier == identifier }
    }
}
