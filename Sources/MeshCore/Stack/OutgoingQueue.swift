/// Segmented messages to send: those in progress, one for each pair of source and destination (Mesh Protocol 3.5.3.3),
/// and those that wait.
struct OutgoingQueue {
    /// The contents of a message.
    enum Body {
        case access(payload: [UInt8], MessageSecurity, MICSize, LabelUUID?)
        case control(opcode: UInt8, parameters: [UInt8])
    }

    /// A message without a sequence number.
    struct Waiting {
        var identifier: TransmissionIdentifier
        var source: UnicastAddress
        var destination: Address
        var netKeyIndex: NetKeyIndex
        var usesOldNetKey = false
        var ttl: UInt8
        var body: Body
    }

    /// A message in progress.
    struct Active {
        var identifier: TransmissionIdentifier
        var source: UnicastAddress
        var destination: Address
        var netKeyIndex: NetKeyIndex
        var usesOldNetKey = false
        var ttl: UInt8
        var isControl: Bool
        var ivIndex: UInt32
        /// The sequence number of the first segment. It is taken, but not yet sent if ``firstIsUnsent``.
        var sequence: UInt32
        var firstIsUnsent: Bool
        /// The lower transport PDUs.
        var segments: [[UInt8]]
        var transmission: SegmentedTransmission
    }

    /// The most messages in progress.
    static let maximumActive = 128
    static let maximumWaiting = 1024

    var parameters: SARParameters
    var active: [Active] = []
    private(set) var waiting: [Waiting] = []

    var nextDeadline: Instant? {
        active.lazy.map(\.transmission.deadline).min()
    }

    var isFull: Bool { waiting.count >= OutgoingQueue.maximumWaiting }

    mutating func enqueue(_ message: Waiting) {
        waiting.append(message)
    }

    /// Removes and returns the first waiting message that may start now.
    mutating func dequeue() -> Waiting? {
        guard active.count < OutgoingQueue.maximumActive else { return nil }
        let index = waiting.firstIndex { candidate in
            !active.contains { $0.source == candidate.source && $0.destination == candidate.destination }
        }
        return index.map { waiting.remove(at: $0) }
    }

    mutating func remove(_ identifier: TransmissionIdentifier) {
        active.removeAll { $0.identifier == identifier }
        waiting.removeAll { $0.identifier == identifier }
    }
}
