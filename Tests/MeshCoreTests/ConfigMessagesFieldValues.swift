import MeshCore

/// The fields of a Configuration message by the names of the table, as text; nested names are joined with a dot.
func fieldValues(of message: any AccessMessage) -> [String: String] {
    var values: [String: String] = [:]
    if let message = message as? any ConfigurationStatusMessage { values["status"] = "\(message.status.rawValue)" }
    if let message = message as? any ConfigurationMessage { values.merge(subjectValues(message.subject)) { $1 } }
    if let message = message as? any ModelSubscriptionVirtualAddressRequest { values["label"] = "\(message.label)" }
    if let message = message as? any NetKeyMaterialMessage { values["net_key"] = message.key.octets.hexadecimal }
    if let message = message as? any AppKeyMaterialMessage { values["app_key"] = message.key.octets.hexadecimal }
    switch message {
    case let message as ConfigDefaultTTLSet: values["ttl"] = "\(message.ttl)"
    case let message as ConfigDefaultTTLStatus: values["ttl"] = "\(message.ttl)"
    case let message as ConfigNetworkTransmitSet: values.merge(transmitValues(message.transmit)) { $1 }
    case let message as ConfigNetworkTransmitStatus: values.merge(transmitValues(message.transmit)) { $1 }
    case let message as ConfigSIGModelAppList: values["app_key_indices"] = list(message.entries)
    case let message as ConfigVendorModelAppList: values["app_key_indices"] = list(message.entries)
    case let message as ConfigSIGModelSubscriptionList: values["addresses"] = list(message.entries)
    case let message as ConfigVendorModelSubscriptionList: values["addresses"] = list(message.entries)
    case let message as ConfigModelSubscriptionAdd: values["address"] = "\(message.address.rawValue)"
    case let message as ConfigModelSubscriptionDelete: values["address"] = "\(message.address.rawValue)"
    case let message as ConfigModelSubscriptionOverwrite: values["address"] = "\(message.address.rawValue)"
    case let message as ConfigBeaconSet: values["beacon"] = number(message.isEnabled)
    case let message as ConfigBeaconStatus: values["beacon"] = number(message.isEnabled)
    case let message as ConfigGATTProxySet: values["GATT_proxy"] = number(message.isEnabled)
    case let message as ConfigGATTProxyStatus: values["GATT_proxy"] = "\(message.state.rawValue)"
    case let message as ConfigFriendSet: values["friend"] = number(message.isEnabled)
    case let message as ConfigFriendStatus: values["friend"] = "\(message.state.rawValue)"
    case let message as ConfigRelaySet:
        values["relay"] = number(message.isEnabled)
        values.merge(retransmitValues(message.retransmit)) { $1 }
    case let message as ConfigRelayStatus:
        values["relay"] = "\(message.state.rawValue)"
        values.merge(retransmitValues(message.retransmit)) { $1 }
    case let message as ConfigCompositionDataGet: values["page"] = "\(message.page)"
    case let message as ConfigCompositionDataStatus: values["page"] = "\(message.page)"
    case let message as ConfigNetKeyList: values["net_key_indices"] = list(message.netKeyIndexes)
    case let message as ConfigAppKeyList: values["app_key_indices"] = list(message.appKeyIndexes)
    case let message as ConfigModelSubscriptionStatus: values["address"] = "\(message.address.rawValue)"
    case let message as ConfigModelPublicationSet:
        values["publish_address"] = "\(message.publishAddress.rawValue)"
        values.merge(publicationValues(message.settings)) { $1 }
    case let message as ConfigModelPublicationVirtualAddressSet:
        values["publish_address"] = "\(message.label)"
        values.merge(publicationValues(message.settings)) { $1 }
    case let message as ConfigModelPublicationStatus:
        values["publish_address"] = "\(message.publishAddress.rawValue)"
        values.merge(publicationValues(message.settings)) { $1 }
    case let message as ConfigNodeIdentitySet: values["identity"] = number(message.isEnabled)
    case let message as ConfigNodeIdentityStatus: values["identity"] = "\(message.identity.rawValue)"
    case let message as ConfigKeyRefreshPhaseSet: values["transition"] = "\(message.transition.rawValue)"
    case let message as ConfigKeyRefreshPhaseStatus: values["phase"] = "\(message.phase.rawValue)"
    case let message as ConfigHeartbeatPublicationSet: values.merge(heartbeatValues(message.settings)) { $1 }
    case let message as ConfigHeartbeatPublicationStatus: values.merge(heartbeatValues(message.settings)) { $1 }
    case let message as ConfigHeartbeatSubscriptionSet: values.merge(heartbeatValues(message.settings)) { $1 }
    case let message as ConfigHeartbeatSubscriptionStatus:
        values.merge(heartbeatValues(message.settings)) { $1 }
        values["min_hops"] = "\(message.minimumHops)"
        values["max_hops"] = "\(message.maximumHops)"
    case let message as ConfigLowPowerNodePollTimeoutGet:
        values["lpn_address"] = "\(message.lowPowerNodeAddress.rawValue)"
    case let message as ConfigLowPowerNodePollTimeoutStatus:
        values["lpn_address"] = "\(message.lowPowerNodeAddress.rawValue)"
        values["poll_timeout"] = "\(message.pollTimeout)"
    case let message as SARTransmitterSet: values["defaults"] = number(message.state == .standard)
    case let message as SARTransmitterStatus: values["defaults"] = number(message.state == .standard)
    case let message as SARReceiverSet: values["defaults"] = number(message.state == .standard)
    case let message as SARReceiverStatus: values["defaults"] = number(message.state == .standard)
    case let message as SolicitationPDURPLItemsClear:
        values["start"] = Hexadecimal.encode([
            UInt8(message.addresses.first.rawValue >> 8), UInt8(message.addresses.first.rawValue & 0xFF),
        ])
        values["length"] = "\(message.addresses.count)"
    default: break
    }
    return values
}

