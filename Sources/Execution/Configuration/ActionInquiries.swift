import MeshCore
import Planning

/// Makes the messages of an action for one node: the request, what must be read before it, and the read-back that
/// tells whether it took effect.
struct ActionInquiries {
    let action: ConfigurationAction
    let node: UnicastAddress
    let netKeys: [NetKey]
    let appKeys: [AppKey]

    /// The messages of an action.
    ///
    /// - Parameters:
    ///   - node: the address of the node's primary element.
    ///   - network: where keys are found.
    init(_ action: ConfigurationAction, node: UnicastAddress, network: MeshNetwork) {
        self.action = action
        self.node = node
        netKeys = network.netKeys
        appKeys = network.appKeys
    }

    /// What has to be asked before the request can be made, nil if nothing.
    var prelude: ConfigurationInquiry? {
        guard case .setRelay(_, nil) = action else { return nil }
        return ConfigurationInquiry(ConfigRelayGet()) { status in
            status.state == .notSupported ? .featureNotSupported : .relayRetransmit(status.retransmit)
        }
    }

    /// The address of the model's element.
    func element(_ model: ModelAddress) throws(StepFailure) -> UnicastAddress {
        guard let address = node.element(model.element) else {
            throw .unmakeable("element \(model.element) of the node has no unicast address")
        }
        return address
    }

    /// While keys are being distributed a node gets the key that is in use; the new one comes with the update.
    func key(_ index: NetKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = netKeys.first(where: { $0.index == index }) else {
            throw .unmakeable("the database has no network key \(index)")
        }
        return key.phase == .keyDistribution ? key.oldKey ?? key.key : key.key
    }

    /// As with network keys: the one that is in use.
    func key(_ index: AppKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = appKeys.first(where: { $0.index == index }) else {
            throw .unmakeable("the database has no application key \(index)")
        }
        let phase = netKeys.first { $0.index == key.boundNetKey }?.phase
        return phase == .keyDistribution ? key.oldKey ?? key.key : key.key
    }
}

extension ConfigModelPublicationStatus {
    /// Whether the node publishes so; of a label it shows the hash. Without an address the other fields mean nothing.
    func shows(_ publication: Publication?) -> Bool {
        guard let publication else { return publishAddress == .unassigned }
        return publishAddress == publication.address.address && settings == PublicationSettings(publication)
    }
}
