import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("SimulatedWorld: nodes are reprovisioned over the Node Provisioning Protocol Interface")
struct ReprovisionWorldTests {
    private func ask(_ client: TestClient, _ node: Node) throws -> Bool {
        try client.request(ConfigDefaultTTLGet(), of: node, attempts: 2, patience: .seconds(2)) != nil
    }

    @Test("The new DeviceKey takes over with the first message under it, also after a restart")
    func deviceKey() throws {
        let memory = RemoteSite.Memory()
        let numbers = InMemorySequenceNumbers()
        var site = try RemoteSite(devices: [], memory: memory, numbers: numbers)
        let outcome = try site.provisioner.provision(
            .node(.deviceKeyRefresh),
            through: site.server,
            site.reprovisionData()
        )
        let reprovisioned = try #require(outcome.node)
        let address = site.server.unicastAddress
        #expect(outcome.end == .closedByClient(isConfirmed: true) && reprovisioned.address == address)
        #expect(site.world.deviceKeyCandidate(of: site.server.uuid) == reprovisioned.deviceKey)
        #expect(try ask(site.client, site.server), "the old key holds until the new one is used")
        #expect(site.world.node(site.server.uuid)?.deviceKey == site.server.deviceKey)

        var known = site.network
        let place = try #require(known.nodes.firstIndex { $0.uuid == site.server.uuid })
        let isOther = { (text: String) in text.contains("the DeviceKey differs") }
        #expect(!site.world.mismatches(against: known).contains(where: isOther))
        known.nodes[place].deviceKey = reprovisioned.deviceKey
        #expect(!site.world.mismatches(against: known).contains(where: isOther))
        known.nodes[place].deviceKey = TestNetwork.key(0x77)
        #expect(site.world.mismatches(against: known).contains(where: isOther))

        // The candidate survives a restart of the simulator, and so does what was heard.
        let compacted = try StateFile.decode(memory.state.compacted)
        #expect(compacted.state == memory.state)
        #expect(memory.state.deviceKeyCandidates[site.server.uuid] == reprovisioned.deviceKey)
        #expect(memory.state.replay[site.server.uuid]?.isEmpty == false)
        site = try RemoteSite(devices: [], memory: memory, numbers: numbers)
        #expect(site.world.deviceKeyCandidate(of: site.server.uuid) == reprovisioned.deviceKey)
        #expect(try ask(site.client, site.server))

        site.client.stack.keys.setDeviceKey(reprovisioned.deviceKey, of: address)
        #expect(try ask(site.client, site.server))
        #expect(site.world.node(site.server.uuid)?.deviceKey == reprovisioned.deviceKey)
        #expect(site.world.deviceKeyCandidate(of: site.server.uuid) == nil)
        #expect(memory.state.deviceKeyCandidates.isEmpty)
        #expect(memory.state.nodes[site.server.uuid]?.deviceKey == reprovisioned.deviceKey)
        #expect(memory.state.replay[site.server.uuid]?.isEmpty == false)
        if let old = site.server.deviceKey { site.client.stack.keys.setDeviceKey(old, of: address) }
        #expect(try !ask(site.client, site.server), "the old key is of no use any more")
        let state = try #require(site.world.node(site.server.uuid))
        #expect(state.elements[0].models[2].bindings == [TestNetwork.appKey(0)], "the configuration stays")
        #expect(site.world.violations == [])
    }

    @Test("A session that fails, or a link that is closed as failed, changes nothing")
    func failed() throws {
        let site = try RemoteSite(devices: [])
        let outcome = try site.provisioner.provision(
            .node(.deviceKeyRefresh),
            through: site.server,
            site.reprovisionData(),
            isPatient: false
        )
        #expect(outcome.failure?.reason == .cancelled)
        #expect(site.world.deviceKeyCandidate(of: site.server.uuid) == nil)
        #expect(try ask(site.client, site.server))
    }

