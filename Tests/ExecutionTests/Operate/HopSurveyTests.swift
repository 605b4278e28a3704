import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

@Suite("Counting hops")
struct HopSurveyTests {
    /// A house of lamps in which each node hears only those that are named.
    private func site(lamps: Int, _ links: [(Int, Int)], loss: Double = 0) throws -> Site {
        var network = try House.network(lamps: lamps)
        for place in network.nodes.indices { network.nodes[place].features.relay = .enabled }
        let nodes = network.nodes.filter { $0.uuid != network.ownProvisioner }
        var settings = WorldSettings.ideal
        settings.topology = .links(links.map { WorldSettings.RadioLink(nodes[$0.0].uuid, nodes[$0.1].uuid) })
        settings.copyLoss = loss
        settings.proxy = nodes[0].uuid
        return try Site(lamps: lamps, settings: settings, world: network, database: network)
    }

    private func survey(_ site: Site, _ budget: HopBudget = .airtime(0.05)) throws -> HopSurveyResult {
        let (result, ending) = try site.execute { $0.surveyHops(budget) }
        #expect(ending == .completed)
        return result
    }

    /// The hops of the nodes beside our own, in the order of their addresses.
    private func hops(_ result: HopSurveyResult, _ site: Site) throws -> [Int?] {
        let network = try site.network
        return network.nodes.filter { $0.uuid != network.ownProvisioner }.map { result.sightings[$0.uuid]?.fewest }
    }

    @Test("In a chain each node is one hop farther away, and nothing else is changed, nor in the database")
    func chain() throws {
        let site = try self.site(lamps: 5, [(0, 1), (1, 2), (2, 3), (3, 4)])
        let before = try site.network
        let result = try survey(site)
        #expect(try hops(result, site) == [1, 2, 3, 4, 5])
        // TTL 2 for all, 3 for three, 4 for two, 5 for one.
        #expect(result.questions == 11 && result.answers == 5)
        #expect(result.sightings.values.allSatisfy { $0.most == $0.fewest && $0.answers == 1 })
        #expect(result.proxies == [try site.lamp(1).unicastAddress])
        var after = try site.network
        #expect(after.nodes.dropFirst().map(\.hops) == [1, 2, 3, 4, 5], "the distances are remembered")
        for place in after.nodes.indices { after.nodes[place].hops = nil }
        #expect(after == before)
        #expect(site.world.mismatches(against: before).isEmpty)
    }

    @Test("Nodes around one proxy are two hops away, and one round tells")
    func star() throws {
        let site = try self.site(lamps: 5, [(0, 1), (0, 2), (0, 3), (0, 4)])
        let result = try survey(site)
        #expect(try hops(result, site) == [1, 2, 2, 2, 2])
        #expect(result.questions == 5 && result.elapsed < .seconds(5))
    }

    @Test("A node that does not answer is asked a few times more, and has no hops")
    func silent() throws {
        let site = try self.site(lamps: 4, [(0, 1), (1, 2), (2, 3)])
        _ = site.world.setPower(try site.lamp(3).uuid, isOn: false)
        let result = try survey(site)
        #expect(try hops(result, site) == [1, 2, nil, nil])
        // Nobody was found with TTL 3, so that a fourth hop cannot be: after that they are asked twice with TTL 127.
        #expect(result.questions == 4 + 2 + 2 * 2)
        #expect(!result.isCutShort && result.unreachable.isEmpty)
    }

    @Test("Nodes whose Default TTL does not reach us cannot be heard")
    func deep() throws {
        let site = try self.site(lamps: 8, (0..<7).map { ($0, $0 + 1) })
        // It is 5, and the proxy passes on what still has 2.
        #expect(try hops(try survey(site), site) == [1, 2, 3, 4, 5, nil, nil, nil])
    }

    @Test("A node that sends heartbeats anyway is heard even if it answers nothing")
    func heartbeats() throws {
        let site = try self.site(lamps: 3, [(0, 1), (1, 2)])
        let own = HeartbeatPublication(
            destination: Address(rawValue: 0xFFFF),
            countLog: .endless,
            periodLog: try #require(HeartbeatPeriodLog(seconds: 4)),
            ttl: 5,
            features: [],
            netKeyIndex: .primary
        )
        let lamp = try site.lamp(3)
        let set = ConfigurationAction.set(.heartbeatPublication(own))
        #expect(try site.apply(site.plan(of: [set], on: lamp.uuid)).ending == .completed)
        _ = site.world.setFaults(NodeFaults(isDeaf: true), of: lamp.uuid)
        let result = try survey(site)
        let sighting = try #require(result.sightings[lamp.uuid])
        #expect(sighting.fewest == 3 && sighting.answers == 0 && sighting.heartbeats >= 2)
    }

    @Test("A share of the air, or a time, is kept")
    func budgets() throws {
        let links = (1..<20).map { (0, $0) }
        let slow = try survey(try site(lamps: 20, links), .airtime(0.01))
        #expect(slow.share <= 0.01 && slow.share > 0.007, "\(slow.share)")
        let timed = try survey(try site(lamps: 20, links), .time(.seconds(30)))
        #expect(timed.elapsed <= .seconds(30) && timed.share > slow.share && !timed.isCutShort)
    }

    @Test("Ctrl-C ends it, with what is known")
    func interrupt() throws {
        let site = try self.site(lamps: 3, [(0, 1), (1, 2)])
        var isPressed = false
        site.interrupts = { isPressed ? 1 : 0 }
        let (result, ending) = try site.execute { executor in
            executor.surveyHops(.airtime(0.05)) { event in
                if case .asking(_, ttl: 3) = event { isPressed = true }
            }
        }
        #expect(ending == .interrupted && result.questions == 3)
        #expect(try hops(result, site) == [1, 2, nil])
    }
}
