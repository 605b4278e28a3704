import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("Odd answers of one node")
struct OddAnswerTests {
    private let node = ProxyPeer.nodeAddress
    private let vendor = ModelIdentifier.vendor(company: 0x048F, model: 0x0000)

    private func inquiries(_ action: ConfigurationAction) throws -> ActionInquiries {
        var network = try House.network(lamps: 1)
        let keys = try [1, 2, 3].map { try required(AppKeyIndex(rawValue: $0)) }
        network.appKeys = keys.map { AppKey(index: $0, name: "key-\($0)", boundNetKey: .primary, key: secret(0x20)) }
        return ActionInquiries(action, node: try unicast(node), network: network)
    }

    private func get(_ reading: NodeReading) throws -> ConfigurationInquiry {
        try inquiries(.read(reading)).request()
    }

    private var notLightness: [UInt8] { hex("804c00100000130000") }
    private let bindings = NodeReading.bindings(ModelAddress(element: 0, model: House.onOffServer))

    @Test("A Get that is answered oddly is asked once more, then what came is kept with its octets")
    func reading() throws {
        let peer = try ProxyPeer()
        peer.answer = { [notLightness] _ in [notLightness] }
        try peer.request(get(bindings))
        peer.run(for: .seconds(60))
        #expect(peer.transmissionTimes == [0, 1_750])
        #expect(peer.log.last == "1850 answered")
        #expect(peer.answers == [.odd(OddAnswer(.aboutElse, payload: notLightness))])
        guard case .odd(let answer)? = peer.answers.first else { return }
        #expect(answer.description == "the answer is about something else (804c00100000130000)")
    }

    @Test("A status that does not decode is odd, too, and says why")
    func malformed() throws {
        let peer = try ProxyPeer()
        peer.answer = { _ in [hex("804300100023")] }
        try peer.request(get(.netKeys))
        peer.run(for: .seconds(60))
        #expect(peer.transmissionTimes.count == 2)
        guard case .odd(let answer)? = peer.answers.first, case .malformed = answer.problem else {
            Issue.record("\(peer.answers)")
            return
        }
        #expect(answer.description.hasPrefix("the answer cannot be read: "), "\(answer)")
        #expect(answer.description.hasSuffix("(804300100023)"), "\(answer)")
    }

    @Test("A good answer to the second transmission counts, whatever came before")
    func better() throws {
        let peer = try ProxyPeer()
        var count = 0
        peer.answer = { [notLightness] _ in
            count += 1
            return [count == 1 ? notLightness : hex("804c00100000100000")]
        }
        try peer.request(get(bindings))
        peer.run(for: .seconds(60))
        let model = ModelAddress(element: 0, model: House.onOffServer)
        #expect(peer.answers == [.report(.bindings(model, [try required(AppKeyIndex(rawValue: 0))]))])
    }

    @Test("Silence after an odd answer is not waited for to the deadline")
    func silenceAfterwards() throws {
        let peer = try ProxyPeer()
        var count = 0
        peer.answer = { [notLightness] _ in
            count += 1
            return count == 1 ? [notLightness] : []
        }
        try peer.request(get(bindings))
        peer.run(for: .seconds(60))
        #expect(peer.transmissionTimes == [0, 1_750])
        #expect(peer.log.last == "5250 answered")
    }

    @Test("A change that is answered oddly is not asked for again, but to be read back within one time-out")
    func change() throws {
        let peer = try ProxyPeer()
        let label = LabelUUID(rawValue: Octets16(high: 1, low: 2))
        let lamp = ModelAddress(element: 0, model: House.onOffServer)
        // BTstack: success, address 0x0000.
        let status = hex("801f00100000000010")
        peer.answer = { _ in [status] }
        try peer.request(inquiries(.addSubscription(lamp, .virtual(label))).request())
        peer.run(for: .seconds(60))
        #expect(peer.requests.count == 1 && peer.transmissionTimes.count == 1)
        #expect(peer.answers == [.odd(OddAnswer(.aboutElse, payload: status, quirk: .unassignedVirtualAddress))])
        #expect(peer.log.contains { $0.hasSuffix("quirk zero-virtual-address") })
        #expect(peer.now.microseconds / 1_000 >= 1_000)
        let answered = try required(peer.log.last.flatMap { Int($0.split(separator: " ")[0]) })
        #expect(answered < 4_000)
    }

    @Test("An answer that comes again because its request was sent twice says nothing about the next request")
    func repeated() throws {
        let peer = try ProxyPeer()
        let other = NodeReading.bindings(ModelAddress(element: 0, model: House.onOffClient))
        peer.answerDelay = .milliseconds(2_000)
        let first = hex("804c00100000100000")
        peer.answer = { $0[4] == 0 && $0[5] == 0x10 ? [first] : [] }
        peer.answer = { request in request == hex("804b10000010") ? [first] : [hex("804c00100001100000")] }
        try peer.request(get(bindings))
        peer.run(for: .milliseconds(2_100))
        #expect(peer.transmissionTimes.count == 2 && peer.answers.count == 1)
        try peer.request(get(other))
        peer.run(for: .seconds(10))
        #expect(peer.answers.count == 2)
        if case .odd = peer.answers.last { Issue.record("\(peer.answers)") }
    }

    // MARK: Known quirks

