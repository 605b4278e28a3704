import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan get")
struct GetCommandTests {
    /// The house, with a key bound to the Health Servers of mary and brian.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        var definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let model = "elements: { 0: { health-server: { keys: [home-automation] } } }"
        for tags in ["tags: { bed: right } }", "tags: { bed: left } }"] {
            #expect(definition.contains(tags))
            definition = definition.replacing(tags, with: tags.dropLast() + ", \(model) }")
        }
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(definition, to: "house.yaml")
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        return fixture
    }

    @Test("shows states in a table, and asks for tags what the definition says")
    func table() throws {
        let fixture = try house()
        let one = fixture.run("get", "mary", "attention", "--via", "simulator")
        #expect(one.status == 0 && one.error.isEmpty, "\(one.error)")
        #expect(one.output == "NODE  ELEMENT  STATE      VALUE\nmary        0  attention  0 s\n")
        let both = fixture.run("get", "bed=*", "attention", "--raw", "--via", "simulator")
        let rows = "brian        0  attention  0\nmary         0  attention  0\n"
        #expect(both.status == 0 && both.output.hasSuffix(rows), "\(both.combined)")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0, "operating is no change of the definition's")
    }

    @Test("writes one object a line, and ends with 4 if some did not answer")
    func json() throws {
        let fixture = try house()
        let result = fixture.run(
            ["get", "bed=*", "attention", "--json", "--via", "simulator", "--off", "mary"]
        )
        #expect(result.status == 4)
        let lines = result.output.split(separator: "\n").dropFirst()
        let head = #""element":0,"model":"health-server","state":"attention""#
        #expect(
            lines == [
                #"{"type":"state","node":"brian",\#(head),"value":0,"unit":"s"}"#,
                #"{"type":"no_state","node":"mary",\#(head),"reason":"no answer"}"#,
            ],
            "\(result.output)"
        )
        let text = fixture.run("get", "bed=*", "attention", "--via", "simulator", "--off", "mary")
        #expect(text.status == 4 && text.output.contains("attention  (no answer)"))
        #expect(text.error.hasPrefix("Warning: no answer of mary\n"), "\(text.error)")
    }

    @Test("tells a node that answers about some states only from a silent one")
    func partlySilent() throws {
        let fixture = try CommandFixture()
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        try #require(fixture.run("init", "--network", "villa").status == 0)
        let definition = """
            version: 1
            network: villa
            subnets: { home: { index: 0 } }
            application_keys: { light: { subnet: home } }
            nodes:
              kitchen:
                uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001
                elements: { 0: { generic-onoff-server: { keys: [light] }, generic-level-server: { keys: [light] } } }
            """
        try fixture.write(definition, to: "villa.yaml")
        let simulated = ["--via", "simulator", "--devices", "sim/devices.yaml"]
        let products = String(decoding: try #require(fixture.read("sim/devices.yaml")), as: UTF8.self)
        let devices = products.replacing("[generic-onoff-server]", with: "[generic-onoff-server, generic-level-server]")
        try fixture.write(devices, to: "sim/devices.yaml")
        try #require(fixture.run(["apply", "--auto-approve"] + simulated).status == 0)
        let deaf = devices.replacing(
            "0001, product: lamp }",
            with: "0001, product: lamp, quirks: [\"silent-get:0x8205\"] }"
        )
        #expect(deaf != devices)
        try fixture.write(deaf, to: "sim/devices.yaml")
        let result = fixture.run(["get", "kitchen", "onoff", "level"] + simulated)
        #expect(result.status == 4 && result.output.contains("level  (no answer)"), "\(result.combined)")
        #expect(
            result.error == """
                Warning: no answer about some states: kitchen (level)
                  The node answers about others, so it may not have these. Name the states to read.

                """,
            "\(result.error)"
        )
    }

    @Test("records the client model and its key, which exports have, too")
    func ownModels() throws {
        let fixture = try house()
        let before = fixture.run("show", "node.meshplan").output
        #expect(before.contains("meshplan") && !before.contains("health-client"), "\(before)")
        try #require(fixture.run("get", "mary", "attention", "--via", "simulator").status == 0)
        #expect(fixture.run("show", "node.meshplan").output.contains("health-client"))
        try #require(fixture.run("export", "--cdb", "out.json").status == 0)
        let exported = String(decoding: try #require(fixture.read("out.json")), as: UTF8.self)
        #expect(exported.contains(#""modelId": "0003""#) || exported.contains(#""modelId":"0003""#))
    }

    @Test(
        "says what is wrong before anything is connected to",
        arguments: [
            (["nobody"], 64, "there is no node `nobody`"), (["mray"], 64, "Did you mean `mary`?"),
            (["group.nobody"], 64, "there is no group `nobody`"),
            (["mary/7"], 64, "has no element 7"), (["mary", "atention"], 64, "Did you mean `attention`?"),
            (["mary", "ctl"], 64, "nothing that is meant has the state ctl"),
            (["mary", "health-period", "property=3"], 64, "There is only one of it."),
            (["bell", "attention"], 1, "has no application key bound to its Health Server"),
            (["mary/"], 64, "`mary/` is no target"), (["floor=3"], 64, "no node of the database has the tag"),
        ]
    )
    func mistakes(_ arguments: [String], status: Int, text: String) throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run(["get"] + arguments + ["--via", "unix:/nosuch"])
        #expect(result.status == status && result.error.contains(text), "\(result.error)")
        #expect(!result.error.contains("connect"))
    }
}
