import Catalogue
import DefinitionModel
import MeshCore
import Testing

@testable import Planning

@Suite("Actions that store scenes")
struct SceneActionTests {
    private static let lightness = ModelIdentifier.sig(0x1300)

    private func lightness(_ level: Int64) throws -> ModelState {
        try #require(StateCatalogue.state(named: "lightness")).modelState(["lightness": .integer(level)])
    }

    private func scene(_ level: Int64) throws -> ModelState {
        let form = try #require(ModelStateForm(scene: 7))
        let part = ElementState(element: 2, state: try lightness(level))
        return ModelState(form: form, setPayload: [0x82, 0x46, 0x07, 0x00], storing: [part])
    }

    @Test("Plans and journals keep them")
    func encoding() throws {
        let key = try #require(AppKeyIndex(rawValue: 3))
        let address = ModelAddress(element: 2, model: Self.lightness)
        let held = HeldState(model: address, form: try lightness(0).form, status: [0x66, 0x66])
        let server = ModelAddress(element: 0, model: .sceneServer)
        let removal = try #require(try scene(1).form.removal)
        let actions: [ConfigurationAction] = [
            .holdState(HeldStateRequest(held, key: key, readingKey: .first)),
            .restoreState(HeldStateRequest(held, key: key, readingKey: .first, transaction: 9)),
            .setBriefly(ModelStateSet(try lightness(5), of: address, key: key, readingKey: .first)),
            .setModelState(ModelStateSet(try scene(5), of: server, key: key, readingKey: .first)),
            .setModelState(ModelStateSet(removal, of: server, key: key, readingKey: .first)),
        ]
        for action in actions {
            #expect(try ConfigurationAction(decoding: action.encoded) == action)
            for count in 0..<action.encoded.count {
                #expect(throws: DecodeError.self) {
                    try ConfigurationAction(decoding: Array(action.encoded.prefix(count)))
                }
            }
        }
    }

    @Test("A scene is known by what was stored in it, and a register tells which there are")
    func stored() throws {
        let five = try scene(5)
        #expect(five.isShown(by: five.expected.octets))
        #expect(try !five.isShown(by: scene(6).expected.octets))
        let half = try scene(0x8000)
        #expect(half.form.text(of: half.expected.octets) == "lightness 50%")
        let report = try #require(RegisterReport([0x00, 0x07, 0x00, 0x07, 0x00, 0x02, 0x01]))
        #expect(report.status == 0 && report.current == 7 && report.numbers == [7, 0x0102])
        #expect(RegisterReport([0x00, 0x07]) == nil && RegisterReport([0x00, 0x07, 0x00, 0x01]) == nil)
        #expect(try scene(1).form.removal?.setPayload == [0x82, 0x9E, 0x07, 0x00])
    }

    @Test("An entry of a scheduler is removed by an action of none")
    func entry() throws {
        let values: FieldValues = [
            "index": .integer(4), "year": .integer(100), "months": .integer(4095), "day": .integer(0),
            "hour": .integer(7), "minute": .integer(30), "second": .integer(0), "weekdays": .integer(31),
            "action": .integer(1), "transition": .integer(0), "scene": .integer(0),
        ]
        let entry = try #require(StateCatalogue.state(named: "schedule")).modelState(values)
        let removal = try #require(entry.form.removal)
        #expect(removal.isRemoval && removal.form == entry.form)
        // The example of Scheduler Action Set in Mesh Model: index 4, action 0xF, all else 0.
        #expect(removal.setPayload == [0x60, 0x04, 0, 0, 0, 0, 0, 0xF0, 0, 0, 0])
        #expect(removal.isShown(by: [0x04]))
        #expect(!removal.isShown(by: [0x05]) && !removal.isShown(by: entry.expected.octets))
    }

    @Test("What is restored is the value that a running transition would have ended with")
    func restoring() throws {
        let address = ModelAddress(element: 2, model: Self.lightness)
        let form = try lightness(0).form
        let held = {
            HeldStateRequest(HeldState(model: address, form: form, status: $0), key: .first, readingKey: .first)
        }
        // Light Lightness Set with transaction 0, transition 0 and delay 0.
        #expect(held([0x66, 0x66]).setPayload == [0x82, 0x4C, 0x66, 0x66, 0x00, 0x00, 0x00])
        #expect(held([0x66, 0x66, 0x00, 0x80, 0x32]).setPayload == [0x82, 0x4C, 0x00, 0x80, 0x00, 0x00, 0x00])
        #expect(held([0x66]).setPayload == nil)
        #expect(held([0x66, 0x66]).isRestored(in: [0x66, 0x66]) && !held([0x66, 0x66]).isRestored(in: [0x66, 0x65]))
    }

    @Test("A time is that of the calendar when it is sent")
    func time() throws {
        // 2026-11-23 12:00:00 UTC.
        let noon = Timestamp(rawValue: 1_795_435_200)
        #expect(noon.atomicSeconds == 0x3296_E765)
        let payload: [UInt8] = [0x5C, 0x01, 0, 0, 0, 0, 0x00, 0xFF, 0x48, 0x02, 68]
        let sent = MomentaryPayload(payload).octets(at: noon, transaction: 1)
        #expect(sent == [0x5C, 0x65, 0xE7, 0x96, 0x32, 0, 0x00, 0xFF, 0x48, 0x02, 68])
    }
}
