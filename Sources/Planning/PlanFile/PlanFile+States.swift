import MeshCore

extension PlanWriter {
    mutating func write(_ state: DesiredFoundationState) {
        switch state {
        case .value(let state):
            bytes.write(UInt8(0))
            state.write(to: &bytes)
        case .heartbeatPublication(nil): bytes.write(UInt8(1))
        case .heartbeatPublication(let heartbeat?):
            bytes.write(UInt8(2))
            write(heartbeat.target)
            bytes.write(heartbeat.count.rawValue)
            bytes.write(heartbeat.period.rawValue)
            bytes.write(heartbeat.ttl)
            bytes.write(heartbeat.features.rawValue)
            write(heartbeat.netKeyIndex) { $0.bytes.write($1.rawValue) }
        case .heartbeatSubscription(let heartbeat):
            bytes.write(UInt8(3))
            write(heartbeat.source)
            write(heartbeat.destination) { $0.write($1) }
            bytes.write(heartbeat.period.rawValue)
        }
    }

    mutating func write(_ bridge: DesiredBridge) {
        bytes.write(bridge.subnets.first.rawValue)
        bytes.write(bridge.subnets.second.rawValue)
        write(bridge.first)
        write(bridge.second)
        bytes.write(bridge.directions.rawValue)
    }
}

extension PlanReader {
    /// Reads the states and the bridging table of a deferred configuration.
    ///
    /// - Throws: ``DecodeError`` if they are malformed.
    mutating func readStates(into configuration: inout DeferredConfiguration) throws(DecodeError) {
        configuration.states = try list { (reader) throws(DecodeError) in
            DeferredState(state: try reader.desiredState(), isOptional: try reader.flag("optional"))
        }
        for (left, right) in zip(configuration.states, configuration.states.dropFirst())
        where left.state.kind >= right.state.kind {
            throw .prohibited(field: "order of states", value: 0)
        }
        configuration.bridges = try optional("bridging table") { (reader) throws(DecodeError) in
            try reader.list { (reader) throws(DecodeError) in try reader.bridge() }
        }
        configuration.areBridgesOptional = try flag("optional")
    }

    private mutating func desiredState() throws(DecodeError) -> DesiredFoundationState {
        switch try bytes.readUInt8() {
        case 0:
            let state = try FoundationState(reading: &bytes)
            guard state.set != nil else { throw .prohibited(field: "value of \(state.kind.word)", value: 0) }
            return .value(state)
        case 1: return .heartbeatPublication(nil)
        case 2:
            let target = try target()
            let count = try bytes.readUInt8()
            let period = try heartbeatPeriod()
            let ttl = try bytes.readUInt8()
            let features = FeatureSet(rawValue: try bytes.readUInt16())
            let netKeyIndex: NetKeyIndex? = try optional("subnet") { (reader) throws(DecodeError) in
                try reader.keyIndex()
            }
            guard let countLog = HeartbeatPublicationCountLog(rawValue: count) else {
                throw .prohibited(field: "count of heartbeats", value: UInt64(count))
            }
            guard ttl <= 127 else { throw .prohibited(field: "TTL of heartbeats", value: UInt64(ttl)) }
            return .heartbeatPublication(
                DesiredHeartbeatPublication(
                    target: target,
                    count: countLog,
                    period: period,
                    ttl: ttl,
                    features: features,
                    netKeyIndex: netKeyIndex
                )
            )
        case 3:
            let source = try target()
            let destination = try optional("destination") { (reader) throws(DecodeError) in try reader.target() }
            return .heartbeatSubscription(
                DesiredHeartbeatSubscription(source: source, destination: destination, period: try heartbeatPeriod())
            )
        case let other: throw .prohibited(field: "state", value: UInt64(other))
        }
    }

    private mutating func heartbeatPeriod() throws(DecodeError) -> HeartbeatPeriodLog {
        let value = try bytes.readUInt8()
        guard let period = HeartbeatPeriodLog(rawValue: value) else {
            throw .prohibited(field: "period of heartbeats", value: UInt64(value))
        }
        return period
    }

    private mutating func bridge() throws(DecodeError) -> DesiredBridge {
        let subnets = NetKeyIndexPair(first: try keyIndex(), second: try keyIndex())
        let first = try target()
        let second = try target()
        let value = try bytes.readUInt8()
        guard let directions = BridgingDirections(rawValue: value) else {
            throw .prohibited(field: "direction", value: UInt64(value))
        }
        return DesiredBridge(subnets: subnets, first: first, second: second, directions: directions)
    }
}
