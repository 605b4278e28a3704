import Catalogue
import MeshCore

/// An access message under an AppKey that reached a node, over the air or from the node itself.
struct ApplicationMessage {
    let source: UnicastAddress
    let destination: Address
    let label: LabelUUID?
    let payload: [UInt8]
    let key: AppKeyIndex
    let netKeyIndex: NetKeyIndex
    let ttl: UInt8
}

extension SimulatedWorld {
    /// A message under an AppKey has passed a node's stack.
    func deliver(_ message: IncomingMessage, under key: AppKeyIndex, at node: Int) {
        let message = ApplicationMessage(
            source: message.source,
            destination: message.destination,
            label: message.label,
            payload: message.payload,
            key: key,
            netKeyIndex: message.netKeyIndex,
            ttl: message.ttl
        )
        deliver(message, at: node)
    }

    /// The models of a node act on a message if they are bound to the key and the message is for them, and answer it
    /// from their elements. If the Opcodes Aggregator Server is bound, they act on each request of a sequence in turn
    /// (Mesh Protocol 4.4.3, 4.4.13).
    func deliver(_ message: ApplicationMessage, at node: Int) {
        var reader = ByteReader(message.payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return }
        if opcode == OpcodesAggregatorSequence.opcode {
            if let answer = answer(toSequence: reader.readRest(), message, at: node) {
                queueAnswer(answer, to: message, fromElement: 0, of: node)
            }
            return
        }
        var servers = ApplicationModels.servers(of: opcode)
        if servers.isEmpty { servers = vendorModels.servers(of: opcode) }
        guard !servers.isEmpty else { return }
        // What an element does with the message changes no other element's models.
        let state = nodes[node].state
        for element in state.elements.indices {
            guard
                let model = state.elements[element].models.first(where: {
                    servers.contains($0.identifier) && $0.bindings.contains(message.key)
                        && $0.receives(message, on: element, of: state)
                })
            else { continue }
            let outcome = handle(opcode, message, by: model.identifier, on: element, at: node)
            if case .handled(let answer?) = outcome {
                queueAnswer(answer, to: message, fromElement: element, of: node)
            }
        }
    }

    private func answer(
        toSequence parameters: ArraySlice<UInt8>,
        _ message: ApplicationMessage,
        at node: Int
    ) -> [UInt8]? {
        let state = nodes[node].state
        guard message.destination == state.address.address,
            let server = state.elements.first?.models.first(where: { $0.identifier == .opcodesAggregatorServer }),
            server.bindings.contains(message.key),
            let sequence = try? OpcodesAggregatorSequence(parameters: parameters)
        else { return nil }
        let element = Int(sequence.elementAddress.rawValue) - Int(state.address.rawValue)
        let status = OpcodesAggregator.status(of: sequence, elements: state.addresses) { opcode, parameters in
            guard let model = ApplicationModels.model(for: opcode, on: element, of: state) else {
                // The model exists, but uses only the DeviceKey.
                let isKnown = element == 0 && ConfigurationServer.serves(opcode, state)
                return .refused(isKnown ? .wrongAccessKey : .wrongOpcode)
            }
            guard model.bindings.contains(message.key) else { return .refused(.wrongAccessKey) }
            let item = ApplicationMessage(
                source: message.source,
                destination: sequence.elementAddress.address,
                label: nil,
                payload: opcode.encoded + parameters,
                key: message.key,
                netKeyIndex: message.netKeyIndex,
                ttl: message.ttl
            )
            return handle(opcode, item, by: model.identifier, on: element, at: node)
        }
        return status.encoded
    }

    /// The node sends an answer after the time that it takes. Answers to a group are spread over more time, because
    /// there may be many.
    private func queueAnswer(
        _ payload: [UInt8],
        to message: ApplicationMessage,
        fromElement element: Int,
        of node: Int
    ) {
        let state = nodes[node].state
        guard let source = state.elementAddress(element) else { return }
        let isForMany = message.destination.kind != .unicast
        let spread = isForMany ? .milliseconds(20)...(.milliseconds(500)) : settings.responseDelay
        let delay = generator.duration(in: settings.processing) + generator.duration(in: spread)
        let answer = OutgoingMessage(
            source: source,
            destination: .unicast(message.source),
            payload: payload,
            security: .application(message.key),
            netKeyIndex: message.netKeyIndex,
            ttl: message.ttl == 0 ? 0 : state.defaultTTL
        )
        queueAnswer(answer, of: node, thenReset: false, after: delay)
    }

