import DefinitionModel
import MeshCore

/// The fewest messages that turn the configuration of a node into another one, by formula.
///
/// A key takes one message to come or go, but those of a deleted NetKey go with it, unless they have to be seen to go before
/// it is known whether the NetKey may; so do bindings and publications with
/// their AppKey, and a publication with its binding. A model's list of groups takes a message for each difference, or one
/// for each group that is wanted if it is overwritten, or one if it is emptied. So do entries of a bridging table, of which all between two subnets go with one message where none is
/// left. All else takes one message a state.
struct LeastMessages {
    let before: Node
    let after: Node
    /// The subnets of the network's AppKeys, also of those that are gone.
    let boundNetKeys: [AppKeyIndex: NetKeyIndex]
    /// The models of which the definition says all groups.
    let declaredLists: Set<ModelAddress>
    /// AppKeys that leave the network and go by themselves: only the composition tells whether their NetKey goes, too.
    var separateAppKeys: Set<AppKeyIndex> = []

    var count: Int {
        var count = keys + states
        for (index, (element, other)) in zip(before.elements, after.elements).enumerated() {
            for model in element.models {
                guard let match = other.models.first(where: { $0.identifier == model.identifier }) else { continue }
                let address = ModelAddress(element: UInt8(index), model: model.identifier)
                count += messages(from: model, to: match, isDeclared: declaredLists.contains(address))
            }
        }
        return count
    }

    private func differences<Element: Hashable>(_ left: [Element], _ right: [Element]) -> (gone: Int, new: Int) {
        (Set(left).subtracting(right).count, Set(right).subtracting(left).count)
    }

    private var keys: Int {
        let netKeys = differences(before.netKeys.map(\.index), after.netKeys.map(\.index))
        let new = Set(after.appKeys.map(\.index)).subtracting(before.appKeys.map(\.index))
        let gone = Set(before.appKeys.map(\.index)).subtracting(after.appKeys.map(\.index))
            .filter { key in
                separateAppKeys.contains(key) || boundNetKeys[key].map { after.knows($0) || !before.knows($0) } ?? true
            }
        return netKeys.gone + netKeys.new + new.count + gone.count
    }

    private var states: Int {
        var count = 0
        if before.defaultTTL != after.defaultTTL { count += 1 }
        if before.secureNetworkBeacon != after.secureNetworkBeacon { count += 1 }
        if before.networkTransmit != after.networkTransmit { count += 1 }
        if before.features.proxy != after.features.proxy { count += 1 }
        if before.features.friend != after.features.friend { count += 1 }
        if before.features.relay != after.features.relay || before.relayRetransmit != after.relayRetransmit {
            count += 1
        }
        for state in after.states where before.state(state.kind) != state {
            // An open proxy is no private one, so the one message switches both.
            if case .privateGATTProxy(.disabled) = state, before.state(state.kind) == .privateGATTProxy(.enabled),
                before.features.proxy != .enabled, after.features.proxy == .enabled
            {
                continue
            }
            count += 1
        }
        return count + bridges
    }

    private var bridges: Int {
        let old = before.bridgingTable ?? []
        let new = after.bridgingTable ?? []
        let set = new.count { !old.contains($0) }
        let removed = old.filter { entry in
            !new.contains { $0.isAbout(entry) } && after.knows(entry.subnets.first) && after.knows(entry.subnets.second)
        }
        let joined = Set(new.map(\.subnets))
        let emptied = Set(removed.map(\.subnets)).subtracting(joined)
        return set + removed.count { joined.contains($0.subnets) } + emptied.count
    }

    private func messages(from model: Model, to other: Model, isDeclared: Bool) -> Int {
        let bindings = differences(
            model.bindings.filter { after.knows($0) },
            other.bindings
        )
        var count = bindings.gone + bindings.new + subscriptions(from: model, to: other, isDeclared)
        if let publication = other.publication {
            if model.publication != publication { count += 1 }
        } else if let old = model.publication, other.bindings.contains(old.appKeyIndex) {
            count += 1
        }
        return count
    }

    private func subscriptions(from model: Model, to other: Model, _ isDeclared: Bool) -> Int {
        let old = Set(model.subscriptions)
        let new = Set(other.subscriptions)
        if old == new { return 0 }
        let each = old.subtracting(new).count + new.subtracting(old).count
        // What nobody has asked for must not be overwritten: a list of which the definition does not say all.
        guard isDeclared || Set(model.managedSubscriptions) == old else { return each }
        return min(each, max(new.count, 1))
    }
}
