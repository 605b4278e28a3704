import MeshCore
import TestSupport
import Testing

@Suite("Answers to Configuration requests")
struct ConfigMessagesMatchingTests {
    let element: UnicastAddress
    let other: UnicastAddress
    let netKey: NetKeyIndex
    let appKey: AppKeyIndex
    let otherAppKey: AppKeyIndex
    let label: LabelUUID
    let model = ModelIdentifier.sig(0x1000)

    init() throws {
        element = try #require(UnicastAddress(rawValue: 0x1201))
        other = try #require(UnicastAddress(rawValue: 0x1202))
        netKey = try #require(NetKeyIndex(rawValue: 1))
        appKey = try #require(AppKeyIndex(rawValue: 2))
        otherAppKey = try #require(AppKeyIndex(rawValue: 3))
        label = try #require(LabelUUID("0073e7e4d8b9440faf8415df4c56c0e1"))
    }

    @Test("a status about another key, element or model answers an earlier request, not this one")
    func subjects() {
        let bind = ConfigModelAppBind(elementAddress: element, appKeyIndex: appKey, model: model)
        func status(_ element: UnicastAddress, _ key: AppKeyIndex, _ model: ModelIdentifier) -> ConfigModelAppStatus {
            ConfigModelAppStatus(status: .cannotBind, elementAddress: element, appKeyIndex: key, model: model)
        }
        #expect(bind.isAnswered(by: status(element, appKey, model)))
        #expect(!bind.isAnswered(by: status(other, appKey, model)))
        #expect(!bind.isAnswered(by: status(element, otherAppKey, model)))
        #expect(!bind.isAnswered(by: status(element, appKey, .vendor(company: 0, model: 0x1000))))

        let delete = ConfigAppKeyDelete(netKeyIndex: netKey, appKeyIndex: appKey)
        func keyStatus(_ netKey: NetKeyIndex, _ appKey: AppKeyIndex) -> ConfigAppKeyStatus {
            ConfigAppKeyStatus(status: .success, netKeyIndex: netKey, appKeyIndex: appKey)
        }
        #expect(delete.isAnswered(by: keyStatus(netKey, appKey)))
        #expect(!delete.isAnswered(by: keyStatus(netKey, otherAppKey)))
        #expect(!delete.isAnswered(by: keyStatus(.primary, appKey)))

        let get = ConfigAppKeyGet(netKeyIndex: netKey)
        #expect(get.isAnswered(by: ConfigAppKeyList(status: .success, netKeyIndex: netKey, appKeyIndexes: [appKey])))
        #expect(!get.isAnswered(by: ConfigAppKeyList(status: .success, netKeyIndex: .primary, appKeyIndexes: [])))
    }

    @Test("a publication status answers a Set when the model publishes to the address or the node refuses")
    func publicationAddresses() {
        func status(
            _ address: UInt16,
            _ model: ModelIdentifier,
            _ code: ConfigStatusCode = .success
        ) -> ConfigModelPublicationStatus {
            ConfigModelPublicationStatus(
                status: code,
                elementAddress: element,
                publishAddress: Address(rawValue: address),
                settings: PublicationSettings(appKeyIndex: appKey),
                model: model
            )
        }
        let get = ConfigModelPublicationGet(elementAddress: element, model: model)
        #expect(get.isAnswered(by: status(0xC001, model)))
        #expect(!get.isAnswered(by: status(0xC001, .healthServer)))

        let settings = PublicationSettings(appKeyIndex: appKey)
        let group = Address(rawValue: 0xC001)
        let set = ConfigModelPublicationSet(
            elementAddress: element,
            publishAddress: group,
            settings: settings,
            model: model
        )
        #expect(set.isAnswered(by: status(0xC001, model)))
        #expect(set.isAnswered(by: status(0, model, .invalidPublishParameters)))
        #expect(!set.isAnswered(by: status(0, model)))
        #expect(!set.isAnswered(by: status(0xC001, .healthServer)))
        let stop = ConfigModelPublicationSet(disabling: model, elementAddress: element)
        #expect(stop.isAnswered(by: status(0, model)))
        #expect(!stop.isAnswered(by: status(0xC001, model)))

        let virtual = ConfigModelPublicationVirtualAddressSet(
            elementAddress: element,
            label: label,
            settings: settings,
            model: model
        )
        #expect(virtual.isAnswered(by: status(0xB529, model)))
        #expect(!virtual.isAnswered(by: status(0xB528, model)))
    }

