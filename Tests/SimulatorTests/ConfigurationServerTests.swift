import MeshCore
import Simulator
import Testing

/// Requests to one server and the state they leave.
private struct Bench {
    var server = ConfigurationServer()
    var state: NodeConfigurationState
    var netKeyIndex = NetKeyIndex.primary

    init(_ node: Node = TestNetwork.node(0), limits: NodeLimits = NodeLimits()) {
        server.limits = limits
        state = NodeConfigurationState(of: node, in: TestNetwork.network([node]))
    }

    /// The answer to a request, decoded; nil if there is none.
    mutating func ask<Request: AcknowledgedMessage>(
        _ request: Request,
        refusal: ConfigStatusCode? = nil
    ) throws -> Request.Status? {
        let answer = server.respond(
            to: request.encoded,
            through: netKeyIndex,
            state: &state,
            refusal: refusal
        )
        guard let answer else { return nil }
        var reader = ByteReader(answer)
        #expect(try Opcode(decoding: &reader) == Request.Status.opcode)
        return try Request.Status(parameters: reader.readRest())
    }
}

private let element0 = TestNetwork.address(0x0010)
private let element1 = TestNetwork.address(0x0011)
private let stranger = TestNetwork.address(0x0012)
private let one = TestNetwork.netKey(1)
private let app0 = TestNetwork.appKey(0)
private let app1 = TestNetwork.appKey(1)
private let server = TestNetwork.onOffServer
private let group: UInt16 = 0xC000

