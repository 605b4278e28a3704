/// A message of a foundation model and its name in the specification.
package struct FoundationMessageKind: Sendable {
    package let type: any AccessMessage.Type
    /// The name: `Config Beacon Get`.
    package let title: String

    /// The opcode of the status that answers it; nil for a status and for an unacknowledged message.
    package var answer: Opcode? { (type as? any AcknowledgedMessage.Type)?.answer }

    package var isStatus: Bool { answer == nil && !title.hasSuffix(" Unacknowledged") }

    /// The fields in the notation of the catalogue.
    package var fields: String { (type as? any FieldMessage.Type)?.notation ?? "" }
}

extension AcknowledgedMessage {
    fileprivate static var answer: Opcode { Status.opcode }
}

/// The messages between a server of the foundation and its client.
package struct FoundationMessageFamily: Sendable {
    package let server: ModelIdentifier
    package let client: ModelIdentifier
    /// The messages in the order of the specification.
    package let messages: [FoundationMessageKind]

    fileprivate init(
        _ server: UInt16,
        _ client: UInt16,
        _ messages: KeyValuePairs<String, any AccessMessage.Type>
    ) {
        self.server = .sig(server)
        self.client = .sig(client)
        self.messages = messages.map { FoundationMessageKind(type: $1, title: $0) }
    }
}

