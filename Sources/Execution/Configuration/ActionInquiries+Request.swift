import MeshCore
import Planning

/// The requests for changes, and the meaning of their statuses.
extension ActionInquiries {
    /// The request. A Relay Set without a retransmit cannot be made; its ``prelude`` reads that first.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if a key is missing or an element lies outside the address space.
    func request() throws(StepFailure) -> ConfigurationInquiry {
        let request = try message()
        switch action {
        case .read, .readComposition: return request
        // Its outcome is read back.
        default: return request.settledByOddAnswer()
        }
    }

    private func message() throws(StepFailure) -> ConfigurationInquiry {
        switch action {
        case .readComposition(let page): return composition(page)
        case .addNetKey(let index):
            return status(ConfigNetKeyAdd(netKeyIndex: index, key: try key(index)))
        case .deleteNetKey(let index): return status(ConfigNetKeyDelete(netKeyIndex: index))
        case .addAppKey(let index, let netKey):
            return status(ConfigAppKeyAdd(netKeyIndex: netKey, appKeyIndex: index, key: try key(index)))
        case .deleteAppKey(let index, let netKey):
            return status(ConfigAppKeyDelete(netKeyIndex: netKey, appKeyIndex: index))
        case .bind(let model, let index):
            return status(
                ConfigModelAppBind(elementAddress: try element(model), appKeyIndex: index, model: model.model)
            )
        case .unbind(let model, let index):
            return status(
                ConfigModelAppUnbind(elementAddress: try element(model), appKeyIndex: index, model: model.model)
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
        case .set(let state): return try setting(state)
        case .addBridging(let entry): return bridging(entry, isAdded: true)
        case .removeBridging(let entry): return bridging(entry, isAdded: false)
        case .removeAllBridging(let subnets): return unbridging(subnets)
        case .read(let reading): return try get(reading)
        case .updateNetKey, .updateAppKey, .setKeyRefreshPhase: return try keyRefreshRequest()
        }
    }

    /// A request for a change that is answered with a status code.
    private func status<Request: ConfigurationRequest>(_ request: Request) -> ConfigurationInquiry
    where Request.Status: ConfigurationStatusMessage {
        ConfigurationInquiry(request) { $0.status == .success ? .holds(action) : .refused($0.status) }
    }

    func composition(_ page: UInt8) -> ConfigurationInquiry {
        // Enough for a page of a node with four elements; the client waits for larger answers, too.
        ConfigurationInquiry(ConfigCompositionDataGet(page: page), answerSize: 100) { status in
            do throws(DecodeError) {
                guard let composition = try status.composition() else { return .holds(action) }
                return .composition(composition.withVendorModelsInOrder ?? composition)
            } catch {
                return .odd(OddAnswer(.malformed(error)))
            }
        }
    }

    private func subscriptionRequest() throws(StepFailure) -> ConfigurationInquiry {
        switch action {
        case .addSubscription(let model, .group(let group)):
            return status(
                ConfigModelSubscriptionAdd(
                    elementAddress: try element(model),
                    address: group.address,
                    model: model.model
                )
            )
        case .addSubscription(let model, .virtual(let label)):
            return labelled(
                ConfigModelSubscriptionVirtualAddressAdd(
                    elementAddress: try element(model),
                    label: label,
                    model: model.model
                )
            )
        case .deleteSubscription(let model, .group(let group)):
            return status(
                ConfigModelSubscriptionDelete(
                    elementAddress: try element(model),
                    address: group.address,
                    model: model.model
                )
            )
        case .deleteSubscription(let model, .virtual(let label)):
            return labelled(
                ConfigModelSubscriptionVirtualAddressDelete(
                    elementAddress: try element(model),
                    label: label,
                    model: model.model
                )
            )
        case .overwriteSubscriptions(let model, .group(let group)):
            return status(
                ConfigModelSubscriptionOverwrite(
                    elementAddress: try element(model),
                    address: group.address,
                    model: model.model
                )
            )
        case .overwriteSubscriptions(let model, .virtual(let label)):
            return labelled(
                ConfigModelSubscriptionVirtualAddressOverwrite(
                    elementAddress: try element(model),
                    label: label,
                    model: model.model
                )
            )
        case .deleteAllSubscriptions(let model):
            return status(ConfigModelSubscriptionDeleteAll(elementAddress: try element(model), model: model.model))
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
    /// model, see ``KnownHabit/namedKeyEndsPublication``.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` for another action, or if the element lies outside the address space.
    func requestEndingPublication(under key: AppKeyIndex) throws(StepFailure) -> ConfigurationInquiry {
        guard case .setPublication(let model, nil) = action else {
            throw .unmakeable("the action ends no publication")
        }
        let request = ConfigModelPublicationSet(
            elementAddress: try element(model),
            publishAddress: .unassigned,
            settings: PublicationSettings(appKeyIndex: key, ttl: 0),
            model: model.model
        )
        return ConfigurationInquiry(request, answerSize: 14) { status in
            guard status.status == .success else { return .refused(status.status) }
            return status.shows(nil) ? .holds(action) : .differs("that it still publishes, to \(status.publishAddress)")
        }
        .settledByOddAnswer()
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
        let address = try element(model)
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
