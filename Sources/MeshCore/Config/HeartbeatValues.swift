/// The period of heartbeats, one octet (Mesh Protocol 4.2.18.3): 0 for off, n for 2^(n−1) seconds.
package struct HeartbeatPeriodLog: RawRepresentable, Hashable, Sendable, AccessField {
    package static let notation = "$:period-log"
    /// 0x00...0x11.
    package let rawValue: UInt8

    package static let off = HeartbeatPeriodLog()

    private init() {
        rawValue = 0
    }

    /// Nil above 0x11.
    package init?(rawValue: UInt8) {
        guard rawValue <= 0x11 else { return nil }
        self.rawValue = rawValue
    }

    /// The period with that many seconds: 0, a power of two up to 32,768, or 65,535; nil for others.
    package init?(seconds: UInt32) {
        switch seconds {
        case 0: rawValue = 0
        case 1...32_768 where seconds.nonzeroBitCount == 1: rawValue = UInt8(seconds.trailingZeroBitCount) + 1
        case 65_535: rawValue = 0x11
        default: return nil
        }
    }

    /// The period in seconds, 0 for off. The longest one counts as 65,535, the highest value of the state.
    package var seconds: UInt32 {
        switch rawValue {
        case 0: 0
        case 0x11: 65_535
        default: 1 << UInt32(rawValue - 1)
        }
    }
}

/// How many heartbeats a node still sends, one octet (Mesh Protocol 4.2.18.2): 0 for none, n for at most 2^(n−1), 0xFF
/// for endless.
package struct HeartbeatPublicationCountLog: RawRepresentable, Hashable, Sendable, AccessField {
    /// 0x00...0x11 or 0xFF.
    package let rawValue: UInt8

    package static let off = HeartbeatPublicationCountLog()

    private init() {
        rawValue = 0
    }

    package static let endless = HeartbeatPublicationCountLog(endless: 0xFF)

    private init(endless rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Nil for 0x12...0xFE.
    package init?(rawValue: UInt8) {
        guard rawValue <= 0x11 || rawValue == 0xFF else { return nil }
        self.rawValue = rawValue
    }

    /// The octet for that many heartbeats: 0, a power of two up to 32,768, or 65,534. Nil for others, which a node
    /// would round up.
    package init?(count: UInt32) {
        switch count {
        case 0: rawValue = 0
        case 1...32_768 where count.nonzeroBitCount == 1: rawValue = UInt8(count.trailingZeroBitCount) + 1
        case 65_534: rawValue = 0x11
        default: return nil
        }
    }

    /// The highest number that it stands for; nil for endless.
    package var count: UInt32? {
        switch rawValue {
        case 0: 0
        case 0x11: 65_534
        case 0xFF: nil
        default: 1 << UInt32(rawValue - 1)
        }
    }
}

/// How many heartbeats a node received, one octet (Mesh Protocol 4.2.19.4): 0 for none, n for 2^(n−1) to 2^n − 1, 0xFF
/// for 0xFFFF or more.
package struct HeartbeatSubscriptionCountLog: RawRepresentable, Hashable, Sendable, AccessField {
    /// 0x00...0x10 or 0xFF.
    package let rawValue: UInt8

    package static let off = HeartbeatSubscriptionCountLog()

    private init() {
        rawValue = 0
    }

    /// Nil for 0x11...0xFE.
    package init?(rawValue: UInt8) {
        guard rawValue <= 0x10 || rawValue == 0xFF else { return nil }
        self.rawValue = rawValue
    }
}
