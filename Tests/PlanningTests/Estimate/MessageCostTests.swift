import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Cost of messages")
struct MessageCostTests {
    private static let sig = ModelAddress(element: 0, model: .sig(0x1000))
    private static let vendor = ModelAddress(element: 0, model: .vendor(company: 0x59, model: 1))
    private static let label = LabelUUID(rawValue: Octets16(high: 1, low: 2))

    @Test(
        "Network PDUs of an exchange follow from the lengths of its messages",
        arguments: [
            // Request, status, PDUs to the node, PDUs from the node.
            (3, 3, 1, 1), (11, 11, 1, 1), (12, 11, 2, 2), (20, 6, 2, 2), (22, 9, 3, 2), (12, 14, 3, 3),
            (27, 14, 4, 3), (3, 52, 2, 5), (20, 21, 3, 4), (21, 6, 3, 2),
        ]
    )
    func exchange(request: Int, status: Int, up: Int, down: Int) {
        #expect(
            MessageCost.exchange(request: request, status: status)
                == MessageCost(messages: 1, pdusToNode: up, pdusFromNode: down)
        )
    }

    @Test("The costs are those of the messages as they are encoded")
    func encodedMessages() throws {
        let element = UnicastAddress.first
        let key = KeyMaterial(Octets16(high: 0, low: 0))
        let appKey = try #require(AppKeyIndex(rawValue: 3))
        let group = try #require(GroupAddress(rawValue: 0xC000))
        let entry = BridgingTableEntry(
            subnets: NetKeyIndexPair(first: .primary, second: .primary),
            addresses: BridgedAddresses(first: element, second: group.address, directions: .oneWay)
        )
        for model in [Self.sig, Self.vendor] {
            let identifier = model.model
            let bind = ConfigModelAppBind(elementAddress: element, appKeyIndex: appKey, model: identifier)
            expect(.bind(model, appKey), bind.encoded, status: 7 + identifier.encodedLength)
            let add = ConfigModelSubscriptionAdd(elementAddress: element, address: group.address, model: identifier)
            expect(.addSubscription(model, .group(group)), add.encoded, status: 7 + identifier.encodedLength)
            let virtual = ConfigModelSubscriptionVirtualAddressAdd(
                elementAddress: element,
                label: Self.label,
                model: identifier
            )
            expect(.addSubscription(model, .virtual(Self.label)), virtual.encoded, status: 7 + identifier.encodedLength)
            let all = ConfigModelSubscriptionDeleteAll(elementAddress: element, model: identifier)
            expect(.deleteAllSubscriptions(model), all.encoded, status: 7 + identifier.encodedLength)
        }
        let addNetKey = ConfigNetKeyAdd(netKeyIndex: .primary, key: key)
        expect(.addNetKey(.primary), addNetKey.encoded, status: 5)
        let addAppKey = ConfigAppKeyAdd(netKeyIndex: .primary, appKeyIndex: appKey, key: key)
        expect(.addAppKey(appKey, boundTo: .primary), addAppKey.encoded, status: 6)
        expect(.setProxy(true), ConfigGATTProxySet(isEnabled: true).encoded, status: 3)
        let add = BridgingTableAdd(
            directions: .oneWay,
            subnets: entry.subnets,
            firstAddress: element.address,
            secondAddress: group.address
        )
        expect(.addBridging(entry), add.encoded, status: 11)
        let remove = BridgingTableRemove(
            subnets: entry.subnets,
            firstAddress: element.address,
            secondAddress: group.address
        )
        expect(.removeBridging(entry), remove.encoded, status: 11)
        expect(.removeAllBridging(entry.subnets), remove.encoded, status: 11)
        let publication = HeartbeatPublication.off(netKeyIndex: .primary)
        let publicationSettings = try #require(publication.settings)
        let set = ConfigHeartbeatPublicationSet(settings: publicationSettings).encoded
        let status = ConfigHeartbeatPublicationStatus(status: .success, settings: publicationSettings).encoded
        expect(.set(.heartbeatPublication(publication)), set, status: status.count)
        let transmitter = SARTransmitterState.standard
        expect(
            .set(.sarTransmitter(transmitter)),
            SARTransmitterSet(state: transmitter).encoded,
            status: SARTransmitterStatus(state: transmitter).encoded.count
        )
    }

    private func expect(_ action: ConfigurationAction, _ request: [UInt8], status: Int) {
        #expect(action.cost == .exchange(request: request.count, status: status), "\(action)")
    }

    @Test("A typical node job costs what the field's tables say")
    func typicalJob() throws {
        let key = try #require(AppKeyIndex(rawValue: 0))
        let group = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        let transmit = TransmitParameters(octet: 2)
        let publication = Publication(address: .group(.allNodes), appKeyIndex: key)
        let actions: [ConfigurationAction] =
            [.addAppKey(key, boundTo: .primary)]
            + (0..<5).flatMap { _ in [.bind(Self.sig, key), .addSubscription(Self.sig, group)] }
            + (0..<2).map { _ in .setPublication(Self.sig, publication) }
            + [.setDefaultTTL(5), .setRelay(true, transmit), .setProxy(true), .setNetworkTransmit(transmit)]
        let cost = actions.map(\.cost).reduce(.zero, +)
        #expect(cost == MessageCost(messages: 17, pdusToNode: 22, pdusFromNode: 22))
    }

    @Test("A Relay Set that keeps the node's retransmit reads it first")
    func relay() {
        #expect(ConfigurationAction.setRelay(true, nil).cost.messages == 2)
        #expect(ConfigurationAction.setRelay(true, TransmitParameters(octet: 0)).cost.messages == 1)
    }
}
