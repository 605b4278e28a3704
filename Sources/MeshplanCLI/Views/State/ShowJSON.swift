import Catalogue
import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// The contents of a mesh database as JSON values, without keys.
enum ShowJSON {
    /// A NetKey, with index and name.
    static func subnet(_ key: NetKey, in network: MeshNetwork) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "subnet", "index": .integer(Int(key.index.rawValue)), "name": key.name.json,
            "title": network.titles[.netKey(key.index)]?.json,
            "key_refresh_phase": .integer(Int(key.phase.rawValue)),
        ]
    }

    /// An AppKey, with index and name.
    static func applicationKey(_ key: AppKey, in network: MeshNetwork) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "application_key", "index": .integer(Int(key.index.rawValue)), "name": key.name.json,
            "title": network.titles[.appKey(key.index)]?.json,
            "subnet": .integer(Int(key.boundNetKey.rawValue)),
        ]
    }

    static func group(_ group: Group, in network: MeshNetwork) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "group", "address": group.address.description.json, "name": group.name.json,
            "title": network.titles[.group(group.address)]?.json,
            "parent": group.parent?.description.json,
        ]
    }

    /// A node with its elements and models.
    ///
    /// - Parameter models: the models that are known by name.
    static func node(
        _ node: Node,
        in network: MeshNetwork,
        _ models: KnownModels = .sig
    ) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "node", "address": node.unicastAddress.description.json, "name": node.name.json,
            "title": network.titles[.node(node.uuid)]?.json,
            "uuid": node.uuid.description.json,
            "product": node.product.map {
                .object([
                    "company": .integer(Int($0.company)), "product": .integer(Int($0.product)),
                    "version": .integer(Int($0.version)), "replay_list_size": .integer(Int($0.replayListSize)),
                ])
            },
            "managed": .bool(node.isManaged), "protected": .bool(node.isProtected), "excluded": .bool(node.isExcluded),
            "on_remove": node.removalPolicy.rawValue.json,
            "unprovisioned_seen_at": node.unprovisionedSeenAt?.text.json,
            "has_device_key": .bool(node.deviceKey != nil),
            "authentication": node.authentication?.json,
            "observed_at": node.observedAt?.text.json,
            "read_back_at": node.readBackAt?.text.json,
            "not_read": node.unread.isEmpty ? nil : .array(node.unread.map(UnreadText.json)),
            "subnets": .array(node.netKeys.map { .integer(Int($0.index.rawValue)) }),
            "application_keys": .array(node.appKeys.map { .integer(Int($0.index.rawValue)) }),
            "features": .object([
                "relay": state(node.features.relay), "proxy": state(node.features.proxy),
                "friend": state(node.features.friend), "low_power": state(node.features.lowPower),
            ]),
            "default_ttl": node.defaultTTL.map { .integer(Int($0)) },
            "secure_network_beacon": node.secureNetworkBeacon.map { .bool($0) },
            "network_transmit": node.networkTransmit.map(transmit),
            "relay_retransmit": node.relayRetransmit.map(transmit),
            "states": states(of: node),
            "bridging_table": node.bridgingTable.map { .array($0.map(entry)) },
            "composition_pages": node.compositionPages.map(pages),
            "models_metadata": node.modelsMetadata.map(pages),
            "elements": .array(node.elements.map { element($0, models) }),
        ]
    }

    /// A device that may have become a node, without its keys.
    static func pendingProvisioning(_ pending: PendingProvisioning) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "pending_provisioning", "address": pending.address.description.json, "name": pending.name.json,
            "uuid": pending.uuid.description.json, "elements": .integer(Int(pending.elementCount)),
            "subnet": .integer(Int(pending.netKeyIndex.rawValue)), "attempts": .integer(pending.deviceKeys.count),
            "attempted_at": pending.attemptedAt.text.json,
        ]
    }

    /// A node that may have a new device key, without its keys.
    static func pendingReprovision(_ pending: PendingReprovision) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "pending_refresh", "node_uuid": pending.uuid.description.json,
            "procedure": pending.procedure.identifier.json, "new_address": pending.address.description.json,
            "new_elements": .integer(Int(pending.elementCount)), "attempted_at": pending.attemptedAt.text.json,
        ]
    }

    /// A former node. The IV index from which its addresses are free is missing if they are free already.
    static func retiredNode(_ retired: RetiredNode, in network: MeshNetwork) -> KeyValuePairs<String, JSONValue?> {
        [
            "type": "retired_node", "address": retired.node.unicastAddress.description.json,
            "name": retired.node.name.json, "uuid": retired.node.uuid.description.json,
            "elements": .integer(retired.node.addresses.count), "reason": retired.reason.text.json,
            "retired_at": retired.retiredAt.text.json,
            "free_from_iv_index": network.exclusionEnd(of: retired.node.unicastAddress).map { .integer(Int($0)) },
        ]
    }

    private static func element(_ element: Element, _ models: KnownModels) -> JSONValue {
        .object([
            "name": element.name?.json, "location": .integer(Int(element.location)),
            "models": .array(
                element.models.map { model in
                    .object([
                        "model": models.names.name(of: model.identifier).json,
                        "application_keys": .array(model.bindings.map { .integer(Int($0.rawValue)) }),
                        "subscriptions": .array(model.subscriptions.map { $0.description.json }),
                        "publication": model.publication.map(publication),
                        "states": model.states.isEmpty
                            ? nil
                            : .array(
                                model.states.map { state in
                                    .object([
                                        "state": state.form.name.json,
                                        "value": state.form.text(of: state.status, in: models).json,
                                        "status": Hexadecimal.encode(state.status).json,
                                    ])
                                }
                            ),
                    ])
                }
            ),
        ])
    }

    private static func publication(_ publication: Publication) -> JSONValue {
        .object([
            "address": publication.address.description.json,
            "application_key": .integer(Int(publication.appKeyIndex.rawValue)),
            "ttl": .integer(Int(publication.ttl)),
            "period_ms": .integer(publication.period.milliseconds),
            "retransmit_count": .integer(Int(publication.retransmit.count)),
            "retransmit_interval_ms": .integer(publication.retransmit.intervalMilliseconds),
            "friendship_credentials": .bool(publication.usesFriendshipCredentials),
        ])
    }

    private static func transmit(_ parameters: TransmitParameters) -> JSONValue {
        .object([
            "count": .integer(parameters.transmissions), "interval_ms": .integer(parameters.intervalMilliseconds),
        ])
    }

    private static func state(_ state: FeatureState?) -> JSONValue? {
        switch state {
        case .disabled: "off"
        case .enabled: "on"
        case .notSupported: "not supported"
        case nil: nil
        }
    }
}
