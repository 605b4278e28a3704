import MeshCore
import TestSupport
import Testing

/// What shipped stacks say, in their own octets.
@Suite("Answers of foreign stacks")
struct ForeignAnswersTests {
    private static let element: Int = 0x0002

    private func decode<Message: AccessMessage>(_ type: Message.Type, _ octets: String) throws -> Message {
        try Message(parameters: hex(octets)[...])
    }

    // MARK: Heartbeats

    @Test("NimBLE names NetKey 0xFFFF while it publishes no heartbeats")
    func heartbeatWithoutNetKey() throws {
        let status = try decode(ConfigHeartbeatPublicationStatus.self, "0000000000000000ffff")
        #expect(status.settings.destination == .unassigned)
        #expect(status.settings.netKeyIndex == .primary)
        #expect(HeartbeatPublication(status.settings).isOff)
    }

    @Test("without a destination the other fields mean nothing, with one they must be right")
    func heartbeatFields() throws {
        // Count 0x12, period 0x40 and TTL 0xFF do not exist.
        let off = try decode(ConfigHeartbeatPublicationStatus.self, "0000001240ff0000ffff")
        #expect(off.settings == HeartbeatPublication.off(netKeyIndex: .primary).settings)
        for octets in [
            "0002c0ff05050400ffff", "0002c01205050400 0000", "0002c0ff40050400 0000", "0002c0ff05800400 0000",
        ] {
            let octets = octets.filter { $0 != " " }
            #expect(throws: DecodeError.self) { try decode(ConfigHeartbeatPublicationStatus.self, octets) }
        }
        let set = try decode(ConfigHeartbeatPublicationStatus.self, "0002c0ff050504000000")
        #expect(set.settings.destination == Address(rawValue: 0xC002) && set.settings.ttl == 5)
    }

    @Test("a request with NetKey 0xFFFF is refused as before: encoders and servers are strict")
    func heartbeatSet() {
        #expect(throws: DecodeError.self) { try decode(ConfigHeartbeatPublicationSet.self, "000000000000 00ffff") }
        #expect(throws: DecodeError.self) { try decode(ConfigHeartbeatPublicationSet.self, "00000000000000ffff") }
    }

    @Test("BTstack counts 32,768 heartbeats and more as 0x11")
    func heartbeatCount() throws {
        let status = try decode(ConfigHeartbeatSubscriptionStatus.self, "000200010005110102")
        #expect(status.countLog.rawValue == 0xFF)
        #expect(throws: DecodeError.self) { try decode(ConfigHeartbeatSubscriptionStatus.self, "000200010005120102") }
    }

    // MARK: Lists of keys

    @Test("BTstack gives each key index two octets", arguments: [("00000100", [0, 1]), ("000001000200", [0, 1, 2])])
    func unpackedLists(octets: String, indexes: [UInt16]) throws {
        let netKeys = try decode(ConfigNetKeyList.self, octets)
        #expect(netKeys.netKeyIndexes.map(\.rawValue) == indexes)
        let appKeys = try decode(ConfigAppKeyList.self, "000000" + octets)
        #expect(appKeys.appKeyIndexes.map(\.rawValue) == indexes)
        let bindings = try decode(ConfigSIGModelAppList.self, "0002000010" + octets)
        #expect(bindings.entries.map(\.rawValue) == indexes)
    }

    @Test("the NetKey that BTstack lists twice after its own reset is there once")
    func repeatedNetKey() throws {
        #expect(try decode(ConfigNetKeyList.self, "00000000").netKeyIndexes == [.primary])
    }