@Suite("ConfigurationServer: keys")
struct ConfigurationServerKeyTests {
    @Test("NetKey Add stores, repeats, refuses another value and runs out of room")
    func addNetKey() throws {
        var bench = Bench(limits: NodeLimits(netKeys: 2))
        let key = TestNetwork.key(0x11)
        #expect(try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: key))?.status == .success)
        #expect(try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: key))?.status == .success)
        let other = ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x99))
        #expect(try bench.ask(other)?.status == .keyIndexAlreadyStored)
        let third = ConfigNetKeyAdd(netKeyIndex: TestNetwork.netKey(2), key: key)
        #expect(try bench.ask(third)?.status == .insufficientResources)
        #expect(try bench.ask(ConfigNetKeyGet())?.netKeyIndexes == [.primary, one])
        #expect(bench.state.netKey(one)?.key == key)
    }

    @Test("NetKey Delete takes AppKeys, bindings and publications along")
    func deleteNetKey() throws {
        var bench = Bench()
        _ = try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x11)))
        _ = try bench.ask(ConfigAppKeyAdd(netKeyIndex: one, appKeyIndex: app0, key: TestNetwork.key(0x20)))
        _ = try bench.ask(ConfigModelAppBind(elementAddress: element0, appKeyIndex: app0, model: server))
        _ = try bench.ask(
            ConfigModelPublicationSet(
                elementAddress: element0,
                publishAddress: Address(rawValue: group),
                settings: PublicationSettings(appKeyIndex: app0),
                model: server
            )
        )
        #expect(bench.state.elements[0].models[2].publication != nil)
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: one))?.status == .success)
        #expect(bench.state.appKeys.isEmpty)
        #expect(bench.state.elements[0].models[2].bindings.isEmpty)
        #expect(bench.state.elements[0].models[2].publication == nil)
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: one))?.status == .success, "not there counts as done")
    }

    @Test("The NetKey that secures the request, and the last one, cannot be deleted")
    func lastNetKey() throws {
        var bench = Bench()
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: .primary))?.status == .cannotRemove)
        _ = try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x11)))
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: .primary))?.status == .cannotRemove)
        bench.netKeyIndex = one
        #expect(try bench.ask(ConfigNetKeyDelete(netKeyIndex: .primary))?.status == .success)
    }

    @Test("A key refresh goes through its phases and nowhere else")
    func keyRefresh() throws {
        var bench = Bench()
        let old = TestNetwork.key(0x10)
        let new = TestNetwork.key(0x90)
        let newApp = TestNetwork.key(0x91)
        _ = try bench.ask(ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app0, key: TestNetwork.key(0x20)))
        let updateApp = ConfigAppKeyUpdate(netKeyIndex: .primary, appKeyIndex: app0, key: newApp)
        let toPhase2 = ConfigKeyRefreshPhaseSet(netKeyIndex: .primary, transition: .useNewKeys)
        let toPhase3 = ConfigKeyRefreshPhaseSet(netKeyIndex: .primary, transition: .revokeOldKeys)

        #expect(try bench.ask(updateApp)?.status == .cannotUpdate, "not outside a key refresh")
        #expect(try bench.ask(toPhase2)?.status == .cannotUpdate)
        #expect(try bench.ask(toPhase3)?.status == .success, "phase 3 is where it is")
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: old))?.status == .cannotUpdate)

        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: new))?.status == .success)
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: new))?.status == .success)
        #expect(
            try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: TestNetwork.key(0x92)))?.status
                == .cannotUpdate
        )
        #expect(try bench.ask(ConfigKeyRefreshPhaseGet(netKeyIndex: .primary))?.phase == .keyDistribution)
        #expect(bench.state.netKey(.primary)?.oldKey == old)
        #expect(try bench.ask(updateApp)?.status == .success)
        #expect(try bench.ask(updateApp)?.status == .success)
        #expect(
            try bench.ask(
                ConfigAppKeyUpdate(netKeyIndex: .primary, appKeyIndex: app0, key: TestNetwork.key(0x93))
            )?.status == .keyIndexAlreadyStored
        )

        let inPhase2 = try bench.ask(toPhase2)
        #expect(inPhase2?.status == .success && inPhase2?.phase == .usingNewKeys)
        #expect(try bench.ask(toPhase2)?.phase == .usingNewKeys)
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: .primary, key: new))?.status == .cannotUpdate)
        #expect(try bench.ask(updateApp)?.status == .cannotUpdate)

        #expect(try bench.ask(toPhase3)?.phase == .normal)
        #expect(bench.state.netKey(.primary)?.key == new && bench.state.netKey(.primary)?.oldKey == nil)
        #expect(bench.state.appKey(app0)?.key == newApp && bench.state.appKey(app0)?.oldKey == nil)
    }

    @Test("Requests about NetKeys that the node does not have are refused")
    func unknownNetKey() throws {
        var bench = Bench()
        let key = TestNetwork.key(1)
        #expect(try bench.ask(ConfigNetKeyUpdate(netKeyIndex: one, key: key))?.status == .invalidNetKeyIndex)
        #expect(
            try bench.ask(ConfigAppKeyAdd(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidNetKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyUpdate(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidNetKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyDelete(netKeyIndex: one, appKeyIndex: app0))?.status == .invalidNetKeyIndex
        )
        #expect(try bench.ask(ConfigAppKeyGet(netKeyIndex: one))?.status == .invalidNetKeyIndex)
        #expect(try bench.ask(ConfigKeyRefreshPhaseGet(netKeyIndex: one))?.status == .invalidNetKeyIndex)
        #expect(
            try bench.ask(ConfigKeyRefreshPhaseSet(netKeyIndex: one, transition: .useNewKeys))?.status
                == .invalidNetKeyIndex
        )
        #expect(try bench.ask(ConfigNodeIdentityGet(netKeyIndex: one))?.status == .invalidNetKeyIndex)
        #expect(
            try bench.ask(ConfigNodeIdentitySet(netKeyIndex: one, isEnabled: true))?.status == .invalidNetKeyIndex
        )
    }

    @Test("AppKeys are added, refused and deleted by the rules")
    func appKeys() throws {
        var bench = Bench(limits: NodeLimits(appKeys: 1))
        _ = try bench.ask(ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(0x11)))
        let key = TestNetwork.key(0x20)
        let add = ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app0, key: key)
        #expect(try bench.ask(add)?.status == .success)
        #expect(try bench.ask(add)?.status == .success)
        #expect(
            try bench.ask(
                ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app0, key: TestNetwork.key(0x99))
            )?.status == .keyIndexAlreadyStored
        )
        #expect(
            try bench.ask(ConfigAppKeyAdd(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidNetKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: app1, key: key))?.status
                == .insufficientResources
        )
        #expect(
            try bench.ask(ConfigAppKeyUpdate(netKeyIndex: .primary, appKeyIndex: app1, key: key))?.status
                == .invalidAppKeyIndex
        )
        #expect(
            try bench.ask(ConfigAppKeyUpdate(netKeyIndex: one, appKeyIndex: app0, key: key))?.status
                == .invalidBinding
        )
        #expect(
            try bench.ask(ConfigAppKeyDelete(netKeyIndex: one, appKeyIndex: app0))?.status == .invalidBinding
        )
        #expect(try bench.ask(ConfigAppKeyGet(netKeyIndex: .primary))?.appKeyIndexes == [app0])
        #expect(try bench.ask(ConfigAppKeyGet(netKeyIndex: one))?.appKeyIndexes == [])
        let delete = ConfigAppKeyDelete(netKeyIndex: .primary, appKeyIndex: app0)
        #expect(try bench.ask(delete)?.status == .success)
        #expect(try bench.ask(delete)?.status == .success)
        #expect(bench.state.appKeys.isEmpty)
    }

    @Test("Node Identity follows the GATT proxy")
    func nodeIdentity() throws {
        var bench = Bench()
        let start = ConfigNodeIdentitySet(netKeyIndex: .primary, isEnabled: true)
        #expect(try bench.ask(start)?.status == .temporarilyUnableToChangeState)
        _ = try bench.ask(ConfigGATTProxySet(isEnabled: true))
        #expect(try bench.ask(start)?.identity == .running)
        _ = try bench.ask(ConfigGATTProxySet(isEnabled: false))
        #expect(try bench.ask(ConfigNodeIdentityGet(netKeyIndex: .primary))?.identity == .stopped)
        var without = Bench(TestNetwork.node(0, proxy: .notSupported))
        let refused = try without.ask(start)
        #expect(refused?.status == .featureNotSupported && refused?.identity == .notSupported)
    }
}