    @Test("Provisioning data that changes what the procedure is not for is refused as invalid")
    func invalidData() throws {
        let site = try RemoteSite(devices: [])
        var wrongKey = site.reprovisionData()
        wrongKey.netKey = TestNetwork.key(0x77)
        var wrongIndex = site.reprovisionData()
        wrongIndex.ivIndex.value += 1
        var wrongSubnet = site.reprovisionData()
        wrongSubnet.netKeyIndex = TestNetwork.netKey(1)
        let own = site.server.unicastAddress.rawValue
        let attempts: [(NodeProvisioningProcedure, ProvisioningData)] = [
            (.deviceKeyRefresh, wrongKey), (.deviceKeyRefresh, wrongIndex), (.deviceKeyRefresh, wrongSubnet),
            (.deviceKeyRefresh, site.reprovisionData(at: 0x0200)), (.nodeAddressRefresh, site.reprovisionData()),
            (.nodeAddressRefresh, site.reprovisionData(at: own + 1)),
            (.nodeAddressRefresh, site.reprovisionData(at: own - 1)),
        ]
        for (procedure, data) in attempts {
            let outcome = try site.provisioner.provision(.node(procedure), through: site.server, data)
            #expect(outcome.failure?.reason == .reportedByDevice(.invalidData), "\(procedure) \(data.address)")
            #expect(outcome.end == .closedByClient(isConfirmed: true))
        }
        #expect(try ask(site.client, site.server))
    }

    @Test("A node moves to its new address with its keys, and forgets the rest")
    func address() throws {
        let memory = RemoteSite.Memory()
        let site = try RemoteSite(devices: [], memory: memory)
        let outcome = try site.provisioner.provision(
            .node(.nodeAddressRefresh),
            through: site.server,
            site.reprovisionData(at: 0x0200)
        )
        let reprovisioned = try #require(outcome.node)
        #expect(outcome.end == .closedByClient(isConfirmed: true))
        try site.client.wait(.seconds(2))
        var moved = site.server
        moved.unicastAddress = reprovisioned.address
        site.client.stack.keys.setDeviceKey(reprovisioned.deviceKey, of: reprovisioned.address)
        #expect(try ask(site.client, moved))
        #expect(try !ask(site.client, site.server))
        let state = try #require(site.world.node(site.server.uuid))
        #expect(state.address == reprovisioned.address && state.deviceKey == reprovisioned.deviceKey)
        #expect(state.netKeys.map(\.index) == [.primary] && state.appKeys.map(\.index) == [TestNetwork.appKey(0)])
        #expect(state.elements[0].models.allSatisfy { $0.bindings.isEmpty })
        #expect(memory.state.nodes[site.server.uuid]?.address == reprovisioned.address)
        #expect(site.world.violations == [])
        // And on from there.
        let device = try #require(try site.client.request(RemoteProvisioningLinkGet(), of: moved))
        #expect(device.state == .idle)
    }

    @Test("Page 128 becomes page 0 by a Node Composition Refresh, and models that stay keep their configuration")
    func composition() throws {
        var next = NodeConfigurationState(of: TestNetwork.node(1, with: [.remoteProvisioningServer]), in: network)
            .composition
        next.version += 1
        next.elements[1].models.insert(.sig(0x1004), at: 1)
        var description = DeviceDescription(
            uuid: TestNetwork.uuid(1),
            name: "node-1",
            composition: TestDevice.composition(),
            capabilities: ProvisioningCapabilities(elementCount: 2)
        )
        let procedure = RemoteProvisioningLinkOpen.Target.node(.nodeCompositionRefresh)
        let plain = try RemoteSite(devices: [], serverDescription: description)
        let refused = try plain.provisioner.provision(procedure, through: plain.server, plain.reprovisionData())
        #expect(refused.end == .refused(.linkCannotOpen))

        description.compositionPages[128] = next.page0Bytes
        let site = try RemoteSite(devices: [], serverDescription: description)
        let outcome = try site.provisioner.provision(procedure, through: site.server, site.reprovisionData())
        let reprovisioned = try #require(outcome.node)
        site.client.stack.keys.setDeviceKey(reprovisioned.deviceKey, of: reprovisioned.address)
        let status = try #require(
            try site.client.request(ConfigCompositionDataGet(page: 0), of: site.server, attempts: 2)
        )
        #expect(try Composition(page0: status.data) == next)
        let state = try #require(site.world.node(site.server.uuid))
        #expect(state.elements[0].models[2].bindings == [TestNetwork.appKey(0)])
        let again = try site.provisioner.provision(procedure, through: site.server, site.reprovisionData())
        #expect(again.end == .refused(.linkCannotOpen), "there is nothing left to become")
    }

    private var network: MeshNetwork { TestNetwork.network([]) }
}
