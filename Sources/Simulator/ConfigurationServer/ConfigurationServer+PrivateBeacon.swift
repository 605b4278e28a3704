import MeshCore

extension ConfigurationServer {
    /// Private beacons, private GATT proxy and private node identity.
    static let privateBeaconHandlers: [(Opcode, Handler)] = [
        on(PrivateBeaconGet.self) { _, _, state in state.privateBeaconStatus },
        on(PrivateBeaconSet.self) { message, _, state in
            state.foundation.isPrivateBeaconEnabled = message.isEnabled
            if let steps = message.randomUpdateIntervalSteps { state.foundation.randomUpdateIntervalSteps = steps }
            return state.privateBeaconStatus
        },
        on(PrivateGATTProxyGet.self) { _, _, state in PrivateGATTProxyStatus(state: state.privateGATTProxy) },
        on(PrivateGATTProxySet.self) { message, _, state in
            // While the GATT Proxy state is on, the private one stays off (4.2.45.1).
            if state.proxy == .disabled { state.foundation.isPrivateGATTProxyEnabled = message.isEnabled }
            return PrivateGATTProxyStatus(state: state.privateGATTProxy)
        },
        on(PrivateNodeIdentityGet.self) { message, request, state in
            state.privateNodeIdentityStatus(
                request.refusal ?? (state.netKey(message.netKeyIndex) == nil ? .invalidNetKeyIndex : .success),
                message.netKeyIndex
            )
        },
        on(PrivateNodeIdentitySet.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.setPrivateNodeIdentity(message.netKeyIndex, isRunning: message.isEnabled)
            }
            return state.privateNodeIdentityStatus(status, message.netKeyIndex)
        },
    ]

    /// The On-Demand Private GATT Proxy state; without the GATT Proxy feature it stays 0.
    static let onDemandPrivateProxyHandlers: [(Opcode, Handler)] = [
        on(OnDemandPrivateProxyGet.self) { _, _, state in
            OnDemandPrivateProxyStatus(seconds: state.foundation.onDemandPrivateProxySeconds)
        },
        on(OnDemandPrivateProxySet.self) { message, _, state in
            if state.proxy != .notSupported { state.foundation.onDemandPrivateProxySeconds = message.seconds }
            return OnDemandPrivateProxyStatus(seconds: state.foundation.onDemandPrivateProxySeconds)
        },
    ]
}

extension NodeConfigurationState {
    fileprivate var privateBeaconStatus: PrivateBeaconStatus {
        PrivateBeaconStatus(
            isEnabled: foundation.isPrivateBeaconEnabled,
            randomUpdateIntervalSteps: foundation.randomUpdateIntervalSteps
        )
    }

    fileprivate func privateNodeIdentityStatus(
        _ status: ConfigStatusCode,
        _ index: NetKeyIndex
    ) -> PrivateNodeIdentityStatus {
        let identity: NodeIdentityState =
            if proxy == .notSupported {
                .notSupported
            } else {
                netKey(index)?.isPrivateIdentityRunning == true ? .running : .stopped
            }
        return PrivateNodeIdentityStatus(status: status, netKeyIndex: index, identity: identity)
    }

    /// While Node Identity runs in any subnet, Private Node Identity can be neither started nor stopped (4.2.46.1).
    fileprivate mutating func setPrivateNodeIdentity(_ index: NetKeyIndex, isRunning: Bool) -> ConfigStatusCode {
        guard let position = netKeys.firstIndex(where: { $0.index == index }) else { return .invalidNetKeyIndex }
        guard proxy != .notSupported else { return .featureNotSupported }
        guard !netKeys.contains(where: \.isIdentityRunning) else { return .temporarilyUnableToChangeState }
        netKeys[position].isPrivateIdentityRunning = isRunning
        return .success
    }
}
