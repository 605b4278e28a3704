import MeshCore
import Simulator
import TestSupport
import Testing

private let element0 = ServerBench.element0
private let element1 = ServerBench.element1

@Suite("Opcodes Aggregator Server")
struct OpcodesAggregatorTests {
    private static let ttlGet = ConfigDefaultTTLGet().encoded

    @Test("Requests are handled in order, and their answers come in order")
    func sequence() throws {
        var bench = ServerBench.foundation()
        let items = [
            ConfigDefaultTTLSet(ttl: 9).encoded, Self.ttlGet, PrivateBeaconSet(isEnabled: true).encoded,
            ConfigBeaconGet().encoded,
        ]
        let status = try bench.ask(OpcodesAggregatorSequence(elementAddress: element0, items: items))
        #expect(
            status
                == OpcodesAggregatorStatus(
                    status: .success,
                    elementAddress: element0,
                    items: [
                        ConfigDefaultTTLStatus(ttl: 9).encoded, ConfigDefaultTTLStatus(ttl: 9).encoded,
                        PrivateBeaconStatus(isEnabled: true, randomUpdateIntervalSteps: 60).encoded,
                        ConfigBeaconStatus(isEnabled: true).encoded,
                    ]
                )
        )
        #expect(bench.state.defaultTTL == 9 && bench.state.foundation.isPrivateBeaconEnabled)
        #expect(try bench.ask(OpcodesAggregatorSequence(elementAddress: element0, items: []))?.items == [])
    }

    @Test(
        "The sequence stops at the first request that fails, and what came before it holds",
        arguments: [
            // An unknown opcode, one of a status, a sequence within the sequence.
            ("8241", OpcodesAggregatorStatusCode.wrongOpcode), ("800e09", .wrongOpcode),
            ("80721000048009", .wrongOpcode),
            // A request of Health Server: known, but under an AppKey.
            ("8004", .wrongAccessKey),
            // A prohibited TTL, a truncated request, an opcode that is none.
            ("800d01", .messageNotUnderstood), ("800d", .messageNotUnderstood), ("7f", .messageNotUnderstood),
        ]
    )
    func failures(item: String, code: OpcodesAggregatorStatusCode) throws {
        var bench = ServerBench.foundation()
        let items = [ConfigDefaultTTLSet(ttl: 9).encoded, hex(item), ConfigDefaultTTLSet(ttl: 11).encoded]
        let status = try bench.ask(OpcodesAggregatorSequence(elementAddress: element0, items: items))
        #expect(status?.status == code)
        #expect(status?.items == [ConfigDefaultTTLStatus(ttl: 9).encoded])
        #expect(bench.state.defaultTTL == 9)
    }

    @Test("Addresses of other nodes are refused, and secondary elements have no configuration")
    func addresses() throws {
        var bench = ServerBench.foundation()
        for address in [ServerBench.stranger, TestNetwork.address(0x000F)] {
            let status = try bench.ask(OpcodesAggregatorSequence(elementAddress: address, items: [Self.ttlGet]))
            #expect(status?.status == .invalidAddress && status?.items == [])
        }
        let secondary = OpcodesAggregatorSequence(elementAddress: element1, items: [Self.ttlGet])
        #expect(try bench.ask(secondary)?.status == .wrongOpcode)
    }

    @Test("Models that the node lacks take nothing within a sequence either")
    func missingModel() throws {
        var bench = ServerBench(TestNetwork.node(0, with: [.opcodesAggregatorServer]))
        let items = [Self.ttlGet, SARReceiverGet().encoded]
        let status = try bench.ask(OpcodesAggregatorSequence(elementAddress: element0, items: items))
        #expect(status?.status == .wrongOpcode && status?.items.count == 1)
    }

    @Test("Answers that have no room end the sequence with an overflow")
    func overflow() throws {
        var bench = ServerBench.foundation()
        // An item of 3 octets and its length: 375 octets hold 93 of them.
        let full = OpcodesAggregatorSequence(elementAddress: element0, items: .init(repeating: Self.ttlGet, count: 93))
        let status = try #require(try bench.ask(full))
        #expect(status.status == .success && status.items.count == 93 && status.encoded.count == 377)
        var over = full
        over.items += [Self.ttlGet, ConfigDefaultTTLSet(ttl: 30).encoded]
        let overflowed = try #require(try bench.ask(over))
        #expect(overflowed.status == .responseOverflow && overflowed.items.count == 93)
        #expect(bench.state.defaultTTL == 5, "what stands behind it is not handled")
        var page = ServerBench.foundation()
        let large = LargeCompositionDataGet(page: 0, offset: 0).encoded
        page.state.foundation.compositionPages = [1: .init(repeating: 7, count: 500)]
        let long = LargeCompositionDataGet(page: 1, offset: 0).encoded
        let pages = try page.ask(OpcodesAggregatorSequence(elementAddress: element0, items: [large, long]))
        #expect(pages?.status == .responseOverflow && pages?.items.count == 1)
    }

    @Test("A refusal is the answer of its own request, and the sequence goes on")
    func refusal() throws {
        var bench = ServerBench.foundation()
        let add = ConfigNetKeyAdd(netKeyIndex: TestNetwork.netKey(2), key: TestNetwork.key(2))
        let sequence = OpcodesAggregatorSequence(elementAddress: element0, items: [add.encoded, Self.ttlGet])
        let status = try bench.ask(sequence, refusal: .storageFailure)
        #expect(
            status?.items == [
                ConfigNetKeyStatus(status: .storageFailure, netKeyIndex: add.netKeyIndex).encoded,
                ConfigDefaultTTLStatus(ttl: 5).encoded,
            ]
        )
    }
}

