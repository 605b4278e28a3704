/// The state of a network's IV index and of the sequence numbers of one source (Mesh Protocol 3.11.5).
///
/// A source has 2^24 numbers for each IV index. Only an update of the IV index, which takes at least 96 hours, gives it
/// new ones. A client of a proxy cannot start that update, because nodes send the secure network beacons, and a proxy
/// does not forward those of its client. Nodes start it when their own numbers run low.
package struct SequenceHealth: Hashable, Sendable {
    /// A noteworthy state.
    package enum Finding: Hashable, Sendable {
        /// All numbers are used. Nothing can be sent before the IV index rises.
        case exhausted
        /// At the current rate the remaining numbers end before an IV update could, or fewer than ``urgentLimit``
        /// remain.
        case urgent
        /// More than half of the numbers are used. Nodes with common stacks then start an IV update.
        case low
        /// Numbers were used with a higher IV index than that of the database, so the database is an old copy.
        case behindReservation(UInt32)
        /// As far as we have heard, an update has lasted longer than the allowed 144 hours.
        case updateOverdue(since: Timestamp)
        /// The clock shows a time before one that is known to have passed.
        case clockBehind(Timestamp)
        /// No beacon of the network has been heard, so the IV index is only assumed.
        case ivIndexUnknown
        /// A person stated the IV index at that time, and no node of the network has confirmed it.
        case ivIndexStated(at: Timestamp)

        /// Whether it prevents messages from being sent or understood, now or soon.
        package var isGrave: Bool {
            switch self {
            case .exhausted, .urgent, .behindReservation: true
            case .low, .updateOverdue, .clockBehind, .ivIndexUnknown, .ivIndexStated: false
            }
        }
    }

    /// The number of sequence numbers for one IV index.
    package static let capacity: UInt32 = 1 << 24
    /// From this number of used ones, ``Finding/low`` applies. Nodes with Zephyr or BlueZ then start an IV update.
    package static let lowLimit: UInt32 = 1 << 23
    /// If fewer numbers remain, ``Finding/urgent`` applies. A sixteenth of all; our own choice.
    package static let urgentLimit: UInt32 = 1 << 20
    /// The longest wait for new numbers, in seconds: 96 hours before an update may begin, and up to 144 hours for the
    /// update.
    private static let renewalSeconds: Int64 = (96 + 144) * 3600
    /// The shortest period from which a rate is computed, in seconds: a day.
    private static let leastObservation: Int64 = 86_400

    package var source: UnicastAddress
    /// The known IV index of the network.
    package var ivIndex: IVIndex
    /// How many numbers are used or reserved with the IV index for sending.
    package var used: UInt32
    /// How many seconds the remaining numbers last at the rate since the IV index changed; nil if unknown.
    package var secondsLeft: Int64?
    /// The findings, the gravest first.
    package var findings: [Finding]

    /// The number of remaining sequence numbers.
    package var left: UInt32 { SequenceHealth.capacity - used }

    /// Evaluates the state of a source.
    ///
    /// - Parameters:
    ///   - isIVIndexKnown: whether the network's IV index is more than an assumption.
    ///   - reserved: the IV index with which the source last sent, and how many numbers of it are used or reserved, at
    ///     most 2^24; nil if it never sent.
    package init(
        of source: UnicastAddress,
        in network: MeshNetwork,
        isIVIndexKnown: Bool,
        reserved: (ivIndex: UInt32, limit: UInt32)?,
        at now: Timestamp
    ) {
        self.source = source
        ivIndex = network.ivIndex
        findings = []
        let sending = network.ivIndex.transmitValue
        used = reserved.map { $0.ivIndex >= sending ? min($0.limit, SequenceHealth.capacity) : 0 } ?? 0
        if let reserved, reserved.ivIndex > sending { findings.append(.behindReservation(reserved.ivIndex)) }

        let since = network.ivIndexChangedAt
        let (age, overflow) = now.rawValue.subtractingReportingOverflow(since?.rawValue ?? now.rawValue)
        // While an update is in progress, numbers are still those of the IV index before.
        if since != nil, !overflow, age >= SequenceHealth.leastObservation, !ivIndex.isUpdateInProgress, used > 0 {
            let (product, tooMuch) = age.multipliedReportingOverflow(by: Int64(left))
            secondsLeft = tooMuch ? nil : product / Int64(used)
        }
        let runsOut = secondsLeft.map { $0 < SequenceHealth.renewalSeconds } ?? false
        if left == 0 {
            findings.append(.exhausted)
        } else if left < SequenceHealth.urgentLimit || runsOut {
            findings.append(.urgent)
        } else if used >= SequenceHealth.lowLimit {
            findings.append(.low)
        }
        if let since, !overflow {
            let limit = IVIndexMonitor.longestUpdate.components.seconds
            if network.ivIndex.isUpdateInProgress, age > limit { findings.append(.updateOverdue(since: since)) }
        }
        if !network.isCredible(now) {
            findings.append(.clockBehind(network.latestKnownTime))
        } else if let since, !overflow, age < 0 {
            findings.append(.clockBehind(since))
        }
        if !isIVIndexKnown { findings.append(.ivIndexUnknown) }
        if let stated = network.ivIndexStatedAt { findings.append(.ivIndexStated(at: stated)) }
        findings.sort { $0.order < $1.order }
    }
}

extension SequenceHealth.Finding {
    fileprivate var order: Int {
        switch self {
        case .exhausted: 0
        case .behindReservation: 1
        case .urgent: 2
        case .low: 3
        case .updateOverdue: 4
        case .clockBehind: 5
        case .ivIndexUnknown: 6
        case .ivIndexStated: 7
        }
    }
}
