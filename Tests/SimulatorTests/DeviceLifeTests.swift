import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: the lives of a device in networks")
struct DeviceLifeTests {
    private let network = TestNetwork.network([])
    private let device = TestDevice.plain(1)

    private func provision(_ world: SimulatedWorld, at address: UInt16, seed: UInt64) throws -> Node {
        let data = TestDevice.data(network, at: address)
        let outcome = try TestProvisioner(world, seed: seed).provision(device.uuid, TestDevice.noOOB, data)
        return TestDevice.node(device, try required(outcome.node))
    }

    /// A client that talks to the node alone.
    private func client(_ world: SimulatedWorld, _ node: Node, _ numbers: InMemorySequenceNumbers) throws -> TestClient
    {
        var known = network
        known.nodes.append(node)
        let client = TestClient(SimulatedBearer(world), network: known, sequenceNumbers: numbers)
        try client.open(.proxy(AdvertiserIdentifier(of: node.uuid)))
        return client
    }

    @Test("At every record that may be the last, the device is unprovisioned or a node with a key that was stored")
    func records() throws {
        var records: [StateRecord] = []
        let world = SimulatedWorld(network: network, devices: [device], seed: 1) {
            records.append($0)
            return true
        }
        let provisioner = TestProvisioner(world)
        let data = TestDevice.data(network, at: 0x0100)
        let provisioned = try #require(try provisioner.provision(device.uuid, TestDevice.noOOB, data).node)
        let node = TestDevice.node(device, provisioned)
        _ = try client(world, node, InMemorySequenceNumbers()).request(ConfigDefaultTTLSet(ttl: 9), of: node)
        var lives: [Bool] = []
        for count in 0...records.count {
            let bytes = StateFile.header + records.prefix(count).flatMap(StateFile.encode)
            let state = try StateFile.decode(bytes).state
            for left in [state, try StateFile.decode(state.compacted).state] {
                let later = SimulatedWorld(network: network, devices: [device], seed: 2, state: left)
                let found = try #require(later.node(device.uuid))
                #expect(!found.isProvisioned || found.deviceKey == provisioner.stored.last?.deviceKey)
                #expect(!found.isProvisioned || found.address == data.address)
                #expect(later.unprovisionedDevices == (found.isProvisioned ? [] : [device.uuid]))
                lives.append(found.isProvisioned)
            }
        }
        #expect(lives.first == false && lives.last == true)
        let last = SimulatedWorld(
            network: network,
            devices: [device],
            seed: 3,
            state: try StateFile.decode(StateFile.header + records.flatMap(StateFile.encode)).state
        )
        #expect(last.node(device.uuid)?.defaultTTL == 9)
        let numbers = InMemorySequenceNumbers(next: [TestNetwork.clientAddress: 1_000])
        #expect(try client(last, node, numbers).request(ConfigDefaultTTLGet(), of: node)?.ttl == 9)
        #expect(last.violations == [])
    }

    @Test("The provisioner does not hear Complete before the device is recorded, and never if it cannot be")
    func notRecorded() throws {
        let world = SimulatedWorld(network: network, devices: [device], seed: 1) { record in
            if case .provisioned = record { return false }
            return true
        }
        let provisioner = TestProvisioner(world)
        let outcome = try provisioner.provision(device.uuid, TestDevice.noOOB, TestDevice.data(network, at: 0x0100))
        #expect(outcome.failure?.reason == .linkClosed)
        #expect(outcome.failure?.mayBeProvisioned == true)
        #expect(world.node(device.uuid)?.isProvisioned == false)
    }

    @Test("After a factory reset the old keys are of no use, and a new life at a new address breaks no rule")
    func secondLife() throws {
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let numbers = InMemorySequenceNumbers()
        let first = try provision(world, at: 0x0100, seed: 1)
        let old = try client(world, first, numbers)
        #expect(try old.request(ConfigDefaultTTLSet(ttl: 9), of: first)?.ttl == 9)
        #expect(world.factoryReset(device.uuid))
        #expect(try old.request(ConfigDefaultTTLGet(), of: first) == nil)
        #expect(old.isClosed)
        #expect(world.node(device.uuid)?.netKeys == [])
        let second = try provision(world, at: 0x0200, seed: 2)
        #expect(second.deviceKey != first.deviceKey)
        let new = try client(world, second, numbers)
        #expect(try new.request(ConfigDefaultTTLGet(), of: second)?.ttl == 7, "a new life begins with defaults")
        #expect(world.violations == [])
    }

    @Test("An old address that is given out again under the same IV index is found out")
    func reusedAddress() throws {
        let world = SimulatedWorld(network: network, devices: [device], seed: 1)
        let numbers = InMemorySequenceNumbers()
        let first = try provision(world, at: 0x0100, seed: 1)
        #expect(try client(world, first, numbers).request(ConfigDefaultTTLGet(), of: first) != nil)
        #expect(world.violations == [])
        world.factoryReset(device.uuid)
        let second = try provision(world, at: 0x0100, seed: 2)
        _ = try client(world, second, numbers).request(ConfigDefaultTTLGet(), of: second)
        #expect(world.violations.contains { $0.contains("was used twice") })
    }

    @Test("A node of the database that is reset can be provisioned anew, also after the database has forgotten it")
    func imported() throws {
        let imported = TestNetwork.node(3, proxy: .enabled)
        let network = TestNetwork.network([imported])
        var records: [StateRecord] = []
        let world = SimulatedWorld(network: network, seed: 1) {
            records.append($0)
            return true
        }
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigNodeReset(), of: imported) != nil)
        #expect(world.unprovisionedDevices == [imported.uuid])
        #expect(world.observations.last?.event == .unprovisioned)

        var state = SimulatorState()
        for record in records { state.apply(record) }
        let later = SimulatedWorld(network: self.network, seed: 2, state: state)
        let description = try #require(later.deviceDescription(imported.uuid))
        #expect(description.composition == world.node(imported.uuid)?.composition)
        #expect(description.capabilities.outputActions == [] && !description.capabilities.isStaticValueAvailable)
        let outcome = try TestProvisioner(later).provision(
            imported.uuid,
            TestDevice.noOOB,
            TestDevice.data(self.network, at: 0x0300)
        )
        #expect(outcome.node?.elementCount == 2)
        #expect(later.node(imported.uuid)?.address == TestNetwork.address(0x0300))
        // The database still has the node as it was: the device knows better.
        for record in [StateRecord.provisioned(try #require(later.node(imported.uuid)), network.ivIndex)] {
            state.apply(record)
        }
        let last = SimulatedWorld(network: network, seed: 3, state: state)
        #expect(last.node(imported.uuid)?.address == TestNetwork.address(0x0300))
        #expect(last.mismatches(against: network).contains("node-3: the DeviceKey differs"))
    }

    @Test("Devices keep their place from the beginning, and the world tells the same of it after a restart")
    func places() throws {
        let devices = (1...6).map { TestDevice.plain($0) }
        var records: [StateRecord] = []
        var settings = WorldSettings.ideal
        settings.topology = .hops(2)
        _ = SimulatedWorld(network: network, devices: devices, settings: settings, seed: 1) {
            records.append($0)
            return true
        }
        var state = SimulatorState()
        for record in records { state.apply(record) }
        #expect(Set(state.places.keys) == Set(network.nodes.dropFirst().map(\.uuid) + devices.map(\.uuid)))
        #expect(state.root == devices[0].uuid)
        var again: [StateRecord] = []
        _ = SimulatedWorld(network: network, devices: devices, settings: settings, seed: 1, state: state) {
            again.append($0)
            return true
        }
        #expect(again == [])
    }
}
