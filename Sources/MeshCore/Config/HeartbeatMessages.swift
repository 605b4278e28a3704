/// The nine octets that Heartbeat Publication Set and Status share (Mesh Protocol 4.3.2.62).
package struct HeartbeatPublicationSettings: Hashable, Sendable, AccessField {
    /// A unicast or group address, or unassigned to stop. Virtual addresses are accepted here, since nodes answer them
    /// with ``ConfigStatusCode/invalidAddress``.
    package var destination: Address
    /// How many heartbeats to send periodically; in a Status, how many remain.
    package var countLog: HeartbeatPublicationCountLog
    /// How often to send them.
    package var periodLog: HeartbeatPeriodLog
    /// The TTL, 0...127; receivers refuse other values.
    package var ttl: UInt8
    /// The features that send a heartbeat when they are switched; reserved bits are kept.
    package var features: FeatureSet
    /// The NetKey that secures the heartbeats.
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

    /// Reads nine octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        destination = try Address(reading: &reader)
        countLog = try HeartbeatPublicationCountLog(reading: &reader)
        periodLog = try HeartbeatPeriodLog(reading: &reader)
        ttl = try reader.readUInt8()
        guard ttl <= 0x7F else { throw .prohibited(field: "heartbeat TTL", value: UInt64(ttl)) }
        features = FeatureSet(rawValue: try reader.readUInt16LittleEndian())
        netKeyIndex = try NetKeyIndex(reading: &reader)
    }

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

    package func write(to writer: inout ByteWriter) {
        destination.write(to: &writer)
        countLog.write(to: &writer)
        periodLog.write(to: &writer)
        writer.write(ttl)
        writer.writeLittleEndian(features.rawValue)
        netKeyIndex.write(to: &writer)
    }
}

/// Config Heartbeat Publication Get (Mesh Protocol 4.3.2.61).
package struct ConfigHeartbeatPublicationGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigHeartbeatPublicationStatus
    package static let opcode: Opcode = 0x8038

    package init() {}
}

/// Config Heartbeat Publication Set (Mesh Protocol 4.3.2.62).
package struct ConfigHeartbeatPublicationSet: ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigHeartbeatPublicationStatus
    package static let opcode: Opcode = 0x8039
    /// How the node should send heartbeats.
    package var settings: HeartbeatPublicationSettings

    package init(settings: HeartbeatPublicationSettings) {
        self.settings = settings
    }

    /// Reads nine octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        settings = try HeartbeatPublicationSettings(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        settings.write(to: &writer)
    }
}

/// Config Heartbeat Publication Status (Mesh Protocol 4.3.2.63).
package struct ConfigHeartbeatPublicationStatus: ConfigurationStatusMessage, FieldMessage {
    package static let opcode: Opcode = 0x06
    package var status: ConfigStatusCode
    /// How the node sends heartbeats.
    package var settings: HeartbeatPublicationSettings

    package init(status: ConfigStatusCode, settings: HeartbeatPublicationSettings) {
        self.status = status
        self.settings = settings
    }

    /// Reads ten octets. Without a destination the other fields have no meaning (Mesh Protocol 4.2.18.1), and stacks
    /// leave arbitrary values there, such as 0xFFFF for the NetKey. Invalid values are then read as 0.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        settings = try HeartbeatPublicationSettings(readingReport: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        settings.write(to: &writer)
    }
}

/// The five octets that Heartbeat Subscription Set and Status share (Mesh Protocol 4.3.2.65).
package struct HeartbeatSubscriptionSettings: Hashable, Sendable, AccessField {
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

    /// Reads five octets; a source that is neither unicast nor unassigned is prohibited.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let bits = try reader.readUInt16LittleEndian()
        source = UnicastAddress(rawValue: bits)
        guard source != nil || bits == Address.unassigned.rawValue else {
            throw .prohibited(field: "heartbeat source", value: UInt64(bits))
        }
        destination = try Address(reading: &reader)
        periodLog = try HeartbeatPeriodLog(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        (source?.address ?? .unassigned).write(to: &writer)
        destination.write(to: &writer)
        periodLog.write(to: &writer)
    }
}

/// Config Heartbeat Subscription Get (Mesh Protocol 4.3.2.64).
package struct ConfigHeartbeatSubscriptionGet: ParameterlessMessage, ConfigurationRequest {
    package typealias Status = ConfigHeartbeatSubscriptionStatus
    package static let opcode: Opcode = 0x803A

    package init() {}
}

/// Config Heartbeat Subscription Set (Mesh Protocol 4.3.2.65).
package struct ConfigHeartbeatSubscriptionSet: ConfigurationRequest, FieldMessage {
    package typealias Status = ConfigHeartbeatSubscriptionStatus
    package static let opcode: Opcode = 0x803B
    /// Which heartbeats the node should count.
    package var settings: HeartbeatSubscriptionSettings

    package init(settings: HeartbeatSubscriptionSettings) {
        self.settings = settings
    }

    /// Reads five octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        settings = try HeartbeatSubscriptionSettings(reading: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        settings.write(to: &writer)
    }
}

/// Config Heartbeat Subscription Status (Mesh Protocol 4.3.2.66).
package struct ConfigHeartbeatSubscriptionStatus: ConfigurationStatusMessage, FieldMessage {
    package static let opcode: Opcode = 0x803C
    package var status: ConfigStatusCode
    /// Which heartbeats the node counts.
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

    /// Reads nine octets. A count of 0x11 is read as 0xFF, because BTstack encodes the count of received heartbeats
    /// like that of sent ones.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        status = try ConfigStatusCode(reading: &reader)
        settings = try HeartbeatSubscriptionSettings(reading: &reader)
        let count = try reader.readUInt8()
        guard let countLog = HeartbeatSubscriptionCountLog(rawValue: count == 0x11 ? 0xFF : count) else {
            throw .prohibited(field: "heartbeat count", value: UInt64(count))
        }
        self.countLog = countLog
        minimumHops = try reader.readUInt8()
        maximumHops = try reader.readUInt8()
        for hops in [minimumHops, maximumHops] where hops > 0x7F {
            throw .prohibited(field: "heartbeat hops", value: UInt64(hops))
        }
    }

    package func write(to writer: inout ByteWriter) {
        status.write(to: &writer)
        settings.write(to: &writer)
        countLog.write(to: &writer)
        writer.write(minimumHops)
        writer.write(maximumHops)
    }
}
