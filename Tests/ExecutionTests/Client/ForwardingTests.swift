import DefinitionModel
import MeshCore
import Planning
import Simulator
import TestSupport
import Testing

@testable import Execution

@Suite("Proxies that forward nothing")
struct ForwardingTests {
    private let home = [ProxyField.home]

    @Test("What a proxy does not forward goes over another one, beside it or in its place", arguments: [1, 2])
    func another(maximumLinks: Int) throws {
        let field = try ProxyField(maximumLinks: maximumLinks)
        let mute = try field.add("mute", 0x10, home, signal: -30)
        mute.forwards = false
        try field.add("good", 0x20, home, signal: -80)
        let lamp = try field.add("lamp", 0x30, home)
        lamp.isProxy = false
        try field.request(lamp)
        try field.run(for: .seconds(20))
        #expect(field.logged("connect") == ["connect to mute", "connect to good"])
        #expect(field.logged("answered").count == 1 && field.logged("unanswered") == [], "\(field.log)")
        #expect(lamp.requests == 1)
        #expect(field.mostLinks == maximumLinks)
        // The next ones go there at once.
        try field.request(lamp)
        try field.run(for: .seconds(2))
        #expect(field.logged("answered").count == 2 && field.logged("connect").count == 2)
        #expect(field.sequenceNumbers.values.allSatisfy { $0 == 1 })
    }

    @Test("A node that is silent indeed is given up as soon as ever, be there other proxies or not", arguments: 0...1)
    func silent(others: Int) throws {
        let field = try ProxyField(maximumLinks: 2)
        try field.add("first", 0x10, home, signal: -30)
        for number in 0..<others { try field.add("other-\(number)", 0x20 + 0x10 * UInt16(number), home, signal: -80) }
        let lamp = try field.add("lamp", 0x50, home)
        lamp.isProxy = false
        lamp.answers = false
        try field.request(lamp)
        try field.run(for: .seconds(60))
        let up = try required(field.time(of: "up first"))
        let end = try required(field.time(of: "unanswered"))
        let deadline = Int(RetryPolicy().deadline.components.seconds) * 1_000
        #expect(end - up <= deadline + 5_000 && end - up >= deadline, "\(field.log)")
        #expect(field.logged("connect").count == 1 + others)
        #expect(!field.isScanning)
    }

    @Test("A link over which another node has answered is not doubted because of one that is silent")
    func proved() throws {
        let field = try ProxyField(maximumLinks: 2)
        try field.add("first", 0x10, home, signal: -30)
        try field.add("other", 0x20, home, signal: -80)
        let lamp = try field.add("lamp", 0x30, home)
        let quiet = try field.add("quiet", 0x40, home)
        (lamp.isProxy, quiet.isProxy, quiet.answers) = (false, false, false)
        try field.request(lamp)
        try field.request(quiet)
        try field.run(for: .seconds(60))
        #expect(field.logged("connect") == ["connect to first"])
        #expect(field.logged("unanswered").count == 1)
    }

    @Test("One apply configures everything although the first proxy forwards nothing", arguments: [1, 4])
    func run(links: Int) throws {
        func site() throws -> Site {
            var network = try House.network(lamps: 6)
            for place in network.nodes.indices.dropFirst() {
                network.nodes[place].features.proxy = .enabled
                network.nodes[place].features.relay = .enabled
            }
            var settings = WorldSettings.office
            settings.maximumLinks = links
            let site = try Site(network: network, lamps: 6, settings: settings, seed: 3)
            site.options.maximumConnections = links
            return site
        }
        // Who is connected to first.
        let usual = try site()
        try #require(try usual.apply(try usual.plan()).isComplete)
        var first: UnicastAddress?
        for case .linkUp(proxy: let proxy?, _, _) in usual.events where first == nil { first = proxy }
        let address = try #require(first)
        let site = try site()
        let node = try #require(try site.network.nodes.first { $0.unicastAddress == address })
        site.world.setFaults(NodeFaults(quirks: [.noForwarding]), of: node.uuid)
        let recap = try site.apply(try site.plan())
        #expect(recap.isComplete, "\(recap.pending)")
        #expect(try site.plan().isEmpty)
        #expect(site.world.violations == [])
        #expect(site.world.mismatches(against: try site.network) == [])
    }
}