@Suite("SimulatedWorld: sequences under the DeviceKey")
struct AggregatedConfigurationTests {
    private func site() throws -> (world: SimulatedWorld, client: TestClient, node: Node) {
        let node = TestNetwork.node(1, with: [.opcodesAggregatorServer], proxy: .enabled)
        let network = TestNetwork.network([node])
        let world = SimulatedWorld(network: network, seed: 1)
        return (world, try TestClient.connected(to: world, network: network), node)
    }

    @Test("A fault refuses as many requests of a sequence as it is for")
    func fault() throws {
        let (world, client, node) = try site()
        let answer = NodeFaults.Answer(opcode: ConfigNetKeyAdd.opcode, status: .storageFailure, count: 1)
        world.setFaults(NodeFaults(answers: [answer]), of: node.uuid)
        let items = (2...3).map { number in
            ConfigNetKeyAdd(netKeyIndex: TestNetwork.netKey(number), key: TestNetwork.key(UInt64(number))).encoded
        }
        let sequence = OpcodesAggregatorSequence(elementAddress: node.unicastAddress, items: items)
        let status = try client.request(sequence, of: node)
        #expect(
            status?.items == [
                ConfigNetKeyStatus(status: .storageFailure, netKeyIndex: TestNetwork.netKey(2)).encoded,
                ConfigNetKeyStatus(status: .success, netKeyIndex: TestNetwork.netKey(3)).encoded,
            ]
        )
        #expect(world.node(node.uuid)?.netKeys.map(\.index) == [.primary, TestNetwork.netKey(3)])
    }

    @Test("A proxy that is switched off in a sequence answers before it lets its client go")
    func proxyOff() throws {
        let (world, client, node) = try site()
        let items = [ConfigGATTProxySet(isEnabled: false).encoded, ConfigDefaultTTLSet(ttl: 9).encoded]
        let sequence = OpcodesAggregatorSequence(elementAddress: node.unicastAddress, items: items)
        #expect(try client.request(sequence, of: node)?.items.count == 2)
        try client.wait(.seconds(1))
        #expect(world.node(node.uuid)?.proxy == .disabled && client.isClosed)
    }

    @Test("A reset at the end of a sequence is answered before the node leaves")
    func reset() throws {
        let (world, client, node) = try site()
        let items = [ConfigDefaultTTLSet(ttl: 9).encoded, ConfigNodeReset().encoded]
        let sequence = OpcodesAggregatorSequence(elementAddress: node.unicastAddress, items: items)
        let status = try client.request(sequence, of: node)
        #expect(status?.status == .success)
        #expect(status?.items == [ConfigDefaultTTLStatus(ttl: 9).encoded, ConfigNodeResetStatus().encoded])
        try client.wait(.seconds(1))
        #expect(world.node(node.uuid)?.isProvisioned == false && client.isClosed)
    }
}

@Suite("SimulatedWorld: models under AppKeys")
struct ApplicationModelTests {
    private let key = TestNetwork.appKey(0)

    /// A node whose foundation models have an AppKey, and a client that speaks to it.
    private func site(
        bound: [ModelIdentifier],
        state: SimulatorState = SimulatorState(),
        recorder: @escaping SimulatedWorld.Recorder = { _ in true }
    ) throws -> (world: SimulatedWorld, client: TestClient, node: Node) {
        var node = TestNetwork.node(1, with: TestNetwork.foundationServers, proxy: .enabled)
        node.appKeys = [NodeKey(index: key)]
        for model in node.elements[0].models.indices
        where bound.contains(node.elements[0].models[model].identifier) {
            node.elements[0].models[model].bindings = [key]
        }
        let network = TestNetwork.network([node])
        let world = SimulatedWorld(network: network, seed: 1, state: state, recorder: recorder)
        return (world, try TestClient.connected(to: world, network: network), node)
    }

