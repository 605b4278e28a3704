import MeshCore
import Planning

/// The request of an action, and the meaning of its status.
struct ChangeRequest {
    private let action: ConfigurationAction
    private let target: ConfigurationTarget

    init(_ action: ConfigurationAction, to target: ConfigurationTarget) {
        self.action = action
        self.target = target
    }

    /// The request as it is sent.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if a key is missing or an element lies outside the address space.
    func inquiry() throws(StepFailure) -> ConfigurationInquiry {
        switch action {
        case .readComposition(let page): return .composition(page, for: action)
        case .addNetKey(let index):
            return status(ConfigNetKeyAdd(netKeyIndex: index, key: try target.key(index)))
        case .deleteNetKey(let index): return status(ConfigNetKeyDelete(netKeyIndex: index))
        case .addAppKey(let index, let netKey):
            return status(ConfigAppKeyAdd(netKeyIndex: netKey, appKeyIndex: index, key: try target.key(index)))
        case .deleteAppKey(let index, let netKey):
            return status(ConfigAppKeyDelete(netKeyIndex: netKey, appKeyIndex: index))
        case .bind(let model, let index):
            return status(
                ConfigModelAppBind(elementAddress: try target.element(model), appKeyIndex: index, model: model.model)
            )
        case .unbind(let model, let index):
            return status(
                ConfigModelAppUnbind(elementAddress: try target.element(model), appKeyIndex: index, model: model.model)
            )
        case .addSubscription, .deleteSubscription, .overwriteSubscriptions, .deleteAllSubscriptions:
            return try subscriptionRequest()
        case .setPublication(let model, let publication): return try publicationRequest(model, publication)
        case .setDefaultTTL(let ttl): return value(ConfigDefaultTTLSet(ttl: ttl))
        case .setSecureNetworkBeacon(let isOn): return value(ConfigBeaconSet(isEnabled: isOn))
        case .setRelay(let isOn, let retransmit):
            guard let retransmit else { throw .unmakeable("the node's relay retransmit is not known") }
            return ConfigurationInquiry(ConfigRelaySet(isEnabled: isOn, retransmit: retransmit), verdict: setVerdict)
        case .setProxy(let isOn): return ConfigurationInquiry(ConfigGATTProxySet(isEnabled: isOn), verdict: setVerdict)
        case .setFriend(let isOn): return ConfigurationInquiry(ConfigFriendSet(isEnabled: isOn), verdict: setVerdict)
        case .setNetworkTransmit(let transmit): return value(ConfigNetworkTransmitSet(transmit: transmit))
        case .resetNode: return ConfigurationInquiry(ConfigNodeReset()) { _ in .holds(action) }
        case .set(let state): return try state.setInquiry()
        case .setModelState(let set): return set.setInquiry()
        case .holdState(let request): return request.readingInquiry()
        case .setBriefly(let set): return set.briefInquiry()
        case .restoreState(let request): return try request.restoringInquiry()
        case .addBridging(let entry): return BridgingInquiries(action).request(entry, isAdded: true)
        case .removeBridging(let entry): return BridgingInquiries(action).request(entry, isAdded: false)
        case .removeAllBridging(let subnets): return BridgingInquiries(action).requestRemovingAll(between: subnets)
        case .read(let reading): return try ReadingInquiries(target).get(reading)
        case .updateNetKey, .updateAppKey, .setKeyRefreshPhase:
            return try KeyRefreshInquiries(action, to: target).request()
        }
    }

    /// A request for a change that is answered with a status code.
    private func status<Request: ConfigurationRequest>(_ request: Request) -> ConfigurationInquiry
    where Request.Status: ConfigurationStatusMessage {
        ConfigurationInquiry(request) { $0.status == .success ? .holds(action) : .refused($0.status) }
    }

    private func subscriptionRequest() throws(StepFailure) -> ConfigurationInquiry {
        switch action {
        case .addSubscription(let model, .group(let group)):
            return status(
                ConfigModelSubscriptionAdd(
                    elementAddress: try target.element(model),
                    address: group.address,
                    model: model.model
                )
            )
        case .addSubscription(let model, .virtual(let label)):
            return labelled(
                ConfigModelSubscriptionVirtualAddressAdd(
                    elementAddress: try target.element(model),
                    label: label,
                    model: model.model
                )
            )
        case .deleteSubscription(let model, .group(let group)):
            return status(
                ConfigModelSubscriptionDelete(
                    elementAddress: try target.element(model),
                    address: group.address,
                    model: model.model
                )
            )
        case .deleteSubscription(let model, .virtual(let label)):
            return labelled(
                ConfigModelSubscriptionVirtualAddressDelete(
                    elementAddress: try target.element(model),
                    label: label,
                    model: model.model
                )
            )
        case .overwriteSubscriptions(let model, .group(let group)):
            return status(
                ConfigModelSubscriptionOverwrite(
                    elementAddress: try target.element(model),
                    address: group.address,
                    model: model.model
                )
            )
        case .overwriteSubscriptions(let model, .virtual(let label)):
            return labelled(
                ConfigModelSubscriptionVirtualAddressOverwrite(
                    elementAddress: try target.element(model),
                    label: label,
                    model: model.model
                )
            )
        case .deleteAllSubscriptions(let model):
            return status(
                ConfigModelSubscriptionDeleteAll(elementAddress: try target.element(model), model: model.model)
            )
        case .addSubscription(_, .unknownLabel(let virtual)), .deleteSubscription(_, .unknownLabel(let virtual)),
            .overwriteSubscriptions(_, .unknownLabel(let virtual)):
            throw .unmakeable("the label of the virtual address \(virtual) is not known")
        default: throw .unmakeable("the action is not about subscriptions")
        }
    }

