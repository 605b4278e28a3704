/// A participant of a mesh network with consecutive elements, client or node: network, transport and beacons without
/// any I/O (Mesh Protocol 3).
///
/// PDUs and time go in, ``StackAction``s come out. After every call, ``advance(to:)`` is due at ``nextDeadline``. A
/// stack holds prepared keys and belongs to one thread.
package struct MeshStack {
    package let address: UnicastAddress
    /// The number of elements, at least one.
    package let elementCount: Int
    /// The keys. Whoever configures the participant changes them.
    package var keys: KeyRing
    /// The highest accepted sequence number of each source.
    package var replay: ReplayProtection
    /// The TTL of acknowledgments: the Default TTL state (4.2.7).
    package var defaultTTL: UInt8 = 5
    /// Whether a beacon without the key refresh flag makes the participant forget the old keys. Nodes do that. A client
    /// that drives the refresh keeps them, and stays in phase 2, until every node that it has to reach has the new
    /// ones.
    package var forgetsOldKeysByBeacon = true
    package let sequenceNumbers: any SequenceNumberSource

    var ivIndexMonitor: IVIndexMonitor
    /// An IV index that takes effect when no segmented message is in progress (3.11.5).
    var deferredIVIndex: IVIndex?
    var cache = NetworkMessageCache()
    var receiver: SegmentReceiver
    var outgoing: OutgoingQueue
    /// Whether a waiting message may be able to start, for example after another one was cancelled.
    var isDriveDue = false
    private var identifiers: UInt64 = 0

    /// A participant.
    ///
    /// - Parameters:
    ///   - elementCount: 1 to 255; at most the number of addresses from `address` on.
    ///   - ivIndex: the last known state; beacons change it.
    ///   - ivIndexCertainty: how certain that state is.
    ///   - ivIndexTimes: when that state began, on the clock of the calls to this stack.
    package init(
        address: UnicastAddress,
        elementCount: Int,
        ivIndex: IVIndex,
        ivIndexCertainty: IVIndexMonitor.Certainty = .known,
        ivIndexTimes: IVIndexMonitor.Times = IVIndexMonitor.Times(),
        keys: KeyRing,
        sequenceNumbers: any SequenceNumberSource,
        sar: SARParameters = .standard,
        replay: ReplayProtection = ReplayProtection()
    ) {
        self.address = address
        self.elementCount = max(1, elementCount)
        self.keys = keys
        self.replay = replay
        self.sequenceNumbers = sequenceNumbers
        ivIndexMonitor = IVIndexMonitor(ivIndex, certainty: ivIndexCertainty, times: ivIndexTimes)
        receiver = SegmentReceiver(parameters: sar)
        outgoing = OutgoingQueue(parameters: sar)
    }

    /// The IV index. Setting it replaces the known state, as after provisioning or from a database.
    package var ivIndex: IVIndex {
        get { ivIndexMonitor.current }
        set {
            ivIndexMonitor = IVIndexMonitor(newValue)
            deferredIVIndex = nil
        }
    }

    /// Whether ``ivIndex`` is more than an assumption: it was received or stated, or a beacon has confirmed it.
    package var isIVIndexKnown: Bool { ivIndexMonitor.isKnown }

    /// When the state of the IV index began, if that is known. It is not known after the correction of an assumption.
    package var ivIndexTimes: IVIndexMonitor.Times { ivIndexMonitor.times }

    /// The timing of segmentation and reassembly. Messages in progress keep their timing for sending.
    package var sar: SARParameters {
        get { outgoing.parameters }
        set {
            outgoing.parameters = newValue
            receiver.parameters = newValue
        }
    }

    package func isElement(_ candidate: Address) -> Bool {
        let first = Int(address.rawValue)
        return (first..<min(first + elementCount, 0x8000)).contains(Int(candidate.rawValue))
    }

    /// When ``advance(to:)`` must be called next; nil if nothing is due.
    package var nextDeadline: Instant? {
        if isDriveDue { return .zero }
        return switch (outgoing.nextDeadline, receiver.nextDeadline) {
        case (let first?, let second?): min(first, second)
        case (let first, let second): first ?? second
        }
    }

    /// Does what is due at `now`.
    package mutating func advance(to now: Instant) -> [StackAction] {
        var actions: [StackAction] = []
        perform(receiver.advance(to: now), at: now, &actions)
        drive(at: now, &actions)
        return actions
    }

    /// Forgets a message that waits or is in progress. No action names it any longer. PDUs already sent stay sent.
    package mutating func cancel(_ identifier: TransmissionIdentifier) {
        outgoing.remove(identifier)
        // The time is not known here, so a message that waited for this one starts with the next step.
        isDriveDue = deferredIVIndex != nil || !outgoing.waiting.isEmpty
    }

    mutating func newIdentifier() -> TransmissionIdentifier {
        defer { identifiers += 1 }
        return TransmissionIdentifier(rawValue: identifiers)
    }

    /// Opens a network PDU without handling it: no cache, no replay protection, no action. A proxy uses it to learn
    /// addresses for its filters.
    ///
    /// - Throws: ``NetworkPDUError`` if the PDU is malformed or no known key opens it.
    package func decode(
        networkPDU bytes: [UInt8],
        as purpose: NetworkPDU.Purpose = .message
    ) throws(NetworkPDUError) -> (pdu: NetworkPDU, netKeyIndex: NetKeyIndex) {
        // None would do if it were before 0.
        let index = NetworkPDU.ivIndex(of: bytes, current: ivIndex.value)
        return try keys.open(bytes, as: purpose, under: index.map { [$0] } ?? [])
    }
}

