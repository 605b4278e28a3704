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
    ///   - network: the network with the keys.
    init(_ action: ConfigurationAction, node: UnicastAddress, network: MeshNetwork) {
        self.action = action
        self.node = node
        netKeys = network.netKeys
        appKeys = network.appKeys
    }

    /// The question that must be answered before the request can be made; nil if none.
    var prelude: ConfigurationInquiry? {
        guard case .setRelay(_, nil) = action else { return nil }
        return ConfigurationInquiry(ConfigRelayGet()) { status in
            status.state == .notSupported ? .featureNotSupported : .relayRetransmit(status.retransmit)
        }
    }

    /// The address of the model's element.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if the element lies outside the address space.
    func element(_ model: ModelAddress) throws(StepFailure) -> UnicastAddress {
        guard let address = node.element(model.element) else {
            throw .unmakeable("element \(model.element) of the node has no unicast address")
        }
        return address
    }

    /// The NetKey for a node. While keys are being distributed, a node is given the key in use; the new one comes with
    /// the update.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if the network does not have the key.
    func key(_ index: NetKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = netKeys.first(where: { $0.index == index }) else {
            throw .unmakeable("the database has no network key \(index)")
        }
        return key.phase == .keyDistribution ? key.oldKey ?? key.key : key.key
    }

    /// The AppKey for a node: the one in use, as with NetKeys.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if the network does not have the key.
    func key(_ index: AppKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = appKeys.first(where: { $0.index == index }) else {
            throw .unmakeable("the database has no application key \(index)")
        }
        let phase = netKeys.first { $0.index == key.boundNetKey }?.phase
        return phase == .keyDistribution ? key.oldKey ?? key.key : key.key
    }
}

extension ConfigModelPublicationStatus {
    /// Whether the node's publication matches. A node shows the hash of a label. Without an address the other fields
    /// mean nothing.
    func shows(_ publication: Publication?) -> Bool {
        guard let publication else { return publishAddress == .unassigned }
        return publishAddress == publication.address.address && settings == PublicationSettings(publication)
    }
}
