import DefinitionModel
package import MeshCore

extension NodeResource {
    /// Its address as in plans, without the node, with the names of the database.
    ///
    /// - Parameter models: the names of models.
    package func path(in network: MeshNetwork, _ models: ModelNames = ModelNames()) -> String {
        path(ResourceNames(network: network, models: models))
    }

    /// Its address as in plans, without the node.
    func path(_ names: ResourceNames) -> String {
        switch self {
        case .netKey(let index): "subnet.\(names.netKey(index))"
        case .appKey(let index): "application_key.\(names.appKey(index))"
        case .binding(let model, let key): "\(model.path(names)).binding.\(names.appKey(key))"
        case .subscription(let model, let group): "\(model.path(names)).subscription.\(names.group(group))"
        case .publication(let model): "\(model.path(names)).publication"
        case .defaultTTL: "ttl"
        case .secureNetworkBeacon: "secure_network_beacon"
        case .networkTransmit: "network_transmit"
        case .friend: "friend"
        case .relay: "relay"
        case .relayRetransmit: "relay_retransmit"
        case .proxy: "proxy"
        case .state(let kind): kind.subnet.map { "\(kind.word).\(names.netKey($0))" } ?? kind.word
        case .bridging(let entry):
            "bridging_table.\(ValueText.bridgeName(entry, names: names))"
        case .modelState(let model, let name): "\(model.path(names)).state.\(name)"
        }
    }

    /// The node's value, as plans write it; nil if there is none or it is unknown.
    func text(of node: Node, _ names: ResourceNames) -> String? {
        switch self {
        case .netKey(let index): node.knows(index) ? "index \(index)" : nil
        case .appKey(let index): node.knows(index) ? "index \(index)" : nil
        case .binding(let model, let key):
            node.model(at: model)?.bindings.contains(key) == true ? "index \(key)" : nil
        case .subscription(let model, let group):
            node.model(at: model)?.subscriptions.contains(group) == true ? group.description : nil
        case .publication(let model):
            node.model(at: model)?.publication.map { ValueText.publication($0, names: names) }
        case .defaultTTL: node.defaultTTL.map { "\($0)" }
        case .secureNetworkBeacon: node.secureNetworkBeacon.map(ValueText.state)
        case .networkTransmit: node.networkTransmit.map(ValueText.transmit)
        case .friend: node.features.friend.map(Self.text)
        case .relay: node.features.relay.map(Self.text)
        case .relayRetransmit: node.relayRetransmit.map(ValueText.transmit)
        case .proxy: node.features.proxy.map(Self.text)
        case .state(let kind):
            node.state(kind)?.text(address: { Self.text($0, names) }, subnet: { names.netKey($0) })
        case .bridging(let entry):
            // A table has one entry for a pair of addresses, whatever its direction.
            node.bridgingTable?.first(where: entry.isAbout).map { ValueText.direction($0.addresses.directions) }
        case .modelState(let model, let name):
            node.model(at: model)?.state(named: name).map(names.value)
        }
    }

    private static func text(_ address: Address, _ names: ResourceNames) -> String {
        if let group = GroupAddress(rawValue: address.rawValue) { return names.target(.group(group)) }
        if let unicast = UnicastAddress(rawValue: address.rawValue) { return names.target(.unicast(unicast)) }
        return address.description
    }

    private static func text(_ state: FeatureState) -> String {
        switch state {
        case .disabled: ValueText.state(false)
        case .enabled: ValueText.state(true)
        case .notSupported: "not supported"
        }
    }
}

extension ModelAddress {
    /// `element[0].generic-onoff-server`, the start of the address of each of the model's resources.
    func path(_ names: ResourceNames) -> String { "element[\(element)].\(names.model(model))" }
}