extension MeshStack {
    /// The current secure network beacon of a subnet, 22 octets; nil for an unknown NetKey. In phase 1 of a key refresh
    /// it is made with the old key, in phase 2 with the new one and the key refresh flag (3.11.4).
    package func secureNetworkBeacon(_ index: NetKeyIndex) -> [UInt8]? {
        guard let key = keys.netKey(index), let credentials = keys.transmitCredentials(index) else { return nil }
        let isKeyRefreshing = key.phase == .usingNewKeys
        return SecureNetworkBeacon(isKeyRefreshing: isKeyRefreshing, ivIndex: ivIndex, credentials: credentials).encoded
    }

    /// Receives a secure network beacon or a mesh private beacon, with its type octet and without the header of the
    /// bearer.
    package mutating func receive(beacon bytes: [UInt8], at now: Instant) -> [StackAction] {
        let opened: AuthenticBeacon?
        do throws(DecodeError) {
            opened = try AuthenticBeacon(bytes, under: keys)
        } catch { return [.dropped(.malformedBeacon(error))] }
        guard let beacon = opened else { return [.dropped(.foreignBeacon)] }
        // Nodes that a key refresh left out have the old key, too, and must not control the IV index (3.11.4.2).
        if beacon.isUnderOldKey, keys.netKey(beacon.netKeyIndex)?.phase == .usingNewKeys {
            return [.dropped(.revokedBeacon)]
        }

        var actions: [StackAction] = []
        refresh(beacon, &actions)
        switch ivIndexVerdict(on: beacon, at: now) {
        case .unchanged: actions += confirmIVIndex()
        case .ignored: actions.append(.dropped(.ivIndexIgnored))
        case .changed(let changed):
            // Segmented messages in progress need sequence numbers of their IV index until they end.
            if changed.transmitValue != ivIndex.transmitValue, !outgoing.active.isEmpty {
                deferredIVIndex = changed
            } else {
                change(to: changed, at: now, &actions)
                drive(at: now, &actions)
            }
        }
        return actions
    }

    /// Records that a node of the network uses the IV index known here. Call it for every answer secured with that
    /// index.
    package mutating func confirmIVIndex() -> [StackAction] {
        ivIndexMonitor.confirm() ? [.ivIndexChanged(ivIndex)] : []
    }

    /// The effect on the IV index of a beacon that is not secured with a revoked key.
    package func ivIndexVerdict(on beacon: AuthenticBeacon, at now: Instant) -> IVIndexMonitor.Verdict {
        let isPrimaryMember = keys.netKey(.primary) != nil
        let mayRaise = beacon.netKeyIndex == .primary || !isPrimaryMember
        return ivIndexMonitor.verdict(beacon.ivIndex, mayRaise: mayRaise, at: now)
    }

    /// Advances a key refresh (3.11.4.2). Only beacons secured with the new key count.
    private mutating func refresh(_ beacon: AuthenticBeacon, _ actions: inout [StackAction]) {
        let index = beacon.netKeyIndex
        guard let key = keys.netKey(index), key.phase != .normal, !beacon.isUnderOldKey else { return }
        let staysOpen = beacon.isKeyRefreshing || !forgetsOldKeysByBeacon
        let phase: KeyRefreshPhase = staysOpen ? .usingNewKeys : .normal
        guard phase != key.phase else { return }
        keys.setPhase(phase, of: index)
        actions.append(.keyRefreshPhaseChanged(index, phase))
    }

