import MeshCore

extension ConfigurationServer {
    /// Composition, features, beacon, TTL, transmissions, subnet states and node reset.
    static let nodeHandlers: [(Opcode, Handler)] = [
        on(ConfigCompositionDataGet.self) { message, _, state in
            let (page, data) = state.compositionPage(message.page)
            // Page 0 leaves out elements that do not fit. Other pages are cut to what fits after opcode and page
            // number.
            return ConfigCompositionDataStatus(
                page: page,
                data: page == 0 ? state.compositionPage0 : Array(data.prefix(longestPayload - 2))
            )
        },
        on(ConfigBeaconGet.self) { _, _, state in ConfigBeaconStatus(isEnabled: state.secureNetworkBeacon) },
        on(ConfigBeaconSet.self) { message, _, state in
            state.secureNetworkBeacon = message.isEnabled
            return ConfigBeaconStatus(isEnabled: state.secureNetworkBeacon)
        },
        on(ConfigDefaultTTLGet.self) { _, _, state in ConfigDefaultTTLStatus(ttl: state.defaultTTL) },
        on(ConfigDefaultTTLSet.self) { message, _, state in
            state.defaultTTL = message.ttl
            return ConfigDefaultTTLStatus(ttl: state.defaultTTL)
        },
        on(ConfigGATTProxyGet.self) { _, _, state in ConfigGATTProxyStatus(state: state.proxy) },
        on(ConfigGATTProxySet.self) { message, _, state in
            state.proxy.change(to: message.isEnabled)
            if state.proxy == .disabled {
                for key in state.netKeys.indices { state.netKeys[key].isIdentityRunning = false }
            }
            // Switching the open proxy on ends the private one (4.2.45.1).
            if state.proxy == .enabled { state.foundation.isPrivateGATTProxyEnabled = false }
            return ConfigGATTProxyStatus(state: state.proxy)
        },
        on(ConfigFriendGet.self) { _, _, state in ConfigFriendStatus(state: state.friend) },
        on(ConfigFriendSet.self) { message, _, state in
            state.friend.change(to: message.isEnabled)
            return ConfigFriendStatus(state: state.friend)
        },
        on(ConfigRelayGet.self) { _, _, state in
            ConfigRelayStatus(state: state.relay, retransmit: state.relayRetransmit)
        },
        on(ConfigRelaySet.self) { message, _, state in
            state.relay.change(to: message.isEnabled)
            if state.relay != .notSupported { state.relayRetransmit = message.retransmit }
            return ConfigRelayStatus(state: state.relay, retransmit: state.relayRetransmit)
        },
        on(ConfigNetworkTransmitGet.self) { _, _, state in
            ConfigNetworkTransmitStatus(transmit: state.networkTransmit)
        },
        on(ConfigNetworkTransmitSet.self) { message, _, state in
            state.networkTransmit = message.transmit
            return ConfigNetworkTransmitStatus(transmit: state.networkTransmit)
        },
        on(ConfigKeyRefreshPhaseGet.self) { message, request, state in
            let key = state.netKey(message.netKeyIndex)
            return ConfigKeyRefreshPhaseStatus(
                status: request.refusal ?? (key == nil ? .invalidNetKeyIndex : .success),
                netKeyIndex: message.netKeyIndex,
                phase: key?.phase ?? .normal
            )
        },
        on(ConfigKeyRefreshPhaseSet.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.moveKeyRefresh(message.netKeyIndex, to: message.transition)
            }
            return ConfigKeyRefreshPhaseStatus(
                status: status,
                netKeyIndex: message.netKeyIndex,
                phase: state.netKey(message.netKeyIndex)?.phase ?? .normal
            )
        },
        on(ConfigNodeIdentityGet.self) { message, request, state in
            let isKnown = state.netKey(message.netKeyIndex) != nil
            return ConfigNodeIdentityStatus(
                status: request.refusal ?? (isKnown ? .success : .invalidNetKeyIndex),
                netKeyIndex: message.netKeyIndex,
                identity: state.nodeIdentity(message.netKeyIndex)
            )
        },
        on(ConfigNodeIdentitySet.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.setNodeIdentity(message.netKeyIndex, isRunning: message.isEnabled)
            }
            return ConfigNodeIdentityStatus(
                status: status,
                netKeyIndex: message.netKeyIndex,
                identity: state.nodeIdentity(message.netKeyIndex)
            )
        },
        on(ConfigNodeReset.self) { _, request, state in
            if !request.server.quirks.contains(.ignoresReset) { state.reset() }
            return ConfigNodeResetStatus()
        },
        on(ConfigLowPowerNodePollTimeoutGet.self) { message, _, _ in
            // The node is not a Friend of any Low Power node.
            ConfigLowPowerNodePollTimeoutStatus(lowPowerNodeAddress: message.lowPowerNodeAddress, pollTimeout: 0)
        },
    ]
}

extension FeatureState {
    /// Switches a feature, if the node supports it.
    fileprivate mutating func change(to isEnabled: Bool) {
        if self != .notSupported { self = isEnabled ? .enabled : .disabled }
    }
}

extension NodeConfigurationState {
    /// Page 0 as it fits one message of 380 octets. Elements that do not fit are left out, the last ones first.
    var compositionPage0: [UInt8] {
        var composition = composition
        while true {
            if let bytes = composition.page0Bytes, bytes.count <= 378 { return bytes }
            guard composition.elements.popLast() != nil else { return [] }
        }
    }

    fileprivate func nodeIdentity(_ index: NetKeyIndex) -> NodeIdentityState {
        if proxy == .notSupported { return .notSupported }
        return netKey(index)?.isIdentityRunning == true ? .running : .stopped
    }
}
