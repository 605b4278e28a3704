import Catalogue
import MeshCore
import Simulator
import TestSupport
import Testing

@Suite("Application models: vendor models")
struct VendorModelTests {
    private static let identifier = ModelIdentifier.vendor(company: 0x0059, model: 0x0001)

    /// A model with a brightness that is set, read and told.
    private static func signModel() throws -> VendorModel {
        func message(
            _ name: String,
            _ code: UInt8,
            _ direction: MessageDescription.Direction,
            _ fields: String
        ) throws
            -> MessageDescription
        {
            try VendorModel.message(named: name, code: code, direction: direction, of: identifier, fields: fields)
        }
        let answer = Opcode(vendor: 4, company: 0x0059)
        let get = try message("sign-get", 1, .request(answer: answer), "")
        let set = try message("sign-set", 2, .request(answer: answer), "brightness:u16 mode:u8")
        let quiet = try message("sign-set-quietly", 3, .request(answer: nil), "brightness:u16 mode:u8")
        let status = try message("sign-status", 4, .status, "brightness:u16 mode:u8")
        let state = StateDescription(
            name: "sign",
            get: get,
            set: set,
            setUnacknowledged: quiet,
            status: status,
            isLasting: true
        )
        return VendorModel(
            identifier: identifier,
            name: "sign-server",
            messages: [get, set, quiet, status],
            states: [state]
        )
    }

    /// The statuses that arrive after a message.
    private func send(
        _ message: MessageDescription,
        _ values: FieldValues = FieldValues(),
        _ bench: ModelBench
    ) throws -> [[UInt8]] {
        let seen = bench.client.messages.count
        let payload = message.opcode.encoded + (try message.encode(values))
        try bench.client.send(payload, to: .unicast(bench.address(0)), under: .application(ModelBench.key))
        try bench.client.wait(.milliseconds(600))
        return bench.client.messages[seen...].map(\.payload)
    }

    private func bench(_ models: [VendorModel], state: SimulatorState = SimulatorState()) throws -> ModelBench {
        try ModelBench([[0x1000]], state: state, vendorModels: models) { node in
            node.elements[0].models.append(
                Model(
                    identifier: Self.identifier,
                    bindings: [ModelBench.key],
                    publication: Publication(address: .group(ModelBench.reports), appKeyIndex: ModelBench.key)
                )
            )
        }
    }

    @Test("A vendor model holds its state, answers, publishes, and keeps it in the state file")
    func holds() throws {
        let model = try Self.signModel()
        let first = try bench([model])
        let header: [UInt8] = [0xC4, 0x59, 0x00]
        #expect(try send(model.messages[0], [:], first) == [header + [0, 0, 0]])
        let set: FieldValues = ["brightness": 0x1234, "mode": 7]
        // The answer, and what is published.
        #expect(try send(model.messages[1], set, first) == Array(repeating: header + [0x34, 0x12, 7], count: 2))
        #expect(try send(model.messages[2], ["brightness": 5, "mode": 1], first) == [header + [5, 0, 1]])
        let bytes = StateFile.header + first.recorded.records.flatMap(StateFile.encode)
        let second = try bench([model], state: try StateFile.decode(bytes).state)
        #expect(try send(model.messages[0], [:], second) == [header + [5, 0, 1]])
        #expect(second.world.violations == [])
    }

    @Test("Without its description a vendor model stays silent")
    func unknown() throws {
        let model = try Self.signModel()
        #expect(try send(model.messages[0], [:], bench([])) == [])
    }
}
