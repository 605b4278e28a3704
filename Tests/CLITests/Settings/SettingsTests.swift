import DefinitionModel
import Definitions
import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Settings")
struct SettingsTests {
    private func completed(
        _ line: String,
        file: String? = nil,
        _ environment: [String: String] = [:]
    ) throws -> String {
        let fixture = try CommandFixture()
        if let file { try fixture.write(file, to: ".meshplan.yaml") }
        fixture.environment.merge(environment) { _, new in new }
        return try fixture.completed(line.split(separator: " ").map(String.init)).joined(separator: " ")
    }

    private static let simulated = "via: simulator\ndevices: [a.yaml, b.yaml]\nradio: office\n"

    @Test(
        "A way to the mesh is filled in where a command cannot do without one, and nowhere else",
        arguments: [
            ("apply", "apply --via gatt"), ("get lamp onoff", "get --via gatt lamp onoff"),
            ("scan", "scan --via gatt"),
            ("plan --refresh all", "plan --via gatt --refresh all"), ("apply --via tcp:h:1", "apply --via tcp:h:1"),
            ("apply --via=tcp:h:1", "apply --via=tcp:h:1"), ("plan", "plan"),
            ("plan --refresh=none", "plan --refresh=none"),
            ("rollback", "rollback"), ("keys refresh home", "keys refresh home"),
            ("state restore 3", "state restore 3"),
            ("assign", "assign"), ("test", "test"),
            ("gateway --listen unix:x", "gateway --listen unix:x"),
            ("gateway run --listen unix:x", "gateway run --listen unix:x"), ("apply --help", "apply --help"),
            ("apply -- --via", "apply --via gatt -- --via"), ("show", "show"), ("nonsense", "nonsense"),
        ]
    )
    func routes(typed: String, expected: String) throws {
        #expect(try completed(typed, file: "via: gatt\n") == expected)
    }

