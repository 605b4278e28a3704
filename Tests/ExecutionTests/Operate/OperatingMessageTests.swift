import Catalogue
import Execution
import MeshCore
import TestSupport
import Testing

@Suite("Messages to models")
struct OperatingMessageTests {
    private func message(_ name: String, _ fields: [String]) throws -> OperatingMessage {
        try OperatingMessage(to: House.onOffServer, named: name, fields: fields, transaction: 7)
    }

    @Test("are named in full or by what follows the model, and get a transaction where none is given")
    func names() throws {
        let set = try message("generic-onoff-set", ["onoff=on"])
        #expect(set.payload == [0x82, 0x02, 1, 7] && set.answer == 0x8204 && set.client == House.onOffClient)
        #expect(try message("set", ["onoff=on"]) == set)
        #expect(try message("set", ["onoff=on", "tid=9"]).payload == [0x82, 0x02, 1, 9])
        let quiet = try message("set-unacknowledged", ["onoff=off", "transition=1s", "delay=10ms"])
        #expect(quiet.payload == [0x82, 0x03, 0, 7, 0x0A, 2] && quiet.answer == nil)
    }

    @Test("that a model has not, or whose fields do not go with them, are refused")
    func refusals() {
        #expect(throws: MessageRefusal.noMessage("sett", House.onOffServer, suggestion: nil)) {
            _ = try message("sett", [])
        }
        let meant = "generic-onoff-set"
        #expect(throws: MessageRefusal.noMessage("generic-onof-set", House.onOffServer, suggestion: meant)) {
            _ = try message("generic-onof-set", [])
        }
        #expect(throws: MessageRefusal.noField("on")) { _ = try message("set", ["on"]) }
        for fields in [[], ["onoff=maybe"], ["level=3"], ["onoff=on", "delay=10ms"]] {
            #expect(throws: MessageRefusal.self) { _ = try message("set", fields) }
        }
    }

    @Test("go to the elements that have the model, each under a key that is bound to it")
    func requests() throws {
        let network = try LitHouse.network(lamps: 2)
        let target = try TargetResolver(network).resolve(.nodes("lamp-*", element: nil))
        let all = try message("get", []).requests(to: target, under: nil, in: network)
        #expect(try all.requests.map(\.destination) == [unicast(0x0010), unicast(0x0020)])
        #expect(try all.needs == [OwnModel(House.onOffClient, key: LitHouse.lightKey())])
        let vendor = OperatingMessage(to: House.vendorModel, opcode: 0xC15900, parameters: [1], answer: nil)
        let refused = vendor.requests(to: target, under: nil, in: network)
        #expect(
            refused.requests.isEmpty
                && refused.problems.map(\.problem) == [
                    .noBinding(House.vendorModel), .noBinding(House.vendorModel),
                ]
        )
        let forced = vendor.requests(to: target, under: network.appKeys.first, in: network)
        #expect(try forced.requests.map(\.destination) == [unicast(0x0011), unicast(0x0021)])
        #expect(forced.requests.first?.payload == [0xC1, 0x59, 0x00, 1])
    }
}