/// Every message of the Configuration models (Mesh Protocol 4.3.2) and of the foundation models of 1.1 that the
/// DeviceKey secures.
package let foundationMessages: [FoundationMessageFamily] = [
    FoundationMessageFamily(
        0x0000,
        0x0001,
        [
            "Config Beacon Get": ConfigBeaconGet.self,
            "Config Beacon Set": ConfigBeaconSet.self,
            "Config Beacon Status": ConfigBeaconStatus.self,
            "Config Composition Data Get": ConfigCompositionDataGet.self,
            "Config Composition Data Status": ConfigCompositionDataStatus.self,
            "Config Default TTL Get": ConfigDefaultTTLGet.self,
            "Config Default TTL Set": ConfigDefaultTTLSet.self,
            "Config Default TTL Status": ConfigDefaultTTLStatus.self,
            "Config GATT Proxy Get": ConfigGATTProxyGet.self,
            "Config GATT Proxy Set": ConfigGATTProxySet.self,
            "Config GATT Proxy Status": ConfigGATTProxyStatus.self,
            "Config Friend Get": ConfigFriendGet.self,
            "Config Friend Set": ConfigFriendSet.self,
            "Config Friend Status": ConfigFriendStatus.self,
            "Config Relay Get": ConfigRelayGet.self,
            "Config Relay Set": ConfigRelaySet.self,
            "Config Relay Status": ConfigRelayStatus.self,
            "Config Network Transmit Get": ConfigNetworkTransmitGet.self,
            "Config Network Transmit Set": ConfigNetworkTransmitSet.self,
            "Config Network Transmit Status": ConfigNetworkTransmitStatus.self,
            "Config Model Publication Get": ConfigModelPublicationGet.self,
            "Config Model Publication Set": ConfigModelPublicationSet.self,
            "Config Model Publication Virtual Address Set": ConfigModelPublicationVirtualAddressSet.self,
            "Config Model Publication Status": ConfigModelPublicationStatus.self,
            "Config Model Subscription Add": ConfigModelSubscriptionAdd.self,
            "Config Model Subscription Delete": ConfigModelSubscriptionDelete.self,
            "Config Model Subscription Overwrite": ConfigModelSubscriptionOverwrite.self,
            "Config Model Subscription Virtual Address Add": ConfigModelSubscriptionVirtualAddressAdd.self,
            "Config Model Subscription Virtual Address Delete": ConfigModelSubscriptionVirtualAddressDelete.self,
            "Config Model Subscription Virtual Address Overwrite": ConfigModelSubscriptionVirtualAddressOverwrite.self,
            "Config Model Subscription Delete All": ConfigModelSubscriptionDeleteAll.self,
            "Config Model Subscription Status": ConfigModelSubscriptionStatus.self,
            "Config SIG Model Subscription Get": ConfigSIGModelSubscriptionGet.self,
            "Config SIG Model Subscription List": ConfigSIGModelSubscriptionList.self,
            "Config Vendor Model Subscription Get": ConfigVendorModelSubscriptionGet.self,
            "Config Vendor Model Subscription List": ConfigVendorModelSubscriptionList.self,
            "Config NetKey Add": ConfigNetKeyAdd.self,
            "Config NetKey Update": ConfigNetKeyUpdate.self,
            "Config NetKey Delete": ConfigNetKeyDelete.self,
            "Config NetKey Status": ConfigNetKeyStatus.self,
            "Config NetKey Get": ConfigNetKeyGet.self,
            "Config NetKey List": ConfigNetKeyList.self,
            "Config AppKey Add": ConfigAppKeyAdd.self,
            "Config AppKey Update": ConfigAppKeyUpdate.self,
            "Config AppKey Delete": ConfigAppKeyDelete.self,
            "Config AppKey Status": ConfigAppKeyStatus.self,
            "Config AppKey Get": ConfigAppKeyGet.self,
            "Config AppKey List": ConfigAppKeyList.self,
            "Config Node Identity Get": ConfigNodeIdentityGet.self,
            "Config Node Identity Set": ConfigNodeIdentitySet.self,
            "Config Node Identity Status": ConfigNodeIdentityStatus.self,
            "Config Model App Bind": ConfigModelAppBind.self,
            "Config Model App Unbind": ConfigModelAppUnbind.self,
            "Config Model App Status": ConfigModelAppStatus.self,
            "Config SIG Model App Get": ConfigSIGModelAppGet.self,
            "Config SIG Model App List": ConfigSIGModelAppList.self,
            "Config Vendor Model App Get": ConfigVendorModelAppGet.self,
            "Config Vendor Model App List": ConfigVendorModelAppList.self,
            "Config Node Reset": ConfigNodeReset.self,
            "Config Node Reset Status": ConfigNodeResetStatus.self,
            "Config Key Refresh Phase Get": ConfigKeyRefreshPhaseGet.self,
            "Config Key Refresh Phase Set": ConfigKeyRefreshPhaseSet.self,
            "Config Key Refresh Phase Status": ConfigKeyRefreshPhaseStatus.self,
            "Config Heartbeat Publication Get": ConfigHeartbeatPublicationGet.self,
            "Config Heartbeat Publication Set": ConfigHeartbeatPublicationSet.self,
            "Config Heartbeat Publication Status": ConfigHeartbeatPublicationStatus.self,
            "Config Heartbeat Subscription Get": ConfigHeartbeatSubscriptionGet.self,
            "Config Heartbeat Subscription Set": ConfigHeartbeatSubscriptionSet.self,
            "Config Heartbeat Subscription Status": ConfigHeartbeatSubscriptionStatus.self,
            "Config Low Power Node PollTimeout Get": ConfigLowPowerNodePollTimeoutGet.self,
            "Config Low Power Node PollTimeout Status": ConfigLowPowerNodePollTimeoutStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x000A,
        0x000B,
        [
            "Private Beacon Get": PrivateBeaconGet.self,
            "Private Beacon Set": PrivateBeaconSet.self,
            "Private Beacon Status": PrivateBeaconStatus.self,
            "Private GATT Proxy Get": PrivateGATTProxyGet.self,
            "Private GATT Proxy Set": PrivateGATTProxySet.self,
            "Private GATT Proxy Status": PrivateGATTProxyStatus.self,
            "Private Node Identity Get": PrivateNodeIdentityGet.self,
            "Private Node Identity Set": PrivateNodeIdentitySet.self,
            "Private Node Identity Status": PrivateNodeIdentityStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x000C,
        0x000D,
        [
            "On-Demand Private Proxy Get": OnDemandPrivateProxyGet.self,
            "On-Demand Private Proxy Set": OnDemandPrivateProxySet.self,
            "On-Demand Private Proxy Status": OnDemandPrivateProxyStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x000E,
        0x000F,
        [
            "SAR Transmitter Get": SARTransmitterGet.self,
            "SAR Transmitter Set": SARTransmitterSet.self,
            "SAR Transmitter Status": SARTransmitterStatus.self,
            "SAR Receiver Get": SARReceiverGet.self,
            "SAR Receiver Set": SARReceiverSet.self,
            "SAR Receiver Status": SARReceiverStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x0010,
        0x0011,
        [
            "Opcodes Aggregator Sequence": OpcodesAggregatorSequence.self,
            "Opcodes Aggregator Status": OpcodesAggregatorStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x0012,
        0x0013,
        [
            "Large Composition Data Get": LargeCompositionDataGet.self,
            "Large Composition Data Status": LargeCompositionDataStatus.self,
            "Models Metadata Get": ModelsMetadataGet.self,
            "Models Metadata Status": ModelsMetadataStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x0014,
        0x0015,
        [
            "Solicitation PDU RPL Items Clear": SolicitationPDURPLItemsClear.self,
            "Solicitation PDU RPL Items Clear Unacknowledged": SolicitationPDURPLItemsClearUnacknowledged.self,
            "Solicitation PDU RPL Items Status": SolicitationPDURPLItemsStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x0008,
        0x0009,
        [
            "Subnet Bridge Get": SubnetBridgeGet.self,
            "Subnet Bridge Set": SubnetBridgeSet.self,
            "Subnet Bridge Status": SubnetBridgeStatus.self,
            "Bridging Table Add": BridgingTableAdd.self,
            "Bridging Table Remove": BridgingTableRemove.self,
            "Bridging Table Status": BridgingTableStatus.self,
            "Bridged Subnets Get": BridgedSubnetsGet.self,
            "Bridged Subnets List": BridgedSubnetsList.self,
            "Bridging Table Get": BridgingTableGet.self,
            "Bridging Table List": BridgingTableList.self,
            "Bridging Table Size Get": BridgingTableSizeGet.self,
            "Bridging Table Size Status": BridgingTableSizeStatus.self,
        ]
    ),
    FoundationMessageFamily(
        0x0004,
        0x0005,
        [
            "Remote Provisioning Scan Capabilities Get": RemoteProvisioningScanCapabilitiesGet.self,
            "Remote Provisioning Scan Capabilities Status": RemoteProvisioningScanCapabilitiesStatus.self,
            "Remote Provisioning Scan Get": RemoteProvisioningScanGet.self,
            "Remote Provisioning Scan Start": RemoteProvisioningScanStart.self,
            "Remote Provisioning Scan Stop": RemoteProvisioningScanStop.self,
            "Remote Provisioning Scan Status": RemoteProvisioningScanStatus.self,
            "Remote Provisioning Scan Report": RemoteProvisioningScanReport.self,
            "Remote Provisioning Extended Scan Start": RemoteProvisioningExtendedScanStart.self,
            "Remote Provisioning Extended Scan Report": RemoteProvisioningExtendedScanReport.self,
            "Remote Provisioning Link Get": RemoteProvisioningLinkGet.self,
            "Remote Provisioning Link Open": RemoteProvisioningLinkOpen.self,
            "Remote Provisioning Link Close": RemoteProvisioningLinkClose.self,
            "Remote Provisioning Link Status": RemoteProvisioningLinkStatus.self,
            "Remote Provisioning Link Report": RemoteProvisioningLinkReport.self,
            "Remote Provisioning PDU Send": RemoteProvisioningPDUSend.self,
            "Remote Provisioning PDU Outbound Report": RemoteProvisioningPDUOutboundReport.self,
            "Remote Provisioning PDU Report": RemoteProvisioningPDUReport.self,
        ]
    ),
]

/// The types of ``foundationMessages``.
package let foundationMessageTypes: [any AccessMessage.Type] = foundationMessages.flatMap { $0.messages.map(\.type) }

private let foundationMessageTypesByOpcode = Dictionary(
    uniqueKeysWithValues: foundationMessageTypes.map { ($0.opcode, $0) }
)

/// Decodes an access payload as the foundation message that its opcode names.
///
/// - Throws: ``DecodeError/unknownType(_:)`` with the opcode's octets if ``foundationMessageTypes`` has none with that
///   opcode, else what the message's own decoder throws. Offsets count from the start of the parameters.
package func decodeFoundationMessage(_ payload: [UInt8]) throws(DecodeError) -> any AccessMessage {
    var reader = ByteReader(payload)
    let opcode = try Opcode(decoding: &reader)
    guard let type = foundationMessageTypesByOpcode[opcode] else { throw .unknownType(UInt64(opcode.rawValue)) }
    return try type.init(parameters: reader.readRest())
}
