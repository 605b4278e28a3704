import MeshCore
import Planning

/// The node that configuration messages go to, and the keys of its network that they can contain.
struct ConfigurationTarget {
    /// The address of the node's primary element.
    let node: UnicastAddress
    let netKeys: [NetKey]
    let appKeys: [AppKey]

    init(_ node: UnicastAddress, in network: MeshNetwork) {
        self.node = node
        netKeys = network.netKeys
        appKeys = network.appKeys
    }

    /// The address of the model's element.
    func element(_ model: ModelAddress) throws(StepFailure) -> UnicastAddress {
        guard let address = node.element(model.element) else {
            throw .unmakeable("element \(model.element) of the node has no unicast address")
        }
        return address
    }

    /// The NetKey for a node. While keys are being distributed, a node is given the key in use; the new one comes with
    /// the update.
    func key(_ index: NetKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = netKeys.first(where: { $0.index == index }) else {
            throw .unmakeable("the database has no network key \(index)")
        }
        return key.phase == .keyDistribution ? key.oldKey ?? key.key : key.key
    }

    /// The AppKey for a node: the one in use, as with NetKeys.
    func key(_ index: AppKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = appKeys.first(where: { $0.index == index }) else {
            throw .unmakeable("the database has no application key \(index)")
        }
        let phase = netKeys.first { $0.index == key.boundNetKey }?.phase
        return phase == .keyDistribution ? key.oldKey ?? key.key : key.key
    }

    /// The value that a key refresh gives a NetKey.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if the key is in no key refresh.
    func newKey(_ index: NetKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = netKeys.first(where: { $0.index == index }), key.phase != .normal else {
            throw .unmakeable("network key \(index) is in no key refresh")
        }
        return key.key
    }

    /// The value that a key refresh gives an AppKey.
    ///
    /// - Throws: ``StepFailure/unmakeable(_:)`` if the key has no new value.
    func newKey(_ index: AppKeyIndex) throws(StepFailure) -> KeyMaterial {
        guard let key = appKeys.first(where: { $0.index == index }), key.oldKey != nil else {
            throw .unmakeable("application key \(index) has no new value")
        }
        return key.key
    }
}
