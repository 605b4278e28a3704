import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Quirks of shipped stacks")
struct QuirkTests {
    private let network = TestNetwork.network(relays: 1)
    private var proxy: Node { network.nodes[1] }
    private var node: Node { network.nodes[2] }

    private func world(_ quirks: DeviceQuirk...) -> SimulatedWorld {
        let world = SimulatedWorld(network: network, seed: 1)
        for node in network.nodes.dropFirst() { world.setFaults(NodeFaults(quirks: Set(quirks)), of: node.uuid) }
        return world
    }

    private func bench(_ quirk: DeviceQuirk) -> ServerBench {
        var bench = ServerBench()
        bench.server.quirks = [quirk]
        return bench
    }

    /// The octets that answer a request, opcode included.
    private func octets(_ request: some AccessMessage, _ bench: inout ServerBench) -> [UInt8]? {
        bench.server.respond(to: request.encoded, through: .primary, state: &bench.state)
    }

    // MARK: Names

    @Test("Every quirk has a name that leads back to it")
    func names() {
        for quirk in DeviceQuirk.plain + [.silent(0x8038), .silent(0x05)] {
            #expect(DeviceQuirk(name: quirk.name) == quirk)
        }
        #expect(Set(DeviceQuirk.plain.map(\.name)).count == DeviceQuirk.plain.count)
        for name in [
            "", "silent-get:", "silent-get:0x", "silent-get:8038", "silent-get:0x+1", "silent-get:0xFFFFFFFFF",
        ] {
            #expect(DeviceQuirk(name: name) == nil)
        }
    }

    // MARK: Proxies

    @Test("A proxy without beacon on connection works all the same for who knows the IV index")
    func noBeacon() throws {
        let client = try TestClient.connected(to: world(.noBeacon), network: network)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 5)
        #expect(client.beacons.isEmpty)
        #expect(try TestClient.connected(to: world(), network: network).beacons.count == 1)
    }

    @Test("A proxy that knows Set Filter Type alone lets answers to what its client sends through")
    func noAddAddresses() throws {
        let client = try TestClient.connected(to: world(.noAddAddresses), network: network)
        #expect(client.filterStatuses == [.filterStatus(.acceptList, listSize: 0)])
        #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 5)
    }

    @Test("A proxy that miscounts says 0, one that adds its client counts it after Set Filter Type")
    func counts() throws {
        let miscounting = try TestClient.connected(to: world(.miscountsFilter), network: network)
        #expect(miscounting.filterStatuses.last == .filterStatus(.acceptList, listSize: 0))
        #expect(try miscounting.request(ConfigDefaultTTLGet(), of: node)?.ttl == 5)
        let adding = try TestClient.connected(to: world(.addsClient), network: network)
        #expect(adding.filterStatuses.first == .filterStatus(.acceptList, listSize: 1))
    }

    @Test("A proxy that forwards nothing answers for itself alone")
    func noForwarding() throws {
        let client = try TestClient.connected(to: world(.noForwarding), network: network)
        #expect(try client.request(ConfigDefaultTTLGet(), of: proxy)?.ttl == 5)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node) == nil)
    }

    // MARK: Resets

    @Test("A node that resets before its status is sent leaves without a word")
    func resetsBeforeStatus() throws {
        let world = world(.resetsBeforeStatus)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigNodeReset(), of: node) == nil)
        #expect(world.node(node.uuid)?.isProvisioned == false)
        #expect(world.faults(of: node.uuid).quirks == [.resetsBeforeStatus])
    }

    @Test("A node that resets late answers, and is a node for five seconds more")
    func resetsLate() throws {
        let world = world(.resetsLate)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigNodeReset(), of: node) != nil)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 5)
        try client.wait(.seconds(6))
        #expect(world.node(node.uuid)?.isProvisioned == false)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node) == nil)
    }

    @Test("A node that ignores a reset answers and stays")
    func ignoresReset() throws {
        let world = world(.ignoresReset)
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigNodeReset(), of: node) != nil)
        try client.wait(.seconds(20))
        #expect(world.node(node.uuid)?.isProvisioned == true)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 5)
    }

    // MARK: Answers

    @Test("Heartbeat Publication Status has the octets that NimBLE sends where nothing is set")
    func heartbeat() throws {
        var bench = bench(.answersFFFF)
        #expect(
            octets(ConfigHeartbeatPublicationGet(), &bench) == [0x06, 0x00, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        )
        let settings = HeartbeatPublicationSettings(
            destination: TestNetwork.address(0x0001).address,
            countLog: .endless,
            periodLog: .off,
            ttl: 5,
            features: [],
            netKeyIndex: .primary
        )
        #expect(try bench.ask(ConfigHeartbeatPublicationSet(settings: settings))?.settings == settings)
    }

    @Test("Vendor models are named the wrong way round in statuses and lists, and taken the right way round")
    func vendorIdentifiers() throws {
        let place = ServerBench.element1
        let vendor = TestNetwork.vendorModel
        var bench = bench(.swappedVendorIdentifiers)
        bench.state.appKeys = [NodeAppKey(index: ServerBench.app0, boundNetKey: .primary, key: TestNetwork.key(1))]
        let bind = ConfigModelAppBind(elementAddress: place, appKeyIndex: ServerBench.app0, model: vendor)
        // 59 00 is the company, 01 00 the model.
        #expect(octets(bind, &bench) == [0x80, 0x3E, 0x00, 0x11, 0x00, 0x00, 0x00, 0x01, 0x00, 0x59, 0x00])
        #expect(bench.state.elements[1].models[1].bindings == [ServerBench.app0])
        let listed = try #require(ConfigVendorModelAppGet(elementAddress: place, model: vendor))
        #expect(octets(listed, &bench)?.dropFirst(5).prefix(4) == [0x01, 0x00, 0x59, 0x00])
        let publication = ConfigModelPublicationGet(elementAddress: place, model: vendor)
        #expect(octets(publication, &bench)?.suffix(4) == [0x01, 0x00, 0x59, 0x00])
        let level = ConfigModelAppBind(
            elementAddress: place,
            appKeyIndex: ServerBench.app0,
            model: TestNetwork.levelServer
        )
        #expect(try bench.ask(level)?.model == TestNetwork.levelServer)
    }

    @Test("A subscription with a label is answered with the address 0x0000, one without is not")
    func virtualAddress() throws {
        var bench = bench(.zeroVirtualAddress)
        let add = ConfigModelSubscriptionVirtualAddressAdd(
            elementAddress: ServerBench.element0,
            label: TestNetwork.label(1),
            model: TestNetwork.onOffServer
        )
        #expect(octets(add, &bench) == [0x80, 0x1F, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x10])
        #expect(bench.state.elements[0].models[2].subscriptions == [.virtual(TestNetwork.label(1))])
    }

    @Test("NetKey List has a length that none can have, AppKey List an index that nobody asked about")
    func lists() throws {
        var bench = bench(.shortNetKeyList)
        let list = try #require(octets(ConfigNetKeyGet(), &bench))
        #expect(list.count == 6)
        #expect(throws: DecodeError.self) { try ConfigNetKeyList(parameters: list[2...]) }
        var other = self.bench(.wrongKeyIndex)
        let keys = try #require(try other.ask(ConfigAppKeyGet(netKeyIndex: .primary)))
        #expect(keys.netKeyIndex != .primary)
    }

    @Test("Bindings outlive their key, and cannot be taken away")
    func keepsBindings() throws {
        var bench = bench(.keepsBindings)
        let (place, model, key) = (ServerBench.element0, TestNetwork.onOffServer, ServerBench.app0)
        bench.state.appKeys = [NodeAppKey(index: key, boundNetKey: .primary, key: TestNetwork.key(1))]
        _ = try bench.ask(ConfigModelAppBind(elementAddress: place, appKeyIndex: key, model: model))
        #expect(try bench.ask(ConfigAppKeyDelete(netKeyIndex: .primary, appKeyIndex: key))?.status == .success)
        #expect(bench.state.appKeys.isEmpty)
        #expect(bench.state.elements[0].models[2].bindings == [key])
        let unbind = ConfigModelAppUnbind(elementAddress: place, appKeyIndex: key, model: model)
        #expect(try bench.ask(unbind)?.status.rawValue == 0x03)
        #expect(bench.state.elements[0].models[2].bindings == [key])
    }

    @Test("A request that a node is silent to is neither answered nor obeyed")
    func silent() throws {
        let world = world(.silent(ConfigDefaultTTLSet.opcode))
        let client = try TestClient.connected(to: world, network: network)
        #expect(try client.request(ConfigDefaultTTLSet(ttl: 9), of: node) == nil)
        #expect(try client.request(ConfigDefaultTTLGet(), of: node)?.ttl == 5)
    }

    // MARK: What is kept

    @Test("A device keeps its quirks through its lives, and in runs that are told nothing of it")
    func kept() throws {
        var device = TestDevice.plain(1)
        device.quirks = [.noBeacon, .silent(0x8008)]
        var state = SimulatorState()
        _ = SimulatedWorld(network: network, devices: [device], seed: 1) {
            state.apply($0)
            return true
        }
        let (read, _) = try StateFile.decode(state.compacted)
        #expect(read == state)
        let later = SimulatedWorld(network: network, devices: [TestDevice.plain(2)], seed: 1, state: read)
        #expect(later.faults(of: TestDevice.uuid(2)).quirks.isEmpty)
        device.quirks = []
        let mended = SimulatedWorld(network: network, devices: [device], seed: 1, state: read)
        #expect(mended.faults(of: device.uuid).quirks.isEmpty, "what the file says now counts")
    }
}

