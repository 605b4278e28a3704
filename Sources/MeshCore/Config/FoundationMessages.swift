/// Every message of the Configuration models (Mesh Protocol 4.3.2), in the order of their families.
package let foundationMessageTypes: [any AccessMessage.Type] = [
    ConfigBeaconGet.self,
    ConfigBeaconSet.self,
    ConfigBeaconStatus.self,
    ConfigCompositionDataGet.self,
    ConfigCompositionDataStatus.self,
    ConfigDefaultTTLGet.self,
    ConfigDefaultTTLSet.self,
    ConfigDefaultTTLStatus.self,
    ConfigGATTProxyGet.self,
    ConfigGATTProxySet.self,
    ConfigGATTProxyStatus.self,
    ConfigFriendGet.self,
    ConfigFriendSet.self,
    ConfigFriendStatus.self,
    ConfigRelayGet.self,
    ConfigRelaySet.self,
    ConfigRelayStatus.self,
    ConfigNetworkTransmitGet.self,
    ConfigNetworkTransmitSet.self,
    ConfigNetworkTransmitStatus.self,
    ConfigModelPublicationGet.self,
    ConfigModelPublicationSet.self,
    ConfigModelPublicationVirtualAddressSet.self,
    ConfigModelPublicationStatus.self,
    ConfigModelSubscriptionAdd.self,
    ConfigModelSubscriptionDelete.self,
    ConfigModelSubscriptionOverwrite.self,
    ConfigModelSubscriptionVirtualAddressAdd.self,
    ConfigModelSubscriptionVirtualAddressDelete.self,
    ConfigModelSubscriptionVirtualAddressOverwrite.self,
    ConfigModelSubscriptionDeleteAll.self,
    ConfigModelSubscriptionStatus.self,
    ConfigSIGModelSubscriptionGet.self,
    ConfigSIGModelSubscriptionList.self,
    ConfigVendorModelSubscriptionGet.self,
    ConfigVendorModelSubscriptionList.self,
    ConfigNetKeyAdd.self,
    ConfigNetKeyUpdate.self,
    ConfigNetKeyDelete.self,
    ConfigNetKeyStatus.self,
    ConfigNetKeyGet.self,
    ConfigNetKeyList.self,
    ConfigAppKeyAdd.self,
    ConfigAppKeyUpdate.self,
    ConfigAppKeyDelete.self,
    ConfigAppKeyStatus.self,
    ConfigAppKeyGet.self,
    ConfigAppKeyList.self,
    ConfigNodeIdentityGet.self,
    ConfigNodeIdentitySet.self,
    ConfigNodeIdentityStatus.self,
    ConfigModelAppBind.self,
    ConfigModelAppUnbind.self,
    ConfigModelAppStatus.self,
    ConfigSIGModelAppGet.self,
    ConfigSIGModelAppList.self,
    ConfigVendorModelAppGet.self,
    ConfigVendorModelAppList.self,
    ConfigNodeReset.self,
    ConfigNodeResetStatus.self,
    ConfigKeyRefreshPhaseGet.self,
    ConfigKeyRefreshPhaseSet.self,
    ConfigKeyRefreshPhaseStatus.self,
    ConfigHeartbeatPublicationGet.self,
    ConfigHeartbeatPublicationSet.self,
    ConfigHeartbeatPublicationStatus.self,
    ConfigHeartbeatSubscriptionGet.self,
    ConfigHeartbeatSubscriptionSet.self,
    ConfigHeartbeatSubscriptionStatus.self,
    ConfigLowPowerNodePollTimeoutGet.self,
    ConfigLowPowerNodePollTimeoutStatus.self,
]

private let foundationMessageTypesByOpcode = Dictionary(
    uniqueKeysWithValues: foundationMessageTypes.map { ($0.opcode, $0) }
)

/// Decodes an access payload as the foundation message that its opcode names.
///
/// - Throws: ``DecodeError/unknownType(_:)`` with the opcode's octets if it names none of
///   ``foundationMessageTypes``, else what the message's own decoder throws; offsets count from the parameters.
package func decodeFoundationMessage(_ payload: [UInt8]) throws(DecodeError) -> any AccessMessage {
    var reader = ByteReader(payload)
    let opcode = try Opcode(decoding: &reader)
    guard let type = foundationMessageTypesByOpcode[opcode] else { throw .unknownType(UInt64(opcode.rawValue)) }
    return try type.init(parameters: reader.readRest())
}