@Suite("ConfigurationServer: models")
struct ConfigurationServerModelTests {
    private func bench(_ limits: NodeLimits = NodeLimits()) throws -> Bench {
        var bench = Bench(limits: limits)
        for (index, key) in [app0, app1].enumerated() {
            _ = try bench.ask(
                ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: key, key: TestNetwork.key(UInt64(index)))
            )
        }
        return bench
    }

    @Test("Bind checks element, model, binding support, key and room, in this order")
    func bind() throws {
        var bench = try bench(NodeLimits(bindingsPerModel: 1))
        let unknown = TestNetwork.appKey(9)
        let cases: [(UnicastAddress, AppKeyIndex, ModelIdentifier, ConfigStatusCode)] = [
            (stranger, unknown, .sig(0x7777), .invalidAddress),
            (TestNetwork.address(0x000F), app0, server, .invalidAddress),
            (element0, unknown, .sig(0x7777), .invalidModel),
            (element1, app0, server, .invalidModel),
            (element0, unknown, .configurationServer, .cannotBind),
            (element0, unknown, server, .invalidAppKeyIndex),
            (element0, app0, server, .success),
            (element0, app0, server, .success),
            (element0, app1, server, .insufficientResources),
            (element1, app0, TestNetwork.vendorModel, .success),
        ]
        for (address, key, model, expected) in cases {
            let status = try bench.ask(ConfigModelAppBind(elementAddress: address, appKeyIndex: key, model: model))
            #expect(status?.status == expected)
            #expect(status?.elementAddress == address && status?.appKeyIndex == key && status?.model == model)
        }
        #expect(bench.state.elements[0].models[2].bindings == [app0])
        let list = try bench.ask(
            ConfigVendorModelAppGet(
                elementAddress: element1,
                listedModel: VendorModelIdentifier(company: 0x0059, model: 0x0001)
            )
        )
        #expect(list?.entries == [app0])
        let missing = try bench.ask(
            ConfigSIGModelAppGet(elementAddress: stranger, listedModel: SIGModelIdentifier(model: 0x1000))
        )
        #expect(missing?.status == .invalidAddress)
    }

    @Test("Unbind ends a publication that uses the key")
    func unbind() throws {
        var bench = try bench()
        _ = try bench.ask(ConfigModelAppBind(elementAddress: element0, appKeyIndex: app0, model: server))
        let publish = ConfigModelPublicationSet(
            elementAddress: element0,
            publishAddress: Address(rawValue: group),
            settings: PublicationSettings(appKeyIndex: app0, ttl: 5),
            model: server
        )
        #expect(try bench.ask(publish)?.status == .success)
        let unbind = ConfigModelAppUnbind(elementAddress: element0, appKeyIndex: app0, model: server)
        #expect(try bench.ask(unbind)?.status == .success)
        let publication = try bench.ask(ConfigModelPublicationGet(elementAddress: element0, model: server))
        #expect(publication?.publishAddress == .unassigned && publication?.settings == .disabled)
        #expect(try bench.ask(unbind)?.status == .success)
        let unknown = ConfigModelAppUnbind(
            elementAddress: element0,
            appKeyIndex: TestNetwork.appKey(9),
            model: server
        )
        #expect(try bench.ask(unknown)?.status == .invalidAppKeyIndex)
    }

    @Test("Subscriptions are added, overwritten, deleted and listed, virtual ones by their hash")
    func subscriptions() throws {
        var bench = try bench(NodeLimits(subscriptionsPerModel: 2, labels: 1))
        func address(_ value: UInt16) -> Address { Address(rawValue: value) }
        func add(_ value: UInt16) -> ConfigModelSubscriptionAdd {
            ConfigModelSubscriptionAdd(elementAddress: element0, address: address(value), model: server)
        }
        #expect(try bench.ask(add(group))?.status == .success)
        #expect(try bench.ask(add(group))?.status == .success)
        for value: UInt16 in [0x0000, 0x0010, 0x8000, 0xFFFF] {
            #expect(try bench.ask(add(value))?.status == .invalidAddress)
        }
        let label = TestNetwork.label(1)
        let addLabel = ConfigModelSubscriptionVirtualAddressAdd(
            elementAddress: element0,
            label: label,
            model: server
        )
        let status = try bench.ask(addLabel)
        #expect(status?.status == .success && status?.address == label.virtualAddress)
        #expect(try bench.ask(add(0xC001))?.status == .insufficientResources)
        let list = try bench.ask(
            ConfigSIGModelSubscriptionGet(elementAddress: element0, listedModel: SIGModelIdentifier(model: 0x1000))
        )
        #expect(list?.entries == [address(group), label.virtualAddress])
        let second = ConfigModelSubscriptionVirtualAddressAdd(
            elementAddress: element1,
            label: TestNetwork.label(2),
            model: TestNetwork.vendorModel
        )
        #expect(try bench.ask(second)?.status == .insufficientResources, "no room for another label")

        _ = try bench.ask(
            ConfigModelSubscriptionVirtualAddressDelete(elementAddress: element0, label: label, model: server)
        )
        #expect(bench.state.elements[0].models[2].subscriptions == [.group(TestNetwork.group(group))])
        #expect(try bench.ask(second)?.status == .success)
        _ = try bench.ask(
            ConfigModelSubscriptionOverwrite(elementAddress: element0, address: address(0xC005), model: server)
        )
        #expect(bench.state.elements[0].models[2].subscriptions == [.group(TestNetwork.group(0xC005))])
        _ = try bench.ask(
            ConfigModelSubscriptionVirtualAddressOverwrite(
                elementAddress: element0,
                label: TestNetwork.label(2),
                model: server
            )
        )
        #expect(bench.state.elements[0].models[2].subscriptions == [.virtual(TestNetwork.label(2))])
        let all = try bench.ask(ConfigModelSubscriptionDeleteAll(elementAddress: element0, model: server))
        #expect(all?.status == .success && all?.address == .unassigned)
        #expect(bench.state.elements[0].models[2].subscriptions.isEmpty)
        let gone = ConfigModelSubscriptionDelete(elementAddress: element0, address: address(group), model: server)
        #expect(try bench.ask(gone)?.status == .success)
    }

    @Test("Models without a Subscription List, unknown models and elements are refused in every form")
    func subscriptionErrors() throws {
        let cases: [(UnicastAddress, ModelIdentifier, ConfigStatusCode)] = [
            (stranger, server, .invalidAddress),
            (element1, server, .invalidModel),
            (element0, .configurationServer, .notASubscribeModel),
        ]
        for (element, model, expected) in cases {
            var bench = try bench()
            let address = Address(rawValue: group)
            let label = TestNetwork.label(1)
            #expect(
                try bench.ask(
                    ConfigModelSubscriptionAdd(elementAddress: element, address: address, model: model)
                )?.status == expected
            )
            #expect(
                try bench.ask(
                    ConfigModelSubscriptionDelete(elementAddress: element, address: address, model: model)
                )?.status == expected
            )
            #expect(
                try bench.ask(
                    ConfigModelSubscriptionOverwrite(elementAddress: element, address: address, model: model)
                )?.status == expected
            )
            #expect(
                try bench.ask(ConfigModelSubscriptionDeleteAll(elementAddress: element, model: model))?.status
                    == expected
            )
            #expect(
                try bench.ask(
                    ConfigModelSubscriptionVirtualAddressAdd(elementAddress: element, label: label, model: model)
                )?.status == expected
            )
            #expect(
                try bench.ask(
                    ConfigModelSubscriptionVirtualAddressDelete(
                        elementAddress: element,
                        label: label,
                        model: model
                    )
                )?.status == expected
            )
            #expect(
                try bench.ask(
                    ConfigModelSubscriptionVirtualAddressOverwrite(
                        elementAddress: element,
                        label: label,
                        model: model
                    )
                )?.status == expected
            )
            #expect(
                try bench.ask(
                    ConfigSIGModelSubscriptionGet(
                        elementAddress: element,
                        listedModel: SIGModelIdentifier(model: model.model)
                    )
                )?.status == expected
            )
        }
        var bench = try bench()
        let missing = ConfigVendorModelSubscriptionGet(
            elementAddress: element0,
            listedModel: VendorModelIdentifier(company: 0x0059, model: 0x0001)
        )
        #expect(try bench.ask(missing)?.status == .invalidModel)
    }

    @Test("Publications need a model that publishes and a key bound to it")
    func publications() throws {
        var bench = try bench()
        _ = try bench.ask(ConfigModelAppBind(elementAddress: element0, appKeyIndex: app0, model: server))
        let settings = PublicationSettings(appKeyIndex: app0, ttl: 7, period: PublishPeriod(octet: 0x44))
        func set(
            _ element: UnicastAddress,
            _ model: ModelIdentifier,
            _ settings: PublicationSettings,
            to address: UInt16 = group
        ) throws -> ConfigModelPublicationStatus? {
            try bench.ask(
                ConfigModelPublicationSet(
                    elementAddress: element,
                    publishAddress: Address(rawValue: address),
                    settings: settings,
                    model: model
                )
            )
        }
        #expect(try set(stranger, server, settings)?.status == .invalidAddress)
        #expect(try set(element1, server, settings)?.status == .invalidModel)
        #expect(try set(element0, .sig(0x1007), settings)?.status == .invalidPublishParameters)
        #expect(
            try set(element0, server, PublicationSettings(appKeyIndex: TestNetwork.appKey(9)))?.status
                == .invalidAppKeyIndex
        )
        #expect(
            try set(element0, server, PublicationSettings(appKeyIndex: app1))?.status == .invalidAppKeyIndex,
            "the key is there but not bound"
        )
        let friendship = PublicationSettings(appKeyIndex: app0, usesFriendshipCredentials: true)
        #expect(try set(element0, server, friendship)?.status == .featureNotSupported)
        #expect(try set(element0, server, settings, to: 0x8123)?.status == .invalidAddress)
        for address: UInt16 in [group, 0x0020] {
            let status = try set(element0, server, settings, to: address)
            #expect(status?.status == .success && status?.settings == settings)
            #expect(status?.publishAddress == Address(rawValue: address))
        }
        let label = TestNetwork.label(7)
        let virtual = try bench.ask(
            ConfigModelPublicationVirtualAddressSet(
                elementAddress: element0,
                label: label,
                settings: settings,
                model: server
            )
        )
        #expect(virtual?.publishAddress == label.virtualAddress)
        #expect(bench.state.elements[0].models[2].publication == settings.publication(to: .virtual(label)))
        let read = try bench.ask(ConfigModelPublicationGet(elementAddress: element0, model: server))
        #expect(read?.settings == settings && read?.publishAddress == label.virtualAddress)
        let stop = try bench.ask(ConfigModelPublicationSet(disabling: server, elementAddress: element0))
        #expect(stop?.status == .success && stop?.publishAddress == .unassigned)
        #expect(bench.state.elements[0].models[2].publication == nil)
    }

    @Test("Models that extend each other share a subscription list where the product works so")
    func sharedLists() throws {
        var node = TestNetwork.node(0)
        // Generic Power OnOff Server extends Generic OnOff Server.
        node.elements[0].models.append(Model(identifier: .sig(0x1006)))
        var bench = Bench(node)
        bench.server.sharesSubscriptionLists = true
        let add = ConfigModelSubscriptionAdd(
            elementAddress: element0,
            address: Address(rawValue: group),
            model: .sig(0x1006)
        )
        #expect(try bench.ask(add)?.status == .success)
        #expect(bench.state.elements[0].models[2].subscriptions == [.group(TestNetwork.group(group))])
        #expect(bench.state.elements[0].models[3].subscriptions.isEmpty, "the client model is not related")
    }
}

