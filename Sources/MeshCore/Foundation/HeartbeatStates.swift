/// The Heartbeat Publication state (Mesh Protocol 4.2.18).
package struct HeartbeatPublication: Hashable, Sendable {
    /// A unicast or group address, or unassigned for off.
    package var destination: Address
    /// How many heartbeats to send periodically; nil if unknown, because the database format does not hold it.
    package var countLog: HeartbeatPublicationCountLog?
    package var periodLog: HeartbeatPeriodLog
    /// The TTL of heartbeats, 0...127.
    package var ttl: UInt8
    package var features: FeatureSet
    package var netKeyIndex: NetKeyIndex

    package init(
        destination: Address,
        countLog: HeartbeatPublicationCountLog?,
        periodLog: HeartbeatPeriodLog,
        ttl: UInt8,
        features: FeatureSet,
        netKeyIndex: NetKeyIndex
    ) {
        self.destination = destination
        self.countLog = countLog
        self.periodLog = periodLog
        self.ttl = ttl
        self.features = features
        self.netKeyIndex = netKeyIndex
    }

    /// Takes the state from a message.
    package init(_ settings: HeartbeatPublicationSettings) {
        self.init(
            destination: settings.destination,
            countLog: settings.countLog,
            periodLog: settings.periodLog,
            ttl: settings.ttl,
            features: settings.features,
            netKeyIndex: settings.netKeyIndex
        )
    }

    /// No heartbeats. Even then a node expects a NetKey that it has.
    package static func off(netKeyIndex: NetKeyIndex) -> HeartbeatPublication {
        HeartbeatPublication(
            destination: .unassigned,
            countLog: .off,
            periodLog: .off,
            ttl: 0,
            features: [],
            netKeyIndex: netKeyIndex
        )
    }

    /// Whether the node sends no heartbeats; the other values then have no meaning.
    package var isOff: Bool { destination == .unassigned }

    /// The fields for a message; nil while the count is unknown.
    package var settings: HeartbeatPublicationSettings? {
        countLog.map {
            HeartbeatPublicationSettings(
                destination: destination,
                countLog: $0,
                periodLog: periodLog,
                ttl: ttl,
                features: features,
                netKeyIndex: netKeyIndex
            )
        }
    }

    /// Whether a node that got this may later report that: the count may have run down.
    func explains(_ report: HeartbeatPublication) -> Bool {
        var expected = self
        expected.countLog = report.countLog
        guard expected == report else { return false }
        guard let countLog, let left = report.countLog else { return true }
        return countLog == left || countLog != .endless && left.rawValue < countLog.rawValue
    }
}

/// The Heartbeat Subscription state without the heartbeats counted (Mesh Protocol 4.2.19).
package struct HeartbeatSubscription: Hashable, Sendable {
    /// The element whose heartbeats count; nil for none.
    package var source: UnicastAddress?
    /// Their destination: the node's primary element or a group; unassigned for none.
    package var destination: Address
    /// How long to count them; nil if unknown, because the database format does not hold it.
    package var periodLog: HeartbeatPeriodLog?

    package init(source: UnicastAddress?, destination: Address, periodLog: HeartbeatPeriodLog?) {
        self.source = source
        self.destination = destination
        self.periodLog = periodLog
    }

    /// Takes the state from a message.
    package init(_ settings: HeartbeatSubscriptionSettings) {
        self.init(source: settings.source, destination: settings.destination, periodLog: settings.periodLog)
    }

    /// The node counts no heartbeats.
    package static let off = HeartbeatSubscription(source: nil, destination: .unassigned, periodLog: .off)

    /// Whether the node counts no heartbeats.
    package var isOff: Bool { source == nil || destination == .unassigned }

    /// The fields for a message; nil while the period is unknown.
    package var settings: HeartbeatSubscriptionSettings? {
        periodLog.map { HeartbeatSubscriptionSettings(source: source, destination: destination, periodLog: $0) }
    }

    /// Whether a node that got this may later report that: the time may have run down, and the node may then forget the
    /// addresses.
    func explains(_ report: HeartbeatSubscription) -> Bool {
        let isSame = source == report.source && destination == report.destination
        guard let periodLog, let left = report.periodLog else { return isSame }
        return isSame ? left.rawValue <= periodLog.rawValue : report.isOff && left == .off
    }
}