    private func quirk(_ reading: NodeReading, _ octets: String) throws -> KnownQuirk? {
        try get(reading).hearing(of: hex(octets))?.quirk
    }

    @Test("NimBLE's Heartbeat Publication Status is understood, and its quirk is known")
    func heartbeat() throws {
        let inquiry = try get(.state(.heartbeatPublication))
        let octets = "060000000000000000ffff"
        guard case .report(.state(.heartbeatPublication(let heartbeat)))? = inquiry.verdict(on: hex(octets)) else {
            Issue.record("not understood")
            return
        }
        #expect(heartbeat.isOff)
        #expect(try quirk(.state(.heartbeatPublication), octets) == .heartbeatWithoutNetKey)
        #expect(try quirk(.state(.heartbeatPublication), "0600000000000000000000") == nil)
    }

    @Test("BTstack's Vendor Model App List is understood, and its quirk is known")
    func exchanged() throws {
        let model = ModelAddress(element: 0, model: vendor)
        let octets = "804e00100000008f040100"
        let key = try required(AppKeyIndex(rawValue: 1))
        #expect(try get(.bindings(model)).verdict(on: hex(octets)) == .report(.bindings(model, [key])))
        #expect(try quirk(.bindings(model), octets) == .exchangedVendorModels)
        #expect(try quirk(.bindings(model), "804e0010008f0400000100") == nil)
    }

    @Test("BTstack's composition is put in order, and its quirk is known")
    func composition() throws {
        let octets = "02008f04000000002000020000000301000002000010" + "00008f04"
        guard case .report(.composition(let composition))? = try get(.composition).verdict(on: hex(octets)) else {
            Issue.record("not understood")
            return
        }
        #expect(composition.elements.first?.models.last == vendor)
        #expect(try quirk(.composition, octets) == .exchangedVendorModels)
        let step = try inquiries(.readComposition(page: 0)).request().verdict(on: hex(octets))
        #expect(step == .composition(composition))
    }

    @Test("BTstack's lists of keys are understood; where they can be read as pairs, the keys of the network decide")
    func keyLists() throws {
        #expect(try quirk(.appKeys(.primary), "8002000000" + "01000200") == .unpackedKeyLists)
        let three = try get(.appKeys(.primary)).verdict(on: hex("8002000000" + "010002000300"))
        let keys = try [1, 2, 3].map { try required(AppKeyIndex(rawValue: $0)) }
        #expect(three == .report(.appKeys(.primary, keys)))
        let packed = try get(.appKeys(.primary)).verdict(on: hex("8002000000" + "0120000300"))
        #expect(packed == .report(.appKeys(.primary, keys)))
    }

    @Test("Zephyr's binding to the device key of any node is understood as none, and its quirk is known")
    func listedDeviceKey() throws {
        let aggregator = NodeReading.bindings(ModelAddress(element: 0, model: .opcodesAggregatorServer))
        let octets = "804c0010001000fcff"
        let model = ModelAddress(element: 0, model: .opcodesAggregatorServer)
        #expect(try get(aggregator).verdict(on: hex(octets)) == .report(.bindings(model, [])))
        #expect(try quirk(aggregator, octets) == .listedDeviceKey)
    }

    @Test("A composition that names a model twice is understood, and its quirk is known")
    func repeatedModel() throws {
        let octets = "0200f105010001002000030000000500" + "000002000c0014001400"
        guard case .report(.composition(let composition))? = try get(.composition).verdict(on: hex(octets)) else {
            Issue.record("not understood")
            return
        }
        #expect(composition.elements.first?.models.count == 4)
        #expect(try quirk(.composition, octets) == .repeatedModels)
    }

    @Test("A composition that cannot be read is odd, not a contradiction that is waited for")
    func brokenComposition() throws {
        guard case .odd(let answer)? = try get(.composition).hearing(of: hex("02008f0400"))?.verdict else {
            Issue.record("not odd")
            return
        }
        #expect(answer.payload == hex("02008f0400"))
    }

    @Test("What is known of each quirk says who has it, what is done, and where that can be looked up")
    func table() {
        for quirk in KnownQuirk.allCases {
            let facts = quirk.facts
            #expect(!facts.stack.isEmpty && !facts.deed.isEmpty && !facts.remedy.isEmpty)
            #expect(facts.source.contains("/") && facts.source.contains("mesh/"), "\(facts.source)")
            #expect(!facts.deed.hasSuffix(".") && !facts.remedy.hasSuffix("."))
        }
        #expect(Set(KnownQuirk.allCases.map(\.rawValue)).count == KnownQuirk.allCases.count)
    }

    // MARK: Ends of publications

    @Test("The end of a publication names a key only where BlueZ wants one")
    func endOfPublication() throws {
        let lamp = ModelAddress(element: 0, model: House.onOffServer)
        let end = try inquiries(.setPublication(lamp, nil))
        #expect(try end.request().payload == hex("03" + "1000" + "0000" + "0000" + "00" + "00" + "00" + "0010"))
        let key = try required(AppKeyIndex(rawValue: 2))
        let named = try end.requestEndingPublication(under: key)
        #expect(named.payload == hex("03" + "1000" + "0000" + "0200" + "00" + "00" + "00" + "0010"))
        let status = hex("8019" + "00" + "1000" + "0000" + "0200" + "00" + "00" + "00" + "0010")
        #expect(named.verdict(on: status) == .holds(.setPublication(lamp, nil)))
    }
}
