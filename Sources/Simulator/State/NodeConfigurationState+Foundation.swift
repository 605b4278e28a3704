package import MeshCore

extension NodeConfigurationState {
    /// The value of a state as the node would report it; nil if the primary element lacks the model, or the node lacks
    /// the subnet.
    package func foundationState(_ kind: FoundationState.Kind) -> FoundationState? {
        guard hasPrimary(kind.model) else { return nil }
        switch kind {
        case .heartbeatPublication: return .heartbeatPublication(HeartbeatPublication(heartbeatPublication))
        case .heartbeatSubscription: return .heartbeatSubscription(HeartbeatSubscription(heartbeatSubscription))
        case .nodeIdentity(let subnet):
            return identity(netKey(subnet)?.isIdentityRunning).map { .nodeIdentity(subnet, $0) }
        case .sarTransmitter: return .sarTransmitter(foundation.sarTransmitter)
        case .sarReceiver: return .sarReceiver(foundation.sarReceiver)
        case .privateBeacon:
            return .privateBeacon(
                PrivateBeaconState(
                    isEnabled: foundation.isPrivateBeaconEnabled,
                    randomUpdateIntervalSteps: foundation.randomUpdateIntervalSteps
                )
            )
        case .privateGATTProxy: return .privateGATTProxy(privateGATTProxy)
        case .onDemandPrivateProxy: return .onDemandPrivateProxy(seconds: foundation.onDemandPrivateProxySeconds)
        case .privateNodeIdentity(let subnet):
            return identity(netKey(subnet)?.isPrivateIdentityRunning).map { .privateNodeIdentity(subnet, $0) }
        case .subnetBridge: return .subnetBridge(foundation.isSubnetBridgeEnabled)
        }
    }

    private func identity(_ isRunning: Bool?) -> NodeIdentityState? {
        guard let isRunning else { return nil }
        return proxy == .notSupported ? .notSupported : isRunning ? .running : .stopped
    }
}
