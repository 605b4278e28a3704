import DefinitionModel
import MeshCore

extension NodeDiffer {
    /// Defers what needs models, features or the addresses of other nodes, after checking what can be checked now.
    ///
    /// The declared models stay for their keys, which do not depend on the composition.
    mutating func waitForComposition(_ desired: inout DesiredNode, node: Node, _ difference: inout NodeDifference) {
        prepareStates(&desired, node: node)
        for index in desired.models.indices {
            if desired.models[index].exceedsAbilities {
                checkCapabilities(&desired.models[index], name: desired.name.value)
            }
            // Asked here, because the call copies the model.
            if let publication = desired.models[index].publication?.value,
                !publication.hasKey(among: desired.models[index].bindings?.value)
            {
                checkPublication(of: desired.models[index], in: desired)
            }
        }
        var deferred = DeferredConfiguration(node: node.uuid, name: desired.name.value)
        let settings = desired.settings
        if let ttl = settings.defaultTTL, ttl.value < 2, ttl.value != node.defaultTTL, node.features.proxy == nil {
            deferred.defaultTTL = ttl.value
            desired.settings.defaultTTL = nil
        }
        deferred.relay = settings.relay.flatMap { $0.value == node.features.relay.isOn ? nil : $0.value }
        deferred.proxy = settings.proxy.flatMap { $0.value == node.features.proxy.isOn ? nil : $0.value }
        deferred.friend = settings.friend.flatMap { $0.value == node.features.friend.isOn ? nil : $0.value }
        if let retransmit = settings.relayRetransmit, !retransmit.value.isEquivalent(to: node.relayRetransmit) {
            deferred.relayRetransmit = retransmit.value
            if settings.relay == nil, node.features.relay.isOn == nil { reportUnknownRelay(desired) }
        }
        deferred.optionalFeatures = settings.optionalFeatures
        deferred.states = settings.states.filter { !$0.value.isRecorded(on: node) }
            .map { DeferredState(state: $0.value, isOptional: $0.origin.isDefault) }
        deferred.bridges = settings.bridgingTable?.value
        deferred.areBridgesOptional = settings.bridgingTable?.origin.isDefault ?? false
        deferred.models = desired.models.map(DeferredModel.init)
        deferred.rules = desired.rules
        deferred.modelNames = names.models.given(to: deferred.models.map(\.address.model) + deferred.rules.map(\.model))
        difference.deferred = deferred
        desired.settings.relay = nil
        desired.settings.relayRetransmit = nil
        desired.settings.proxy = nil
        desired.settings.friend = nil
        desired.subnetsOfWaitingStates = settings.subnetsOfStates
        desired.settings.states = []
        desired.settings.bridgingTable = nil
    }

    /// What a node loses with its keys is only known with its composition, so the removal of keys is deferred, too.
    func deferRemovals(_ desired: DesiredNode, _ difference: inout NodeDifference) {
        difference.models = []
        let removesKeys =
            difference.deletedNetKeys.contains { !leaving.netKeys.contains($0) }
            || difference.deletedAppKeys.contains { !leaving.appKeys.contains($0) }
        // Rules may then bring keys that belong to the lists.
        if removesKeys || !desired.rules.isEmpty {
            difference.deferred?.subnets = desired.settings.subnets?.value
            difference.deferred?.applicationKeys = desired.settings.applicationKeys?.value
        }
        // Keys that leave the network are removed, whatever the node's composition is.
        difference.deferredNetKeys = difference.deletedNetKeys.filter { !leaving.netKeys.contains($0) }
        difference.deletedNetKeys.removeAll { !leaving.netKeys.contains($0) }
        difference.deletedAppKeys.removeAll { !leaving.appKeys.contains($0) }
        if difference.deferred?.isEmpty ?? true { difference.deferred = nil }
    }

    /// Checks whether the device can be provisioned into its subnet, which may already use new keys; the same check
    /// applies to keys that are added to nodes.
    mutating func check(_ order: ProvisioningOrder, in desired: DesiredNode) {
        check(names.netKey(order.netKeyIndex), of: order.netKeyIndex, in: desired, needing: nil)
    }
}

extension DesiredPublication {
    /// Whether its key is one of the model's, or the model's only one if it names none.
    fileprivate func hasKey(among bindings: [AppKeyIndex]?) -> Bool {
        guard let key else { return bindings?.count == 1 }
        return bindings?.contains(key) ?? true
    }
}

extension DesiredSettings {
    /// The features that only a default for many nodes asks for.
    fileprivate var optionalFeatures: FeatureSet {
        var optional: FeatureSet = []
        // Switching relaying off is always possible.
        let relaying = [relay?.value == true ? relay?.origin : nil, relayRetransmit?.origin].compactMap { $0 }
        if !relaying.isEmpty, relaying.allSatisfy(\.isDefault) { optional.insert(.relay) }
        if proxy?.origin.isDefault ?? false { optional.insert(.proxy) }
        if friend?.origin.isDefault ?? false { optional.insert(.friend) }
        return optional
    }
}

extension DeferredConfiguration {
    var isEmpty: Bool {
        subnets == nil && applicationKeys == nil && defaultTTL == nil && relay == nil && relayRetransmit == nil
            && proxy == nil
            && friend == nil && states.isEmpty && bridges == nil && models.isEmpty && rules.isEmpty
    }
}

extension DesiredFoundationState {
    /// Whether the node is recorded with this value, so that the state need not wait for the composition.
    fileprivate func isRecorded(on node: Node) -> Bool {
        value(on: node).map { $0.agrees(with: node.state($0.kind)) } ?? false
    }
}

extension DeferredModel {
    /// A model without the locations of its declaration.
    init(_ desired: DesiredModel) {
        self.init(
            address: desired.address,
            bindings: desired.bindings?.value,
            subscriptions: desired.subscriptions?.value,
            publication: desired.publication.map { $0.value.map { .on($0) } ?? .off } ?? .unmanaged,
            states: desired.states.map(\.value)
        )
    }
}
