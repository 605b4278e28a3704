import MeshCore
import Simulator
import Testing

private let element0 = ServerBench.element0
private let element1 = ServerBench.element1
private let one = ServerBench.one
private let app0 = ServerBench.app0
private let server = TestNetwork.onOffServer
private let group = ServerBench.group

@Suite("ConfigurationServer: node states")
struct ConfigurationServerNodeTests {
    @Test("Simple states are set, read and reported")
    func states() throws {
        var bench = ServerBench()
        #expect(try bench.ask(ConfigDefaultTTLSet(ttl: 9))?.ttl == 9)
        #expect(try bench.ask(ConfigDefaultTTLGet())?.ttl == 9)
        #expect(try bench.ask(ConfigBeaconSet(isEnabled: false))?.isEnabled == false)
        #expect(try bench.ask(ConfigBeaconGet())?.isEnabled == false)
        #expect(try bench.ask(ConfigGATTProxySet(isEnabled: true))?.state == .enabled)
        #expect(try bench.ask(ConfigGATTProxyGet())?.state == .enabled)
        #expect(try bench.ask(ConfigFriendSet(isEnabled: true))?.state == .enabled)
        #expect(try bench.ask(ConfigFriendGet())?.state == .enabled)
        let transmit = TransmitParameters(octet: 0x2D)
        #expect(try bench.ask(ConfigNetworkTransmitSet(transmit: transmit))?.transmit == transmit)
        #expect(try bench.ask(ConfigNetworkTransmitGet())?.transmit == transmit)
        let relay = try bench.ask(ConfigRelaySet(isEnabled: false, retransmit: transmit))
        #expect(relay?.state == .disabled && relay?.retransmit == transmit)
        #expect(try bench.ask(ConfigRelayGet())?.retransmit == transmit)
        let poll = ConfigLowPowerNodePollTimeoutGet(lowPowerNodeAddress: element1)
        #expect(try bench.ask(poll)?.pollTimeout == 0)
    }

    @Test("Features that the node lacks cannot be switched on")
    func missingFeatures() throws {
        var node = TestNetwork.node(0, relay: .notSupported, proxy: .notSupported)
        node.features.friend = .notSupported
        var bench = ServerBench(node)
        let before = bench.state
        #expect(try bench.ask(ConfigGATTProxySet(isEnabled: true))?.state == .notSupported)
        #expect(try bench.ask(ConfigFriendSet(isEnabled: true))?.state == .notSupported)
        let relay = ConfigRelaySet(isEnabled: true, retransmit: TransmitParameters(octet: 0x31))
        #expect(try bench.ask(relay)?.state == .notSupported)
        #expect(bench.state == before)
    }

    @Test("Every page asked for is answered with composition data page 0", arguments: [0, 1, 128, 255])
    func composition(page: UInt8) throws {
        var bench = ServerBench()
        let status = try #require(try bench.ask(ConfigCompositionDataGet(page: page)))
        #expect(status.page == 0)
        let composition = try Composition(page0: status.data)
        #expect(composition == bench.state.composition)
        #expect(composition.features == [.relay, .proxy, .friend])
        #expect(composition.elements[1].models == [TestNetwork.levelServer, TestNetwork.vendorModel])
    }

    @Test("Composition data that is too long for a message loses its last elements")
    func longComposition() throws {
        var node = TestNetwork.node(0)
        let models = (0..<40).map { Model(identifier: .sig(UInt16(0x2000 + $0))) }
        node.elements = (0..<6).map { Element(location: UInt16($0), models: models) }
        var bench = ServerBench(node)
        let status = try #require(try bench.ask(ConfigCompositionDataGet(page: 0)))
        #expect(status.encoded.count <= 380)
        #expect(try Composition(page0: status.data).elements.count == 4)
    }

    @Test("Heartbeat states are checked and kept")
    func heartbeat() throws {
        var bench = ServerBench()
        func settings(_ destination: UInt16, _ key: NetKeyIndex = .primary) throws -> HeartbeatPublicationSettings {
            HeartbeatPublicationSettings(
                destination: Address(rawValue: destination),
                countLog: try #require(HeartbeatPublicationCountLog(rawValue: 0xFF)),
                periodLog: try #require(HeartbeatPeriodLog(rawValue: 4)),
                ttl: 5,
                features: [.relay, .proxy],
                netKeyIndex: key
            )
        }
        func set(_ settings: HeartbeatPublicationSettings) throws -> ConfigHeartbeatPublicationStatus? {
            try bench.ask(ConfigHeartbeatPublicationSet(settings: settings))
        }
        #expect(try set(try settings(0x8001))?.status == .invalidAddress)
        #expect(try set(try settings(group, one))?.status == .invalidNetKeyIndex)
        let wanted = try settings(group)
        #expect(try set(wanted)?.settings == wanted)
        #expect(try bench.ask(ConfigHeartbeatPublicationGet())?.settings == wanted)
        #expect(try set(try settings(0))?.settings.countLog.rawValue == 0)

        let subscription = HeartbeatSubscriptionSettings(
            source: TestNetwork.address(0x0050),
            destination: Address(rawValue: group),
            periodLog: try #require(HeartbeatPeriodLog(rawValue: 5))
        )
        let status = try bench.ask(ConfigHeartbeatSubscriptionSet(settings: subscription))
        #expect(status?.status == .success && status?.settings == subscription && status?.minimumHops == 0x7F)
        #expect(try bench.ask(ConfigHeartbeatSubscriptionGet())?.settings == subscription)
        for destination: UInt16 in [0x8001, 0x0011] {
            var wrong = subscription
            wrong.destination = Address(rawValue: destination)
            #expect(
                try bench.ask(ConfigHeartbeatSubscriptionSet(settings: wrong))?.status == .invalidAddress
            )
        }
        let off = HeartbeatSubscriptionSettings(source: nil, destination: .unassigned, periodLog: .off)
        #expect(try bench.ask(ConfigHeartbeatSubscriptionSet(settings: off))?.minimumHops == 0)
    }

    @Test("Reset forgets keys and configuration and keeps what the device is")
    func reset() throws {
        var bench = ServerBench()
        let composition = bench.state.composition
        #expect(try bench.ask(ConfigNodeReset()) != nil)
        #expect(!bench.state.isProvisioned && bench.state.netKeys.isEmpty && bench.state.appKeys.isEmpty)
        #expect(bench.state.composition == composition)
    }

    @Test(
        "Unknown, truncated and prohibited requests get no answer and change nothing",
        arguments: [
            "", "7f", "8201", "d50a0001", "800d01", "800d80", "800d", "800a02", "8013", "801302", "8049ff",
            "00561200", "03", "8027", "8003", "801b1000", "8016000001", "80391234", "ff",
        ]
    )
    func hostile(request: String) throws {
        var bench = ServerBench()
        let before = bench.state
        let payload = try #require(Hexadecimal.decode(request))
        let answer = bench.server.respond(to: payload, through: .primary, state: &bench.state)
        #expect(answer == nil)
        #expect(bench.state == before)
    }

    @Test("A refusal is answered in place of acting")
    func refusal() throws {
        var bench = ServerBench()
        let before = bench.state
        let add = ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(1))
        #expect(try bench.ask(add, refusal: .storageFailure)?.status == .storageFailure)
        let bind = ConfigModelAppBind(elementAddress: element0, appKeyIndex: app0, model: server)
        #expect(try bench.ask(bind, refusal: .unspecifiedError)?.status == .unspecifiedError)
        #expect(bench.state == before)
    }
}