private func subjectValues(_ subject: ConfigurationSubject) -> [String: String] {
    var values: [String: String] = [:]
    values["net_key_index"] = subject.netKeyIndex.map { "\($0)" }
    values["app_key_index"] = subject.appKeyIndex.map { "\($0)" }
    values["element_address"] = subject.elementAddress.map { "\($0.rawValue)" }
    values["model.model_id"] = subject.model.map { "\($0.model)" }
    values["model.vendor_id"] = subject.model?.company.map { "\($0)" }
    return values
}

private func publicationValues(_ settings: PublicationSettings) -> [String: String] {
    [
        "app_key_index": "\(settings.appKeyIndex)",
        "credential_flag": number(settings.usesFriendshipCredentials),
        "ttl": "\(settings.ttl)",
        "retransmit.count": "\(settings.retransmit.count)",
        "retransmit.interval": "\(settings.retransmit.intervalMilliseconds)",
    ]
}

private func heartbeatValues(_ settings: HeartbeatPublicationSettings) -> [String: String] {
    [
        "destination": "\(settings.destination.rawValue)", "ttl": "\(settings.ttl)",
        "net_key_index": "\(settings.netKeyIndex)",
    ]
}

private func heartbeatValues(_ settings: HeartbeatSubscriptionSettings) -> [String: String] {
    [
        "source": "\(settings.source?.rawValue ?? 0)", "destination": "\(settings.destination.rawValue)",
    ]
}

private func retransmitValues(_ retransmit: TransmitParameters) -> [String: String] {
    ["retransmit.count": "\(retransmit.count)", "retransmit.interval": "\(retransmit.intervalMilliseconds)"]
}

private func transmitValues(_ transmit: TransmitParameters) -> [String: String] {
    ["count": "\(transmit.count)", "interval": "\(transmit.intervalMilliseconds)"]
}

private func list(_ addresses: [Address]) -> String { addresses.map { "\($0.rawValue)" }.joined(separator: " ") }

private func list(_ indexes: [some KeyIndex]) -> String { indexes.map(\.description).joined(separator: " ") }

private func number(_ flag: Bool) -> String { flag ? "1" : "0" }
