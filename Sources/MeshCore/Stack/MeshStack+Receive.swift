extension MeshStack {
    package mutating func receive(networkPDU bytes: [UInt8], at now: Instant) -> [StackAction] {
        let pdu: NetworkPDU
        let netKeyIndex: NetKeyIndex
        do throws(NetworkPDUError) {
            (pdu, netKeyIndex) = try decode(networkPDU: bytes)
        } catch { return [.dropped(.network(error))] }
        var actions: [StackAction] = []
        if take(pdu, netKeyIndex, shared: nil, at: now, &actions) { relay(pdu, netKeyIndex, &actions) }
        return actions
    }

    /// Receives a network PDU that other stacks of the same thread receive, too, and shares with them what all of them
    /// compute. The outcome is that of ``receive(networkPDU:at:)``, but what to relay is separate from the actions, so
    /// that it can be shared with the next receivers. Relay it after them.
    package mutating func receive(_ shared: SharedNetworkPDU, at now: Instant) -> SharedReception {
        if shared.isSeen(keys.networkViewIdentity, ivIndex.value), let (opened, netKeyIndex) = shared.opened {
            // The stack, or one with the same keys, has just looked at it; see ``pass(_:)``.
            var reception = SharedReception()
            if take(opened.pdu, netKeyIndex, shared: opened, at: now, &reception.actions) {
                reception.relayed = shared.onward
                reception.destination = opened.pdu.destination
            }
            return reception
        }
        let opened: OpenedNetworkPDU
        let netKeyIndex: NetKeyIndex
        do throws(NetworkPDUError) {
            (opened, netKeyIndex) = try open(shared)
        } catch { return SharedReception(actions: [.dropped(.network(error))]) }
        let pdu = opened.pdu
        var reception = SharedReception()
        guard take(pdu, netKeyIndex, shared: opened, at: now, &reception.actions),
            let credentials = keys.transmitCredentials(netKeyIndex)
        else { return reception }
        reception.relayed = opened.relayed(with: credentials) { relayed(pdu, with: credentials) }
        reception.destination = pdu.destination
        return reception
    }

    /// Opens a PDU like ``decode(networkPDU:as:)``, unless another stack has already done so.
    func open(
        _ shared: SharedNetworkPDU
    ) throws(NetworkPDUError) -> (opened: OpenedNetworkPDU, netKeyIndex: NetKeyIndex) {
        let candidates = try keys.candidates(for: shared.octets)
        guard let index = NetworkPDU.ivIndex(of: shared.octets, current: ivIndex.value) else { throw .notAuthentic }
        for candidate in candidates {
            do throws(NetworkPDUError) {
                return (try shared.opened(with: candidate.credentials.flooding, ivIndex: index), candidate.index)
            } catch {
                guard error == .notAuthentic else { throw error }
            }
        }
        throw .notAuthentic
    }

    /// Handles an opened PDU.
    ///
    /// - Parameter shared: what other receivers have found out about the PDU.
    /// - Returns: whether it is to be relayed, if that feature is on.
    private mutating func take(
        _ pdu: NetworkPDU,
        _ netKeyIndex: NetKeyIndex,
        shared: OpenedNetworkPDU?,
        at now: Instant,
        _ actions: inout [StackAction]
    ) -> Bool {
        guard !isElement(pdu.source.address) else {
            actions.append(.dropped(.ownSource))
            return false
        }
        var hint = shared?.cacheHint ?? 0
        let isNew = cache.insert(NetworkMessageCache.identity(of: pdu), hint: &hint)
        shared?.cacheHint = hint
        guard isNew else {
            actions.append(.dropped(.alreadySeen))
            return false
        }
        let isOurs = isElement(pdu.destination)
        if isOurs || pdu.destination.kind != .unicast {
            receive(pdu, netKeyIndex, shared, at: now, &actions)
        }
        return !isOurs && pdu.ttl >= 2
    }

    private func relay(_ pdu: NetworkPDU, _ netKeyIndex: NetKeyIndex, _ actions: inout [StackAction]) {
        guard let credentials = keys.transmitCredentials(netKeyIndex) else { return }
        let bytes = relayed(pdu, with: credentials)
        actions.append(.relay(bytes, source: pdu.source, destination: pdu.destination))
    }

    /// A PDU of another node with its TTL reduced by one, secured again.
    func relayed(_ pdu: NetworkPDU, with credentials: SubnetCredentials) -> [UInt8] {
        var relayed = pdu
        relayed.ttl -= 1
        return secured(relayed, with: credentials)
    }

    private mutating func receive(
        _ pdu: NetworkPDU,
        _ netKeyIndex: NetKeyIndex,
        _ shared: OpenedNetworkPDU?,
        at now: Instant,
        _ actions: inout [StackAction]
    ) {
        let transportPDU: LowerTransportPDU
        do throws(DecodeError) {
            if let shared {
                transportPDU = try shared.lowerTransportPDU()
            } else {
                transportPDU = try LowerTransportPDU(decoding: pdu.transportPDU, isControl: pdu.isControl)
            }
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
        case .accepted: receive(unsegmented: transportPDU, in: pdu, netKeyIndex, shared, at: now, &actions)
        }
    }

    private mutating func receive(
        unsegmented transportPDU: LowerTransportPDU,
        in pdu: NetworkPDU,
        _ netKeyIndex: NetKeyIndex,
        _ shared: OpenedNetworkPDU?,
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
                shared,
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
                nil,
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
        _ shared: OpenedNetworkPDU?,
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
            own: address,
            shared: shared
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

/// The outcome of a network PDU that many receive.
package struct SharedReception {
    /// What the stack asks or tells, except for relaying.
    package var actions: [StackAction] = []
    /// The PDU to send if the relay or proxy feature is on, with its TTL reduced by one; nil for none.
    package var relayed: SharedNetworkPDU?
    /// The destination of ``relayed``, for the filters of proxy links.
    package var destination = Address.unassigned
}
