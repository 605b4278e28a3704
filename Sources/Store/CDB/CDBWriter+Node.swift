import MeshCore
import SystemLayer

/// Nodes with their elements and models.
extension CDBWriter {
    func node(_ node: Node) -> JSONValue {
        let path = "nodes/\(node.uuid)"
        var members = [
            JSONMember("UUID", .string(node.uuid.description)),
            JSONMember("name", title(node.name, of: .node(node.uuid), else: node.unicastAddress)),
            JSONMember("unicastAddress", hex(node.unicastAddress.rawValue)),
        ]
        members += key("deviceKey", node.deviceKey, concernsNode: true)
        members.append(JSONMember("security", .string(node.isSecurelyProvisioned ? "secure" : "insecure")))
        if let product = node.product {
            members.append(JSONMember("cid", hex(product.company)))
            members.append(JSONMember("pid", hex(product.product)))
            members.append(JSONMember("vid", hex(product.version)))
            members.append(JSONMember("crpl", hex(product.replayListSize)))
        }
        if let features = features(node.features, path) { members.append(JSONMember("features", features)) }
        if let beacon = node.secureNetworkBeacon { members.append(JSONMember("secureNetworkBeacon", .bool(beacon))) }
        if let ttl = node.defaultTTL { members.append(JSONMember("defaultTTL", .integer(ttl))) }
        for (name, parameters) in [
            ("networkTransmit", node.networkTransmit), ("relayRetransmit", node.relayRetransmit),
        ] {
            if let parameters { members.append(JSONMember(name, transmit(parameters, "\(path)/\(name)"))) }
        }
        if case .heartbeatPublication(let heartbeat) = node.state(.heartbeatPublication), !heartbeat.isOff {
            members.append(JSONMember("heartbeatPub", publication(heartbeat, path)))
        }
        if case .heartbeatSubscription(let heartbeat) = node.state(.heartbeatSubscription), !heartbeat.isOff {
            let addresses = [
                JSONMember("source", hex(heartbeat.source?.rawValue ?? 0)),
                JSONMember("destination", hex(heartbeat.destination.rawValue)),
            ]
            members.append(JSONMember("heartbeatSub", object("\(path)/heartbeatSub", addresses)))
        }
        members.append(JSONMember("configComplete", .bool(node.isConfigComplete)))
        members.append(JSONMember("netKeys", .array(node.netKeys.map { nodeKey($0, "\(path)/netKeys") })))
        members.append(JSONMember("appKeys", .array(node.appKeys.map { nodeKey($0, "\(path)/appKeys") })))
        let elements = node.elements.enumerated().map { element($1, $0, "\(path)/elements/\($0)") }
        members.append(JSONMember("elements", .array(elements)))
        members.append(JSONMember("excluded", .bool(node.isExcluded)))
        return object(path, members)
    }

    private func hex(_ value: UInt16) -> JSONValue { .string(value.hexadecimal) }

    private func features(_ features: Node.Features, _ path: String) -> JSONValue? {
        let states = [
            ("relay", features.relay), ("proxy", features.proxy), ("friend", features.friend),
            ("lowPower", features.lowPower),
        ]
        let members = states.compactMap { name, state in state.map { JSONMember(name, .integer($0.rawValue)) } }
        let value = object("\(path)/features", members)
        return value == .object([]) ? nil : value
    }

    private func nodeKey(_ key: NodeKey<some KeyIndex>, _ path: String) -> JSONValue {
        object(
            "\(path)/\(key.index)",
            [JSONMember("index", .integer(key.index.rawValue)), JSONMember("updated", .bool(key.isUpdated))]
        )
    }

    /// The count of transmissions, which is one more than the retransmissions of the message field, and the interval in
    /// milliseconds.
    private func transmit(_ parameters: TransmitParameters, _ path: String) -> JSONValue {
        object(
            path,
            [
                JSONMember("count", .integer(parameters.transmissions)),
                JSONMember("interval", .integer(parameters.intervalMilliseconds)),
            ]
        )
    }

    private func publication(_ heartbeat: HeartbeatPublication, _ path: String) -> JSONValue {
        let features = CDBExport.features.filter { heartbeat.features.contains($0.1) }.map { JSONValue.string($0.0) }
        return object(
            "\(path)/heartbeatPub",
            [
                JSONMember("address", hex(heartbeat.destination.rawValue)),
                JSONMember("period", .integer(heartbeat.periodLog.seconds)),
                JSONMember("ttl", .integer(heartbeat.ttl)),
                JSONMember("index", .integer(heartbeat.netKeyIndex.rawValue)),
                JSONMember("features", .array(features)),
            ]
        )
    }

    private func element(_ element: Element, _ index: Int, _ path: String) -> JSONValue {
        var members: [JSONMember] = []
        if let name = element.name { members.append(JSONMember("name", .string(name))) }
        members.append(JSONMember("index", .integer(index)))
        members.append(JSONMember("location", hex(element.location)))
        let models = element.models.map { model($0, CDBImport.path(of: $0.identifier, in: path)) }
        members.append(JSONMember("models", .array(models)))
        return object(path, members)
    }

    private func model(_ model: Model, _ path: String) -> JSONValue {
        let subscriptions = model.subscriptions.filter { if case .unknownLabel = $0 { false } else { true } }
        var members = [
            JSONMember("modelId", .string(CDBExport.text(model.identifier))),
            JSONMember("subscribe", .array(subscriptions.map { .string(CDBExport.text($0)) })),
        ]
        if let publication = model.publication, !publication.address.isOfUnknownLabel {
            members.append(JSONMember("publish", publish(publication, "\(path)/publish")))
        }
        members.append(JSONMember("bind", .array(model.bindings.map { .integer($0.rawValue) })))
        return object(path, members)
    }

    private func publish(_ publication: Publication, _ path: String) -> JSONValue {
        let address =
            switch publication.address {
            case .unicast(let unicast): unicast.rawValue.hexadecimal
            case .group(let group): group.rawValue.hexadecimal
            case .virtual(let label): label.rawValue.hexadecimal.uppercased()
            case .unknownLabel(let virtual): virtual.rawValue.hexadecimal
            }
        let period = [
            JSONMember("numberOfSteps", .integer(publication.period.steps)),
            JSONMember("resolution", .integer(publication.period.resolution.milliseconds)),
        ]
        let retransmit = [
            JSONMember("count", .integer(publication.retransmit.count)),
            JSONMember("interval", .integer(publication.retransmit.intervalMilliseconds)),
        ]
        return object(
            path,
            [
                JSONMember("address", .string(address)),
                JSONMember("index", .integer(publication.appKeyIndex.rawValue)),
                JSONMember("ttl", .integer(publication.ttl)),
                JSONMember("period", object("\(path)/period", period)),
                JSONMember("credentials", .integer(publication.usesFriendshipCredentials ? 1 : 0)),
                JSONMember("retransmit", object("\(path)/retransmit", retransmit)),
            ]
        )
    }
}
