import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

@Suite("Counting hops by heartbeats")
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

    private func survey(_ site: Site, for duration: Duration = .seconds(60)) throws -> HopSurveyResult {
        let (result, ending) = try site.execute { $0.surveyHops(HopSurveyOptions(duration: duration)) }
        #expect(ending == .completed)
        return result
    }

    /// The hops of the nodes beside our own, in the order of their addresses.
    private func hops(_ result: HopSurveyResult, _ site: Site) throws -> [Int?] {
        let network = try site.network
        return network.nodes.filter { $0.uuid != network.ownProvisioner }.map { result.sightings[$0.uuid]?.fewest }
    }

    @Test("In a chain each node is one hop farther away, and everything is given back")
    func chain() throws {
        let site = try self.site(lamps: 5, [(0, 1), (1, 2), (2, 3), (3, 4)])
        let before = try site.network.nodes.map(\.states)
        let result = try survey(site)
        #expect(try hops(result, site) == [1, 2, 3, 4, 5])
        #expect(result.unrestored.isEmpty && result.silent.isEmpty && result.heartbeats == 10)
        #expect(result.sightings.values.allSatisfy { $0.features.contains(.relay) && $0.count == 2 })
        let after = try site.network
        #expect(after.nodes.allSatisfy { $0.heartbeatToRestore == nil })
        for (node, states) in zip(after.nodes, before) where node.uuid != after.ownProvisioner {
            guard case .heartbeatPublication(let heartbeat) = node.state(.heartbeatPublication) else {
                Issue.record("\(node.name) has no known heartbeats")
                continue
            }
            #expect(heartbeat.isOff && states.isEmpty)
        }
        #expect(site.world.mismatches(against: after).isEmpty)
    }

    @Test("Nodes around one proxy are two hops away, and the survey ends early once all are heard")
    func star() throws {
        let site = try self.site(lamps: 5, [(0, 1), (0, 2), (0, 3), (0, 4)])
        let result = try survey(site, for: .seconds(600))
        #expect(try hops(result, site) == [1, 2, 2, 2, 2])
        #expect(result.listened < .seconds(120))
    }

    @Test("A node that does not answer is named and left alone; what others sent before is given back as it was")
    func foreign() throws {
        let site = try self.site(lamps: 3, [(0, 1), (1, 2)])
        // Another run has declared heartbeats for good.
        let own = HeartbeatPublication(
            destination: Address(rawValue: 0xFFFF),
            countLog: .endless,
            periodLog: try #require(HeartbeatPeriodLog(seconds: 64)),
            ttl: 5,
            features: [.relay],
            netKeyIndex: .primary
        )
        let lamp = try site.lamp(2)
        let set = ConfigurationAction.set(.heartbeatPublication(own))
        #expect(try site.apply(site.plan(of: [set], on: lamp.uuid)).ending == .completed)
        let off = try site.lamp(3)
        _ = site.world.setPower(off.uuid, isOn: false)
        let result = try survey(site)
        #expect(result.silent == [off.uuid])
        #expect(try hops(result, site) == [1, 2, nil])
        #expect(try site.lamp(2).state(.heartbeatPublication) == .heartbeatPublication(own))
        #expect(site.world.mismatches(against: try site.network).isEmpty)
    }

    @Test("After Ctrl-C everything is given back, and the survey says that it was interrupted")
    func interrupt() throws {
        let site = try self.site(lamps: 3, [(0, 1), (1, 2)])
        var isPressed = false
        site.interrupts = { isPressed ? 1 : 0 }
        let (result, ending) = try site.execute { executor in
            executor.surveyHops(HopSurveyOptions(duration: .seconds(600))) { event in
                if case .listening = event { isPressed = true }
            }
        }
        #expect(ending == .interrupted && result.unrestored.isEmpty)
        #expect(try site.network.nodes.allSatisfy { $0.heartbeatToRestore == nil })
        #expect(site.world.mismatches(against: try site.network).isEmpty)
    }

    @Test("A node of which nobody knows whether it has our heartbeats gets its own with the next plan")
    func lostStatus() throws {
        let site = try self.site(lamps: 3, [(0, 1), (1, 2)])
        let far = try site.lamp(3).uuid
        // It is asked, and nobody hears it from then on.
        let (result, _) = try site.execute { executor in
            executor.surveyHops(HopSurveyOptions(duration: .seconds(60))) { event in
                if case .declaring = event { _ = site.world.setPower(far, isOn: false) }
            }
        }
        #expect(result.silent == [far] && result.unrestored == [far])
        let lent = try site.lamp(3)
        #expect(lent.heartbeatToRestore?.isOff == true && lent.state(.heartbeatPublication) == nil)
        _ = site.world.setPower(far, isOn: true)
        site.definition = try House.definition(lamps: 3)
        #expect(try site.resolveAndApply().ending == .completed)
        let after = try site.lamp(3)
        #expect(after.heartbeatToRestore == nil)
        guard case .heartbeatPublication(let heartbeat) = after.state(.heartbeatPublication) else {
            Issue.record("it was not set")
            return
        }
        #expect(heartbeat.isOff)
    }

    @Test("Who was not asked before an interrupt is not asked after it")
    func early() throws {
        let site = try self.site(lamps: 3, [(0, 1), (1, 2)])
        var isPressed = false
        site.interrupts = { isPressed ? 1 : 0 }
        let (result, ending) = try site.execute { executor in
            executor.surveyHops(HopSurveyOptions(duration: .seconds(60))) { event in
                if case .declaring = event { isPressed = true }
            }
        }
        #expect(ending == .interrupted && result.subnets.isEmpty && result.silent.isEmpty && result.unrestored.isEmpty)
        #expect(try site.network.nodes.allSatisfy { $0.heartbeatToRestore == nil })
        #expect(site.world.mismatches(against: try site.network).isEmpty)
    }

    @Test("After a crash the database knows what nodes had: the next survey or plan gives it back")
    func crash() throws {
        for isPlanned in [false, true] {
            let site = try self.site(lamps: 3, [(0, 1), (1, 2)])
            // The link dies while nodes have heartbeats of ours.
            var dead: Set<DeviceUUID> = []
            let (result, _) = try site.execute { executor in
                executor.surveyHops(HopSurveyOptions(duration: .seconds(60))) { event in
                    guard case .restoring = event, let network = try? site.network else { return }
                    dead = Set(network.nodes.filter { $0.uuid != network.ownProvisioner }.map(\.uuid))
                    for node in dead { _ = site.world.setPower(node, isOn: false) }
                }
            }
            #expect(!result.unrestored.isEmpty)
            #expect(try site.network.nodes.count { $0.heartbeatToRestore != nil } == result.unrestored.count)
            for node in dead { _ = site.world.setPower(node, isOn: true) }
            if isPlanned {
                site.definition = try House.definition(lamps: 3)
                let recap = try site.resolveAndApply()
                #expect(recap.ending == .completed)
            } else {
                #expect(try survey(site).unrestored.isEmpty)
            }
            let network = try site.network
            let managed = network.nodes.filter { !isPlanned || $0.isManaged }
            #expect(managed.allSatisfy { $0.heartbeatToRestore == nil })
            for node in managed where node.uuid != network.ownProvisioner {
                guard case .heartbeatPublication(let heartbeat) = node.state(.heartbeatPublication) else { continue }
                #expect(heartbeat.isOff, "\(node.name)")
            }
        }
    }
}
