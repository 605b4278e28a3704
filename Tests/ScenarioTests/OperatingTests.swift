import Foundation
import TestSupport
import Testing

/// Operates `examples/office` after it was configured: what was declared is what lights.
@Suite("An office that is operated", .serialized, .timeLimit(.minutes(45)))
struct OperatingTests {
    private static let devices = ["--devices", "devices/devices.yaml"]

    /// The office, configured from nothing on the embedded simulator.
    private func configured() async throws -> House {
        let office = try House.office()
        let apply =
            ["apply", "--auto-approve", "--via", "simulator", "--secrets", "devices/secrets.csv"] + Self.devices
        for arguments in [["init", "--network", "office"], apply] {
            let result = try await office.meshplan(arguments)
            try #require(result.status == 0, "\(result.output.suffix(4_000))")
        }
        return office
    }

    /// The nodes that `sim status` calls lit.
    private func lit(_ office: House) async throws -> [String] {
        let status = try await office.meshplan(["sim", "status"])
        #expect(status.status == 0, "\(status.output)")
        let lines = status.output.split(separator: "\n")
        guard let title = lines.firstIndex(of: "LIT") else { return [] }
        return lines[(title + 1)...].map(String.init)
    }

    @Test("Groups are set, states read from all lamps, and a lamp fades; the simulator's lamps say the same")
    func states() async throws {
        let office = try await configured()
        defer { office.remove() }
        let via = ["--via", "simulator"]

        let kitchen = try await office.meshplan(["set", "group.kitchen", "onoff", "on"] + via)
        #expect(kitchen.status == 0 && kitchen.output == "onoff on: 2 as asked.\n", "\(kitchen.output)")
        #expect(try await lit(office) == ["lamp-kitchen-1  100 %", "lamp-kitchen-2  100 %"])

        let lamps = try await office.meshplan(["get", "kind=lamp", "lightness"] + via)
        let rows = lamps.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lamps.status == 0 && rows.count == 28, "\(lamps.output)")
        #expect(rows.first == ["NODE", "ELEMENT", "STATE", "VALUE"])
        for row in rows.dropFirst() {
            #expect(row.dropFirst() == ["0", "lightness", row[0].hasPrefix("lamp-kitchen-") ? "100" : "0", "%"])
        }
        let names = rows.dropFirst().map { $0[0] }
        let open = names.filter { $0.hasPrefix("lamp-open-space-") }
        #expect(Set(names).count == 27)
        #expect(open == (1...10).map { "lamp-open-space-\($0)" })

        let dimmed = try await office.meshplan(
            ["set", "lamp-kitchen-1", "lightness", "40%", "--transition", "2s"] + via
        )
        #expect(dimmed.status == 0 && dimmed.output == "lightness 40 %: 1 as asked.\n", "\(dimmed.output)")
        let after = try await office.meshplan(["get", "lamp-kitchen-1", "lightness", "--json"] + via)
        #expect(after.output.contains(#""state":"lightness","value":40,"unit":"%","time":"20"#), "\(after.output)")
        #expect(try await lit(office) == ["lamp-kitchen-1  40 %", "lamp-kitchen-2  100 %"])

        let plan = try await office.meshplan(["plan", "--detailed-exitcode"])
        #expect(plan.status == 0, "operating is no change: \(plan.output)")
    }

    @Test("A switch that somebody presses lights its lamps, and whoever watches sees it")
    func press() async throws {
        let office = try await configured()
        defer { office.remove() }
        let simulator = try LiveProcess(
            House.meshplan,
            ["sim", "run", "--listen", "unix:mesh.sock"] + Self.devices,
            in: office.folder,
            through: .pipes
        )
        try simulator.wait(for: "mesh.sock")
        let watch = try LiveProcess(
            House.meshplan,
            ["watch", "--via", "unix:mesh.sock"],
            in: office.folder,
            through: .pipes
        )
        try watch.wait(for: "Listening through ")
        simulator.type("press switch-lounge 0 on")
        // The range that the definition gives these lamps ends there.
        for _ in 1...3 { try simulator.wait(for: " is at 60 %") }
        try watch.wait(for: "switch-lounge to group.lounge: ")
        #expect(try watch.restOfLine() == "generic-onoff-client sets onoff on")
        watch.interrupt()
        #expect(try watch.finish() == 0)
        #expect(watch.transcript.contains(" from 1 node in "), "\(watch.transcript)")
        simulator.interrupt()
        #expect(try simulator.finish() == 0)
        let lounge = try await lit(office)
        #expect(lounge.map { String($0.prefix(13)) } == (1...3).map { "lamp-lounge-\($0)" }, "\(lounge)")
    }
}
