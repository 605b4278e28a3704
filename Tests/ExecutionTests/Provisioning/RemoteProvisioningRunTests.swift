import DefinitionModel
import Execution
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

/// A bearer that connects to whatever proxy there is, for it cannot scan.
private final class DeafBearer: Bearer {
    private let inner: any Bearer

    init(_ inner: any Bearer) {
        self.inner = inner
    }

    var now: Instant { inner.now }
    var maximumLinks: Int { inner.maximumLinks }
    func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier { try inner.connect(to: target) }
    func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) { try inner.send(packet, on: link) }
    func next(until deadline: Instant) throws(BearerError) -> BearerEvent? { try inner.next(until: deadline) }
    func close(_ link: LinkIdentifier) { inner.close(link) }
    func scan(_ isOn: Bool) throws(BearerError) {
        if isOn { throw BearerError("the radio cannot scan") }
    }
}

@Suite("Devices become nodes through nodes that hear them")
struct RemoteProvisioningRunTests {
    private func remote(_ count: Int) -> [DeviceDescription] { (1...count).map { RemoteCommissioning.device($0) } }

    private func expectFinished(_ site: Commissioning) throws {
        #expect(try site.world.mismatches(against: site.network) == [])
        #expect(site.world.violations == [])
        #expect(try site.network.pendingProvisionings == [])
        let addresses = try site.usedAddresses()
        #expect(Set(addresses).count == addresses.count, "no address twice")
        #expect(try site.plan().steps == [])
        for device in site.devices {
            let node = try #require(try site.network.nodes.first { $0.uuid == device.uuid })
            #expect(node.isManaged && node.isCompositionKnown && node.knows(Commissioning.lighting))
        }
    }

    @Test("A device that only a node hears is provisioned and configured in one go")
    func one() throws {
        let site = try RemoteCommissioning.site(remote(1))
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(recap.provisioned == 1)
        #expect(site.carried.map(\.server) == [uuid(2)])
        try expectFinished(site)
    }

    @Test("A node takes one device after the other, also with a single link to the mesh", arguments: [1, 8])
    func oneAfterTheOther(connections: Int) throws {
        let site = try RemoteCommissioning.site(remote(3))
        site.options.maximumConnections = connections
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(Set(site.carried.map(\.device)) == Set(site.devices.map(\.uuid)))
        try expectFinished(site)
    }

    @Test("Devices that the bearer hears are provisioned directly, beside others through nodes", arguments: [1, 4])
    func mixed(connections: Int) throws {
        let devices = [Commissioning.device(1), RemoteCommissioning.device(2), Commissioning.device(3)]
        let site = try RemoteCommissioning.site(devices, servers: 2)
        site.options.maximumConnections = connections
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(site.carried.map(\.device) == [devices[1].uuid])
        try expectFinished(site)
    }

    @Test("With a tenth of all copies lost, devices get there", arguments: [1, 2, 3, 4] as [UInt64])
    func lossy(seed: UInt64) throws {
        var settings = WorldSettings.office
        settings.copyLoss = 0.1
        let site = try RemoteCommissioning.site(remote(3), servers: 2, settings: settings, seed: seed)
        var recap = try site.apply()
        for _ in 0..<3 where !recap.isComplete { recap = try site.resolveAndApply() }
        #expect(recap.isComplete, "\(recap)")
        try expectFinished(site)
    }

