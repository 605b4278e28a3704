/// How the IV index of a network and the sequence numbers of one source stand (Mesh Protocol 3.11.5).
///
/// A source has 2^24 numbers under an IV index, and only an update of the IV index, which takes 96 hours at least,
/// gives it new ones. A configurator over a proxy cannot start that update: secure network beacons are sent by nodes,
/// and a proxy passes none on from its client. Nodes start it when their own numbers run low.
package struct SequenceHealth: Hashable, Sendable {
    /// What is worth knowing, the gravest first.
    package enum Finding: Hashable, Sendable {
        /// All numbers are used; nothing can be sent before the IV index rises.
        case exhausted
        /// Fewer numbers are left than an IV update takes time at the usual rate, or than ``urgentLimit``.
        case urgent
        /// More than half of the numbers are used, which is when nodes of the usual stacks start an IV update.
        case low
        /// Numbers were used under a higher IV index than the database knows: it is an old copy.
        case behindReservation(UInt32)
        /// An update has been in progress for longer than the 144 hours that it may take, as far as we have heard.
        case updateOverdue(since: Timestamp)
        /// The state is said to have begun in the future: the clock was put back.
        case clockBehind(Timestamp)
        /// No beacon of the network was heard yet, so that its IV index is only supposed.
        case ivIndexUnknown
        /// A person stated the IV index, then, and nobody of the network has confirmed it yet.
        case ivIndexStated(at: Timestamp)

        /// Whether it keeps messages from being sent or understood, now or soon.
        package var isGrave: Bool {
            switch self {
            case .exhausted, .urgent, .behindReservation: true
            case .low, .updateOverdue, .clockBehind, .ivIndexUnknown, .ivIndexStated: false
            }
        }
    }

    /// How many numbers there are under one IV index.
    package static let capacity: UInt32 = 1 << 24
    /// From how many used numbers on ``Finding/low`` holds: nodes that run Zephyr or BlueZ start an IV update there.
    package static let lowLimit: UInt32 = 1 << 23
    /// With fewer numbers left ``Finding/urgent`` holds: a sixteenth of them, a choice of our own.
    package static let urgentLimit: UInt32 = 1 << 20
    /// How long the wait for new numbers may be: 96 hours before an update may begin, and the up to 144 that it takes.
    private static let renewalSeconds: Int64 = (96 + 144) * 3600
    /// A rate is told of no shorter time than a day.
    private static let leastObservation: Int64 = 86_400

    /// Whose numbers.
    package var source: UnicastAddress
    /// The IV index of the network, as it is known.
    package var ivIndex: IVIndex
    /// The numbers that are used or reserved under the IV index that messages are sent with.
    package var used: UInt32
    /// How many seconds those that are left last at the rate since the IV index changed; nil where that is not known.
    package var secondsLeft: Int64?
    /// What is worth knowing, the gravest first.
    package var findings: [Finding]

    /// The numbers that are left.
    package var left: UInt32 { SequenceHealth.capacity - used }

    /// How they stand.
    ///
    /// - Parameters:
    ///   - isIVIndexKnown: whether the network's IV index is more than a supposition.
    ///   - reserved: under which IV index the source last sent, and how many numbers of it are used or reserved, at
    ///     most
    ///     2^24; nil if it never sent.
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
        // While an update is in progress, the numbers are still those of the IV index before.
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
            if age < 0 { findings.append(.clockBehind(since)) }
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
