import MeshCore

/// How far a node has come with sending and counting heartbeats (Mesh Protocol 4.2.18, 4.2.19). It is not recorded:
/// after a restart of the simulator the node sends as many heartbeats as its Heartbeat Publication Count Log says, and
/// counts for as long as its Heartbeat Subscription Period Log says.
package struct HeartbeatProgress: Hashable, Sendable {
    /// How often the Heartbeat Publication state was set. Setting equal values begins anew, too.
    package internal(set) var publicationsSet: UInt32 = 0
    /// How often the Heartbeat Subscription state was set.
    package internal(set) var subscriptionsSet: UInt32 = 0
    /// How many periodic heartbeats the node still sends; nil for endless.
    package internal(set) var left: UInt32? = 0
    /// How many heartbeats the node has counted; 0xFFFF for that many or more.
    package internal(set) var counted: UInt16 = 0
    /// The fewest hops of a counted heartbeat; 0x7F until one arrives.
    package internal(set) var minimumHops: UInt8 = 0x7F
    /// The most hops of a counted heartbeat.
    package internal(set) var maximumHops: UInt8 = 0

    /// The Heartbeat Publication state was set.
    mutating func beginPublication(_ count: HeartbeatPublicationCountLog) {
        publicationsSet &+= 1
        left = count.count
    }

    /// The Heartbeat Subscription state was set.
    mutating func beginSubscription() {
        subscriptionsSet &+= 1
        counted = 0
        minimumHops = 0x7F
        maximumHops = 0
    }

    /// A heartbeat has arrived that the node counts.
    mutating func count(hops: Int) {
        let hops = UInt8(max(1, min(hops, 0x7F)))
        if counted < .max { counted += 1 }
        minimumHops = min(minimumHops, hops)
        maximumHops = max(maximumHops, hops)
    }

    /// ``counted`` as a Status tells it.
    var countLog: HeartbeatSubscriptionCountLog {
        let log = counted == .max ? 0xFF : UInt8(UInt16.bitWidth - counted.leadingZeroBitCount)
        return HeartbeatSubscriptionCountLog(rawValue: log) ?? .off
    }
}

extension HeartbeatPublicationCountLog {
    /// The smallest value that stands for at least so many heartbeats; nil for endless.
    init(left: UInt32?) {
        guard let left else {
            self = .endless
            return
        }
        let log = left == 0 ? 0 : UInt32.bitWidth - (left - 1).leadingZeroBitCount + 1
        self = HeartbeatPublicationCountLog(rawValue: UInt8(min(log, 0x11))) ?? .off
    }
}

extension HeartbeatPeriodLog {
    /// The greatest value that stands for no more than the time left, in begun seconds.
    init(left: Duration) {
        let seconds = UInt32(clamping: (max(left, .zero).microseconds + 999_999) / 1_000_000)
        let log = seconds >= 65_535 ? 0x11 : UInt32.bitWidth - seconds.leadingZeroBitCount
        self = HeartbeatPeriodLog(rawValue: UInt8(log)) ?? .off
    }
}

extension NodeConfigurationState {
    /// The features that the node uses, as its heartbeats tell them.
    var featuresInUse: FeatureSet {
        var features: FeatureSet = []
        if relay == .enabled { features.insert(.relay) }
        if isGATTProxyOn { features.insert(.proxy) }
        if friend == .enabled { features.insert(.friend) }
        return features
    }

    /// How often the node sends a heartbeat; nil if it sends none by period, or no more.
    var heartbeatPeriod: Duration? {
        guard heartbeatPublication.destination != .unassigned, heartbeats.left != 0,
            heartbeatPublication.periodLog != .off
        else { return nil }
        return .seconds(Int64(heartbeatPublication.periodLog.seconds))
    }
}
