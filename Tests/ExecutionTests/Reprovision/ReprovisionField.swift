import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// Lamps with a Remote Provisioning Server, of which the second is reprovisioned; the first is the proxy.
enum ReprovisionField {
    static let keys = [AppKey(index: .first, name: "lighting", boundNetKey: .primary, key: secret(0x20))]

    /// The network as the database knows it: both lamps have the application key and a configuration, and the first
    /// publishes to the second.
    ///
    /// - Parameter proxy: which lamp is the proxy.
    static func network(lamps: Int = 2, isServer: Bool = true, proxy: Int = 1) throws -> MeshNetwork {
        var network = try House.network(lamps: lamps)
        network.appKeys = keys
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].features.proxy = place == proxy ? .enabled : .disabled
            network.nodes[place].appKeys = [NodeKey(index: .first)]
            network.nodes[place].elements[0].models[2].bindings = [.first]
            network.nodes[place].elements[0].models[3].bindings = [.first]
            network.nodes[place].elements[1].models[0].bindings = [.first]
            if isServer {
                network.nodes[place].elements[0].models.append(Model(identifier: .remoteProvisioningServer))
            }
        }
        let publication = Publication(address: .unicast(try unicast(0x20)), appKeyIndex: .first, ttl: 5)
        network.nodes[1].elements[0].models[3].publication = publication
        return network
    }

    /// What the second lamp is made of once it has taken on the composition that it has prepared: the vendor model is
    /// gone, a model has come.
    static func composition(of node: Node, elements: Int = 2) -> Composition {
        var composition = Composition(
            company: 0x0059,
            product: 1,
            version: 3,
            replayListSize: 40,
            features: [.relay, .proxy, .friend],
            elements: [
                CompositionElement(location: 0x0100, models: node.elements[0].models.map(\.identifier)),
                CompositionElement(location: 0x0101, models: [.sig(0x1002)]),
            ]
        )
        while composition.elements.count < elements {
            composition.elements.append(CompositionElement(location: 0x0102, models: [.sig(0x1000)]))
        }
        return composition
    }

    /// A site.
    ///
    /// - Parameter preparing: how many elements the composition has that the second lamp has prepared, nil for none.
    static func site(
        preparing elements: Int? = nil,
        isServer: Bool = true,
        proxy: Int = 1,
        settings: WorldSettings = .ideal,
        seed: UInt64 = 1
    ) throws -> Site {
        let network = try network(isServer: isServer, proxy: proxy)
        var air = network
        if let elements {
            air.nodes[2].compositionPages = [
                128: try required(composition(of: air.nodes[2], elements: elements).page0Bytes)
            ]
        }
        return try Site(lamps: 2, settings: settings, seed: seed, world: air, database: network)
    }
}

extension Site {
    /// Plans a reprovisioning of the second lamp as the command does.
    func reprovisionPlan(
        _ procedure: NodeProvisioningProcedure,
        to address: UnicastAddress? = nil
    ) throws -> ReprovisionPlan {
        let snapshot = try database.snapshot()
        return try ReprovisionPlanner(snapshot.network, definition: nil, heard: snapshot.replay.map(\.source))
            .plan(ReprovisionRequest(node: uuid(2), procedure: procedure, address: address))
    }

    /// Finds out what an earlier run has left open, then reprovisions the second lamp, unless it is found to be.
    func reprovision(
        _ procedure: NodeProvisioningProcedure,
        to address: UnicastAddress? = nil
    ) throws -> ReprovisionOutcome {
        try execute { executor in
            switch executor.resolveReprovision(of: uuid(2)) {
            case .unchanged, nil: break
            case let outcome?: return outcome
            }
            let identifier = Octets16(high: 0x4E, low: UInt64(world.now.microseconds))
            return executor.reprovision(try reprovisionPlan(procedure, to: address), identifier: identifier)
        }
    }

    /// The second lamp answers as the database says, and nothing is left open.
    func expectSettled(_ comment: Comment? = nil) throws {
        let network = try self.network
        #expect(network.pendingReprovisions.isEmpty, comment)
        let recap = try execute { $0.readBack([uuid(2)]) }
        #expect(recap.isComplete, "\(comment ?? ""): \(recap)")
        #expect(world.mismatches(against: try self.network) == [], comment)
        #expect(world.violations == [], comment)
    }

    /// Whatever the second lamp answers to is in the database, with the addresses that belong to it.
    func expectNothingLost(_ comment: Comment? = nil) throws {
        let network = try self.network
        let state = try required(world.node(uuid(2)))
        let node = try required(network.nodes.first { $0.uuid == uuid(2) })
        let pending = network.pendingReprovisions[node.uuid]
        let forms = [
            (node.unicastAddress, node.deviceKey), (pending?.address ?? node.unicastAddress, pending?.deviceKey),
        ]
        #expect(forms.contains { $0.0 == state.address && $0.1 == state.deviceKey }, comment)
        if let candidate = world.deviceKeyCandidate(of: uuid(2)) {
            let known = forms.map(\.1) + network.retiredNodes.map(\.node.deviceKey)
            // A candidate that nobody uses is of no matter, but one that could still be used must be known.
            #expect(known.contains(candidate) || node.deviceKey == state.deviceKey, comment)
        }
    }
}
