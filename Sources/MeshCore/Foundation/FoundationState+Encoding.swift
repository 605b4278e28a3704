extension FoundationState {
    /// Appends the state: its code (1), then its value in the format of messages (Mesh Protocol 4.3.2), preceded by the
    /// NetKey index if each subnet has such a state. An octet before an optional part tells whether it is known.
    package func write(to writer: inout ByteWriter) {
        writer.write(kind.code)
        kind.subnet?.write(to: &writer)
        switch self {
        case .heartbeatPublication(let heartbeat):
            writer.write(UInt8(heartbeat.countLog == nil ? 0 : 1))
            var known = heartbeat
            known.countLog = heartbeat.countLog ?? .off
            known.settings?.write(to: &writer)
        case .heartbeatSubscription(let heartbeat):
            writer.write(UInt8(heartbeat.periodLog == nil ? 0 : 1))
            var known = heartbeat
            known.periodLog = heartbeat.periodLog ?? .off
            known.settings?.write(to: &writer)
        case .nodeIdentity(_, let identity), .privateNodeIdentity(_, let identity): identity.write(to: &writer)
        case .sarTransmitter(let state): state.write(to: &writer)
        case .sarReceiver(let state): state.write(to: &writer)
        case .privateBeacon(let state):
            state.isEnabled.write(to: &writer)
            writer.write(UInt8(state.randomUpdateIntervalSteps == nil ? 0 : 1))
            if let steps = state.randomUpdateIntervalSteps { writer.write(steps) }
        case .privateGATTProxy(let state): state.write(to: &writer)
        case .onDemandPrivateProxy(let seconds): writer.write(seconds)
        case .subnetBridge(let isOn): isOn.write(to: &writer)
        }
    }

    /// Reads what ``write(to:)`` appends.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        var start = reader
        self = try Self.read(&reader)
        // Reading a value drops reserved bits, so encoding it again reveals them.
        var writer = ByteWriter(capacity: 16)
        write(to: &writer)
        guard try Array(start.read(reader.offset - start.offset)) == writer.bytes else {
            throw .prohibited(field: "reserved bits of \(kind.word)", value: UInt64(kind.code))
        }
    }

    private static func read(_ reader: inout ByteReader) throws(DecodeError) -> FoundationState {
        let code = try reader.readUInt8()
        switch code {
        case 0:
            let isKnown = try Bool(reading: &reader)
            var heartbeat = HeartbeatPublication(try HeartbeatPublicationSettings(reading: &reader))
            if !isKnown { heartbeat.countLog = nil }
            return .heartbeatPublication(heartbeat)
        case 1:
            let isKnown = try Bool(reading: &reader)
            var heartbeat = HeartbeatSubscription(try HeartbeatSubscriptionSettings(reading: &reader))
            if !isKnown { heartbeat.periodLog = nil }
            return .heartbeatSubscription(heartbeat)
        case 2: return .nodeIdentity(try NetKeyIndex(reading: &reader), try NodeIdentityState(reading: &reader))
        case 3: return .sarTransmitter(try SARTransmitterState(reading: &reader))
        case 4: return .sarReceiver(try SARReceiverState(reading: &reader))
        case 5:
            let isEnabled = try Bool(reading: &reader)
            let steps = try Bool(reading: &reader) ? try reader.readUInt8() : nil
            return .privateBeacon(PrivateBeaconState(isEnabled: isEnabled, randomUpdateIntervalSteps: steps))
        case 6: return .privateGATTProxy(try FeatureState(reading: &reader))
        case 7: return .onDemandPrivateProxy(seconds: try reader.readUInt8())
        case 8:
            return .privateNodeIdentity(try NetKeyIndex(reading: &reader), try NodeIdentityState(reading: &reader))
        case 9: return .subnetBridge(try Bool(reading: &reader))
        default: throw .prohibited(field: "state", value: UInt64(code))
        }
    }
}

extension FoundationState.Kind {
    fileprivate var code: UInt8 {
        switch self {
        case .heartbeatPublication: 0
        case .heartbeatSubscription: 1
        case .nodeIdentity: 2
        case .sarTransmitter: 3
        case .sarReceiver: 4
        case .privateBeacon: 5
        case .privateGATTProxy: 6
        case .onDemandPrivateProxy: 7
        case .privateNodeIdentity: 8
        case .subnetBridge: 9
        }
    }

    /// Appends the code of the kind (1) and, if each subnet has such a state, the NetKey index (2).
    package func write(to writer: inout ByteWriter) {
        writer.write(code)
        subnet?.write(to: &writer)
    }

    /// Reads one or three octets.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        switch try reader.readUInt8() {
        case 0: self = .heartbeatPublication
        case 1: self = .heartbeatSubscription
        case 2: self = .nodeIdentity(try NetKeyIndex(reading: &reader))
        case 3: self = .sarTransmitter
        case 4: self = .sarReceiver
        case 5: self = .privateBeacon
        case 6: self = .privateGATTProxy
        case 7: self = .onDemandPrivateProxy
        case 8: self = .privateNodeIdentity(try NetKeyIndex(reading: &reader))
        case 9: self = .subnetBridge
        case let code: throw .prohibited(field: "state", value: UInt64(code))
        }
    }
}

extension BridgingTableEntry: FieldStructure {
    /// Eight octets in the format of messages: the subnets (3), then the addresses with their directions (5).
    package static let layout = Layout(Self.init, .field("", \.subnets), .field("", \.addresses))
}