    private func handle(
        _ opcode: Opcode,
        _ message: ApplicationMessage,
        by model: ModelIdentifier,
        on element: Int,
        at node: Int
    ) -> OpcodesAggregator.Outcome {
        guard !nodes[node].faults.quirks.contains(.silent(opcode)) else { return .handled(nil) }
        let parameters = message.payload.dropFirst(opcode.size)
        if Self.typedOpcodes.contains(opcode) {
            // The world keeps attention timers and replay lists itself; they belong to the primary element.
            guard element == 0 else { return .refused(.wrongOpcode) }
            do throws(DecodeError) {
                return .handled(try answer(opcode, parameters, at: node))
            } catch { return .refused(.messageNotUnderstood) }
        }
        guard let decoded = try? vendorModels.catalogue.decode(message.payload[...]) else {
            return .refused(.messageNotUnderstood)
        }
        if let vendor = vendorModels[model] {
            let answer = work(at: node) { $0.handle(decoded, of: vendor, on: element) }.flatMap(\.self)
            return .handled(answer.flatMap { payload(of: $0.message, $0.values) })
        }
        let request = ModelRequest(
            element: element,
            server: model,
            opcode: opcode,
            values: decoded.values,
            source: message.source,
            destination: message.destination
        )
        let answer = decoded.description.answer
        let outcome = work(at: node) { machine -> Result<FieldValues?, Ignored> in
            do throws(Ignored) {
                return .success(try machine.handle(request, answer: answer))
            } catch { return .failure(error) }
        }
        switch outcome {
        case .success(let values?): return .handled(answer.flatMap { payload(of: $0, values) })
        case .success(nil), nil: return .handled(nil)
        case .failure: return .refused(.messageNotUnderstood)
        }
    }

    /// An access payload; nil if the values do not go with the message, which is reported.
    func payload(of opcode: Opcode, _ values: FieldValues) -> [UInt8]? {
        MessageCatalogue.sig.message(opcode).flatMap { payload(of: $0, values) }
    }

    /// The same for a message that is described.
    func payload(of message: MessageDescription, _ values: FieldValues) -> [UInt8]? {
        do throws(MessageEncodeError) {
            return message.opcode.encoded + (try message.encode(values))
        } catch {
            report("\(message.name) cannot be written: \(error)")
            return nil
        }
    }

    /// Lets the application models of a node do something. What changes is recorded, published and told.
    ///
    /// - Returns: nil if the change could not be recorded and so was not made.
    func work<Result>(at node: Int, _ body: (inout ModelMachine) -> Result) -> Result? {
        let before = nodes[node].models
        let state = nodes[node].state
        var machine = ModelMachine(before, of: state, now: now)
        let earlier = machine
        let result = body(&machine)
        guard machine.models != earlier.models else { return result }
        if machine.models.stored != earlier.models.stored,
            !recorder(.models(state.uuid, machine.models.stored))
        {
            return nil
        }
        nodes[node].models = machine.models
        if !machine.isQuiet { publishChanges(from: earlier, to: machine, of: node) }
        tell(machine, of: node)
        scheduleModelWake(node)
        return result
    }

    /// A timer of a node's models may be due.
    func wakeModels(_ node: Int) {
        guard nodes[node].modelWakeAt.map({ $0 <= now }) ?? false else { return }
        nodes[node].modelWakeAt = nil
        guard nodes[node].isAlive, nodes[node].models != nil else { return }
        _ = work(at: node) { $0.advance() }
        scheduleModelWake(node)
    }

    private func scheduleModelWake(_ node: Int) {
        guard let models = nodes[node].models else { return }
        let machine = ModelMachine(models, of: nodes[node].state, now: now)
        guard let deadline = machine.nextDeadline else { return }
        if let planned = nodes[node].modelWakeAt, planned <= deadline { return }
        nodes[node].modelWakeAt = max(deadline, now)
        queue.add(.wakeModels(node: node), at: max(deadline, now))
    }

    /// A node has lost its power or has it again.
    func powerChanges(of node: Int) {
        let hasPower = !nodes[node].faults.isOff
        guard nodes[node].state.isProvisioned, nodes[node].models != nil || hasPower else { return }
        _ = work(at: node) { machine in
            if hasPower { machine.powerUp() } else { machine.losePower() }
        }
    }

    /// Messages that models handle whose states the world keeps.
    private static let typedOpcodes: Set<Opcode> = [
        HealthAttentionGet.opcode, HealthAttentionSet.opcode, HealthAttentionSetUnacknowledged.opcode,
        SolicitationPDURPLItemsClear.opcode, SolicitationPDURPLItemsClearUnacknowledged.opcode,
    ]

    /// Acts on such a message; returns nil for no answer.
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

extension NodeConfigurationState {
    /// The address of an element; nil if it would be no unicast address.
    func elementAddress(_ element: Int) -> UnicastAddress? {
        UInt16(exactly: Int(address.rawValue) + element).flatMap(UnicastAddress.init(rawValue:))
    }
}

extension Model {
    /// Whether a message is for a model of an element: sent to the element's address, to a group or label that the
    /// model subscribes to or, on the primary element, to all nodes.
    fileprivate func receives(
        _ message: ApplicationMessage,
        on element: Int,
        of state: NodeConfigurationState
    ) -> Bool {
        if message.destination.kind == .unicast { return state.elementAddress(element)?.address == message.destination }
        if message.destination == GroupAddress.allNodes.address { return element == 0 }
        return subscriptions.contains { subscription in
            switch subscription {
            case .group(let group): group.address == message.destination
            case .virtual(let label): label == message.label
            case .unknownLabel: false
            }
        }
    }
}