    mutating func change(to changed: IVIndex, at now: Instant, _ actions: inout [StackAction]) {
        ivIndexMonitor.change(to: changed, at: now)
        actions.append(.ivIndexChanged(changed))
    }
}

/// A proxy configuration message that has arrived.
package struct IncomingProxyConfiguration: Hashable, Sendable {
    /// The element of the proxy or of its client that sent it.
    package var source: UnicastAddress
    package var message: ProxyConfigurationMessage
    /// The subnet whose key secured it.
    package var netKeyIndex: NetKeyIndex
}

extension MeshStack {
    /// Makes the network PDU of a proxy configuration message from the primary element. Send it as
    /// ``ProxyPDU/MessageType/configuration`` (Mesh Protocol 6.6).
    ///
    /// - Parameter usesOldNetKey: whether to secure it with the old key in every phase of a key refresh.
    /// - Throws: ``StackError/unknownNetKey(_:)``, ``StackError/payloadSize(_:)`` for more addresses than fit, or
    ///   ``StackError/sequenceNumbers(_:)``.
    package mutating func encode(
        _ message: ProxyConfigurationMessage,
        netKeyIndex: NetKeyIndex = .primary,
        usesOldNetKey: Bool = false
    ) throws(StackError) -> [UInt8] {
        guard let credentials = keys.transmitCredentials(netKeyIndex, prefersOld: usesOldNetKey) else {
            throw .unknownNetKey(netKeyIndex)
        }
        let transportPDU = message.encoded
        guard transportPDU.count <= NetworkPDU.maximumTransportSize(isControl: true) else {
            throw .payloadSize(transportPDU.count)
        }
        let pdu = NetworkPDU(
            ivIndex: ivIndex.transmitValue,
            isControl: true,
            ttl: 0,
            sequence: try nextSequence(address),
            source: address,
            destination: .unassigned,
            transportPDU: transportPDU
        )
        do throws(DecodeError) {
            return try pdu.encoded(with: credentials.flooding, as: .proxyConfiguration)
        } catch {
            preconditionFailure("a proxy configuration PDU of our own has fields out of range: \(error)")
        }
    }

    /// Whether the network PDU of a proxy configuration message is authentic with the IV index after the known one. Its
    /// sender then has finished an IV update of which we have not heard.
    package func isUnderNextIVIndex(proxyConfiguration bytes: [UInt8]) -> Bool {
        guard ivIndex.value < .max, (NetworkPDU.minimumSize...NetworkPDU.maximumSize).contains(bytes.count),
            let nid = NetworkPDU.nid(of: bytes)
        else { return false }
        return keys.candidates(nid: nid)
            .contains { candidate in
                let credentials = candidate.credentials.flooding
                let index = ivIndex.value + 1
                return
                    (try? NetworkPDU(decoding: bytes, with: credentials, ivIndex: index, as: .proxyConfiguration))
                    != nil
            }
    }

    /// Receives the network PDU of a proxy configuration message.
    ///
    /// - Throws: ``ProxyConfigurationRefusal`` with the reason why the message must not be used.
    package mutating func receive(
        proxyConfiguration bytes: [UInt8]
    ) throws(ProxyConfigurationRefusal) -> IncomingProxyConfiguration {
        let pdu: NetworkPDU
        let netKeyIndex: NetKeyIndex
        do throws(NetworkPDUError) {
            (pdu, netKeyIndex) = try decode(networkPDU: bytes, as: .proxyConfiguration)
        } catch { throw ProxyConfigurationRefusal(.network(error)) }
        guard !isElement(pdu.source.address) else { throw ProxyConfigurationRefusal(.ownSource) }
        switch replay.verdict(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence) {
        case .replayed: throw ProxyConfigurationRefusal(.replayed)
        case .full: throw ProxyConfigurationRefusal(.replayListFull)
        case .accepted: replay.record(pdu.source, ivIndex: pdu.ivIndex, sequence: pdu.sequence)
        }
        do throws(DecodeError) {
            let message = try ProxyConfigurationMessage(decoding: pdu.transportPDU)
            return IncomingProxyConfiguration(source: pdu.source, message: message, netKeyIndex: netKeyIndex)
        } catch { throw ProxyConfigurationRefusal(.malformedControl(error)) }
    }
}

/// Why a proxy configuration message must not be used.
package struct ProxyConfigurationRefusal: Error, Hashable, Sendable {
    package var reason: DropReason

    init(_ reason: DropReason) {
        self.reason = reason
    }
}
