import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Warnings about many nodes")
struct GroupedWarningTests {
    private static let options = ["--via", "simulator", "--devices", "sim/devices.yaml"]

    /// Lamps of which one alone can be switched.
    private func villa(lamps: Int, models: String) throws -> CommandFixture {
        let fixture = try CommandFixture()
        let numbers = (1...lamps).map { String(repeating: "0", count: 4 - "\($0)".count) + "\($0)" }
        let nodes = numbers.map { number in
            let keyed = number == "0001" ? ", elements: { 0: { generic-onoff-server: { keys: [lighting] } } }" : ""
            return "  lamp-\(number): { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f\(number), profile: lamp\(keyed) }\n"
        }
        try fixture.write(
            """
            version: 1
            network: villa
            subnets: { home: { index: 0 } }
            application_keys: { lighting: { subnet: home } }
            profiles:
              lamp: { elements: { 0: { generic-power-onoff-server: { keys: [lighting] } } } }
            nodes:

            """ + nodes.joined(),
            to: "villa.yaml"
        )
        let devices = numbers.map { "  d\($0): { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f\($0), product: lamp }\n" }
        try fixture.write(
            """
            products:
              lamp:
                company: 0x0059
                product: 0x0001
                features: [relay, proxy]
                elements: [{ models: [\(models)] }]
            devices:

            """ + devices.joined(),
            to: "sim/devices.yaml"
        )
        try #require(fixture.run("init", "--network", "villa").status == 0)
        let applied = fixture.run(["apply", "--auto-approve"] + Self.options)
        try #require(applied.status == 0, "\(applied.combined)")
        return fixture
    }

    private static let models = "configuration-server, generic-onoff-server, generic-power-onoff-server"

    @Test("nodes that cannot be set for the same reason are one warning with their number")
    func setting() throws {
        let fixture = try villa(lamps: 4, models: Self.models)
        let result = fixture.run(["set", "*", "onoff", "on", "--auto-approve"] + Self.options)
        #expect(result.status == 4, "\(result.combined)")
        #expect(result.error.components(separatedBy: "Warning:").count == 2, "\(result.error)")
        #expect(result.error.contains("not set, because each "), "\(result.error)")
        #expect(result.error.contains("lamp-0002, lamp-0003, lamp-0004"), "\(result.error)")
        #expect(!result.error.contains("in all"), "all three are named")
        let json = fixture.run(["set", "*", "onoff", "on", "--auto-approve", "--json"] + Self.options)
        #expect(json.output.components(separatedBy: #""result":"refused""#).count == 4, "\(json.output)")
    }

    @Test("of many nodes the first are named, and how many there are, and where to see all")
    func many() throws {
        let fixture = try villa(lamps: 24, models: Self.models)
        let result = fixture.run(["set", "*", "onoff", "on", "--auto-approve"] + Self.options)
        #expect(result.error.contains("lamp-0021 and 3 more (23 in all)"), "\(result.error)")
        #expect(result.error.contains("--json names all of them."), "\(result.error)")
        #expect(result.error.split(separator: "\n").count < 12, "\(result.error)")
    }

    @Test("so are those that cannot be asked for a state")
    func reading() throws {
        let fixture = try villa(lamps: 3, models: Self.models)
        let result = fixture.run(["get", "*", "onoff"] + Self.options)
        #expect(result.status == 4, "\(result.combined)")
        #expect(result.error.contains("not asked for onoff, because each "), "\(result.error)")
    }

    @Test("a node whose states with a key must be named is told so, and not that it has no key")
    func unnamed() throws {
        let fixture = try villa(lamps: 2, models: Self.models)
        let result = fixture.run(["get", "lamp-0002"] + Self.options)
        #expect(result.status == 64, "\(result.combined)")
        #expect(result.error.contains("that is read without being named"), "\(result.error)")
        #expect(result.error.contains("Name what to read: ") && result.error.contains("on-power-up"), "\(result.error)")
        #expect(fixture.run(["get", "lamp-0002", "on-power-up"] + Self.options).status == 0)
    }
}
