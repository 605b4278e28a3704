/// One item of a node's configuration that can vary, without its value.
///
/// The order is that in which people read a node: keys, models by element, states.
package enum NodeResource: Hashable, Comparable, Sendable {
    case netKey(NetKeyIndex)
    case appKey(AppKeyIndex)
    case binding(ModelAddress, AppKeyIndex)
    /// Whether a model subscribes to a group.
    case subscription(ModelAddress, SubscriptionAddress)
    case publication(ModelAddress)
    case defaultTTL
    case secureNetworkBeacon
    case networkTransmit
    case friend
    case relay
    case relayRetransmit
    /// The GATT Proxy state.
    case proxy
    /// Another state of the foundation models.
    case state(FoundationState.Kind)
    case bridging(BridgingTableEntry)
    /// A state of a model above the foundation, by the name of its form.
    case modelState(ModelAddress, String)
}

extension Node {
    /// The parts of the configuration that are known in both records and differ, sorted. `other` is the later record: a
    /// value that it may have reached by itself does not count as a difference. The composition, names and progress of
    /// key refreshes are not configuration. Models that only one record has are not compared.
    package func differences(from other: Node) -> [NodeResource] {
        var found: [NodeResource] = []
        found += netKeys.map(\.index).difference(from: other.netKeys.map(\.index)).map { .netKey($0) }
        found += appKeys.map(\.index).difference(from: other.appKeys.map(\.index)).map { .appKey($0) }
        for (index, (element, otherElement)) in zip(elements, other.elements).enumerated()
        where element.models != otherElement.models {
            guard let index = UInt8(exactly: index) else { break }
            for model in element.models {
                guard let match = otherElement.models.first(where: { $0.identifier == model.identifier }) else {
                    continue
                }
                let address = ModelAddress(element: index, model: model.identifier)
                found += model.bindings.difference(from: match.bindings).map { .binding(address, $0) }
                found += model.subscriptions.difference(from: match.subscriptions).map { .subscription(address, $0) }
                if model.publication != match.publication { found.append(.publication(address)) }
                for state in model.states {
                    // What a register no longer lists is gone; of other states nothing may be known.
                    let other = match.state(named: state.form.name)
                    guard other.map({ !state.agrees(with: $0) }) ?? (state.form.register != nil) else { continue }
                    found.append(.modelState(address, state.form.name))
                }
            }
        }
        func compare<Value: Equatable>(_ resource: NodeResource, _ value: Value?, _ otherValue: Value?) {
            if let value, let otherValue, value != otherValue { found.append(resource) }
        }
        compare(.defaultTTL, defaultTTL, other.defaultTTL)
        compare(.secureNetworkBeacon, secureNetworkBeacon, other.secureNetworkBeacon)
        compare(.networkTransmit, networkTransmit, other.networkTransmit)
        compare(.friend, features.friend, other.features.friend)
        compare(.relay, features.relay, other.features.relay)
        compare(.relayRetransmit, relayRetransmit, other.relayRetransmit)
        compare(.proxy, features.proxy, other.features.proxy)
        for state in states {
            // A count of heartbeats runs down by itself.
            guard let match = other.state(state.kind), !state.allows(match) else { continue }
            found.append(.state(state.kind))
        }
        if let table = bridgingTable, let otherTable = other.bridgingTable {
            found += table.difference(from: otherTable).map { .bridging($0) }
        }
        return found.sorted()
    }

    /// Copies configuration and composition from another record of the same node. Keys that it keeps also keep their
    /// progress in a key refresh.
    package mutating func takeConfiguration(of other: Node) {
        product = other.product
        features = other.features
        netKeys = netKeys.taking(other.netKeys)
        appKeys = appKeys.taking(other.appKeys)
        secureNetworkBeacon = other.secureNetworkBeacon
        defaultTTL = other.defaultTTL
        networkTransmit = other.networkTransmit
        relayRetransmit = other.relayRetransmit
        states = other.states
        bridgingTable = other.bridgingTable
        compositionPages = other.compositionPages
        modelsMetadata = other.modelsMetadata
        elements = other.elements
    }

    /// Fills unknown parts of the configuration from another record of the same node, and copies its composition. Known
    /// configuration of models that remain stays.
    package mutating func complete(from other: Node) {
        defaultTTL = defaultTTL ?? other.defaultTTL
        secureNetworkBeacon = secureNetworkBeacon ?? other.secureNetworkBeacon
        networkTransmit = networkTransmit ?? other.networkTransmit
        relayRetransmit = relayRetransmit ?? other.relayRetransmit
        features.relay = completed(features.relay, from: other.features.relay)
        features.proxy = completed(features.proxy, from: other.features.proxy)
        features.friend = completed(features.friend, from: other.features.friend)
        features.lowPower = other.features.lowPower
        for state in other.states {
            let recorded = self.state(state.kind)
            // Whether the node has the state depends on its composition.
            if recorded == nil || state.isNotSupported || recorded?.isNotSupported == true { record(state) }
        }
        states.removeAll { other.state($0.kind) == nil && !other.hasPrimary($0.kind.model) }
        if bridgingTable == nil { bridgingTable = other.bridgingTable }
        product = other.product
        guard isCompositionKnown else {
            elements = other.elements
            return
        }
        let recorded = elements
        elements = other.elements
        for (index, element) in recorded.enumerated() where index < elements.count {
            for place in elements[index].models.indices {
                let identifier = elements[index].models[place].identifier
                if let model = element.models.first(where: { $0.identifier == identifier }) {
                    elements[index].models[place] = model
                } else {
                    // A model that came with other firmware begins without configuration.
                    elements[index].models[place] = Model(identifier: identifier)
                }
            }
        }
    }

    /// Takes the known state; but whether the node has the feature depends on its composition, so the other record
    /// decides that.
    private func completed(_ state: FeatureState?, from other: FeatureState?) -> FeatureState? {
        guard let state, let other else { return state ?? other }
        return state == .notSupported || other == .notSupported ? other : state
    }
}

extension Array where Element: Hashable {
    /// The elements of only one of both lists, each once.
    fileprivate func difference(from other: [Element]) -> [Element] {
        if self == other { return [] }
        return Array(Set(self).symmetricDifference(other))
    }
}

extension Array {
    /// The keys of another list, each with the progress that it has here.
    fileprivate func taking<Index>(_ other: [Element]) -> [Element] where Element == NodeKey<Index> {
        other.map { key in first { $0.index == key.index } ?? key }
    }
}
