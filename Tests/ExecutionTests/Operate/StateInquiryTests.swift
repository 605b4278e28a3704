import Catalogue
import Execution
import MeshCore
import TestSupport
import Testing

@Suite("States that are asked for")
struct StateInquiryTests {
    /// A lamp with lightness, a sensor with its setup and a battery, all with one key.
    private func network() throws -> MeshNetwork {
        var network = try LitHouse.network(lamps: 2)
        let key = try LitHouse.lightKey()
        network.nodes[1].elements[0].models += [0x1300, 0x1100, 0x1101, 0x100C].map {
            Model(identifier: .sig($0), bindings: [key])
        }
        return network
    }

    private func inquiry(_ words: [String], of target: String = "lamp-1") throws -> StateInquiry {
        let network = try network()
        let resolved = try TargetResolver(network).resolve(OperatingTarget(target))
        return try StateInquiry(resolved, StateSelector.read(words), in: network)
    }

    @Test("without a name are those that change in operation")
    func present() throws {
        let names = try inquiry([]).places.map(\.state.name)
        #expect(names == ["onoff", "lightness", "lightness-linear", "sensor", "battery"])
    }

    @Test("with a name are asked of the model that has them, with the key bound to it")
    func named() throws {
        let lights = try inquiry(["lightness", "lightness-range"], of: "lamp-*")
        #expect(lights.places.map(\.node) == [1, 1], "lamp-2 has no lightness")
        #expect(lights.requests.map(\.payload) == [[0x82, 0x4B], [0x82, 0x57]])
        #expect(lights.requests.map(\.answer.rawValue) == [0x824E, 0x8258])
        #expect(try lights.needs == [OwnModel(.sig(0x1302), key: LitHouse.lightKey())])
    }

    @Test("of which there are several need to be told apart")
    func instances() throws {
        #expect(throws: StateError.needsInstance("sensor-cadence", fields: ["property"])) {
            _ = try inquiry(["sensor-cadence"])
        }
        #expect(throws: StateError.noInstance("sensor-cadence", field: "index", known: ["property"])) {
            _ = try inquiry(["sensor-cadence", "index=3"])
        }
        let cadence = try inquiry(["sensor-cadence", "property=0x004e"])
        #expect(cadence.requests.map(\.payload) == [[0x82, 0x34, 0x4E, 0x00]])
        let request = try required(cadence.requests.first)
        #expect(request.isAnswered(by: [0x4E, 0x00]), "a sensor without cadence answers with the property alone")
        #expect(!request.isAnswered(by: [0x4D, 0x00]), "a late answer about another property is none")
    }

    @Test("that nobody has, or that are no states, are told with what is meant")
    func unknown() throws {
        #expect(throws: StateError.unknown("onof", suggestion: "onoff")) { _ = try inquiry(["onof"]) }
        #expect(throws: StateError.unknown("health-attention", suggestion: "attention")) {
            _ = try inquiry(["health-attention"])
        }
        #expect(throws: StateError.unknown("property=1", suggestion: nil)) { _ = try inquiry(["property=1"]) }
        do {
            _ = try inquiry(["ctl"])
            Issue.record("nobody has ctl")
        } catch StateError.nobodyHas("ctl", let others) {
            #expect(others.contains("lightness") && others.contains("battery") && !others.contains("ctl"))
        }
        #expect(throws: StateError.nothingToRead) { _ = try inquiry([], of: "lamp-1/1") }
    }

    @Test("are read from statuses, with what a transition leads to")
    func readings() throws {
        let onOff = try required(StateCatalogue.state(named: "onoff"))
        let changing = StateReading([0x01, 0x00, 0x0A], of: onOff)
        #expect(changing == .value(["onoff": 1], target: ["onoff": 0], remaining: 0x0A))
        #expect(changing.agrees(with: ["onoff": 0]) && !changing.agrees(with: ["onoff": 1]))
        #expect(StateReading([0x01], of: onOff).agrees(with: ["onoff": 1]))
        #expect(StateReading([0x02, 0x03], of: onOff) == .unreadable([0x02, 0x03]))
        let cadence = try required(StateCatalogue.state(named: "sensor-cadence"))
        #expect(StateReading([0x4E, 0x00], of: cadence) == .noValue)
    }
}
