/// A status that tells the value of a ``FoundationState``.
package protocol FoundationStateStatus: ConfigurationMessage {
    /// The outcome; success if the message does not tell one.
    var outcome: ConfigStatusCode { get }
    /// The value; valid only on success.
    var foundationState: FoundationState { get }
}

extension FoundationStateStatus {
    /// A status without an outcome tells success.
    package var outcome: ConfigStatusCode { .success }
}

extension FoundationStateStatus where Self: ConfigurationStatusMessage {
    package var outcome: ConfigStatusCode { status }
}

/// A Get or Set of a ``FoundationState``.
package protocol FoundationStateRequest: ConfigurationRequest where Status: FoundationStateStatus {}

extension FoundationState.Kind {
    /// The message that asks for the value.
    package var get: any FoundationStateRequest {
        switch self {
        case .heartbeatPublication: ConfigHeartbeatPublicationGet()
        case .heartbeatSubscription: ConfigHeartbeatSubscriptionGet()
        case .nodeIdentity(let subnet): ConfigNodeIdentityGet(netKeyIndex: subnet)
        case .sarTransmitter: SARTransmitterGet()
        case .sarReceiver: SARReceiverGet()
        case .privateBeacon: PrivateBeaconGet()
        case .privateGATTProxy: PrivateGATTProxyGet()
        case .onDemandPrivateProxy: OnDemandPrivateProxyGet()
        case .privateNodeIdentity(let subnet): PrivateNodeIdentityGet(netKeyIndex: subnet)
        case .subnetBridge: SubnetBridgeGet()
        }
    }

    /// The number of octets of the status that answers, opcode included.
    package var statusLength: Int {
        switch self {
        case .heartbeatPublication, .heartbeatSubscription: 11
        case .nodeIdentity, .sarTransmitter, .privateNodeIdentity: 6
        case .sarReceiver: 5
        case .privateBeacon: 4
        case .privateGATTProxy, .onDemandPrivateProxy, .subnetBridge: 3
        }
    }
}

extension FoundationState {
    /// The message that sets the value. Nil if part of the value is unknown or it means that the node does not support
    /// the state.
    package var set: (any FoundationStateRequest)? {
        if isNotSupported { return nil }
        switch self {
        case .heartbeatPublication(let heartbeat):
            return heartbeat.settings.map { ConfigHeartbeatPublicationSet(settings: $0) }
        case .heartbeatSubscription(let heartbeat):
            return heartbeat.settings.map { ConfigHeartbeatSubscriptionSet(settings: $0) }
        case .nodeIdentity(let subnet, let identity):
            return ConfigNodeIdentitySet(netKeyIndex: subnet, isEnabled: identity == .running)
        case .sarTransmitter(let state): return SARTransmitterSet(state: state)
        case .sarReceiver(let state): return SARReceiverSet(state: state)
        case .privateBeacon(let state):
            return PrivateBeaconSet(
                isEnabled: state.isEnabled,
                randomUpdateIntervalSteps: state.randomUpdateIntervalSteps
            )
        case .privateGATTProxy(let state): return PrivateGATTProxySet(isEnabled: state == .enabled)
        case .onDemandPrivateProxy(let seconds): return OnDemandPrivateProxySet(seconds: seconds)
        case .privateNodeIdentity(let subnet, let identity):
            return PrivateNodeIdentitySet(netKeyIndex: subnet, isEnabled: identity == .running)
        case .subnetBridge(let isOn): return SubnetBridgeSet(isEnabled: isOn)
        }
    }
}
