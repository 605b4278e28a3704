extension FoundationState {
    /// The value in words for people: `off`, `to 0xC000, period 64s, count infinite, ttl 5, subnet 0`.
    ///
    /// - Parameters:
    ///   - address: the text of an address.
    ///   - subnet: the text of a subnet.
    package func text(
        address: (Address) -> String = { $0.description },
        subnet: (NetKeyIndex) -> String = { $0.description }
    ) -> String {
        switch self {
        case .heartbeatPublication(let heartbeat): heartbeat.text(address, subnet)
        case .heartbeatSubscription(let heartbeat): heartbeat.text(address)
        case .nodeIdentity(_, let identity), .privateNodeIdentity(_, let identity):
            switch identity {
            case .stopped: "off"
            case .running: "on"
            case .notSupported: "not supported"
            }
        case .sarTransmitter(let state): state.text
        case .sarReceiver(let state): state.text
        case .privateBeacon(let state): state.text
        case .privateGATTProxy(let state):
            switch state {
            case .disabled: "off"
            case .enabled: "on"
            case .notSupported: "not supported"
            }
        case .onDemandPrivateProxy(let seconds): seconds == 0 ? "off" : duration(Int(seconds) * 1000)
        case .subnetBridge(let isOn): isOn ? "on" : "off"
        }
    }
}

private func duration(_ milliseconds: Int) -> String { DurationText.text(milliseconds: milliseconds) }

extension HeartbeatPublication {
    fileprivate func text(_ address: (Address) -> String, _ subnet: (NetKeyIndex) -> String) -> String {
        if isOff { return "off" }
        var parts = ["to \(address(destination))"]
        if periodLog == .off || countLog == .off {
            parts.append("not periodically")
        } else {
            parts.append("period \(duration(Int(periodLog.seconds) * 1000))")
            parts.append("count " + (countLog.map { $0.count.map { "\($0)" } ?? "infinite" } ?? "unknown"))
        }
        let names = [(FeatureSet.relay, "relay"), (.proxy, "proxy"), (.friend, "friend"), (.lowPower, "low_power")]
        let triggers = names.filter { features.contains($0.0) }.map(\.1)
        if !triggers.isEmpty { parts.append("features \(triggers.joined(separator: " "))") }
        parts.append("ttl \(ttl)")
        parts.append("subnet \(subnet(netKeyIndex))")
        return parts.joined(separator: ", ")
    }
}

extension HeartbeatSubscription {
    fileprivate func text(_ address: (Address) -> String) -> String {
        guard let source, !isOff else { return "off" }
        let period = periodLog.map { duration(Int($0.seconds) * 1000) } ?? "unknown"
        return "from \(address(source.address)) to \(address(destination)), period \(period)"
    }
}

extension PrivateBeaconState {
    fileprivate var text: String {
        guard let steps = randomUpdateIntervalSteps else { return isEnabled ? "on" : "off" }
        let update = steps == 0 ? "with every beacon" : duration(Int(steps) * 10_000)
        return "\(isEnabled ? "on" : "off"), random update \(update)"
    }
}

extension SARTransmitterState {
    fileprivate var text: String {
        func times(_ step: UInt8, _ unit: Int) -> String { duration((Int(step) + 1) * unit) }
        return """
            segment interval \(times(segmentIntervalStep, 10)), unicast retransmissions \
            \(unicastRetransmissionsCount) (\(unicastRetransmissionsWithoutProgressCount) without progress) after \
            \(times(unicastRetransmissionsIntervalStep, 25)) + \
            \(times(unicastRetransmissionsIntervalIncrement, 25)) per hop, multicast retransmissions \
            \(multicastRetransmissionsCount) after \(times(multicastRetransmissionsIntervalStep, 25))
            """
    }
}

extension SARReceiverState {
    fileprivate var text: String {
        """
        segments threshold \(segmentsThreshold), acknowledgment delay \(acknowledgmentDelayIncrement + 1).5 segments, \
        discard timeout \(duration((Int(discardTimeout) + 1) * 5000)), segment interval \
        \(duration((Int(receiverSegmentIntervalStep) + 1) * 10)), acknowledgment retransmissions \
        \(acknowledgmentRetransmissionsCount)
        """
    }
}

extension BridgingTableEntry {
    /// The entry in words for people: `0x0010 in 0 <-> 0x0020 in 1`.
    ///
    /// - Parameters:
    ///   - address: the text of an address.
    ///   - subnet: the text of a subnet.
    package func text(
        address: (Address) -> String = { $0.description },
        subnet: (NetKeyIndex) -> String = { $0.description }
    ) -> String {
        let arrow = addresses.directions == .bothWays ? "<->" : "->"
        let (first, second) = (address(addresses.first.address), address(addresses.second))
        return "\(first) in \(subnet(subnets.first)) \(arrow) \(second) in \(subnet(subnets.second))"
    }
}
