package import MeshCore

extension Change.Kind {
    /// The kind of change for a state.
    package init(_ kind: FoundationState.Kind) {
        self =
            switch kind {
            case .heartbeatPublication: .heartbeatPublication
            case .heartbeatSubscription: .heartbeatSubscription
            case .nodeIdentity: .nodeIdentity
            case .sarTransmitter: .sarTransmitter
            case .sarReceiver: .sarReceiver
            case .privateBeacon: .privateBeacon
            case .privateGATTProxy: .privateGATTProxy
            case .onDemandPrivateProxy: .onDemandPrivateProxy
            case .privateNodeIdentity: .privateNodeIdentity
            case .subnetBridge: .subnetBridge
            }
    }
}
