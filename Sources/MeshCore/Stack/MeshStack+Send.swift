extension MeshStack {
    /// Sends an access message: an unsegmented one now, a segmented one when its queue and timers allow it.
    ///
    /// - Returns: the identifier for ``StackAction/completed(_:)`` or ``StackAction/failed(_:_:)``, and what to do now.
    /// - Throws: ``StackError`` if the message cannot be sent; nothing has then happened.
    package mutating func send(
        _ message: OutgoingMessage,
        at now: Instant
    ) throws(StackError) -> (TransmissionIdentifier, [StackAction]) {
        let destination = message.destination.address
        try check(message.source, destination, message.ttl)
        let upperSize = message.payload.count + message.transportMIC.rawValue
        guard !message.payload.isEmpty, upperSize <= UpperTransport.maximumSize else {
            throw .payloadSize(message.payload.count)
        }
        let key = try key(for: message.security, netKeyIndex: message.netKeyIndex)
        let prefersOld = message.usesOldNetKey
        guard let credentials = keys.transmitCredentials(message.netKeyIndex, prefersOld: prefersOld) else {
            throw .unknownNetKey(message.netKeyIndex)
        }
        let fits = upperSize <= LowerTransportPDU.maximumAccessSize
        guard fits, message.transportMIC == .bits32, !message.forcesSegmentation else {
            return try enqueue(
                message.source,
                destination,
                message.netKeyIndex,
                usesOldNetKey: message.usesOldNetKey,
                message.ttl,
                .access(
                    payload: message.payload,
                    message.security,
                    message.transportMIC,
                    message.destination.label
                ),
                at: now
            )
        }
        let sequence = try nextSequence(message.source)
        let header = UpperTransport.Header(
            source: message.source,
            destination: destination,
            label: message.destination.label,
            sequence: sequence,
            ivIndex: ivIndex.transmitValue
        )
        let upper = UpperTransport.seal(message.payload, with: key, header, mic: .bits32)
        let pdu = NetworkPDU(
            ivIndex: ivIndex.transmitValue,
            isControl: false,
            ttl: message.ttl,
            sequence: sequence,
            source: message.source,
            destination: destination,
            transportPDU: LowerTransportPDU.access(aid: key.aid, upper).encoded
        )
        let identifier = newIdentifier()
        return (identifier, transmit(pdu, with: credentials) + [.completed(identifier)])
    }

    /// Sends a control message.
    ///
    /// - Throws: ``StackError`` if the message cannot be sent; nothing has then happened.
    package mutating func send(
        _ message: OutgoingControlMessage,
        at now: Instant
    ) throws(StackError) -> (TransmissionIdentifier, [StackAction]) {
        try check(message.source, message.destination, message.ttl)
        guard message.destination.kind != .virtual else { throw .invalidDestination(message.destination) }
        guard (0x01...0x7F).contains(message.opcode) else { throw .invalidControlOpcode(message.opcode) }
        guard message.parameters.count <= 256 else { throw .payloadSize(message.parameters.count) }
        guard let credentials = keys.transmitCredentials(message.netKeyIndex) else {
            throw .unknownNetKey(message.netKeyIndex)
        }
        guard message.parameters.count <= LowerTransportPDU.maximumControlSize else {
            return try enqueue(
                message.source,
                message.destination,
                message.netKeyIndex,
                message.ttl,
                .control(opcode: message.opcode, parameters: message.parameters),
                at: now
            )
        }
        let pdu = NetworkPDU(
            ivIndex: ivIndex.transmitValue,
            isControl: true,
            ttl: message.ttl,
            sequence: try nextSequence(message.source),
            source: message.source,
            destination: message.destination,
            transportPDU: LowerTransportPDU.control(opcode: message.opcode, message.parameters).encoded
        )
        let identifier = newIdentifier()
        return (identifier, transmit(pdu, with: credentials) + [.completed(identifier)])
    }

    private func check(_ source: UnicastAddress, _ destination: Address, _ ttl: UInt8) throws(StackError) {
        guard isElement(source.address) else { throw .notAnElement(source) }
        guard destination.kind != .unassigned, !isElement(destination) else { throw .invalidDestination(destination) }
        guard ttl <= 0x7F else { throw .invalidTTL(ttl) }
    }

    func key(for security: MessageSecurity, netKeyIndex: NetKeyIndex) throws(StackError) -> UpperTransport.Key {
        switch security {
        case .device(let node):
            guard let cipher = keys.deviceCipher(node) else { throw .unknownDeviceKey(node) }
            return .device(cipher)
        case .application(let index):
            guard let key = keys.appKey(index), let credentials = keys.transmitCredentials(index) else {
                throw .unknownAppKey(index)
            }
            guard key.boundNetKey == netKeyIndex else { throw .appKeyNotBound(index, netKeyIndex) }
            return .application(credentials)
        }
    }

    mutating func nextSequence(_ source: UnicastAddress) throws(StackError) -> UInt32 {
        ivIndexMonitor.use()
        do throws(SequenceNumberError) {
            return try sequenceNumbers.next(for: source, ivIndex: ivIndex.transmitValue)
        } catch { throw .sequenceNumbers(error) }
    }

    private mutating func enqueue(
        _ source: UnicastAddress,
        _ destination: Address,
        _ netKeyIndex: NetKeyIndex,
        usesOldNetKey: Bool = false,
        _ ttl: UInt8,
        _ body: OutgoingQueue.Body,
        at now: Instant
    ) throws(StackError) -> (TransmissionIdentifier, [StackAction]) {
        guard !outgoing.isFull else { throw .tooManyTransmissions }
        let identifier = newIdentifier()
        outgoing.enqueue(
            OutgoingQueue.Waiting(
                identifier: identifier,
                source: source,
                destination: destination,
                netKeyIndex: netKeyIndex,
                usesOldNetKey: usesOldNetKey,
                ttl: ttl,
                body: body
            )
        )
        var actions: [StackAction] = []
        drive(at: now, &actions)
        return (identifier, actions)
    }

    /// Sends a PDU whose fields are known to be valid.
    func transmit(_ pdu: NetworkPDU, with credentials: SubnetCredentials) -> [StackAction] {
        [.transmit(secured(pdu, with: credentials), destination: pdu.destination)]
    }

    /// Secures a PDU whose fields are known to be valid.
    func secured(_ pdu: NetworkPDU, with credentials: SubnetCredentials) -> [UInt8] {
        do throws(DecodeError) {
            return try pdu.encoded(with: credentials.flooding)
        } catch {
            preconditionFailure("a network PDU of our own has fields out of range: \(error)")
        }
    }

    /// Sends every segment that is due, and starts messages that may start.
    mutating func drive(at now: Instant, _ actions: inout [StackAction]) {
        isDriveDue = false
        repeat {
            var index = 0
            while index < outgoing.active.count {
                index = step(index, at: now, &actions)
            }
            if let deferred = deferredIVIndex, outgoing.active.isEmpty {
                deferredIVIndex = nil
                change(to: deferred, at: now, &actions)
            }
        } while startNext(at: now, &actions)
    }

    /// Does what is due for one message, and returns the index of the next one to look at.
    private mutating func step(_ index: Int, at now: Instant, _ actions: inout [StackAction]) -> Int {
        while true {
            switch outgoing.active[index].transmission.step(at: now) {
            case .idle: return index + 1
            case .completed:
                actions.append(.completed(outgoing.active.remove(at: index).identifier))
                return index
            case .failed:
                actions.append(.failed(outgoing.active.remove(at: index).identifier, .notAcknowledged))
                return index
            case .send(let segment):
                if let failure = send(segment, of: index, &actions) {
                    actions.append(.failed(outgoing.active.remove(at: index).identifier, failure))
                    return index
                }
            }
        }
    }

    private mutating func send(_ segment: Int, of index: Int, _ actions: inout [StackAction]) -> TransmissionFailure? {
        let message = outgoing.active[index]
        let prefersOld = message.usesOldNetKey
        guard let credentials = keys.transmitCredentials(message.netKeyIndex, prefersOld: prefersOld) else {
            return .keyRemoved
        }
        var sequence = message.sequence
        if message.firstIsUnsent {
            outgoing.active[index].firstIsUnsent = false
        } else {
            do throws(SequenceNumberError) {
                sequence = try sequenceNumbers.next(for: message.source, ivIndex: message.ivIndex)
            } catch { return .sequenceNumbers(error) }
        }
        guard sequence >= message.sequence, sequence - message.sequence <= 0x1FFF else { return .sequenceRangeExceeded }
        let pdu = NetworkPDU(
            ivIndex: message.ivIndex,
            isControl: message.isControl,
            ttl: message.ttl,
            sequence: sequence,
            source: message.source,
            destination: message.destination,
            transportPDU: message.segments[segment]
        )
        actions += transmit(pdu, with: credentials)
        return nil
    }

    /// Starts the next waiting message; none while the IV index is about to change.
    private mutating func startNext(at now: Instant, _ actions: inout [StackAction]) -> Bool {
        guard deferredIVIndex == nil, let message = outgoing.dequeue() else { return false }
        do throws(TransmissionFailure) {
            outgoing.active.append(try start(message, at: now))
        } catch { actions.append(.failed(message.identifier, error)) }
        return true
    }

    private mutating func start(
        _ message: OutgoingQueue.Waiting,
        at now: Instant
    ) throws(TransmissionFailure) -> OutgoingQueue.Active {
        ivIndexMonitor.use()
        let ivIndex = ivIndex.transmitValue
        let sequence: UInt32
        do throws(SequenceNumberError) {
            sequence = try sequenceNumbers.next(for: message.source, ivIndex: ivIndex)
        } catch { throw .sequenceNumbers(error) }
        let content: Segment.Content
        let upper: [UInt8]
        switch message.body {
        case .control(let opcode, let parameters):
            content = .control(opcode: opcode)
            upper = parameters
        case .access(let payload, let security, let mic, let label):
            let key: UpperTransport.Key
            do throws(StackError) {
                key = try self.key(for: security, netKeyIndex: message.netKeyIndex)
            } catch { throw .keyRemoved }
            let header = UpperTransport.Header(
                source: message.source,
                destination: message.destination,
                label: label,
                sequence: sequence,
                ivIndex: ivIndex
            )
            content = .access(aid: key.aid, mic: mic)
            upper = UpperTransport.seal(payload, with: key, header, mic: mic)
        }
        guard let segments = Segment.segments(of: upper, content: content, sequence: sequence) else {
            preconditionFailure("the size was checked when the message was handed over")
        }
        return OutgoingQueue.Active(
            identifier: message.identifier,
            source: message.source,
            destination: message.destination,
            netKeyIndex: message.netKeyIndex,
            usesOldNetKey: message.usesOldNetKey,
            ttl: message.ttl,
            isControl: content.isControl,
            ivIndex: ivIndex,
            sequence: sequence,
            firstIsUnsent: true,
            segments: segments.map(\.encoded),
            transmission: SegmentedTransmission(
                count: segments.count,
                isUnicast: message.destination.kind == .unicast,
                ttl: message.ttl,
                parameters: outgoing.parameters,
                at: now
            )
        )
    }
}

extension Segment.Content {
    var isControl: Bool {
        switch self {
        case .access: false
        case .control: true
        }
    }
}
