import DefinitionModel
import Definitions
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@Suite("Devices become nodes by the ways that the definition allows")
struct ProvisioningRouteRunTests {
    /// A site with a definition that says by which way each device is reached; lamps are not in it but for the servers
    /// that are named.
    private func site(
        _ devices: [DeviceDescription],
        routes: [String?],
        servers: Int = 1,
        heard: [(lamp: Int, device: Int, copyLoss: Double?)]? = nil,
        chained: [(Int, Int)] = [],
        seed: UInt64 = 1
    ) throws -> Commissioning {
        let site = try RemoteCommissioning.site(devices, servers: servers, heard: heard, chained: chained, seed: seed)
        site.definition = try definition(devices, routes, lamps: servers + 1)
        return site
    }

    private func definition(_ devices: [DeviceDescription], _ routes: [String?], lamps: Int) throws -> Definition {
        var lines = (1...lamps).map { "  lamp-\($0): { uuid: \(uuid(UInt64($0)).rawValue.hexadecimal) }" }
        for (device, route) in zip(devices, routes) {
            let via = route.map { ", provisioning: { via: \($0) }" } ?? ""
            lines.append(
                "  \(device.name): { uuid: \(device.uuid.rawValue.hexadecimal), application_keys: [lighting]\(via) }"
            )
        }
        let text = """
            version: 1
            network: house
            subnets: { home: { index: 0 } }
            application_keys: { lighting: { subnet: home, index: 0 } }
            nodes:
            \(lines.joined(separator: "\n"))
            """
        let (definitions, diagnostics) = DefinitionReader.read(
            files: SourceFiles(files: [SourceFiles.File(path: "house.yaml", bytes: Array(text.utf8))])
        )
        guard let definition = definitions.first, diagnostics.isEmpty else {
            throw UnusableDefinition(diagnostics: diagnostics)
        }
        return definition
    }

    private func expectFinished(_ site: Commissioning, _ recap: Recap) throws {
        #expect(recap.isComplete, "\(recap)")
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
        #expect(try site.network.pendingProvisionings == [])
        #expect(try site.plan().steps == [])
    }

    private func failures(_ recap: Recap) -> [String] {
        recap.failed.map(\.failure.description)
    }

    @Test("A device that is to go through a node does, also where the bearer hears it", arguments: [1, 4])
    func remoteOnly(connections: Int) throws {
        let devices = [Commissioning.device(1), Commissioning.device(2), Commissioning.device(3)]
        let site = try site(devices, routes: ["remote", nil, "{ node: lamp-3 }"], servers: 2)
        site.options.maximumConnections = connections
        try expectFinished(site, try site.apply())
        #expect(Set(site.carried.map(\.device)) == [devices[0].uuid, devices[2].uuid])
        #expect(site.carried.filter { $0.device == devices[2].uuid }.map(\.server) == [uuid(3)])
    }

    @Test("A device that is to be reached directly stays pending where only nodes hear it")
    func directOnly() throws {
        let devices = [RemoteCommissioning.device(1), Commissioning.device(2)]
        let site = try site(devices, routes: ["direct", "direct"])
        let start = site.world.now
        let recap = try site.apply()
        #expect(recap.pending.map(\.listener) == [.bearer], "\(recap)")
        #expect(recap.provisioned == 1 && site.carried.isEmpty)
        #expect(start.duration(to: site.world.now) < .seconds(60))
    }

    @Test("The node that is named carries the session although another hears the device better")
    func named() throws {
        let devices = (1...5).map { RemoteCommissioning.device($0) }
        let site = try site(devices, routes: Array(repeating: "{ node: lamp-2 }", count: 5), servers: 3)
        try expectFinished(site, try site.apply())
        #expect(Set(site.carried.map(\.server)) == [uuid(2)])
    }

    @Test(
        "A device waits until the node that it goes through was provisioned in the same run",
        arguments: [false, true]
    )
    func chain(isReversed: Bool) throws {
        let devices = [RemoteCommissioning.device(1, isServer: true), RemoteCommissioning.device(2, isServer: true)]
        let third = RemoteCommissioning.device(3)
        let all = isReversed ? [third, devices[1], devices[0]] : [devices[0], devices[1], third]
        let place = { (number: Int) in isReversed ? 4 - number : number }
        let routes = ["{ node: lamp-2 }", "{ node: device-1 }", "{ node: device-2 }"]
        let site = try site(
            all,
            routes: isReversed ? routes.reversed() : routes,
            heard: [(2, place(1), nil)],
            chained: [(place(1), place(2)), (place(2), place(3))]
        )
        try expectFinished(site, try site.apply())
        #expect(site.carried.map(\.device) == [devices[0].uuid, devices[1].uuid, third.uuid])
        #expect(site.carried.map(\.server) == [uuid(2), devices[0].uuid, devices[1].uuid])
    }

    @Test("Whoever may go through any node waits for one that is provisioned late in the same run")
    func lateServer() throws {
        var server = Commissioning.device(2)
        server.composition.elements[0].models.append(.remoteProvisioningServer)
        let site = try site(
            [RemoteCommissioning.device(1), server],
            routes: ["remote", "direct"],
            servers: 0,
            heard: [(1, 2, nil)],
            chained: [(1, 2)]
        )
        try expectFinished(site, try site.apply())
        #expect(site.carried.map(\.server) == [server.uuid])
    }

    @Test("Without any server a device that needs one is pending, and that is said")
    func noServer() throws {
        let site = try site([Commissioning.device(1)], routes: ["remote"], servers: 0, heard: [])
        let start = site.world.now
        let recap = try site.apply()
        #expect(recap.pending.map(\.listener) == [.nobody], "\(recap)")
        #expect(start.duration(to: site.world.now) < .seconds(60))
    }

