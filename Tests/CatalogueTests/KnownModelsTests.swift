import Catalogue
import MeshCore
import Testing

@Suite("Known models")
struct KnownModelsTests {
    private let identifier = ModelIdentifier.vendor(company: 0x0059, model: 1)

    private func message(
        _ name: String,
        _ code: UInt8,
        _ direction: MessageDescription.Direction,
        _ fields: String = ""
    ) throws -> MessageDescription {
        try VendorModel.message(named: name, code: code, direction: direction, of: identifier, fields: fields)
    }

    @Test("A vendor model's names, messages and states stand beside those of the Bluetooth SIG")
    func vendor() throws {
        let status = try message("sign-status", 2, .status, "brightness:u8")
        let get = try message("sign-get", 1, .request(answer: status.opcode))
        let set = try message("sign-set", 3, .request(answer: status.opcode), "brightness:u8")
        let state = StateDescription(name: "sign", get: get, set: set, status: status, isLasting: false)
        let sign = VendorModel(identifier: identifier, name: "sign", messages: [get, set, status], states: [state])
        let known = KnownModels([sign])
        #expect(known.names.model(named: "sign") == identifier && known.names.name(of: .sig(0x1000)).contains("onoff"))
        #expect(known.messages.messages(of: identifier).map(\.name) == ["sign-get", "sign-set", "sign-status"])
        #expect(known.states(of: identifier) == [state] && known.state(named: "sign") == state)
        #expect(known.states(reportedBy: status) == [state])
        #expect(known.stateNames.count == KnownModels.sig.stateNames.count + 1)
        #expect(try known.messages.decode([0xC2, 0x59, 0x00, 7]).text == "sign-status brightness=7")

        let onOff = try #require(StateCatalogue.state(named: "onoff"))
        #expect(known.state(named: "onoff") == onOff && known.states(of: .sig(0x1000)).contains(onOff))
        #expect(known.states(reportedBy: onOff.statusMessage).contains(onOff))
        #expect(KnownModels.sig.state(named: "sign") == nil && KnownModels.sig.vendorModels.isEmpty)
    }

    @Test("A message whose name or opcode is taken is left out, and the others stay")
    func confusable() throws {
        let first = VendorModel(
            identifier: identifier,
            name: "a",
            messages: [try message("a-get", 1, .request(answer: nil))]
        )
        let second = VendorModel(
            identifier: .vendor(company: 0x0059, model: 2),
            name: "b",
            messages: [try message("b-get", 1, .request(answer: nil)), try message("b-set", 2, .request(answer: nil))]
        )
        let known = KnownModels([first, second])
        #expect(known.messages.message(named: "a-get") != nil && known.messages.message(named: "b-set") != nil)
        #expect(known.messages.message(named: "b-get") == nil)
    }
}
