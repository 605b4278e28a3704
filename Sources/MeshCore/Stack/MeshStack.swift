/// A participant of a mesh network with consecutive elements, client or node: network, transport and beacons without
/// any I/O (Mesh Protocol 3).
///
/// PDUs and time go in, ``StackAction``s come out. After every call, ``advance(to:)`` is due at ``nextDeadline``. A
/// stack holds prepared keys and belongs to one thread.
package struct MeshStack {
    /// The address of the primary element.
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
    /// The source of sequence numbers.
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

    /// Whether an address belongs to one of our elements.
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