    /// A request with a label. Its status contains only the hash, which must match the label: the hash of a late status
    /// to a request with another label differs.
    private func labelled<Request: ModelSubscriptionVirtualAddressRequest>(_ request: Request) -> ConfigurationInquiry {
        let address = request.label.virtualAddress
        return ConfigurationInquiry(request) { status in
            guard status.status == .success else { return .refused(status.status) }
            return status.address == address ? .holds(action) : .differs("a subscription to \(status.address)")
        }
    }

    /// Ends a publication with a request that names the publication's key. Some nodes demand a key that is bound to the
    /// model, see ``KnownQuirk/namedKeyEndsPublication``.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` for another action, or if the element lies outside the address space.
    func endingPublication(under key: AppKeyIndex) throws(StepFailure) -> ConfigurationInquiry {
        guard case .setPublication(let model, nil) = action else {
            throw .unmakeable("the action ends no publication")
        }
        let request = ConfigModelPublicationSet(
            elementAddress: try target.element(model),
            publishAddress: .unassigned,
            settings: PublicationSettings(appKeyIndex: key, ttl: 0),
            model: model.model
        )
        return ConfigurationInquiry(request, answerSize: 14) { status in
            guard status.status == .success else { return .refused(status.status) }
            return status.shows(nil) ? .holds(action) : .differs("that it still publishes, to \(status.publishAddress)")
        }
    }

    private func publicationRequest(
        _ model: ModelAddress,
        _ publication: Publication?
    ) throws(StepFailure) -> ConfigurationInquiry {
        let verdict = { (status: ConfigModelPublicationStatus) -> ConfigurationVerdict in
            guard status.status == .success else { return .refused(status.status) }
            return status.shows(publication)
                ? .holds(action) : .differs("that it publishes otherwise, to \(status.publishAddress)")
        }
        let address = try target.element(model)
        switch (publication, publication?.address) {
        case (let publication?, .virtual(let label)):
            let request = ConfigModelPublicationVirtualAddressSet(
                elementAddress: address,
                label: label,
                settings: PublicationSettings(publication),
                model: model.model
            )
            return ConfigurationInquiry(request, answerSize: 14, verdict: verdict)
        case (_, .unknownLabel(let virtual)?):
            throw .unmakeable("the label of the virtual address \(virtual) is not known")
        case (let publication?, let target?):
            let request = ConfigModelPublicationSet(
                elementAddress: address,
                publishAddress: target.address,
                settings: PublicationSettings(publication),
                model: model.model
            )
            return ConfigurationInquiry(request, answerSize: 14, verdict: verdict)
        default:
            let request = ConfigModelPublicationSet(disabling: model.model, elementAddress: address)
            return ConfigurationInquiry(request, answerSize: 14, verdict: verdict)
        }
    }

    /// A request that sets a value; its status contains the value that holds afterwards.
    private func value(_ request: ConfigDefaultTTLSet) -> ConfigurationInquiry {
        ConfigurationInquiry(request) {
            $0.ttl == request.ttl ? .holds(action) : .differs("a default TTL of \($0.ttl)")
        }
    }

    private func value(_ request: ConfigBeaconSet) -> ConfigurationInquiry {
        ConfigurationInquiry(request) { status in
            status.isEnabled == request.isEnabled
                ? .holds(action) : .differs("that its secure network beacon is \(status.isEnabled ? "on" : "off")")
        }
    }

    private func value(_ request: ConfigNetworkTransmitSet) -> ConfigurationInquiry {
        ConfigurationInquiry(request) { status in
            status.transmit == request.transmit
                ? .holds(action)
                : .differs(
                    "a network transmit of \(status.transmit.transmissions) × \(status.transmit.intervalMilliseconds) ms"
                )
        }
    }

    private func setVerdict(_ status: ConfigRelayStatus) -> ConfigurationVerdict {
        guard case .setRelay(let isOn, let retransmit?) = action else { return .differs("its relay state") }
        guard status.state != .notSupported else { return .featureNotSupported }
        guard (status.state == .enabled) == isOn else {
            return .differs("that the relay feature is \(status.state == .enabled ? "on" : "off")")
        }
        guard status.retransmit == retransmit else {
            return .differs(
                "a relay retransmit of \(status.retransmit.transmissions) × \(status.retransmit.intervalMilliseconds) ms"
            )
        }
        return .holds(action)
    }

    private func setVerdict(_ status: ConfigGATTProxyStatus) -> ConfigurationVerdict {
        guard case .setProxy(let isOn) = action else { return .differs("its proxy state") }
        return featureVerdict(status.state, isOn, "proxy")
    }

    private func setVerdict(_ status: ConfigFriendStatus) -> ConfigurationVerdict {
        guard case .setFriend(let isOn) = action else { return .differs("its friend state") }
        return featureVerdict(status.state, isOn, "friend")
    }

    private func featureVerdict(_ state: FeatureState, _ isOn: Bool, _ name: String) -> ConfigurationVerdict {
        guard state != .notSupported else { return .featureNotSupported }
        return (state == .enabled) == isOn
            ? .holds(action) : .differs("that the \(name) feature is \(state == .enabled ? "on" : "off")")
    }
}