    @Test("a subscription status answers the request for its address; a refusal may leave the address out")
    func subscriptions() {
        let group = Address(rawValue: 0xC001)
        let add = ConfigModelSubscriptionAdd(elementAddress: element, address: group, model: model)
        #expect(add.isAnswered(by: status(.success, group)))
        #expect(add.isAnswered(by: status(.notASubscribeModel, group)))
        #expect(add.isAnswered(by: status(.invalidModel, .unassigned)))
        #expect(!add.isAnswered(by: status(.success, .unassigned)))
        #expect(!add.isAnswered(by: status(.success, Address(rawValue: 0xC002))))
        #expect(!add.isAnswered(by: status(.invalidModel, Address(rawValue: 0xC002))))

        let virtual = ConfigModelSubscriptionVirtualAddressAdd(elementAddress: element, label: label, model: model)
        #expect(virtual.isAnswered(by: status(.success, Address(rawValue: 0xB529))))
        #expect(virtual.isAnswered(by: status(.insufficientResources, .unassigned)))
        #expect(!virtual.isAnswered(by: status(.success, Address(rawValue: 0xB528))))
        #expect(!virtual.isAnswered(by: status(.success, group)))
        #expect(!virtual.isAnswered(by: status(.success, .unassigned)))

        let deleteAll = ConfigModelSubscriptionDeleteAll(elementAddress: element, model: model)
        #expect(deleteAll.isAnswered(by: status(.success, .unassigned)))
        #expect(!deleteAll.isAnswered(by: status(.success, group)))
    }

    @Test("a node may answer with a lower composition page than asked for, not with a higher one")
    func compositionPages() {
        let get = ConfigCompositionDataGet(page: 1)
        #expect(get.isAnswered(by: ConfigCompositionDataStatus(page: 0, data: [])))
        #expect(get.isAnswered(by: ConfigCompositionDataStatus(page: 1, data: [])))
        #expect(!get.isAnswered(by: ConfigCompositionDataStatus(page: 2, data: [])))
    }

    @Test("a list is asked for with the message for its kind of model")
    func listRequests() throws {
        let vendor = ModelIdentifier.vendor(company: 0x003F, model: 0x002A)
        #expect(ConfigSIGModelAppGet(elementAddress: element, model: vendor) == nil)
        #expect(ConfigVendorModelAppGet(elementAddress: element, model: model) == nil)
        let get = try #require(ConfigVendorModelSubscriptionGet(elementAddress: element, model: vendor))
        #expect(get.encoded == hex("802b 0112 3f00 2a00"))
        #expect(get.model == vendor)
    }

    @Test("publication settings carry a publication and the lack of one")
    func publications() throws {
        let period = try #require(PublishPeriod(steps: 4, resolution: .seconds))
        let retransmit = try #require(PublishRetransmit(count: 2, steps: 1))
        let publication = Publication(
            address: .virtual(label),
            appKeyIndex: appKey,
            usesFriendshipCredentials: true,
            ttl: 5,
            period: period,
            retransmit: retransmit
        )
        let settings = PublicationSettings(publication)
        #expect(settings.publication(to: .virtual(label)) == publication)
        let set = ConfigModelPublicationVirtualAddressSet(
            elementAddress: element,
            label: label,
            settings: settings,
            model: model
        )
        #expect(set.encoded == hex("801a 0112 0073e7e4d8b9440faf8415df4c56c0e1 0210 05 44 0a 0010"))
        let stop = ConfigModelPublicationSet(disabling: model, elementAddress: element)
        #expect(stop.encoded == hex("03 0112 0000 0000 00 00 00 0010"))
    }

    private func status(_ status: ConfigStatusCode, _ address: Address) -> ConfigModelSubscriptionStatus {
        ConfigModelSubscriptionStatus(status: status, elementAddress: element, address: address, model: model)
    }
}
