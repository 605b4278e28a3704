import MeshCore
import Planning

/// The question whether a change took effect, and the meaning of its status.
struct EffectReadBack {
    private let action: ConfigurationAction
    private let target: ConfigurationTarget

    /// The question about an action on a node.
    init(_ action: ConfigurationAction, on target: ConfigurationTarget) {
        self.action = action
        self.target = target
    }

    /// The Get that tells it.
    ///
    /// - Parameter position: where to begin in a list that comes in parts.
    func inquiry(from position: UInt16) throws(StepFailure) -> ConfigurationInquiry {
        switch action {
        case .readComposition(let page): return .composition(page, for: action)
        case .addNetKey(let index):
            return ConfigurationInquiry(ConfigNetKeyGet()) { effect($0.netKeyIndexes.contains(index)) }
        case .deleteNetKey(let index):
            return ConfigurationInquiry(ConfigNetKeyGet()) { effect(!$0.netKeyIndexes.contains(index)) }
        case .addAppKey(let index, let netKey):
            return appKeys(of: netKey) { $0.contains(index) }
        case .deleteAppKey(let index, let netKey):
            return appKeys(of: netKey) { !$0.contains(index) }
        case .bind(let model, let index): return try bindings(of: model) { $0.contains(index) }
        case .unbind(let model, let index): return try bindings(of: model) { !$0.contains(index) }
        case .addSubscription(let model, let group):
            return try subscriptions(of: model) { $0.contains(group.address) }
        case .deleteSubscription(let model, let group):
            return try subscriptions(of: model) { !$0.contains(group.address) }
        case .overwriteSubscriptions(let model, let group):
            return try subscriptions(of: model) { $0 == [group.address] }
        case .deleteAllSubscriptions(let model): return try subscriptions(of: model) { $0.isEmpty }
        case .setPublication(let model, let publication):
            let get = ConfigModelPublicationGet(elementAddress: try target.element(model), model: model.model)
            return ConfigurationInquiry(get, answerSize: 14) { status in
                guard status.status == .success else { return .refused(status.status) }
                return effect(status.shows(publication))
            }
        case .setDefaultTTL(let ttl): return ConfigurationInquiry(ConfigDefaultTTLGet()) { effect($0.ttl == ttl) }
        case .setSecureNetworkBeacon(let isOn):
            return ConfigurationInquiry(ConfigBeaconGet()) { effect($0.isEnabled == isOn) }
        case .setRelay(let isOn, let retransmit):
            return ConfigurationInquiry(ConfigRelayGet()) { status in
                guard status.state != .notSupported else { return .featureNotSupported }
                guard (status.state == .enabled) == isOn, retransmit.map({ $0 == status.retransmit }) ?? true else {
                    return .doesNotHold
                }
                return .holds(.setRelay(isOn, status.retransmit))
            }
        case .setProxy(let isOn): return ConfigurationInquiry(ConfigGATTProxyGet()) { featureEffect($0.state, isOn) }
        case .setFriend(let isOn): return ConfigurationInquiry(ConfigFriendGet()) { featureEffect($0.state, isOn) }
        case .setNetworkTransmit(let transmit):
            return ConfigurationInquiry(ConfigNetworkTransmitGet()) { effect($0.transmit == transmit) }
        case .updateNetKey, .updateAppKey, .setKeyRefreshPhase:
            return try KeyRefreshInquiries(action, to: target).readBack()
        case .resetNode:
            // A node that answers under its DeviceKey was not reset.
            return ConfigurationInquiry(ConfigDefaultTTLGet()) { _ in .doesNotHold }
        case .set(let state): return state.readBackInquiry()
        case .setModelState(let set): return set.readBackInquiry()
        // Reading again is another reading: nobody knows what has happened since.
        case .holdState(let request): return request.readingInquiry().mapped { _ in .doesNotHold }
        case .setBriefly(let set): return set.briefReadBackInquiry()
        case .restoreState(let request): return request.restorationInquiry()
        case .addBridging(let entry): return BridgingInquiries(action).readBack(entry, isAdded: true, from: position)
        case .removeBridging(let entry):
            return BridgingInquiries(action).readBack(entry, isAdded: false, from: position)
        case .removeAllBridging(let subnets): return BridgingInquiries(action).readBackRemovingAll(between: subnets)
        case .read(let reading): return try ReadingInquiries(target).get(reading)
        }
    }

    private func effect(_ holds: Bool) -> ConfigurationVerdict { holds ? .holds(action) : .doesNotHold }

    private func featureEffect(_ state: FeatureState, _ isOn: Bool) -> ConfigurationVerdict {
        state == .notSupported ? .featureNotSupported : effect((state == .enabled) == isOn)
    }

    /// A node without the NetKey has none of its AppKeys.
    private func appKeys(
        of netKey: NetKeyIndex,
        _ holds: @escaping ([AppKeyIndex]) -> Bool
    ) -> ConfigurationInquiry {
        ConfigurationInquiry(ConfigAppKeyGet(netKeyIndex: netKey)) { list in
            switch list.status {
            case .success: effect(holds(list.appKeyIndexes))
            case .invalidNetKeyIndex: effect(holds([]))
            default: .refused(list.status)
            }
        }
    }

    private func bindings(
        of model: ModelAddress,
        _ holds: @escaping ([AppKeyIndex]) -> Bool
    ) throws(StepFailure) -> ConfigurationInquiry {
        let address = try target.element(model)
        if let get = ConfigSIGModelAppGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { listVerdict($0.status, $0.entries, holds) }
        }
        if let get = ConfigVendorModelAppGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { listVerdict($0.status, $0.entries, holds) }
        }
        throw .unmakeable("\(model.model) is neither a SIG nor a vendor model")
    }

    private func subscriptions(
        of model: ModelAddress,
        _ holds: @escaping ([Address]) -> Bool
    ) throws(StepFailure) -> ConfigurationInquiry {
        let address = try target.element(model)
        if let get = ConfigSIGModelSubscriptionGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { listVerdict($0.status, $0.entries, holds) }
        }
        if let get = ConfigVendorModelSubscriptionGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { listVerdict($0.status, $0.entries, holds) }
        }
        throw .unmakeable("\(model.model) is neither a SIG nor a vendor model")
    }

    private func listVerdict<Entry>(
        _ status: ConfigStatusCode,
        _ entries: [Entry],
        _ holds: ([Entry]) -> Bool
    ) -> ConfigurationVerdict {
        status == .success ? effect(holds(entries)) : .refused(status)
    }
}