    @Test("When the node loses its power in the middle, another one that hears the device takes over")
    func takesOver() throws {
        let site = try RemoteCommissioning.site(remote(1), servers: 2)
        var off: DeviceUUID?
        site.onEvent = { event in
            switch event {
            case .provisioningStage(_, .connectingThrough(let server)) where off == nil: off = server
            case .provisioningStage(_, .session(.confirmation)):
                if let off { site.world.setPower(off, isOn: false) }
            default: break
            }
        }
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(Set(site.carried.map(\.server)) == [uuid(2), uuid(3)])
        site.world.setPower(try #require(off), isOn: true)
        try expectFinished(site)
    }

    @Test("When the only node that hears it has gone, a device stays pending and joins when it is back")
    func goneServer() throws {
        let site = try RemoteCommissioning.site(remote(1))
        site.onEvent = { event in
            if case .provisioningStage(_, .session(.confirmation)) = event {
                site.world.setPower(uuid(2), isOn: false)
            }
        }
        let start = site.world.now
        let recap = try site.apply()
        #expect(recap.ending == .completed)
        #expect(recap.pending.map(\.reason) == [.notHeard], "\(recap)")
        #expect(start.duration(to: site.world.now) < .seconds(400))
        site.onEvent = { _ in }
        site.world.setPower(uuid(2), isOn: true)
        let again = try site.resolveAndApply()
        #expect(again.isComplete, "\(again)")
        try expectFinished(site)
    }

    @Test("A device that was provisioned in this run finds further ones if it can")
    func chain() throws {
        let devices = [RemoteCommissioning.device(1, isServer: true), RemoteCommissioning.device(2)]
        let site = try RemoteCommissioning.site(devices, heard: [(2, 1, nil)], chained: [(1, 2)])
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        #expect(site.carried.map(\.server) == [uuid(2), devices[0].uuid])
        try expectFinished(site)
    }

    @Test("A bearer that cannot scan provisions through nodes all the same")
    func deaf() throws {
        let site = try RemoteCommissioning.site(remote(2))
        site.wrap = { DeafBearer($0) }
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        try expectFinished(site)
    }

    @Test("What nobody hears is pending, in bounded time, and the others are done")
    func nobody() throws {
        let site = try RemoteCommissioning.site(remote(2), servers: 2)
        site.world.setPower(site.devices[0].uuid, isOn: false)
        let start = site.world.now
        let recap = try site.apply()
        #expect(recap.pending.map(\.reason) == [.notHeard], "\(recap)")
        #expect(recap.provisioned == 1)
        #expect(start.duration(to: site.world.now) < .seconds(130))
    }

    @Test("More devices than a node's list holds are found", arguments: [20])
    func many(count: Int) throws {
        let site = try RemoteCommissioning.site(remote(count), servers: 3)
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        try expectFinished(site)
    }

    @Test("A device that drops its link is tried again")
    func retried() throws {
        let site = try RemoteCommissioning.site(remote(1))
        let faults = ProvisioningFaults(misbehaviours: [.init(.linkLoss, at: .confirmation, count: 1)])
        site.world.setFaults(NodeFaults(provisioning: faults), of: site.devices[0].uuid)
        let recap = try site.apply()
        #expect(recap.isComplete, "\(recap)")
        let problems = site.events.compactMap { event -> ProvisioningProblem? in
            if case .provisioningRetried(_, let problem, in: _) = event { problem } else { nil }
        }
        #expect(problems.count == 1)
        guard case .remoteLink(.reported(.linkClosedByDevice, _), at: .confirmation)? = problems.first else {
            Issue.record("\(problems)")
            return
        }
        try expectFinished(site)
    }

    @Test("An interrupt leaves nothing half done", arguments: 0..<6)
    func interrupted(moment: Int) throws {
        let site = try RemoteCommissioning.site(remote(2), seed: UInt64(moment + 1))
        var stages = 0
        site.interrupts = { stages > moment * 3 ? 1 : 0 }
        site.onEvent = { event in if case .provisioningStage(_, .session) = event { stages += 1 } }
        let recap = try site.apply()
        #expect(recap.ending == .interrupted || recap.isComplete)
        #expect(try site.network.pendingProvisionings == [])
        site.interrupts = { 0 }
        let again = try site.resolveAndApply()
        #expect(again.isComplete, "\(again)")
        try expectFinished(site)
    }
}

@Suite("A run that is killed while devices are provisioned through nodes")
struct RemoteProvisioningCrashTests {
    private static let devices = [RemoteCommissioning.device(1), RemoteCommissioning.device(2)]

    private static let moments = Result { () throws -> Int in
        let site = try RemoteCommissioning.site(devices)
        return try MortalRuns.packets(of: site) { () throws in #expect(try site.apply().isComplete) }
    }

    private func dieAndGoOn(moment: Int) throws {
        let site = try RemoteCommissioning.site(Self.devices, seed: UInt64(moment))
        let runs = MortalRuns(site, moment: moment)
        var recap = try site.apply()
        while try runs.revive() {
            // Whoever is a node is one that the database has, or has an attempt recorded with its key and address.
            let network = try site.network
            let known = Set(network.nodes.map(\.uuid))
            for device in Self.devices where !known.contains(device.uuid) {
                guard let state = site.world.node(device.uuid), state.isProvisioned else { continue }
                let pending = try #require(network.pendingProvisioning(of: device.uuid), "moment \(moment)")
                #expect(pending.address == state.address)
                #expect(state.deviceKey.map(pending.deviceKeys.contains) == true)
            }
            recap = try site.resolveAndApply()
        }
        for _ in 0..<2 where !recap.isComplete && recap.ending == .completed { recap = try site.resolveAndApply() }
        #expect(recap.isComplete, "moment \(moment): \(recap)")
        let network = try site.network
        #expect(site.world.mismatches(against: network) == [], "moment \(moment)")
        #expect(site.world.violations == [], "moment \(moment)")
        #expect(network.pendingProvisionings == [], "moment \(moment)")
        let addresses = try site.usedAddresses()
        #expect(Set(addresses).count == addresses.count, "moment \(moment): none twice")
        #expect(try site.plan().steps == [], "moment \(moment)")
    }

    @Test("At 40 moments, going on makes every device a node with its own addresses and DeviceKey", arguments: 0..<4)
    func killed(part: Int) throws {
        let moments = try Self.moments.get()
        for index in 0..<10 { try dieAndGoOn(moment: 1 + (part * 10 + index) * moments / 40) }
    }
}
