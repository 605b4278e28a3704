import DefinitionModel
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// What `meshplan keys refresh` does, and what must hold after it and meanwhile.
extension Site {
    func refreshPlan(_ subnet: NetKeyIndex = .primary, excluding excluded: [DeviceUUID] = []) throws -> Plan {
        let snapshot = try database.snapshot()
        let result = KeyRefreshPlanner.plan(
            KeyRefreshRequest(subnet: subnet, excluded: excluded),
            of: snapshot.network,
            named: "house",
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: snapshot.serial, low: UInt64(world.now.microseconds) | 1 << 63)
        )
        guard let plan = result.plan else { throw UnusableDefinition(diagnostics: result.diagnostics) }
        return plan
    }

    /// Clears doubts up, plans what is left, and carries it out.
    func refresh(_ subnet: NetKeyIndex = .primary, excluding excluded: [DeviceUUID] = []) throws -> Recap {
        try execute { executor in
            if !(try database.snapshot().unresolved.isEmpty) {
                let resolved = executor.resolveInDoubt()
                guard resolved.ending == .completed else { return resolved }
            }
            return executor.apply(try refreshPlan(subnet, excluding: excluded))
        }
    }

    /// A house in which all lamps have the application key already, so that a refresh is all there is to do.
    static func furnished(lamps: Int) throws -> MeshNetwork {
        var network = try House.network(lamps: lamps)
        network.appKeys = [AppKey(index: .first, name: "lighting", boundNetKey: .primary, key: secret(0x20))]
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].appKeys = [NodeKey(index: .first)]
            network.nodes[place].elements[0].models[2].bindings = [.first]
        }
        return network
    }

    /// Who of the members could not be reached any more under the key that the database sends with.
    func lostNodes() throws -> [String] {
        let network = try self.network
        let key = try required(network.netKeys.first { $0.index == .primary })
        let sending = key.phase == .keyDistribution ? try required(key.oldKey) : key.key
        return network.nodes.dropFirst().filter { node in
            guard !node.isExcluded, let stored = world.node(node.uuid)?.netKey(.primary) else { return false }
            return stored.key != sending && stored.oldKey != sending
        }.map(\.name)
    }

    /// Holds after a finished refresh: every member has the new keys alone and answers under them.
    func expectRefreshed(from old: MeshNetwork, nodes names: [String]) throws {
        let network = try self.network
        let key = try required(network.netKeys.first)
        #expect(key.phase == .normal && key.oldKey == nil && key.key != old.netKeys[0].key)
        for (before, after) in zip(old.appKeys, network.appKeys) where before.boundNetKey == .primary {
            #expect(after.key != before.key && after.oldKey == nil)
        }
        #expect(world.mismatches(against: network) == [])
        #expect(world.violations == [])
        for node in network.nodes.dropFirst() where names.contains(node.name) {
            let stored = try required(world.node(node.uuid)?.netKey(.primary))
            #expect(stored.key == key.key && stored.oldKey == nil && stored.phase == .normal, "\(node.name)")
            #expect(node.netKeys.allSatisfy { $0.progress == .none } && node.appKeys.allSatisfy { !$0.isUpdated })
        }
        let steps = network.nodes.filter { names.contains($0.name) }.map { node in
            Step(change: 0, work: .configure(node.uuid, .setDefaultTTL(9)))
        }
        let snapshot = try database.snapshot()
        var plan = try refreshPlan()
        plan = Plan(
            identifier: Octets16(high: 0xA5, low: snapshot.serial),
            lineage: snapshot.lineage,
            serial: snapshot.serial,
            network: "house",
            nodes: plan.nodes,
            changes: plan.changes,
            steps: steps
        )
        let recap = try apply(plan)
        #expect(recap.isComplete && recap.applied == names.count, "\(recap)")
    }
}
