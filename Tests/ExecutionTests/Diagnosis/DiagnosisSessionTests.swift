import Execution
import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Finding out why a node does not answer")
struct DiagnosisSessionTests {
    /// A house whose lamps stand in a row, each hearing its neighbours only.
    private static func row(_ count: Int) -> WorldSettings {
        var settings = WorldSettings.ideal
        settings.topology = .links((1..<count).map { WorldSettings.RadioLink(uuid(UInt64($0)), uuid(UInt64($0 + 1))) })
        return settings
    }

    private func diagnose(_ number: Int, at site: Site, skips: Bool = true) throws -> NodeDiagnosis {
        let node = try site.lamp(number)
        return try site.execute { executor in
            executor.diagnose(node, listeningFor: .seconds(3), skippingSequenceNumbers: skips) { _ in }
        }
    }

    @Test("a node without power")
    func off() throws {
        let site = try Site(network: LitHouse.network(lamps: 4))
        #expect(try diagnose(3, at: site).cause == .none)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let diagnosis = try diagnose(3, at: site)
        #expect(diagnosis.cause == .off && diagnosis.farthest == .silent && diagnosis.application == .silent)
        #expect(diagnosis.others.count == 3 && diagnosis.others.allSatisfy { $0.reply == .answered })
        #expect(diagnosis.proxies > 0 && diagnosis.ending == .completed)
    }

    @Test("another device key than ours: it answers under an application key alone")
    func deviceKey() throws {
        let network = try LitHouse.network(lamps: 3)
        var air = network
        let place = try required(air.nodes.firstIndex { $0.name == "lamp-2" })
        air.nodes[place].deviceKey = secret(0xBAD)
        let site = try Site(network: network, world: air)
        let diagnosis = try diagnose(2, at: site)
        #expect(diagnosis.cause == .deviceKey && diagnosis.usual == .silent, "\(diagnosis)")
    }

    @Test("a node that was reset is heard as a device, and nobody is asked")
    func reset() throws {
        let site = try Site(network: LitHouse.network(lamps: 3))
        #expect(site.world.factoryReset(uuid(2)))
        let diagnosis = try diagnose(2, at: site)
        #expect(diagnosis.cause == .reset && diagnosis.usual == .notAsked && diagnosis.others.isEmpty, "\(diagnosis)")
    }

    @Test("too far for the usual TTL")
    func tooFar() throws {
        var network = try LitHouse.network(lamps: 9)
        for place in network.nodes.indices { network.nodes[place].defaultTTL = 20 }
        let site = try Site(network: network, settings: Self.row(9))
        let diagnosis = try diagnose(9, at: site)
        #expect(diagnosis.cause == .tooFar && diagnosis.usual == .silent, "\(diagnosis)")
        #expect(try diagnose(4, at: site).cause == .none)
    }

    @Test("a relay on the way does not relay")
    func relay() throws {
        let network = try LitHouse.network(lamps: 4)
        var air = network
        let place = try required(air.nodes.firstIndex { $0.name == "lamp-3" })
        air.nodes[place].features.relay = .disabled
        let site = try Site(network: network, settings: Self.row(4), world: air)
        let diagnosis = try diagnose(4, at: site)
        #expect(diagnosis.cause == .relays([uuid(3)]), "\(diagnosis)")
    }

    @Test("no proxy in reach")
    func proxy() throws {
        let site = try Site(network: LitHouse.network(lamps: 3))
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(1))
        let diagnosis = try diagnose(2, at: site)
        #expect(diagnosis.cause == .noProxy && diagnosis.proxies == 0, "\(diagnosis)")
    }

    @Test("nodes have seen higher sequence numbers of ours: they answer when some were left out")
    func sequenceNumbers() throws {
        let site = try Site(network: LitHouse.network(lamps: 3))
        let before = try site.folder.copy()
        for _ in 0..<8 { _ = try diagnose(2, at: site) }
        try site.reopen(before)
        let kept = try diagnose(2, at: site, skips: false)
        #expect(kept.cause == .noProxy && kept.afterSkipping == .notAsked, "\(kept)")
        #expect(try diagnose(2, at: site).cause == .sequenceNumbers)
        #expect(try diagnose(2, at: site).cause == .none, "they answer from now on")
    }
}
