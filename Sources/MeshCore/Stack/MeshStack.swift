/// A participant of a mesh network with consecutive elements, client or node alike: network, transport and beacons
/// without any I/O (Mesh Protocol 3).
///
/// PDUs and time go in, ``StackAction`` come out. After every call, ``advance(to:)`` is due at ``nextDeadline``. A
/// stack holds prepared keys and belongs to one thread.
package struct MeshStack {
    /// The address of the primary element.
    package let address: UnicastAddress
    /// How many elements there are, at least one.
    package let elementCount: Int
    /// The keys; to be changed by whoever configures the participant.
    package var keys: KeyRing
    /// Sources and the highest sequence numbers accepted from them.
    package var replay: ReplayProtection
    /// The TTL of acknowledgments: the Default TTL state (4.2.7).
    package var defaultTTL: UInt8 = 5
    /// Whether a beacon without the key refresh flag makes it forget the old keys. Nodes do; whoever drives the refresh
    /// keeps them until every node that it has to reach has the new ones, and is in phase 2 until then.
    package var forgetsOldKeysByBeacon = true
    /// Where sequence numbers come from.
    package let sequenceNumbers: any SequenceNumberSource

    var ivIndexMonitor: IVIndexMonitor
    /// An IV index that takes effect once no segmented message is under way (3.11.5).
    var deferredIVIndex: IVIndex?
    var cache = NetworkMessageCache()
    var receiver: SegmentReceiver
    var outgoing: OutgoingQueue
    /// Whether a message that waits may be able to start, as after another was cancelled.
    var isDriveDue = false
    private var identifiers: UInt64 = 0

    /// A participant.
    ///
    /// - Parameters:
    ///   - elementCount: 1 to 255; at most as many as there are addresses from `address` on.
    ///   - ivIndex: the last known state; beacons change it.
    ///   - ivIndexCertainty: how sure that is.
    ///   - ivIndexTimes: since when it is that state, on the clock that the stack is called with.
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

    /// The IV index. Setting it replaces what is known, as on provisioning or from a database.
    package var ivIndex: IVIndex {
        get { ivIndexMonitor.current }
        set {
            ivIndexMonitor = IVIndexMonitor(newValue)
            deferredIVIndex = nil
        }
    }

    /// Whether ``ivIndex`` is more than a supposition: it was told or stated to be, or a beacon has said so.
    package var isIVIndexKnown: Bool { ivIndexMonitor.isKnown }

    /// When the IV index came to be what it is, as far as that is known: not after a supposition was corrected.
    package var ivIndexTimes: IVIndexMonitor.Times { ivIndexMonitor.times }

    /// How segmentation and reassembly are timed; messages under way keep their timing for sending.
    package var sar: SARParameters {
        get { outgoing.parameters }
        set {
            outgoing.parameters = newValue
            receiver.parameters = newValue
        }
    }

    /// Whether an address is one of our elements.
    package func isElement(_ candidate: Address) -> Bool {
        let first = Int(address.rawValue)
        return (first..<min(first + elementCount, 0x8000)).contains(Int(candidate.rawValue))
    }

    /// When ``advance(to:)`` is to be called next; nil if nothing is waited for.
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

    /// Forgets a message that is waiting or under way; no action will name it again. What is on air is on air.
    package mutating func cancel(_ identifier: TransmissionIdentifier) {
        outgoing.remove(identifier)
        // There is no telling the time here, so what waited for it starts with the next step.
        isDriveDue = deferredIVIndex != nil || !outgoing.waiting.isEmpty
    }

    mutating func newIdentifier() -> TransmissionIdentifier {
        defer { identifiers += 1 }
        return TransmissionIdentifier(rawValue: identifiers)
    }

    /// Opens a network PDU without handling it: no cache, no replay protection, no action. A proxy learns addresses for
    /// its filters with it.
    ///
    /// - Throws: ``NetworkPDUError``.
    package func decode(
        networkPDU bytes: [UInt8],
        as purpose: NetworkPDU.Purpose = .message
    ) throws(NetworkPDUError) -> (pdu: NetworkPDU, netKeyIndex: NetKeyIndex) {
        guard (NetworkPDU.minimumSize...NetworkPDU.maximumSize).contains(bytes.count),
            let nid = NetworkPDU.nid(of: bytes)
        else { throw .malformed(.length(bytes.count)) }
        let candidates = keys.candidates(nid: nid)
        guard !candidates.isEmpty else { throw .unknownNID(nid) }
        guard let index = NetworkPDU.ivIndex(of: bytes, current: ivIndex.value) else { throw .notAuthentic }
        for candidate in candidates {
            do throws(NetworkPDUError) {
                let credentials = candidate.credentials.flooding
                let pdu = try NetworkPDU(decoding: bytes, with: credentials, ivIndex: index, as: purpose)
                return (pdu, candidate.index)
            } catch {
                guard error == .notAuthentic else { throw error }
            }
        }
        throw .notAuthentic
    }
}
