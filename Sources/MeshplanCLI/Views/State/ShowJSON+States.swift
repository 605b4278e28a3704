import MeshCore
import Store
import SystemLayer

extension ShowJSON {
    /// The known states of a node, each under its own name; those of subnets in a list.
    static func states(of node: Node) -> JSONValue {
        var members: [JSONMember] = []
        for state in node.states {
            let value = state.json
            if state.kind.subnet == nil {
                members.append(JSONMember(state.kind.word, value))
            } else if let index = members.firstIndex(where: { $0.name == state.kind.word }),
                case .array(let values) = members[index].value
            {
                members[index].value = .array(values + [value])
            } else {
                members.append(JSONMember(state.kind.word, .array([value])))
            }
        }
        return .object(members)
    }

    static func entry(_ entry: BridgingTableEntry) -> JSONValue {
        .object([
            "first_subnet": .integer(Int(entry.subnets.first.rawValue)),
            "first_address": entry.addresses.first.description.json,
            "second_subnet": .integer(Int(entry.subnets.second.rawValue)),
            "second_address": entry.addresses.second.description.json,
            "both_ways": .bool(entry.addresses.directions == .bothWays),
        ])
    }

    /// The pages by number, as hexadecimal digits.
    static func pages(_ pages: [UInt8: [UInt8]]) -> JSONValue {
        .object(
            pages.sorted { $0.key < $1.key }.map { page, octets in
                JSONMember(String(page), Hexadecimal.encode(octets).json)
            }
        )
    }
}

extension FoundationState {
    fileprivate var json: JSONValue {
        switch self {
        case .heartbeatPublication(let heartbeat): heartbeat.json
        case .heartbeatSubscription(let heartbeat): heartbeat.json
        case .nodeIdentity(let subnet, let identity), .privateNodeIdentity(let subnet, let identity):
            .object([
                "subnet": .integer(Int(subnet.rawValue)), "supported": .bool(identity != .notSupported),
                "enabled": .bool(identity == .running),
            ])
        case .sarTransmitter(let state): state.json
        case .sarReceiver(let state): state.json
        case .privateBeacon(let state):
            .object([
                "enabled": .bool(state.isEnabled),
                "random_update_seconds": state.randomUpdateIntervalSteps.map { .integer(Int($0) * 10) },
            ])
        case .privateGATTProxy(let state):
            .object(["supported": .bool(state != .notSupported), "enabled": .bool(state == .enabled)])
        case .onDemandPrivateProxy(let seconds): .object(["seconds": .integer(Int(seconds))])
        case .subnetBridge(let isOn): .object(["enabled": .bool(isOn)])
        }
    }
}

extension HeartbeatPublication {
    fileprivate var json: JSONValue {
        if isOff { return .object(["enabled": false]) }
        let names = [(FeatureSet.relay, "relay"), (.proxy, "proxy"), (.friend, "friend"), (.lowPower, "low_power")]
        return .object([
            "enabled": true, "to": destination.description.json,
            "period_seconds": .integer(Int(periodLog.seconds)),
            // Without a count, heartbeats continue indefinitely.
            "count": countLog.flatMap(\.count).map { .integer(Int($0)) },
            "endless": countLog.map { .bool($0 == .endless) },
            "ttl": .integer(Int(ttl)),
            "features": .array(names.filter { features.contains($0.0) }.map { $0.1.json }),
            "subnet": .integer(Int(netKeyIndex.rawValue)),
        ])
    }
}

extension HeartbeatSubscription {
    fileprivate var json: JSONValue {
        guard let source, !isOff else { return .object(["enabled": false]) }
        return .object([
            "enabled": true, "from": source.description.json, "to": destination.description.json,
            "period_seconds": periodLog.map { .integer(Int($0.seconds)) },
        ])
    }
}

extension SARTransmitterState {
    fileprivate var json: JSONValue {
        func time(_ step: UInt8, _ unit: Int) -> JSONValue { .integer((Int(step) + 1) * unit) }
        return .object([
            "segment_interval_milliseconds": time(segmentIntervalStep, 10),
            "unicast_retransmissions": .integer(Int(unicastRetransmissionsCount)),
            "unicast_retransmissions_without_progress": .integer(Int(unicastRetransmissionsWithoutProgressCount)),
            "unicast_retransmission_interval_milliseconds": time(unicastRetransmissionsIntervalStep, 25),
            "unicast_retransmission_increment_milliseconds": time(unicastRetransmissionsIntervalIncrement, 25),
            "multicast_retransmissions": .integer(Int(multicastRetransmissionsCount)),
            "multicast_retransmission_interval_milliseconds": time(multicastRetransmissionsIntervalStep, 25),
        ])
    }
}

extension SARReceiverState {
    fileprivate var json: JSONValue {
        .object([
            "segments_threshold": .integer(Int(segmentsThreshold)),
            "acknowledgment_delay_tenths_of_segment_interval": .integer(Int(acknowledgmentDelayIncrement) * 10 + 15),
            "discard_timeout_seconds": .integer((Int(discardTimeout) + 1) * 5),
            "segment_interval_milliseconds": .integer((Int(receiverSegmentIntervalStep) + 1) * 10),
            "acknowledgment_retransmissions": .integer(Int(acknowledgmentRetransmissionsCount)),
        ])
    }
}