    /// What a node answers, opcode and parameters.
    private func send(_ message: some AccessMessage, to node: Node, _ client: TestClient) throws -> [[UInt8]] {
        let seen = client.messages.count
        try client.send(message.encoded, to: node.unicastAddress, under: .application(key))
        try client.wait(.seconds(2))
        return client.messages[seen...].filter { $0.security == .application(key) }.map(\.payload)
    }

    @Test("A sequence under an AppKey reaches the models that are bound to it")
    func sequence() throws {
        let (world, client, node) = try site(bound: [.opcodesAggregatorServer, .healthServer])
        let address = node.unicastAddress
        let items = [HealthAttentionSetUnacknowledged(seconds: 9).encoded, HealthAttentionGet().encoded]
        let answers = try send(OpcodesAggregatorSequence(elementAddress: address, items: items), to: node, client)
        let status = OpcodesAggregatorStatus(
            status: .success,
            elementAddress: address,
            items: [[], HealthAttentionStatus(seconds: 9).encoded]
        )
        #expect(answers == [status.encoded])
        #expect(world.observations.map(\.event) == [.attentionStarted(seconds: 9)])
    }

    @Test("Under an AppKey, what needs the DeviceKey or another AppKey is refused")
    func wrongKey() throws {
        let (_, client, node) = try site(bound: [.opcodesAggregatorServer])
        let address = node.unicastAddress
        for (item, code) in [
            (ConfigDefaultTTLGet().encoded, OpcodesAggregatorStatusCode.wrongAccessKey),
            (HealthAttentionGet().encoded, .wrongAccessKey), (hex("8241"), .wrongOpcode),
        ] {
            let answers = try send(OpcodesAggregatorSequence(elementAddress: address, items: [item]), to: node, client)
            #expect(
                answers == [OpcodesAggregatorStatus(status: code, elementAddress: address, items: []).encoded]
            )
        }
    }

    @Test("An aggregator that is not bound to the AppKey does not answer")
    func notBound() throws {
        let (world, client, node) = try site(bound: [.healthServer])
        let items = [HealthAttentionSet(seconds: 9).encoded]
        let sequence = OpcodesAggregatorSequence(elementAddress: node.unicastAddress, items: items)
        #expect(try send(sequence, to: node, client) == [])
        #expect(world.observations == [])
    }

    @Test("Solicitation entries are cleared by range, with and without an answer, and stay so")
    func solicitation() throws {
        var state = SimulatorState()
        let (first, _, node) = try site(bound: [.solicitationReplayServer]) {
            state.apply($0)
            return true
        }
        var left = try #require(first.node(node.uuid))
        for source: UInt16 in [0x100, 0x101, 0x102, 0x103, 0x200] {
            left.foundation.solicitationReplay[TestNetwork.address(source)] = UInt32(source)
        }
        state.apply(.node(left))
        let (world, client, _) = try site(bound: [.solicitationReplayServer], state: state) {
            state.apply($0)
            return true
        }
        func sources(_ state: NodeConfigurationState?) -> [UInt16]? {
            state.map { $0.foundation.solicitationReplay.keys.map(\.rawValue).sorted() }
        }
        let range = UnicastAddressRange(first: TestNetwork.address(0x101), count: 2)
        let answers = try send(SolicitationPDURPLItemsClear(addresses: range), to: node, client)
        #expect(answers == [SolicitationPDURPLItemsStatus(addresses: range).encoded])
        #expect(sources(world.node(node.uuid)) == [0x100, 0x103, 0x200])
        let single = UnicastAddressRange(first: TestNetwork.address(0x200), count: 1)
        #expect(try send(SolicitationPDURPLItemsClearUnacknowledged(addresses: single), to: node, client) == [])
        #expect(sources(world.node(node.uuid)) == [0x100, 0x103])
        #expect(sources(state.nodes[node.uuid]) == [0x100, 0x103])
    }

    @Test("Solicitation entries are not cleared under a key that is not bound")
    func solicitationNotBound() throws {
        let (_, client, node) = try site(bound: [])
        let range = UnicastAddressRange(first: TestNetwork.address(0x101), count: 2)
        #expect(try send(SolicitationPDURPLItemsClear(addresses: range), to: node, client) == [])
    }
}
