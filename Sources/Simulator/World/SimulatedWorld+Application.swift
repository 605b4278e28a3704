import MeshCore

extension SimulatedWorld {
    /// A message under an AppKey has passed a node's stack. ``ApplicationModels`` act on it if they are bound to the
    /// key. If the Opcodes Aggregator Server is bound, they act on each request of a sequence in turn (Mesh Protocol
    /// 4.4.3, 4.4.13).
    func deliver(_ message: IncomingMessage, under key: AppKeyIndex, at node: Int) {
        let state = nodes[node].state
        var reader = ByteReader(message.payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return }
        let parameters = reader.readRest()
        let payload: [UInt8]
        if opcode == OpcodesAggregatorSequence.opcode {
            guard message.destination == state.address.address,
                let server = state.elements.first?.models.first(where: { $0.identifier == .opcodesAggregatorServer }),
                server.bindings.contains(key),
                let sequence = try? OpcodesAggregatorSequence(parameters: parameters)
            else { return }
            let element = Int(sequence.elementAddress.rawValue) - Int(state.address.rawValue)
            let status = OpcodesAggregator.status(of: sequence, elements: state.addresses) { opcode, parameters in
                handle(opcode, parameters, on: element, under: key, at: node)
            }
            payload = status.encoded
        } else {
            guard let server = ApplicationModels.model(for: opcode, on: 0, of: state),
                server.receives(message, at: state.address),
                case .handled(let answer?) = handle(opcode, parameters, on: 0, under: key, at: node)
            else { return }
            payload = answer
        }
        let delay = generator.duration(in: settings.processing) + generator.duration(in: settings.responseDelay)
        let answer = OutgoingMessage(
            source: state.address,
            destination: .unicast(message.source),
            payload: payload,
            security: .application(key),
            netKeyIndex: message.netKeyIndex,
            ttl: message.ttl == 0 ? 0 : state.defaultTTL
        )
        queue.add(.answer(node: node, answer, thenReset: false), at: now.advanced(by: delay))
    }

    /// Handles one request for an element.
    private func handle(
        _ opcode: Opcode,
        _ parameters: ArraySlice<UInt8>,
        on element: Int,
        under key: AppKeyIndex,
        at node: Int
    ) -> OpcodesAggregator.Outcome {
        let state = nodes[node].state
        guard let model = ApplicationModels.model(for: opcode, on: element, of: state) else {
            // The model exists, but uses only the DeviceKey.
            return .refused(element == 0 && ConfigurationServer.serves(opcode, state) ? .wrongAccessKey : .wrongOpcode)
        }
        guard model.bindings.contains(key) else { return .refused(.wrongAccessKey) }
        do throws(DecodeError) {
            return .handled(try answer(opcode, parameters, at: node))
        } catch { return .refused(.messageNotUnderstood) }
    }

    /// Acts on a request whose model handles it; returns nil for no answer.
    ///
    /// - Throws: ``DecodeError`` if the parameters are malformed.
    private func answer(
        _ opcode: Opcode,
        _ parameters: ArraySlice<UInt8>,
        at node: Int
    ) throws(DecodeError) -> [UInt8]? {
        switch opcode {
        case HealthAttentionGet.opcode:
            _ = try HealthAttentionGet(parameters: parameters)
            return HealthAttentionStatus(seconds: attention(of: node)).encoded
        case HealthAttentionSet.opcode:
            setAttention(of: node, seconds: try HealthAttentionSet(parameters: parameters).seconds)
            return HealthAttentionStatus(seconds: attention(of: node)).encoded
        case HealthAttentionSetUnacknowledged.opcode:
            setAttention(of: node, seconds: try HealthAttentionSetUnacknowledged(parameters: parameters).seconds)
            return nil
        case SolicitationPDURPLItemsClear.opcode:
            let addresses = try SolicitationPDURPLItemsClear(parameters: parameters).addresses
            guard clearSolicitations(of: addresses, at: node) else { return nil }
            return SolicitationPDURPLItemsStatus(addresses: addresses).encoded
        case SolicitationPDURPLItemsClearUnacknowledged.opcode:
            let addresses = try SolicitationPDURPLItemsClearUnacknowledged(parameters: parameters).addresses
            _ = clearSolicitations(of: addresses, at: node)
            return nil
        default: return nil
        }
    }

    /// Removes the sources of a range from the solicitation replay protection list. Returns false if that could not be
    /// recorded.
    private func clearSolicitations(of range: UnicastAddressRange, at node: Int) -> Bool {
        var changed = nodes[node].state
        let first = Int(range.first.rawValue)
        let cleared = first..<first + Int(range.count)
        changed.foundation.solicitationReplay = changed.foundation.solicitationReplay.filter {
            !cleared.contains(Int($0.key.rawValue))
        }
        guard changed == nodes[node].state || recorder(.node(changed)) else { return false }
        nodes[node].state = changed
        return true
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
            case .unknownLabel: false
            }
        }
    }
}
