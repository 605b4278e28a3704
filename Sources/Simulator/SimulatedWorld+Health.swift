import MeshCore

extension SimulatedWorld {
    /// A message under an AppKey came through a node's stack: of all models only the Health Server of the primary
    /// element does anything, and of its states only the Attention Timer is there (Mesh Protocol 4.2.10, 4.4.3).
    func deliver(_ message: IncomingMessage, under key: AppKeyIndex, at node: Int) {
        let state = nodes[node].state
        guard let server = state.elements.first?.models.first(where: { $0.identifier == .healthServer }),
            server.bindings.contains(key), server.receives(message, at: state.address)
        else { return }
        var reader = ByteReader(message.payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return }
        let parameters = reader.readRest()
        let isAnswered: Bool
        switch opcode {
        case HealthAttentionGet.opcode:
            guard (try? HealthAttentionGet(parameters: parameters)) != nil else { return }
            isAnswered = true
        case HealthAttentionSet.opcode:
            guard let request = try? HealthAttentionSet(parameters: parameters) else { return }
            setAttention(of: node, seconds: request.seconds)
            isAnswered = true
        case HealthAttentionSetUnacknowledged.opcode:
            guard let request = try? HealthAttentionSetUnacknowledged(parameters: parameters) else { return }
            setAttention(of: node, seconds: request.seconds)
            isAnswered = false
        default: return
        }
        guard isAnswered else { return }
        let delay = generator.duration(in: settings.processing) + generator.duration(in: settings.responseDelay)
        let answer = OutgoingMessage(
            source: state.address,
            destination: .unicast(message.source),
            payload: HealthAttentionStatus(seconds: attention(of: node)).encoded,
            security: .application(key),
            netKeyIndex: message.netKeyIndex,
            ttl: message.ttl == 0 ? 0 : state.defaultTTL
        )
        queue.add(.answer(node: node, answer, thenReset: false), at: now.advanced(by: delay))
    }
}

extension Model {
    /// Whether a message is for a model of the primary element at `address`.
    fileprivate func receives(_ message: IncomingMessage, at address: UnicastAddress) -> Bool {
        if message.destination == address.address || message.destination == GroupAddress.allNodes.address {
            return true
        }
        return subscriptions.contains { subscription in
            switch subscription {
            case .group(let group): group.address == message.destination
            case .virtual(let label): label == message.label
            }
        }
    }
}
