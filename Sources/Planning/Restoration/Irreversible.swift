package import MeshCore

/// Something that a plan does and no other plan can reverse.
package struct Irreversible: Hashable, Sendable {
    /// The affected item, like `node.lamp-1`.
    package var resource: String
    /// Why it cannot be reversed, without a full stop.
    package var reason: Advice
}

extension Plan {
    /// What cannot be reversed, in the order of the steps, each item once; empty if another plan can reverse
    /// everything.
    ///
    /// - Parameter network: the network that the plan was made from.
    package func irreversible(in network: MeshNetwork) -> [Irreversible] {
        var found: [Irreversible] = []
        var seen: Set<Irreversible> = []
        let places = network.nodePlaces
        let names = Dictionary(nodes.map { ($0.uuid, $0.name) }) { first, _ in first }
        func add(_ resource: String, _ reason: Advice) {
            let irreversible = Irreversible(resource: resource, reason: reason)
            if seen.insert(irreversible).inserted { found.append(irreversible) }
        }
        for step in steps {
            let resource = changes.indices.contains(step.change) ? changes[step.change].address : network.name
            switch step.work {
            case .readBack: continue
            case .provision(let order):
                add("node." + order.name, "a device becomes a node, which no plan can reverse")
            case .configureWhenKnown(let configuration):
                let name = names[configuration.node] ?? configuration.node.description
                add(
                    "node." + name,
                    "its configuration before is not known; read it first, with \(command: .readBack())"
                )
            case .edit(.refreshKeys): add(resource, "a key refresh replaces keys for good")
            case .edit(.exclude): add(resource, "a node is excluded from the network for good")
            case .edit: continue
            case .configure(let uuid, let action):
                guard let index = places[uuid] else {
                    add(resource, "nothing is known of the node before")
                    continue
                }
                if let reason = network.nodes[index].reasonAgainstReversing(action) { add(resource, reason) }
            }
        }
        return found
    }

    /// The network after the plan if every step succeeds, as far as the nodes' configuration and the network's
    /// resources go. New keys are 0 in it.
    package func outcome(on network: MeshNetwork) -> MeshNetwork {
        var network = network
        let places = network.nodePlaces
        let sharing = network.sharedListsByProduct
        for step in steps {
            switch step.work {
            case .configure(let uuid, let action):
                guard let index = places[uuid], action != .resetNode else { continue }
                let lists = network.nodes[index].product.flatMap { sharing[$0] } ?? .unknown
                network.nodes[index].apply(action, appKeys: network.appKeys, sharing: lists)
            case .edit(.manage(let uuid, let name, let isProtected, let removalPolicy)):
                guard let index = places[uuid] else { continue }
                network.nodes[index].isManaged = true
                network.nodes[index].name = name
                network.nodes[index].isProtected = isProtected
                network.nodes[index].removalPolicy = removalPolicy
            case .edit(.forget(let uuid)):
                guard let index = places[uuid] else { continue }
                network.nodes[index].isManaged = false
            case .edit(let edit):
                guard edit.node == nil else { continue }
                network.apply(edit) { _ in KeyMaterial(Octets16(high: 0, low: 0)) }
            case .provision, .configureWhenKnown, .readBack: continue
            }
        }
        return network
    }
}

extension Node {
    /// Why no other action can reverse the action on the node; nil if one can.
    fileprivate func reasonAgainstReversing(_ action: ConfigurationAction) -> Advice? {
        let unknown: Advice = "the value before is not known; read it first, with \(command: .readBack())"
        switch action {
        case .readComposition, .read: return nil
        case .resetNode: return "a node that is reset leaves the network"
        case .updateNetKey, .updateAppKey, .setKeyRefreshPhase: return "a key refresh replaces keys for good"
        case .setDefaultTTL: return defaultTTL == nil ? unknown : nil
        case .setSecureNetworkBeacon: return secureNetworkBeacon == nil ? unknown : nil
        case .setNetworkTransmit: return networkTransmit == nil ? unknown : nil
        case .setRelay: return features.relay == nil || relayRetransmit == nil ? unknown : nil
        case .setProxy: return features.proxy == nil ? unknown : nil
        case .setFriend: return features.friend == nil ? unknown : nil
        case .set(let new): return state(new.kind) == nil ? unknown : nil
        case .setModelState(let set):
            return model(at: set.model)?.state(named: set.state.form.name) == nil ? unknown : nil
        case .holdState, .setBriefly, .restoreState: return nil
        case .addBridging, .removeBridging, .removeAllBridging: return bridgingTable == nil ? unknown : nil
        case .addNetKey, .deleteNetKey, .addAppKey, .deleteAppKey, .bind, .unbind, .addSubscription,
            .deleteSubscription, .overwriteSubscriptions, .deleteAllSubscriptions, .setPublication:
            return nil
        }
    }
}

extension Restoration {
    /// What would still differ after a plan and the plan back, as paths of resources; empty if everything is reversed.
    ///
    /// - Parameters:
    ///   - former: the network to return to.
    ///   - reached: the network that the plan back leads to; see ``Plan/outcome(on:)``.
    package static func leftOtherwise(_ former: MeshNetwork, _ reached: MeshNetwork) -> [Irreversible] {
        let nodes = Dictionary(reached.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        return former.nodes.flatMap { node -> [Irreversible] in
            guard let now = nodes[node.uuid] else { return [] }
            let drift = NodeDrift(recorded: node, observed: now, at: Timestamp(rawValue: 0))
            return (drift?.resources ?? []).map { resource in
                Irreversible(
                    resource: "node.\(node.name).\(resource.path(in: former))",
                    reason: "a definition cannot say what it was"
                )
            }
        }
    }
}
