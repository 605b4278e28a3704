/// The nine octets that Heartbeat Publication Set and Status share (Mesh Protocol 4.3.2.62).
package struct HeartbeatPublicationSettings: Hashable, Sendable, FieldStructure {
    /// A unicast or group address, or unassigned to stop. Virtual addresses are accepted here, since nodes answer them
    /// with ``ConfigStatusCode/invalidAddress``.
    package var destination: Address
    /// How many heartbeats to send periodically; in a Status, how many remain.
    package var countLog: HeartbeatPublicationCountLog
    package var periodLog: HeartbeatPeriodLog
    /// The TTL, 0...127; receivers refuse other values.
    package var ttl: UInt8
    /// The features that send a heartbeat when they are switched; reserved bits are kept.
    package var features: FeatureSet
    package var netKeyIndex: NetKeyIndex

    package init(
        destination: Address,
        countLog: HeartbeatPublicationCountLog,
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

    package static let layout = Layout(
        Self.init(destination:countLog:periodLog:ttl:features:netKeyIndex:),
        .field("destination", \.destination),
        .field("count_log", \.countLog),
        .field("period_log", \.periodLog),
        .field("ttl", \.ttl, as: "default-ttl", in: 0...0x7F, error: "heartbeat TTL"),
        .field("features", \.features),
        .field("net_key_index", \.netKeyIndex)
    )

    /// Reads nine octets from a node's report. Without a destination, invalid values are read as 0.
    fileprivate init(readingReport reader: inout ByteReader) throws(DecodeError) {
        let destination = try Address(reading: &reader)
        let (count, period) = (try reader.readUInt8(), try reader.readUInt8())
        let (ttl, features) = (try reader.readUInt8(), try reader.readUInt16LittleEndian())
        let index = try reader.readUInt16LittleEndian()
        let isOff = destination == .unassigned
        func checked<Value>(
            _ value: Value?,
            orOff off: Value,
            _ field: String,
            _ raw: UInt64
        ) throws(DecodeError) -> Value {
            if let value { return value }
            if isOff { return off }
            throw .prohibited(field: field, value: raw)
        }
        self.init(
            destination: destination,
            countLog: try checked(
                HeartbeatPublicationCountLog(rawValue: count),
                orOff: .off,
                "heartbeat count",
                UInt64(count)
            ),
            periodLog: try checked(
                HeartbeatPeriodLog(rawValue: period),
                orOff: .off,
                "heartbeat period",
                UInt64(period)
            ),
            ttl: try checked(ttl <= 0x7F ? ttl : nil, orOff: 0, "heartbeat TTL", UInt64(ttl)),
            features: FeatureSet(rawValue: features),
            netKeyIndex: try checked(NetKeyIndex(rawValue: index), orOff: .primary, "key index", UInt64(index))
        )
    }
}

extension FeatureSet: AccessField {
    package static let notation = "$:heartbeat-features"

    /// Reads two octets; reserved bits are kept.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.readUInt16LittleEndian())
    }

    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(rawValue)
    }
}

/// Config Heartbeat Publication Get (Mesh Protocol 4.3.2.61).
package struct ConfigHeartbeatPublicationGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = ConfigHeartbeatPublicationStatus
    package static let opcode: Opcode = 0x8038

    package init() {}
}

/// Config Heartbeat Publication Set (Mesh Protocol 4.3.2.62).
package struct ConfigHeartbeatPublicationSet: FoundationStateRequest, FoundationMessage {
    package typealias Status = ConfigHeartbeatPublicationStatus
    package static let opcode: Opcode = 0x8039
    package static let layout = Layout(Self.init, .field("settings", \.settings))
    /// How the node should send heartbeats.
    package var settings: HeartbeatPublicationSettings

    package init(settings: HeartbeatPublicationSettings) {
        self.settings = settings
    }
}

/// Config Heartbeat Publication Status (Mesh Protocol 4.3.2.63).
package struct ConfigHeartbeatPublicationStatus: ConfigurationStatusMessage, FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x06
    package static let layout = Layout(Self.init, .field("status", \.status), reportField)
    package var status: ConfigStatusCode
    package var settings: HeartbeatPublicationSettings

    package init(status: ConfigStatusCode, settings: HeartbeatPublicationSettings) {
        self.status = status
        self.settings = settings
    }

    package var foundationState: FoundationState { .heartbeatPublication(HeartbeatPublication(settings)) }

    /// Without a destination the other fields have no meaning (Mesh Protocol 4.2.18.1), and stacks leave arbitrary
    /// values there, such as 0xFFFF for the NetKey. Invalid values are then read as 0.
    private static let reportField = Field<Self, HeartbeatPublicationSettings>(
        notation: HeartbeatPublicationSettings.notation,
        value: \.settings,
        read: { (reader) throws(DecodeError) in try HeartbeatPublicationSettings(readingReport: &reader) },
        write: { $0.write(to: &$1) }
    )
}