    @Test("A node that does not hear the device is named, in bounded time, and the device is found later on")
    func deafNode() throws {
        let devices = [RemoteCommissioning.device(1), RemoteCommissioning.device(2)]
        let site = try site(devices, routes: ["{ node: lamp-3 }", "{ node: lamp-2 }"], servers: 2)
        site.world.setPower(devices[0].uuid, isOn: false)
        let start = site.world.now
        let recap = try site.apply()
        #expect(recap.pending.map(\.listener) == [.node(uuid(3), name: "lamp-3")], "\(recap)")
        #expect(recap.pending.first?.listener?.description == "lamp-3 did not hear it")
        #expect(recap.provisioned == 1)
        #expect(start.duration(to: site.world.now) < .seconds(130))
        site.world.setPower(devices[0].uuid, isOn: true)
        try expectFinished(site, try site.resolveAndApply())
    }

    @Test("A node that does not answer is named, and another that hears the device does not take over")
    func silentNode() throws {
        let site = try site([RemoteCommissioning.device(1)], routes: ["{ node: lamp-2 }"], servers: 2)
        site.world.setPower(uuid(2), isOn: false)
        let start = site.world.now
        let recap = try site.apply()
        #expect(recap.pending.map(\.listener) == [.silentNode(uuid(2), name: "lamp-2")], "\(recap)")
        #expect(site.carried.isEmpty)
        #expect(start.duration(to: site.world.now) < .seconds(130))
    }

    @Test("A node that turns out to have no server fails its devices at once, and what they wait for is said")
    func serverMissing() throws {
        let devices = [Commissioning.device(1), RemoteCommissioning.device(2)]
        let site = try site(devices, routes: [nil, "{ node: device-1 }"])
        let start = site.world.now
        let recap = try site.apply()
        #expect(failures(recap) == ["device-1 has no Remote Provisioning Server."], "\(recap)")
        #expect(recap.provisioned == 1 && recap.pending.isEmpty)
        #expect(start.duration(to: site.world.now) < .seconds(30))
    }

    @Test("Where the node itself is not heard, the device that waits for it is blocked")
    func blocked() throws {
        let devices = [RemoteCommissioning.device(1, isServer: true), RemoteCommissioning.device(2)]
        let site = try site(devices, routes: ["{ node: lamp-2 }", "{ node: device-1 }"])
        site.world.setPower(devices[0].uuid, isOn: false)
        let recap = try site.apply()
        #expect(recap.ending == .completed && recap.provisioned == 0)
        #expect(recap.pending.map(\.name) == ["device-1"], "\(recap)")
        #expect(recap.blocked.count >= 2)
    }

    @Test("A node that is not in the network and does not join is named")
    func absent() throws {
        let site = try site([RemoteCommissioning.device(1)], routes: [nil])
        site.definition = nil
        site.adjust = { $0.route = .node(uuid(77)) }
        #expect(
            failures(try site.apply()) == [
                "\(uuid(77)), through which it is to be provisioned, is no node of the network."
            ]
        )
    }
}

@Suite("A run that ends while a device is provisioned through the node that it has to go through")
struct ProvisioningRouteCrashTests {
    private func site(seed: UInt64) throws -> Commissioning {
        let devices = [RemoteCommissioning.device(1)]
        let site = try RemoteCommissioning.site(devices, servers: 2, seed: seed)
        site.adjust = { $0.route = .node(uuid(2)) }
        return site
    }

    /// Applies until the device has got so far, and ends at once.
    private func stopped(at stage: ProvisioningStage, seed: UInt64) throws -> Commissioning {
        let site = try site(seed: seed)
        var isOver = false
        site.onEvent = { event in
            if case .provisioningStage(_, .session(let reached)) = event, reached == stage { isOver = true }
        }
        site.interrupts = { isOver ? 2 : 0 }
        _ = try site.apply()
        site.interrupts = { 0 }
        site.onEvent = { _ in }
        return site
    }

    @Test("Going on finds out whether it is a node, and keeps to the way", arguments: [1, 2, 3] as [UInt64])
    func goesOn(seed: UInt64) throws {
        let site = try stopped(at: .completion, seed: seed)
        #expect(try site.network.pendingProvisionings.count == 1)
        // The device waits for so long for the session to go on.
        site.world.advance(to: site.world.now.advanced(by: .seconds(61)))
        let recap = try site.resolveAndApply()
        #expect(recap.isComplete, "\(recap)")
        #expect(site.carried.allSatisfy { $0.server == uuid(2) })
        #expect(try site.network.pendingProvisionings == [])
        #expect(try site.world.mismatches(against: site.network) == [])
    }

    @Test("Where the node has gone, the device stays pending with its attempt, and comes when it is back")
    func nodeGone() throws {
        let site = try stopped(at: .completion, seed: 1)
        site.world.setPower(site.devices[0].uuid, isOn: false)
        site.world.setPower(uuid(2), isOn: false)
        let recap = try site.resolveAndApply()
        #expect(recap.pending.map(\.reason) == [.notHeardMayBeNode], "\(recap)")
        #expect(try site.network.pendingProvisionings.count == 1)
        site.world.setPower(site.devices[0].uuid, isOn: true)
        site.world.setPower(uuid(2), isOn: true)
        let again = try site.resolveAndApply()
        #expect(again.isComplete, "\(again)")
        #expect(try site.network.pendingProvisionings == [])
    }
}
