package import MeshCore

/// Something that a plan does and that no plan can take back.
package struct Irreversible: Hashable, Sendable {
    /// What it is done to, like `node.lamp-1`.
    package var resource: String
    /// Why there is no way back, without a full stop.
    package var reason: String
}

extension Plan {
    /// What there is no way back from, in the order of the steps, each thing once; empty if another plan can take back all
    /// that this one does.
    ///
    /// - Parameter network: What the plan was made from.
    package func irreversible(in network: MeshNetwork) -> [Irreversible] {
        var found: [Irreversible] = []
        var seen: Set<Irreversible> = []
        let places = network.nodePlaces
        let names = Dictionary(nodes.map { ($0.uuid, $0.name) }) { first, _ in first }
        func add(_ resource: String, _ reason: String) {
            let irreversible = Irreversible(resource: resource, reason: reason)
            if seen.insert(irreversible).inserted { found.append(irreversible) }
        }
        for step in steps {
            let resource = changes.indices.contains(step.change) ? changes[step.change].address : network.name
            switch step.work {
            case .readBack: continue
            case .provision(let order):
                add("node." + order.name, "a device becomes a node, which no plan takes back")
            case .configureWhenKnown(let configuration):
                let name = names[configuration.node] ?? configuration.node.description
                add("node." + name, "its configuration before is not known; read it first, with meshplan refresh")
            case .edit(.refreshKeys): add(resource, "a key refresh replaces keys for good")
            case .edit(.exclude): add(resource, "a node is excluded from the network for good")
            case .edit: continue
            case .configure(let uuid, let action):
                guard let place = places[uuid] else {
                    add(resource, "nothing is known of the node before")
                    continue
                }
                if let reason = network.nodes[place].reasonAgainstReversing(action) { add(resource, reason) }
            }
        }
        return found
    }

    /// The network that the plan leads to if every step succeeds, as far as nodes' configuration and what the network has
    /// goes; keys that are made are 0 in it.
    package func outcome(on network: MeshNetwork) -> MeshNetwork {
        var network = network
        let places = network.nodePlaces
        let sharing = network.sharedListsByProduct
        for step in steps {
            switch step.work {
            case .configure(let uuid, let action):
                guard let place = places[uuid], action != .resetNode else { continue }
                let lists = network.nodes[place].product.flatMap { sharing[$0] } ?? .unknown
                network.nodes[place].apply(action, appKeys: network.appKeys, sharing: lists)
            case .edit(.manage(let uuid, let name, let isProtected, let removalPolicy)):
                guard let place = places[uuid] else { continue }
                network.nodes[place].isManaged = true
                network.nodes[place].name = name
                network.nodes[place].isProtected = isProtected
                network.nodes[place].removalPolicy = removalPolicy
            case .edit(.forget(let uuid)):
                guard let place = places[uuid] else { continue }
                network.nodes[place].isManaged = false
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
    /// Why what an action does to the node cannot be taken back by another one; nil if it can.
    fileprivate func reasonAgainstReversing(_ action: ConfigurationAction) -> String? {
        let unknown = "the value before is not known; read it first, with meshplan refresh"
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
        case .addBridging, .removeBridging, .removeAllBridging: return bridgingTable == nil ? unknown : nil
        case .addNetKey, .deleteNetKey, .addAppKey, .deleteAppKey, .bind, .unbind, .addSubscription,
            .deleteSubscription, .overwriteSubscriptions, .deleteAllSubscriptions, .setPublication:
            return nil
        }
    }
}

extension Restoration {
    /// What would still be otherwise after a plan and the way back from it, as paths of resources; empty if the way back
    /// leads there.
    ///
    /// - Parameters:
    ///   - former: Where the way back leads.
    ///   - reached: Where it has led, see ``Plan/outcome(on:)``.
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
