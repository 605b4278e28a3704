import MeshCore
import Simulator
import TestSupport
import Testing

private let one = ServerBench.one

@Suite("ConfigurationServer: SAR and privacy states of 1.1")
struct FoundationServerTests {
    @Test(
        "Messages for a model that is not on the primary element get no answer and change nothing",
        arguments: [
            "8060", "806101", "8063", "806401", "80660000", "8067000001", "8069", "806a3c", "806c", "806d25722109",
            "806f",
            "8070235100", "80721000048009", "8074000000", "8076000000", "80b1", "80b201", "80b401001000aa0abb0b",
            "80b5001000aa0abb0b", "80b7000000", "80b90010000000", "80bb",
        ]
    )
    func missingModels(request: String) {
        var bench = ServerBench()
        // Elsewhere than on the primary element the models are of no use.
        bench.state.elements[1].models += TestNetwork.foundationServers.map { Model(identifier: $0) }
        let before = bench.state
        #expect(bench.server.respond(to: hex(request), through: .primary, state: &bench.state) == nil)
        #expect(bench.state == before)
        var there = ServerBench.foundation()
        #expect(there.server.respond(to: hex(request), through: .primary, state: &there.state) != nil)
    }

    @Test(
        "Malformed and prohibited requests get no answer and change nothing",
        arguments: [
            "806001", "8061", "806102", "8061010203", "8064", "806402", "806600", "80670000", "8067000002", "806a",
            "806d257221", "806d2572210900", "80702351", "807210", "807200000480", "8072120004800904", "80740000",
            "80b2", "80b202", "80b9001000",
        ]
    )
    func hostile(request: String) {
        var bench = ServerBench.foundation()
        let before = bench.state
        #expect(bench.server.respond(to: hex(request), through: .primary, state: &bench.state) == nil)
        #expect(bench.state == before)
    }

    @Test("SAR states are set, read and kept apart")
    func sar() throws {
        var bench = ServerBench.foundation()
        #expect(try bench.ask(SARTransmitterGet())?.state == .standard)
        #expect(try bench.ask(SARReceiverGet())?.state == .standard)
        let transmitter = try SARTransmitterSet(parameters: hex("10325406")[...])
        let receiver = try SARReceiverSet(parameters: hex("5f4302")[...])
        #expect(try bench.ask(transmitter)?.state == transmitter.state)
        #expect(try bench.ask(SARReceiverGet())?.state == .standard)
        #expect(try bench.ask(receiver)?.state == receiver.state)
        #expect(try bench.ask(SARTransmitterGet())?.state == transmitter.state)
    }

    @Test("The private beacon state keeps its interval where a request names none")
    func privateBeacon() throws {
        var bench = ServerBench.foundation()
        let initial = PrivateBeaconStatus(isEnabled: false, randomUpdateIntervalSteps: 60)
        #expect(try bench.ask(PrivateBeaconGet()) == initial)
        let set = PrivateBeaconSet(isEnabled: true, randomUpdateIntervalSteps: 0)
        #expect(try bench.ask(set) == PrivateBeaconStatus(isEnabled: true, randomUpdateIntervalSteps: 0))
        #expect(try bench.ask(PrivateBeaconSet(isEnabled: false))?.randomUpdateIntervalSteps == 0)
        #expect(bench.state.secureNetworkBeacon, "the other beacon is a state of its own")
    }

    @Test("Private GATT proxy is on only while GATT proxy is off")
    func privateGATTProxy() throws {
        var bench = ServerBench.foundation(proxy: .enabled)
        #expect(try bench.ask(PrivateGATTProxySet(isEnabled: true))?.state == .disabled)
        #expect(try bench.ask(ConfigGATTProxySet(isEnabled: false))?.state == .disabled)
        #expect(try bench.ask(PrivateGATTProxySet(isEnabled: true))?.state == .enabled)
        #expect(try bench.ask(ConfigGATTProxyGet())?.state == .disabled)
        #expect(try bench.ask(ConfigGATTProxySet(isEnabled: true))?.state == .enabled)
        #expect(try bench.ask(PrivateGATTProxyGet())?.state == .disabled)
    }

    @Test("Without the GATT proxy feature there is nothing private about it")
    func noProxyFeature() throws {
        var bench = ServerBench.foundation(proxy: .notSupported)
        let before = bench.state
        #expect(try bench.ask(PrivateGATTProxySet(isEnabled: true))?.state == .notSupported)
        #expect(try bench.ask(OnDemandPrivateProxySet(seconds: 9))?.seconds == 0)
        let identity = try bench.ask(PrivateNodeIdentitySet(netKeyIndex: .primary, isEnabled: true))
        #expect(identity?.status == .featureNotSupported && identity?.identity == .notSupported)
        #expect(bench.state == before)
    }