@Suite("Quirks of Remote Provisioning Servers")
struct RemoteQuirkTests {
    private func site(_ quirks: Set<DeviceQuirk>) throws -> RemoteSite {
        let site = try RemoteSite(devices: [TestDevice.remote(1)])
        site.world.setFaults(NodeFaults(quirks: quirks), of: site.server.uuid)
        return site
    }

    @Test("A server that forgets its link says nothing, and is of use again when the device has given up")
    func forgets() throws {
        let device = TestDevice.remote(1).uuid
        let site = try site([.forgetsRemoteLink])
        let open = RemoteProvisioningLinkOpen(target: .device(device, timeout: 5))
        #expect(try site.client.request(open, of: site.server)?.status == .success)
        try site.client.wait(.seconds(2))
        let before = site.client.messages.count
        try site.client.wait(.seconds(4))
        #expect(site.client.messages.count == before, "no Link Report tells that the link is gone")
        #expect(try site.client.request(RemoteProvisioningLinkGet(), of: site.server)?.state == .idle)
        #expect(try site.client.request(open, of: site.server) == nil)
        try site.client.wait(.seconds(60))
        #expect(try site.client.request(open, of: site.server)?.status == .success)
    }

    @Test("With enough time for the whole session a device is provisioned through such a server")
    func enoughTime() throws {
        let device = TestDevice.remote(1)
        let site = try site([.forgetsRemoteLink])
        let data = TestDevice.data(site.network, at: 0x0100)
        let outcome = try site.provisioner.provision(.device(device.uuid, timeout: 60), through: site.server, data)
        #expect(outcome.node != nil)
        #expect(site.world.violations == [])
    }
}
