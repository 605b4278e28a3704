import Catalogue
import MeshCore

/// Which models of a node take which messages under an AppKey.
enum ApplicationModels {
    /// The servers of the requests that the simulated models handle.
    private static let servers: [Opcode: [ModelIdentifier]] = {
        var table: [Opcode: [ModelIdentifier]] = [:]
        for message in MessageCatalogue.sig.messages {
            let isHandled: Bool
            switch message.direction {
            case .status: isHandled = false
            case .request(let answer):
                isHandled =
                    answer.map { ModelMachine.statuses[$0] != nil } ?? false
                    || ModelMachine.actions[message.opcode] != nil
            }
            if isHandled { table[message.opcode] = message.servers }
        }
        for opcode in [
            HealthAttentionGet.opcode, HealthAttentionSet.opcode, HealthAttentionSetUnacknowledged.opcode,
        ] {
            table[opcode] = [.healthServer]
        }
        // These statuses also go to servers: what sensors report to controllers, and the time to who follows it.
        for (name, server) in [
            ("sensor-status", ModelIdentifier.lightControlServer), ("time-status", .timeServer),
        ] {
            guard let message = MessageCatalogue.sig.message(named: name) else { continue }
            table[message.opcode] = [server]
        }
        for opcode in [SolicitationPDURPLItemsClear.opcode, SolicitationPDURPLItemsClearUnacknowledged.opcode] {
            table[opcode] = [.solicitationReplayServer]
        }
        return table
    }()

    /// The models that take a message; empty if none is simulated.
    static func servers(of opcode: Opcode) -> [ModelIdentifier] { servers[opcode] ?? [] }

    /// The model on an element that takes a message; nil if there is none.
    static func model(for opcode: Opcode, on element: Int, of state: NodeConfigurationState) -> Model? {
        guard let servers = servers[opcode], state.elements.indices.contains(element) else { return nil }
        let models = state.elements[element].models
        return models.first { servers.contains($0.identifier) }
    }
}
