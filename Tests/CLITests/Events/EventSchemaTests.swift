import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("JSON events")
struct EventSchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private let schema: JSONSchema

    init() throws {
        schema = try JSONSchema("meshplan-events.schema.json")
    }

    /// Checks each line, and returns the types of all.
    private func check(_ result: CommandFixture.Result, _ name: String) throws -> Set<String> {
        var types: Set<String> = []
        for line in result.output.split(separator: "\n") {
            let value = try JSONParser.parse(Array(line.utf8))
            for mistake in schema.mistakes(in: value) { Issue.record("\(name): \(mistake)") }
            let type = try #require(value["type"]?.text)
            #expect(schema.definitions["event_\(type)"] != nil, "\(name): \(type)")
            types.insert(type)
        }
        return types
    }

    @Test("every line of a run is as the schema says: configuring, refusals, silence, reading back")
    func runs() throws {
        let fixture = try CommandFixture.house()
        fixture.keepsTimes = true
        let via = ["--via", "simulator", "--json"]
        let run = ["apply", "--auto-approve", "--off", "mary", "--fail", "brian=0x00:0x05"] + via
        var types = try check(fixture.run(run), "apply")
        let refresh = fixture.run(["refresh", "--off", "mary"] + via)
        types.formUnion(try check(refresh, "refresh"))
        #expect(refresh.output.contains(#""node":"mary","node_uuid""#), "events name nodes: \(refresh.output)")
        types.formUnion(try check(fixture.run(["apply", "--auto-approve", "--allow", "full-list"] + via), "again"))
        for command in [
            ["scan", "--time", "3s"], ["get", "brian", "attention"], ["set", "brian", "onoff", "on"],
            ["watch", "--for", "5s"], ["health"], ["sensors"], ["map", "--off", "mary"],
        ] {
            types.formUnion(try check(fixture.run(command + via), command[0]))
        }
        let expected: Set<String> = [
            "version", "plan_change", "plan_node", "plan_summary", "apply_start", "apply_node_start", "apply_progress",
            "link_up", "apply_complete", "apply_failed", "apply_node_complete", "apply_node_pending", "apply_unknown",
            "apply_retry", "refresh_start", "node_read_back", "refresh_node_pending", "summary", "proxy", "listening",
            "end", "hops",
        ]
        #expect(types.isSuperset(of: expected), "\(expected.subtracting(types).sorted())")
    }

    @Test("so is every line of provisioning")
    func provisioning() throws {
        let fixture = try CommandFixture()
        fixture.keepsTimes = true
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        try #require(fixture.run("init", "--network", "villa").status == 0)
        let definition = """
            version: 1
            network: villa
            subnets: { home: { index: 0 } }
            nodes: { kitchen: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001 } }
            """
        try fixture.write(definition, to: "villa.yaml")
        let via = ["--via", "simulator", "--devices", "sim/devices.yaml", "--json"]
        var types = try check(fixture.run(["scan", "--time", "3s"] + via), "scan")
        types.formUnion(try check(fixture.run(["apply", "--auto-approve"] + via), "apply"))
        #expect(types.contains("unprovisioned_device") && types.contains("provisioning_stage"), "\(types.sorted())")
    }

    @Test("a line that is not as the schema says is found")
    func mistakes() {
        let good: [JSONMember] = [
            JSONMember("type", "apply_node_pending"), JSONMember("node_uuid", "0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C1F0001"),
            JSONMember("steps", 3), JSONMember("time", "2026-11-18T11:06:40.123Z"),
        ]
        #expect(schema.mistakes(in: .object(good)).isEmpty)
        let changes: [(String, JSONValue?)] = [
            ("steps", "3"), ("steps", -1), ("steps", true), ("time", "11:06:40"), ("time", nil), ("node_uuid", nil),
            ("node_uuid", "kitchen"), ("nodes", 1),
        ]
        for (name, value) in changes {
            let bad = good.filter { $0.name != name } + (value.map { [JSONMember(name, $0)] } ?? [])
            #expect(!schema.mistakes(in: .object(bad)).isEmpty, "\(name)")
        }
    }

    @Test("the schema has every event that the source can write")
    func source() throws {
        let folder = Self.root.appending(path: "Sources/MeshplanCLI")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var types: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/\.event\(\[\s*"type": "(\w+)"/#) { types.insert(String(match.1)) }
            for match in text.matches(of: #/write\("(apply_\w+)"/#) { types.insert(String(match.1)) }
        }
        #expect(types.count >= 40)
        for type in types.sorted() { #expect(schema.definitions["event_\(type)"] != nil, "\(type)") }
    }

    @Test("the manual's page has every event of the schema with its members")
    func page() throws {
        let page = Self.root.appending(path: "Sources/meshplan/Documentation.docc/JSON-events.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        for (name, definition) in schema.definitions.sorted(by: { $0.key < $1.key }) where name.hasPrefix("event_") {
            let type = name.dropFirst("event_".count)
            guard let row = lines.first(where: { $0.hasPrefix("| `\(type)` |") }) else {
                Issue.record("\(type) is missing in the page")
                continue
            }
            let members = (definition["properties"]?.members ?? []).map(\.name)
            let shown = Set(row.split(separator: "|").last?.matches(of: #/`(\w+)`/#).map { String($0.1) } ?? [])
            #expect(shown == Set(members).subtracting(["type", "time"]), "\(type)")
        }
    }
}
