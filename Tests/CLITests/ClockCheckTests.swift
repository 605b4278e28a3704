import Catalogue
import DefinitionModel
import MeshCore
import Planning
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Clocks that cannot be right")
struct ClockCheckTests {
    private let seen = Timestamp(rawValue: 1_795_000_000)

    private func network() throws -> MeshNetwork {
        var generator = SplitMix64(seed: 1)
        let made = Timestamp(rawValue: seen.rawValue - 1_000_000)
        var network = MeshNetwork.new(name: "house", at: made, using: &generator)
        try #require(!network.nodes.isEmpty)
        network.nodes[0].observedAt = seen
        return network
    }

    private func step(setting state: ModelState) -> Step {
        let model = ModelAddress(element: 0, model: .sig(0x1200))
        let set = ModelStateSet(state, of: model, key: .first, readingKey: .first)
        return Step(change: 0, work: .configure(DeviceUUID(rawValue: Octets16(high: 1, low: 1)), .setModelState(set)))
    }

    @Test("A plan that sets the time of a node is refused under such a clock, any other is not")
    func plans() throws {
        let time = try #require(
            try StateCatalogue.state(named: "time")?.modelState([
                "tai": .integer(1), "subsecond": .integer(0), "uncertainty": .integer(0xFF), "authority": .integer(0),
                "tai_utc_delta": .integer(292), "zone": .integer(64),
            ])
        )
        let light = try #require(try StateCatalogue.state(named: "lightness")?.modelState(["lightness": .integer(1)]))
        #expect(step(setting: time).setsTime && !step(setting: light).setsTime)
        var plan = Plan(
            identifier: Octets16(high: 0, low: 1),
            lineage: Octets16(high: 0, low: 2),
            serial: 1,
            network: "house",
            changes: [],
            steps: []
        )
        let network = try network()
        plan.steps = [step(setting: light)]
        try plan.checkClock(Timestamp(rawValue: 1), in: network)
        plan.steps.append(step(setting: time))
        try plan.checkClock(seen, in: network)
        let error = #expect(throws: Failure.self) { try plan.checkClock(Timestamp(rawValue: 1), in: network) }
        #expect(error?.message.contains("it shows 1970-01-01T00:00:01Z, and it was ") == true)
    }
}