    @Test("Private Node Identity yields to Node Identity, in whatever subnet that runs")
    func privateNodeIdentity() throws {
        var bench = ServerBench.foundation(proxy: .enabled)
        let unknown = TestNetwork.netKey(9)
        #expect(try bench.ask(PrivateNodeIdentityGet(netKeyIndex: unknown))?.status == .invalidNetKeyIndex)
        let wrong = PrivateNodeIdentitySet(netKeyIndex: unknown, isEnabled: true)
        #expect(try bench.ask(wrong)?.status == .invalidNetKeyIndex)
        let start = PrivateNodeIdentitySet(netKeyIndex: .primary, isEnabled: true)
        #expect(
            try bench.ask(start)
                == PrivateNodeIdentityStatus(status: .success, netKeyIndex: .primary, identity: .running)
        )
        #expect(try bench.ask(PrivateNodeIdentityGet(netKeyIndex: one))?.identity == .stopped)
        #expect(try bench.ask(ConfigNodeIdentitySet(netKeyIndex: one, isEnabled: true))?.identity == .running)
        #expect(try bench.ask(PrivateNodeIdentityGet(netKeyIndex: .primary))?.identity == .stopped)
        #expect(try bench.ask(start)?.status == .temporarilyUnableToChangeState)
        #expect(try bench.ask(ConfigNodeIdentitySet(netKeyIndex: one, isEnabled: false))?.identity == .stopped)
        #expect(try bench.ask(start)?.status == .success)
    }

    @Test("The on-demand private proxy state is kept")
    func onDemand() throws {
        var bench = ServerBench.foundation()
        #expect(try bench.ask(OnDemandPrivateProxyGet())?.seconds == 0)
        #expect(try bench.ask(OnDemandPrivateProxySet(seconds: 255))?.seconds == 255)
        #expect(try bench.ask(OnDemandPrivateProxyGet())?.seconds == 255)
    }

    @Test("Reset forgets the states of 1.1 and keeps the pages of the composition")
    func reset() throws {
        var bench = ServerBench.foundation()
        bench.state.foundation.compositionPages = [1: [7]]
        _ = try bench.ask(PrivateBeaconSet(isEnabled: true))
        _ = try bench.ask(SubnetBridgeSet(isEnabled: true))
        _ = try bench.ask(ConfigNodeReset())
        var expected = FoundationStates()
        expected.compositionPages = [1: [7]]
        #expect(bench.state.foundation == expected)
    }
}

@Suite("ConfigurationServer: composition pages and metadata")
struct CompositionPageTests {
    private static let page1 = hex("02010005000000010201000501170101")

    @Test(
        "A page that is not there is answered with the next lower one",
        arguments: [(0, 0), (1, 1), (2, 1), (127, 1), (128, 128), (129, 128), (255, 128)]
    )
    func nextLower(asked: UInt8, answered: UInt8) throws {
        var bench = ServerBench.foundation()
        bench.state.foundation.compositionPages = [1: Self.page1, 128: [9, 9]]
        let expected: [UInt8: [UInt8]] = [
            0: try #require(bench.state.composition.page0Bytes), 1: Self.page1, 128: [9, 9],
        ]
        let status = try #require(try bench.ask(ConfigCompositionDataGet(page: asked)))
        #expect(status.page == answered && status.data == expected[answered])
        let large = try #require(try bench.ask(LargeCompositionDataGet(page: asked, offset: 0)))
        #expect(large.page == answered && large.data == expected[answered])
        #expect(Int(large.totalSize) == expected[answered]?.count)
    }

    @Test("A composition that no message holds is read in parts, up to its end and not beyond")
    func parts() throws {
        var node = TestNetwork.node(0, with: [.largeCompositionDataServer])
        let models = (0..<40).map { Model(identifier: .sig(UInt16(0x2000 + $0))) }
        node.elements += (0..<20).map { Element(location: UInt16($0), models: models) }
        var bench = ServerBench(node)
        var page: [UInt8] = []
        var messages = 0
        while true {
            let get = LargeCompositionDataGet(page: 0, offset: UInt16(page.count))
            let status = try #require(try bench.ask(get))
            #expect(status.encoded.count <= 380 && status.offset == get.offset)
            guard !status.data.isEmpty else { break }
            page += status.data
            messages += 1
        }
        #expect(messages == 5)
        #expect(try Composition(page0: page) == bench.state.composition)
        let beyond = try #require(try bench.ask(LargeCompositionDataGet(page: 0, offset: 0xFFFF)))
        #expect(beyond.data == [] && Int(beyond.totalSize) == page.count)
    }

    @Test("Models metadata lists every model of every element without metadata")
    func metadata() throws {
        var bench = ServerBench(TestNetwork.node(0, with: [.largeCompositionDataServer]))
        let expected = hex("06 00 0000 00 0200 00 0010 00 0110 00 0710 00 1200 00 01 01 0210 00 5900 0100 00")
        for page: UInt8 in [0, 1, 128] {
            let status = try #require(try bench.ask(ModelsMetadataGet(page: page, offset: 0)))
            #expect(status.page == 0 && status.data == expected)
        }
        let rest = try #require(try bench.ask(ModelsMetadataGet(page: 0, offset: 20)))
        #expect(rest.data == Array(expected.dropFirst(20)) && Int(rest.totalSize) == expected.count)
    }

    @Test("A described device and the node it becomes have the pages of the description")
    func description() throws {
        var bench = ServerBench.foundation()
        bench.state.foundation.compositionPages = [2: [1, 2, 3]]
        let device = bench.state.derivedDescription
        #expect(device.compositionPages == [2: [1, 2, 3]])
        #expect(NodeConfigurationState(unprovisioned: device).foundation.compositionPages == [2: [1, 2, 3]])
        let data = ProvisioningData(
            netKey: TestNetwork.key(0x10),
            netKeyIndex: .primary,
            isKeyRefreshing: false,
            ivIndex: IVIndex(value: 5),
            address: TestNetwork.address(0x700)
        )
        let node = NodeConfigurationState(device, provisionedWith: data, deviceKey: TestNetwork.key(1))
        #expect(node.foundation.compositionPages == [2: [1, 2, 3]])
    }
}