    @Test("What only the simulator takes is filled in only for it")
    func simulator() throws {
        let devices = "--devices a.yaml --devices b.yaml"
        #expect(
            try completed("apply --auto-approve", file: Self.simulated)
                == "apply --via simulator \(devices) --radio office --auto-approve"
        )
        #expect(try completed("apply --via gatt", file: Self.simulated) == "apply --radio office --via gatt")
        #expect(try completed("get l onoff --via gatt", file: Self.simulated) == "get l onoff --via gatt")
        #expect(
            try completed("get l onoff", file: Self.simulated)
                == "get --via simulator \(devices) --radio office l onoff"
        )
        #expect(
            try completed("sim run --listen unix:x", file: Self.simulated)
                == "sim run \(devices) --radio office --listen unix:x"
        )
        #expect(try completed("plan", file: Self.simulated) == "plan --radio office")
        #expect(try completed("get l onoff", file: "via: simulator\nradio: learned\n") == "get --via simulator l onoff")
        #expect(
            try completed("apply --devices c.yaml", file: "via: simulator\ndevices: a.yaml\n")
                == "apply --via simulator --devices c.yaml"
        )
    }

    @Test("An option wins over a variable, and a variable over the file")
    func precedence() throws {
        let file = "via: gatt\nconnections: 2\nsecrets: s.csv\n"
        let variables = ["MESHPLAN_VIA": "gateway://a,gateway://b", "MESHPLAN_WINDOW": "9"]
        #expect(
            try completed("apply --window 3", file: file, variables)
                == "apply --via gateway://a --via gateway://b --secrets s.csv --connections 2 --window 3"
        )
        #expect(try completed("refresh", file: nil, ["MESHPLAN_VIA": "gatt"]) == "refresh --via gatt")
        #expect(try completed("refresh", file: nil, ["MESHPLAN_VIA": ""]) == "refresh")
    }

    @Test("Commands take what is set; doctor shows it, and where it comes from")
    func commands() throws {
        let fixture = try CommandFixture.house()
        try fixture.write("# ours\nvia: simulator\n", to: ".meshplan.yaml")
        fixture.environment["MESHPLAN_CONNECTIONS"] = "2"
        let read = fixture.run("refresh", "--node", "Bell")
        #expect(read.status == 0, "\(read.combined)")
        let doctor = fixture.run("doctor").output
        #expect(doctor.contains("Settings\n  --via          simulator  .meshplan.yaml:2\n"), "\(doctor)")
        #expect(doctor.contains("  --connections  2          $MESHPLAN_CONNECTIONS\n"), "\(doctor)")
        let line = #""option":"--via","values":["simulator"],"origin":".meshplan.yaml:2""#
        #expect(fixture.run("doctor", "--json").output.contains(line))
    }

    @Test(
        "A wrong file is told with its place and how to mend it, by the commands that would use it",
        arguments: [
            ("vai: gatt\n", ".meshplan.yaml:1:1: error: there is no setting `vai`", "Did you mean `via`?"),
            ("via: pigeon\n", ".meshplan.yaml:1:6: error: ", "a way to the mesh is"),
            ("\nvia: [gatt, {}]\n", ".meshplan.yaml:2:13: error: ", "not a mapping"),
            ("connections: 65\n", ".meshplan.yaml:1:14: error: 65 is not a number from 1 to 64", ""),
            ("connections: [2]\n", ".meshplan.yaml:1:14: error: ", "not a list"),
            ("radio: ofice\n", ".meshplan.yaml:1:8: error: there is no radio `ofice`", "Did you mean `office`?"),
            ("devices:\n", ".meshplan.yaml:1:", "not nothing"),
            ("- gatt\n", ".meshplan.yaml:1:1: error: ", "a mapping of settings"),
            ("via: gatt\nvia: gatt\n", ".meshplan.yaml:2:1: error: ", ""),
            ("\tvia: gatt\n", ".meshplan.yaml:1:", ""),
        ]
    )
    func wrong(text: String, place: String, rest: String) throws {
        let fixture = try CommandFixture.house()
        try fixture.write(text, to: ".meshplan.yaml")
        let result = fixture.run("refresh")
        #expect(result.status == 65 && result.output.isEmpty)
        #expect(result.error.hasPrefix(place), "\(result.error)")
        #expect(rest.isEmpty || result.error.contains(rest), "\(result.error)")
        #expect(fixture.run("state", "list").status == 0)
        #expect(fixture.run("validate").status == 0, "it is no part of the definition")
    }

    @Test("A wrong variable is told by its name", arguments: [("VIA", "pigeon"), ("WINDOW", "0"), ("RADIO", "x")])
    func wrongVariable(name: String, value: String) throws {
        let fixture = try CommandFixture.house()
        fixture.environment["MESHPLAN_\(name)"] = value
        let result = fixture.run("apply", "--via", "simulator")
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: the variable MESHPLAN_\(name): "), "\(result.error)")
    }

    @Test("Hostile files end in diagnostics within bounded time")
    func hostile() {
        let deep = String(repeating: "[", count: 100_000)
        let bombs = [
            "via: \(deep)", String(repeating: "k: v\n", count: 60_000), "via: &a [x, *a]\n",
            "a: &a [\(String(repeating: "x,", count: 1000))]\nvia: [*a, *a]", "\u{0}", "via: \"\u{1B}[2J\"",
            String(repeating: "x", count: 3_000_000),
        ]
        for text in bombs {
            let files = SourceFiles(files: [.init(path: ".meshplan.yaml", bytes: Array(text.utf8))])
            let (_, diagnostics) = SettingsFile.read(files: files) { (_, text) throws(SettingsFile.Problem) in
                throw SettingsFile.Problem("no \(text.count)")
            }
            #expect(diagnostics.contains { $0.severity == .error }, "\(text.prefix(20))")
            #expect(diagnostics.count < 200)
        }
    }

    @Test("The schema has the keys of the file")
    func schema() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: root.appendingPathComponent("schemas/meshplan-settings.schema.json"))
        let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let parts = try #require(schema["$defs"] as? [String: [String: Any]])
        let settings = try #require(parts["settings"])
        let properties = try #require(settings["properties"] as? [String: [String: Any]])
        #expect(Set(properties.keys) == Set(SettingsFile.Key.allCases.map(\.rawValue)))
        #expect(settings["additionalProperties"] as? Bool == false)
        #expect(properties["radio"]?["enum"] as? [String] == RadioOptions.names)
        #expect(properties["connections"]?["maximum"] as? Int == RunOptions.connectionsRange.upperBound)
        #expect(properties["window"]?["maximum"] as? Int == RunOptions.windowRange.upperBound)
    }
}
