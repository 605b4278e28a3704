extension MeshStack {
    /// Receives a network PDU from any bearer.
    package mutating func receive(networkPDU bytes: [UInt8], at now: Instant) -> [StackAction] {
        let pdu: NetworkPDU
        let netKeyIndex: NetKeyIndex
        do throws(NetworkPDUError) {
            (pdu, netKeyIndex) = try decode(networkPDU: bytes)
        } catch { return [.dropped(.network(error))] }
        guard !isElement(pdu.source.address) else { return [.dropped(.ownSource)] }
        guard cache.insert(pdu) else { return [.dropped(.alreadySeen)] }

        var actions: [StackAction] = []
        let isOurs = isElement(pdu.destination)
        if isOurs || pdu.destination.kind != .unicast {
            receive(pdu, netKeyIndex, at: now, &actions)
        }
        if !isOurs, pdu.ttl >= 2 { relay(pdu, netKeyIndex, &actions) }
        return actions
    }

    private func relay(_ pdu: NetworkPDU, _ netKeyIndex: NetKeyIndex, _ actions: inout [StackAction]) {
        guard let credentials = keys.transmitCredentials(netKeyIndex) else { return }
        var relayed = pdu
        relayed.ttl -= 1
        for case .transmit(let bytes, _) in transmit(relayed, with: credentials) {
            actions.append(.relay(bytes, source: pdu.source, destination: pdu.destination))
        }
    }

    private mutating func receive(
        _ pdu: NetworkPDU,
        _ netKeyIndex: NetKeyIndex,
        at now: Instant,
        _ actions: inout [StackAction]
    ) {
        let transportPDU: LowerTransportPDU
        do throws(DecodeError) {
            transportPDU = try LowerTransportPDU(decoding: pdu.transportPDU, isControl: pdu.isControl)
        } catch {
            actions.append(.dropped(.malformedTransport(error)))
            return
        }
        if case .segment(let segment) = transportPDU {
            let outputs = receiver.receive(segment, in: pdu, netKeyIndex: netKeyIndex, replay: &replay, at: now)
            perform(outputs, at: now, &actions)
            return
        }
        switch replay.verdict(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence) {
        case .replayed: actions.append(.dropped(.replayed))
        case .full: actions.append(.dropped(.replayListFull))
        case .accepted: receive(unsegmented: transportPDU, in: pdu, netKeyIndex, at: now, &actions)
        }
    }

    private mutating func receive(
        unsegmented transportPDU: LowerTransportPDU,
        in pdu: NetworkPDU,
        _ netKeyIndex: NetKeyIndex,
        at now: Instant,
        _ actions: inout [StackAction]
    ) {
        switch transportPDU {
        case .segment: break
        case .acknowledgment(let acknowledgment):
            record(pdu)
            acknowledge(acknowledgment, in: pdu, netKeyIndex, at: now, &actions)
        case .control(let opcode, let parameters):
            record(pdu)
            deliver(
                IncomingControlMessage(
                    source: pdu.source,
                    destination: pdu.destination,
                    opcode: opcode,
                    parameters: parameters,
                    netKeyIndex: netKeyIndex,
                    ttl: pdu.ttl
                ),
                &actions
            )
        case .access(let aid, let upper):
            let message = open(
                upper,
                aid: aid,
                mic: .bits32,
                identity: SegmentedMessageIdentity(
                    source: pdu.source,
                    destination: pdu.destination,
                    ivIndex: pdu.ivIndex,
                    sequence: pdu.sequence
                ),
                netKeyIndex,
                ttl: pdu.ttl,
                isSegmented: false,
                &actions
            )
            guard let message else {
                actions.append(.dropped(.undecryptable))
                return
            }
            record(pdu)
            actions.append(.deliver(message))
        }
    }

    private mutating func record(_ pdu: NetworkPDU) {
        replay.record(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence)
    }

    /// Turns the outputs of the segment receiver into actions.
    mutating func perform(_ outputs: [SegmentReceiver.Output], at now: Instant, _ actions: inout [StackAction]) {
        for output in outputs {
            switch output {
            case .dropped(let reason): actions.append(.dropped(reason))
            case .acknowledge(let acknowledgment, let identity, let netKeyIndex, let ttl):
                send(acknowledgment, identity, netKeyIndex, receivedTTL: ttl, &actions)
            case .completed(let message): complete(message, &actions)
            }
        }
    }

    private mutating func complete(_ message: ReassembledMessage, _ actions: inout [StackAction]) {
        switch message.content {
        case .control(let opcode):
            deliver(
                IncomingControlMessage(
                    source: message.identity.source,
                    destination: message.identity.destination,
                    opcode: opcode,
                    parameters: message.upper,
                    netKeyIndex: message.netKeyIndex,
                    ttl: message.ttl
                ),
                &actions
            )
        case .access(let aid, let mic):
            let opened = open(
                message.upper,
                aid: aid,
                mic: mic,
                identity: message.identity,
                message.netKeyIndex,
                ttl: message.ttl,
                isSegmented: true,
                &actions
            )
            actions.append(opened.map { .deliver($0) } ?? .dropped(.undecryptable))
        }
    }

    private mutating func open(
        _ upper: [UInt8],
        aid: UInt8?,
        mic: MICSize,
        identity: SegmentedMessageIdentity,
        _ netKeyIndex: NetKeyIndex,
        ttl: UInt8,
        isSegmented: Bool,
        _ actions: inout [StackAction]
    ) -> IncomingMessage? {
        let header = UpperTransport.Header(
            source: identity.source,
            destination: identity.destination,
            sequence: identity.sequence,
            ivIndex: identity.ivIndex
        )
        let opened = UpperTransport.open(
            upper,
            aid: aid,
            header,
            mic: mic,
            netKeyIndex: netKeyIndex,
            keys: keys,
            own: address
        )
        guard let opened else { return nil }
        if opened.isCandidate, case .device(let node) = opened.security {
            keys.activateDeviceKeyCandidate(of: node)
            actions.append(.deviceKeyActivated(node))
        }
        return IncomingMessage(
            source: identity.source,
            destination: identity.destination,
            label: opened.label,
            payload: opened.payload,
            security: opened.security,
            netKeyIndex: netKeyIndex,
            ttl: ttl,
            ivIndex: identity.ivIndex,
            sequence: identity.sequence,
            isSegmented: isSegmented
        )
    }

    private func deliver(_ message: IncomingControlMessage, _ actions: inout [StackAction]) {
        guard message.opcode == Heartbeat.opcode else {
            actions.append(.control(message))
            return
        }
        do throws(DecodeError) {
            actions.append(.heartbeat(try Heartbeat(decoding: message.parameters), message))
        } catch { actions.append(.dropped(.malformedControl(error))) }
    }

    /// Sends an acknowledgment. It has TTL 0 if the segment had it, because the sender is then a neighbour that does
    /// not want relaying; otherwise it has the default TTL (3.5.2.3.1).
    private func send(
        _ acknowledgment: SegmentAcknowledgment,
        _ identity: SegmentedMessageIdentity,
        _ netKeyIndex: NetKeyIndex,
        receivedTTL: UInt8,
        _ actions: inout [StackAction]
    ) {
        guard let own = UnicastAddress(rawValue: identity.destination.rawValue),
            let credentials = keys.transmitCredentials(netKeyIndex)
        else { return }
        let ivIndex = ivIndex.transmitValue
        // Without a sequence number the sender has to rely on its retransmissions. Our own messages report that numbers
        // have run out.
        guard let sequence = try? sequenceNumbers.next(for: own, ivIndex: ivIndex) else { return }
        let pdu = NetworkPDU(
            ivIndex: ivIndex,
            isControl: true,
            ttl: receivedTTL == 0 ? 0 : min(defaultTTL, 0x7F),
            sequence: sequence,
            source: own,
            destination: identity.source.address,
            transportPDU: acknowledgment.encoded
        )
        actions += transmit(pdu, with: credentials)
    }

    /// Receives an acknowledgment of segments that we send. It must come in the subnet in which they are sent. SeqZero
    /// is all that identifies them, and members of other subnets must not be able to cancel them.
    private mutating func acknowledge(
        _ acknowledgment: SegmentAcknowledgment,
        in pdu: NetworkPDU,
        _ netKeyIndex: NetKeyIndex,
        at now: Instant,
        _ actions: inout [StackAction]
    ) {
        let index = outgoing.active.firstIndex {
            $0.source.address == pdu.destination
                && UInt16(truncatingIfNeeded: $0.sequence & 0x1FFF) == acknowledgment.seqZero
                && $0.destination.kind == .unicast && $0.netKeyIndex == netKeyIndex
                && (acknowledgment.isOnBehalfOf || $0.destination == pdu.source.address)
        }
        guard let index else {
            actions.append(.dropped(.unexpectedAcknowledgment))
            return
        }
        switch outgoing.active[index].transmission.acknowledge(acknowledgment.blockAck, at: now) {
        case .invalid: actions.append(.dropped(.unexpectedAcknowledgment))
        case .pending: break
        case .completed: actions.append(.completed(outgoing.active.remove(at: index).identifier))
        case .cancelled:
            actions.append(.failed(outgoing.active.remove(at: index).identifier, .cancelledByReceiver))
        }
        drive(at: now, &actions)
    }
}
