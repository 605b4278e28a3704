import DefinitionModel
import Execution
import Foundation
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("A run that is killed")
struct CrashTests {
    private static let settings: WorldSettings = {
        var settings = WorldSettings.ideal
        settings.copyLoss = 0.1
        settings.topology = .hops(2)
        return settings
    }()

    /// What is compared: everything but the octets of keys that the runs made up for themselves.
    private static func comparable(_ network: MeshNetwork) -> MeshNetwork {
        var network = network
        for place in network.netKeys.indices where network.netKeys[place].index != .primary {
            network.netKeys[place].key = secret(0)
        }
        for place in network.appKeys.indices { network.appKeys[place].key = secret(0) }
        return network
    }

    private static let undisturbed = Result { () throws -> (network: MeshNetwork, moments: Int) in
        let site = try Site(lamps: 2, settings: settings)
        let packets = try MortalRuns.packets(of: site) { () throws in
            #expect(try site.apply(try site.plan()).isComplete)
        }
        return (comparable(try site.network), packets)
    }

    /// Whatever a node did that the database does not know must be its in-doubt request: an intent is durable before
    /// its message leaves, and an outcome before the next message to the node does.
    private func expectEveryDifferenceInDoubt(_ site: Site, _ moment: Int) throws {
        let snapshot = try site.database.snapshot()
        var network = snapshot.network
        #expect(Set(snapshot.unresolved.map(\.node)).count == snapshot.unresolved.count, "one in doubt a node")
        for doubt in snapshot.unresolved {
            let place = try required(network.nodes.firstIndex { $0.uuid == doubt.node })
            var done = network
            done.nodes[place].apply(try ConfigurationAction(decoding: doubt.action), appKeys: network.appKeys)
            if site.world.mismatches(against: done).count < site.world.mismatches(against: network).count {
                network = done
            }
        }
        #expect(site.world.mismatches(against: network) == [], "moment \(moment)")
    }

    /// Kills the first run after so many packets; every other time the second run too.
    private func dieAndGoOn(moment: Int, saved: Bool) throws {
        let expected = try CrashTests.undisturbed.get()
        let site = try Site(lamps: 2, settings: CrashTests.settings, seed: UInt64(moment))
        let plan = try site.plan()
        let runs = MortalRuns(site, moment: moment)
        var recap = try site.apply(plan)
        while try runs.revive() {
            try expectEveryDifferenceInDoubt(site, moment)
            recap = try saved ? site.apply(plan) : site.resolveAndApply()
        }
        // A loss may leave a node pending, as in any run; one more run does the rest.
        if !recap.isComplete, recap.ending == .completed { recap = try site.resolveAndApply() }
        #expect(recap.isComplete || recap.ending == .refused(.alreadyApplied), "moment \(moment): \(recap)")
        #expect(try site.world.mismatches(against: site.network) == [], "moment \(moment)")
        #expect(site.world.violations == [], "moment \(moment)")
        #expect(try CrashTests.comparable(site.network) == expected.network, "moment \(moment)")
        #expect(try site.database.snapshot().unresolved == [], "moment \(moment)")
        #expect(try site.plan().steps == [], "moment \(moment)")
    }

    @Test(
        "At 200 moments, one more apply ends in the same nodes and database as an undisturbed run",
        arguments: 0..<8
    )
    func applied(part: Int) throws {
        let moments = try CrashTests.undisturbed.get().moments
        for index in 0..<25 {
            try dieAndGoOn(moment: 1 + (part * 25 + index) * moments / 200, saved: index.isMultiple(of: 4))
        }
    }
}
