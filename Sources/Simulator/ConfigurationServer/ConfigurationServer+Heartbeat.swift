import MeshCore

extension ConfigurationServer {
    /// Heartbeat publication and subscription.
    static let heartbeatHandlers: [(Opcode, Handler)] = [
        on(ConfigHeartbeatPublicationGet.self) { _, request, state in
            ConfigHeartbeatPublicationStatus(
                status: request.refusal ?? .success,
                settings: state.heartbeatPublication
            )
        },
        on(ConfigHeartbeatPublicationSet.self) { message, request, state in
            let status = request.act(on: &state) { $0.setHeartbeatPublication(message.settings) }
            return ConfigHeartbeatPublicationStatus(
                status: status,
                settings: status == .success ? state.heartbeatPublication : message.settings
            )
        },
        on(ConfigHeartbeatSubscriptionGet.self) { _, request, state in
            state.heartbeatSubscriptionStatus(request.refusal ?? .success, state.heartbeatSubscription)
        },
        on(ConfigHeartbeatSubscriptionSet.self) { message, request, state in
            let status = request.act(on: &state) { $0.setHeartbeatSubscription(message.settings) }
            return state.heartbeatSubscriptionStatus(
                status,
                status == .success ? state.heartbeatSubscription : message.settings
            )
        },
    ]
}

extension NodeConfigurationState {
    fileprivate mutating func setHeartbeatPublication(_ settings: HeartbeatPublicationSettings) -> ConfigStatusCode {
        guard settings.destination.kind != .virtual else { return .invalidAddress }
        guard netKey(settings.netKeyIndex) != nil else { return .invalidNetKeyIndex }
        heartbeatPublication = settings
        heartbeatPublication.features.formIntersection([.relay, .proxy, .friend, .lowPower])
        if settings.destination == .unassigned {
            // Without a destination the node publishes nothing, so nothing is left to count (4.2.18.1).
            heartbeatPublication.countLog = .off
            heartbeatPublication.periodLog = .off
        }
        heartbeats.beginPublication(heartbeatPublication.countLog)
        return .success
    }

    fileprivate mutating func setHeartbeatSubscription(_ settings: HeartbeatSubscriptionSettings) -> ConfigStatusCode {
        switch settings.destination.kind {
        case .virtual: return .invalidAddress
        case .unicast where settings.destination != address.address: return .invalidAddress
        default: break
        }
        let isOff = settings.source == nil || settings.destination == .unassigned
        heartbeatSubscription = isOff ? .off : settings
        heartbeats.beginSubscription()
        return .success
    }

    fileprivate func heartbeatSubscriptionStatus(
        _ status: ConfigStatusCode,
        _ settings: HeartbeatSubscriptionSettings
    ) -> ConfigHeartbeatSubscriptionStatus {
        ConfigHeartbeatSubscriptionStatus(
            status: status,
            settings: settings,
            countLog: heartbeats.countLog,
            minimumHops: settings.source == nil ? 0 : heartbeats.minimumHops,
            maximumHops: heartbeats.maximumHops
        )
    }
}
