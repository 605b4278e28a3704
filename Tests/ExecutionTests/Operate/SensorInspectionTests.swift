import Catalogue
import Execution
import MeshCore
import Simulator
import Store
import TestSupport
import Testing

@Suite("What sensors measure")
struct SensorInspectionTests {
    private static let sensor = ModelIdentifier.sig(0x1100)
    private static let setup = ModelIdentifier.sig(0x1101)

    /// Lamps with sensors on their primary element.
    private func network(lamps count: Int) throws -> MeshNetwork {
        var network = try LitHouse.network(lamps: count)
        let key = try LitHouse.lightKey()
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].elements[0].models += [Self.sensor, Self.setup].map {
                Model(identifier: $0, bindings: [key])
            }
        }
        return network
    }

    private func inspection(
        _ target: String,
        _ details: SensorInspection.Details = [],
        in network: MeshNetwork
    ) throws -> SensorInspection {
        let resolved = try TargetResolver(network).resolve(OperatingTarget(target))
        return try SensorInspection(resolved, details, in: network)
    }

    private func run(_ inspection: SensorInspection, at site: Site) throws -> [SensorFinding] {
        let (findings, ending) = try site.execute { executor in
            executor.operate(with: inspection.needs) { inspection.run(in: $0) }
        }
        #expect(ending == .completed)
        return try required(findings)
    }

    @Test("Every property of every sensor is read, also those that nobody knows")
    func values() throws {
        let site = try Site(network: network(lamps: 2))
        try site.world.sense(uuid(1), property: "present-ambient-light-level", "12.5 lx")
        try site.world.sense(uuid(1), property: "0x7abc", "hex:0102")
        let inspection = try inspection("lamp-*", in: site.network)
        #expect(try inspection.needs == [OwnModel(.sig(0x1102), key: LitHouse.lightKey())])
        let findings = try run(inspection, at: site)
        #expect(findings.map(\.node) == [1, 2])
        #expect(findings[0].readings.map(\.property) == [0x004E, 0x7ABC])
        #expect(findings[0].readings.map(\.value) == [[0xE2, 0x04, 0x00], [0x01, 0x02]])
        #expect(findings[1].readings == findings[1].readings.filter { $0.property == 0x004D && $0.value == [0] })
        #expect(findings[1].readings.count == 1)
        #expect(findings.allSatisfy { $0.readings.allSatisfy { $0.descriptor == nil && $0.cadence == nil } })
    }

    @Test("Descriptors and cadences are read for each property on request")
    func details() throws {
        let site = try Site(network: network(lamps: 1))
        try site.world.sense(uuid(1), property: "present-ambient-light-level", "12.5 lx")
        try site.world.sense(uuid(1), property: "presence-detected", "1")
        let change = try StateChange(
            StateSelector.state(named: "sensor-cadence"),
            words: [
                "property=present-ambient-light-level", "divisor=3", "trigger=value", "delta_down=1 lx",
                "delta_up=2 lx", "minimum_interval=1 s", "fast_low=5 lx", "fast_high=6 lx",
            ]
        )
        let target = try TargetResolver(site.network).resolve(OperatingTarget("lamp-1"))
        let places = try StateChangePlaces(change, on: target, in: site.network)
        let setting = StateSetting(change, at: places, in: try site.network, transaction: 1)
        let (outcomes, _) = try site.execute { executor in
            executor.operate(with: places.needs) { session in try? setting.setEach(in: session) }
        }
        #expect(outcomes.flatMap(\.self) == [.asAsked])
        let findings = try run(inspection("lamp-1", [.descriptor, .cadence], in: site.network), at: site)
        let readings = try required(findings.first).readings
        #expect(readings.map(\.property) == [0x004D, 0x004E])
        #expect(readings.map { $0.descriptor?.integer("update_interval") } == [0, 0])
        #expect(readings[0].cadence == .noValue, "nobody has set one")
        guard case .value(let cadence, target: nil, remaining: nil)? = readings[1].cadence else {
            Issue.record("\(String(describing: readings[1].cadence))")
            return
        }
        #expect(cadence.integer("divisor") == 3 && cadence.octets("delta_up") == [0xC8, 0x00, 0x00])
        #expect(cadence.octets("fast_high") == [0x58, 0x02, 0x00])
    }

    @Test("A sensor without a key for cadences still tells what it measures; one that is off tells nothing")
    func missing() throws {
        var network = try network(lamps: 3)
        let place = try required(network.nodes[1].elements[0].place(of: Self.setup))
        network.nodes[1].elements[0].models[place].bindings = []
        let site = try Site(network: network)
        site.world.setFaults(NodeFaults(isOff: true), of: uuid(3))
        let inspection = try inspection("lamp-*", [.cadence], in: network)
        #expect(inspection.refusals.map(\.problem) == [.noBinding(Self.setup)])
        #expect(inspection.refusals.map(\.place.node) == [1])
        let findings = try run(inspection, at: site)
        #expect(findings.map(\.missing) == [nil, nil, .unanswered])
        #expect(findings.map { $0.readings.map(\.cadence) } == [[nil], [.noValue], []])
    }

    @Test("A target without a sensor is told so")
    func nobody() throws {
        let network = try LitHouse.network(lamps: 1)
        #expect(throws: StateError.self) { try inspection("lamp-1", in: network) }
        var unbound = try self.network(lamps: 1)
        let place = try required(unbound.nodes[1].elements[0].place(of: Self.sensor))
        unbound.nodes[1].elements[0].models[place].bindings = []
        let refused = try inspection("lamp-1", [.descriptor], in: unbound)
        #expect(refused.isEmpty && refused.refusals.map(\.problem) == [.noBinding(Self.sensor)])
    }
}