@Suite("ConfigurationServer: node states")
struct ConfigurationServerNodeTests {
    @Test("Simple states are set, read and reported")
    func states() throws {
        var bench = Bench()
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
        var bench = Bench(node)
        let before = bench.state
        #expect(try bench.ask(ConfigGATTProxySet(isEnabled: true))?.state == .notSupported)
        #expect(try bench.ask(ConfigFriendSet(isEnabled: true))?.state == .notSupported)
        let relay = ConfigRelaySet(isEnabled: true, retransmit: TransmitParameters(octet: 0x31))
        #expect(try bench.ask(relay)?.state == .notSupported)
        #expect(bench.state == before)
    }

    @Test("Every page asked for is answered with composition data page 0", arguments: [0, 1, 128, 255])
    func composition(page: UInt8) throws {
        var bench = Bench()
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
        var bench = Bench(node)
        let status = try #require(try bench.ask(ConfigCompositionDataGet(page: 0)))
        #expect(status.encoded.count <= 380)
        #expect(try Composition(page0: status.data).elements.count == 4)
    }

    @Test("Heartbeat states are checked and kept")
    func heartbeat() throws {
        var bench = Bench()
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
        var bench = Bench()
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
        var bench = Bench()
        let before = bench.state
        let payload = try #require(Hexadecimal.decode(request))
        let answer = bench.server.respond(to: payload, through: .primary, state: &bench.state)
        #expect(answer == nil)
        #expect(bench.state == before)
    }

    @Test("A refusal is answered in place of acting")
    func refusal() throws {
        var bench = Bench()
        let before = bench.state
        let add = ConfigNetKeyAdd(netKeyIndex: one, key: TestNetwork.key(1))
        #expect(try bench.ask(add, refusal: .storageFailure)?.status == .storageFailure)
        let bind = ConfigModelAppBind(elementAddress: element0, appKeyIndex: app0, model: server)
        #expect(try bench.ask(bind, refusal: .unspecifiedError)?.status == .unspecifiedError)
        #expect(bench.state == before)
    }
}