/// The five octets that Heartbeat Subscription Set and Status share (Mesh Protocol 4.3.2.65).
package struct HeartbeatSubscriptionSettings: Hashable, Sendable, FieldStructure {
    /// The element whose heartbeats count; nil for none.
    package var source: UnicastAddress?
    /// Their destination: unassigned, the node's own primary element or a group. Other addresses are accepted here,
    /// since nodes answer them with ``ConfigStatusCode/invalidAddress``.
    package var destination: Address
    /// How long to count; in a Status, how much time remains.
    package var periodLog: HeartbeatPeriodLog

    package init(source: UnicastAddress?, destination: Address, periodLog: HeartbeatPeriodLog) {
        self.source = source
        self.destination = destination
        self.periodLog = periodLog
    }

    package static let layout = Layout(
        Self.init,
        sourceField,
        .field("destination", \.destination),
        .field("period_log", \.periodLog)
    )

    /// A source that is neither unicast nor unassigned is prohibited.
    private static let sourceField = Field<Self, UnicastAddress?>(
        notation: Address.notation(named: "source"),
        value: \.source,
        read: { (reader) throws(DecodeError) in
            let address = try Address(reading: &reader)
            let source = UnicastAddress(rawValue: address.rawValue)
            guard source != nil || address == .unassigned else {
                throw .prohibited(field: "heartbeat source", value: UInt64(address.rawValue))
            }
            return source
        },
        write: { ($0?.address ?? .unassigned).write(to: &$1) }
    )
}

/// Config Heartbeat Subscription Get (Mesh Protocol 4.3.2.64).
package struct ConfigHeartbeatSubscriptionGet: ParameterlessMessage, FoundationStateRequest {
    package typealias Status = ConfigHeartbeatSubscriptionStatus
    package static let opcode: Opcode = 0x803A

    package init() {}
}

/// Config Heartbeat Subscription Set (Mesh Protocol 4.3.2.65).
package struct ConfigHeartbeatSubscriptionSet: FoundationStateRequest, FoundationMessage {
    package typealias Status = ConfigHeartbeatSubscriptionStatus
    package static let opcode: Opcode = 0x803B
    package static let layout = Layout(Self.init, .field("settings", \.settings))
    /// Which heartbeats the node should count.
    package var settings: HeartbeatSubscriptionSettings

    package init(settings: HeartbeatSubscriptionSettings) {
        self.settings = settings
    }
}

/// Config Heartbeat Subscription Status (Mesh Protocol 4.3.2.66).
package struct ConfigHeartbeatSubscriptionStatus: ConfigurationStatusMessage, FoundationStateStatus, FoundationMessage {
    package static let opcode: Opcode = 0x803C
    package static let layout = Layout(
        { (status, settings, countLog, minimumHops, maximumHops) throws(DecodeError) in
            for hops in [minimumHops, maximumHops] where hops > 0x7F {
                throw .prohibited(field: "heartbeat hops", value: UInt64(hops))
            }
            return Self(
                status: status,
                settings: settings,
                countLog: countLog,
                minimumHops: minimumHops,
                maximumHops: maximumHops
            )
        },
        .field("status", \.status),
        .field("settings", \.settings),
        countField,
        .field("min_hops", \.minimumHops),
        .field("max_hops", \.maximumHops)
    )
    package var status: ConfigStatusCode
    package var settings: HeartbeatSubscriptionSettings
    /// How many heartbeats it received.
    package var countLog: HeartbeatSubscriptionCountLog
    /// The fewest hops of a heartbeat, 0...127; 127 until one arrives.
    package var minimumHops: UInt8
    /// The most hops of a heartbeat, 0...127.
    package var maximumHops: UInt8

    package init(
        status: ConfigStatusCode,
        settings: HeartbeatSubscriptionSettings,
        countLog: HeartbeatSubscriptionCountLog,
        minimumHops: UInt8,
        maximumHops: UInt8
    ) {
        self.status = status
        self.settings = settings
        self.countLog = countLog
        self.minimumHops = minimumHops
        self.maximumHops = maximumHops
    }

    package var foundationState: FoundationState { .heartbeatSubscription(HeartbeatSubscription(settings)) }

    /// A count of 0x11 is read as 0xFF, because BTstack encodes the count of received heartbeats like that of sent
    /// ones.
    private static let countField = Field<Self, HeartbeatSubscriptionCountLog>(
        notation: HeartbeatSubscriptionCountLog.notation(named: "count_log"),
        value: \.countLog,
        read: { (reader) throws(DecodeError) in
            let count = try reader.readUInt8()
            guard let countLog = HeartbeatSubscriptionCountLog(rawValue: count == 0x11 ? 0xFF : count) else {
                throw .prohibited(field: "heartbeat count", value: UInt64(count))
            }
            return countLog
        },
        write: { $0.write(to: &$1) }
    )
}