    @Test("where both readings can be, a list is read as pairs, and the other reading can be had")
    func ambiguousList() throws {
        let list = try decode(ConfigNetKeyList.self, "010002000300").netKeyIndexes
        #expect(list.map(\.rawValue) == [0x001, 0x020, 0x300, 0x000])
        #expect(list.readUnpacked?.map(\.rawValue) == [1, 2, 3])
        let pairs = try [0, 1, 2, 3].map { try #require(AppKeyIndex(rawValue: $0)) }
        #expect(pairs.readUnpacked == nil, "the packed list cannot be read otherwise")
        #expect(Array(pairs.prefix(2)).readUnpacked == nil && [AppKeyIndex]().readUnpacked == nil)
    }

    @Test("Zephyr lists key 0xFFFC for a model that is secured with the device key, which is no binding")
    func listedDeviceKey() throws {
        let list = try decode(ConfigSIGModelAppList.self, "0002001000fcff")
        #expect(list.entries == [] && list.listedModel.model == 0x0010)
        #expect(throws: DecodeError.self) { try decode(ConfigSIGModelAppList.self, "0002001000fbff") }
        #expect(throws: DecodeError.self) { try decode(ConfigAppKeyList.self, "000000fcff") }
    }

    @Test("lists that are neither are refused", arguments: ["23", "23614589", "0010", "00000110"])
    func neither(octets: String) {
        #expect(throws: DecodeError.self) { try decode(ConfigNetKeyList.self, octets) }
    }

    // MARK: Vendor models

    private static let model = ModelIdentifier.vendor(company: 0x048F, model: 0x0000)

    @Test("BTstack exchanges company and model in a status, which is the answer all the same")
    func exchangedInStatus() throws {
        let element = try unicast(Self.element)
        let get = try #require(ConfigVendorModelAppGet(elementAddress: element, model: Self.model))
        #expect(get.encoded == hex("804d02008f040000"), "the company first")
        let list = try decode(ConfigVendorModelAppList.self, "00020000008f040000")
        #expect(list.listedModel.company == 0)
        #expect(get.isAnswered(by: list) && get.subject.isExchanged(in: list.subject))
        let ordered = try decode(ConfigVendorModelAppList.self, "0002008f0400000000")
        #expect(get.isAnswered(by: ordered) && !get.subject.isExchanged(in: ordered.subject))
        let other = try decode(ConfigVendorModelAppList.self, "00020001008f040000")
        #expect(!get.isAnswered(by: other), "another model of the company, exchanged")
        let elsewhere = try decode(ConfigVendorModelAppList.self, "00030000008f040000")
        #expect(!get.isAnswered(by: elsewhere))

        let add = ConfigModelSubscriptionAdd(
            elementAddress: element,
            address: Address(rawValue: 0xC000),
            model: Self.model
        )
        #expect(add.isAnswered(by: try decode(ConfigModelSubscriptionStatus.self, "00020000c000008f04")))
        #expect(!add.isAnswered(by: try decode(ConfigModelSubscriptionStatus.self, "00020001c000008f04")))
        let publication = ConfigModelPublicationSet(disabling: Self.model, elementAddress: element)
        #expect(
            publication.isAnswered(
                by: try decode(ConfigModelPublicationStatus.self, "00020000000000000000" + "00008f04")
            )
        )
    }

    @Test("a SIG model has nothing to exchange")
    func sigModel() throws {
        #expect(ModelIdentifier.sig(0x1000).exchanged == nil)
        #expect(Self.model.exchanged == .vendor(company: 0x0000, model: 0x048F))
        let element = try unicast(Self.element)
        let get = try #require(ConfigSIGModelAppGet(elementAddress: element, model: .sig(0x1000)))
        #expect(!get.isAnswered(by: try decode(ConfigSIGModelAppList.self, "0002000110")))
    }

    @Test("a composition whose vendor models name the node's company as model is put in order")
    func exchangedInComposition() throws {
        // Company 0x048F; one element with Configuration Server, Health Server, Generic OnOff Server and a vendor model.
        let octets = "8f04000000002000020000000301" + "000002000010" + "00008f04"
        let composition = try Composition(page0: hex(octets))
        #expect(composition.elements.first?.models.last == .vendor(company: 0x0000, model: 0x048F))
        let ordered = try #require(composition.withVendorModelsInOrder)
        #expect(ordered.elements.first?.models == [.sig(0), .sig(2), .sig(0x1000), Self.model])
        #expect(ordered.withVendorModelsInOrder == nil)
        var foreign = composition
        foreign.company = 0x05F1
        #expect(foreign.withVendorModelsInOrder == nil, "models of other companies say nothing")
        var both = ordered
        both.elements.append(composition.elements[0])
        #expect(both.withVendorModelsInOrder == nil, "a node that names its company in order exchanges nothing")
    }

    @Test("a model that an element names twice, as products with Zephyr do, counts once in what a node tells")
    func repeatedModel() throws {
        // Company 0x05F1; Configuration Server, Health Server, On-Demand Private Proxy Server and twice its companion.
        let octets = "f105010001002000030000000500" + "000002000c0014001400"
        #expect(throws: DecodeError.self) { try Composition(page0: hex(octets)) }
        let (composition, repeatsModels) = try Composition.told(page0: hex(octets))
        #expect(repeatsModels)
        #expect(composition.elements.map(\.models) == [[.sig(0), .sig(2), .sig(0x000C), .sig(0x0014)]])
        let status = try decode(ConfigCompositionDataStatus.self, "00" + octets)
        #expect(try status.composition() == composition)
        let usual = "f105010001002000030000000400" + "000002000c001400"
        #expect(try Composition.told(page0: hex(usual)).repeatsModels == false)
    }
}
