import MeshCore
import Simulator
import Testing

private let element0 = ServerBench.element0
private let element1 = ServerBench.element1
private let stranger = ServerBench.stranger
private let app0 = ServerBench.app0
private let app1 = ServerBench.app1
private let server = TestNetwork.onOffServer
private let group = ServerBench.group

@Suite("ConfigurationServer: models")
struct ConfigurationServerModelTests {
    private func bench(_ limits: NodeLimits = NodeLimits()) throws -> ServerBench {
        var bench = ServerBench(limits: limits)
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
        var bench = ServerBench(node)
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
