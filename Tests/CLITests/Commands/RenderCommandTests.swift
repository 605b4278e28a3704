import Foundation
import Testing

@testable import MeshplanCLI

/// Tests that what `meshplan render` prints means the same as what it was made from.
@Suite("The command that renders definitions")
struct RenderCommandTests {
    private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../examples").standardizedFileURL

    /// A folder with all files of an example; of the hotel, with few rooms.
    private func example(_ name: String) throws -> CommandFixture {
        let fixture = try CommandFixture()
        let folder = Self.examples.appending(path: name)
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let target = fixture.folder.appending(path: path)
            if path.hasSuffix("/devices") || path == "devices" {
                try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            } else if path.hasSuffix(".yaml") || path.hasSuffix(".csv"), !path.hasPrefix(".") {
                try FileManager.default.createDirectory(
                    at: target.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try FileManager.default.copyItem(at: folder.appending(path: path), to: target)
            }
        }
        if name == "hotel" { try fixture.write("room,floor\n101,1\n117,1\n201,2\n", to: "rooms.csv") }
        return fixture
    }

    /// Renders a definition and compares what the original and the text plan and mean.
    private func compare(
        _ paths: [String],
        of network: String,
        in fixture: CommandFixture,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        try #require(fixture.run("init", "--network", network).status == 0, sourceLocation: sourceLocation)
        let rendered = fixture.run(["render"] + paths)
        try #require(rendered.status == 0, "\(rendered.error)", sourceLocation: sourceLocation)
        try fixture.write(rendered.output, to: "rendered.yaml")
        for command in [["validate"], ["plan", "--full", "--network", network]] {
            let original = fixture.run(command + paths)
            let again = fixture.run(command + ["rendered.yaml"])
            #expect(original.status == again.status, "\(again.error)", sourceLocation: sourceLocation)
            #expect(original.output.count > 40, sourceLocation: sourceLocation)
            #expect(original.output == again.output, sourceLocation: sourceLocation)
        }
        // Written once more, it is the same but for comments, which tell where parts came from.
        let twice = fixture.run("render", "rendered.yaml")
        let isStatement = { (line: Substring) in !line.drop { $0 == " " }.hasPrefix("#") }
        #expect(
            twice.output.split(separator: "\n") == rendered.output.split(separator: "\n").filter(isStatement),
            sourceLocation: sourceLocation
        )
        // And it is in form.
        let formatted = fixture.run("fmt", "--check", "rendered.yaml")
        #expect(formatted.status == 0, "\(formatted.combined)", sourceLocation: sourceLocation)
    }

    @Test(
        "What is rendered plans as the examples do",
        arguments: [
            ("lamp", ["kitchen.yaml"], "kitchen"), ("house", ["house.yaml"], "house"),
            ("office", ["office.yaml", "tests.yaml"], "office"), ("hotel", ["hotel.yaml"], "hotel"),
        ]
    )
    func examples(name: String, paths: [String], network: String) throws {
        try compare(paths, of: network, in: example(name))
    }

    @Test("What is rendered plans as the definitions of tests do", arguments: [("house", "house"), ("villa", "villa")])
    func resources(file: String, network: String) throws {
        let fixture = try CommandFixture()
        try fixture.copy("\(file).yaml")
        try compare(["\(file).yaml"], of: network, in: fixture)
    }

    @Test("Everything that a definition names stays named, from the working folder")
    func surroundings() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.hall, to: "site/hall.yaml")
        try fixture.write("", to: ".git/HEAD")
        try fixture.write("include: ../parts\n", to: "site/more.yaml")
        try fixture.write("groups: { further: {} }\n", to: "parts/groups.yaml")
        try fixture.write(Self.dimmer, to: "models/dimmer.yaml")
        try fixture.write(Self.products, to: "products/lamp.yaml")
        try fixture.write("node,x,y\nhall-1,1m,2m\n", to: "site/floor.csv")
        try fixture.writePrivate(String(repeating: "a1", count: 16), to: "site/home.key")
        try fixture.write("hall-1 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001\n", to: "site/hall.assignments")
        try compare(["site"], of: "hall", in: fixture)
        let text = fixture.run("render", "site").output
        for line in [
            "title: \"Lamps $$(all) of $$$(it)\"", "products: [products]", "models: [\"models/dimmer.yaml\"]",
            "  siren:\n    company: 0x0059\n    model: 0x0007\n    client: 0x0008", "key: { file: \"site/home.key\" }",
            "positions: \"site/floor.csv\"", "siren-state: { get: siren-get, set: siren-set, lasting: on }",
            "  hall-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: lamp }",
        ] {
            #expect(text.contains(line), "\(line) is missing in \(text)")
        }
    }

    @Test("Several networks share what the files describe")
    func networks() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.hall, to: "hall.yaml")
        try fixture.write(Self.dimmer, to: "models/dimmer.yaml")
        try fixture.write(Self.products, to: "products/lamp.yaml")
        try fixture.write("node,x,y\nhall-1,1m,2m\n", to: "floor.csv")
        try fixture.write("version: 1\nnetwork: yard\ntitle: The whole of the yard, with gate\n", to: "yard.yaml")
        let rendered = fixture.run("render", "hall.yaml", "yard.yaml", "--var", "folder=.")
        #expect(rendered.output.components(separatedBy: "\n---\n").count == 3, "\(rendered.error)")
        try fixture.write(rendered.output, to: "rendered.yaml")
        let one = fixture.run("validate", "hall.yaml", "yard.yaml", "--var", "folder=.")
        let other = fixture.run("validate", "rendered.yaml")
        #expect(one.output == other.output && other.output.contains("network yard"), "\(other.combined)")
    }

    /// A definition that names files of every kind, and describes a model itself.
    private static let hall = """
        version: 1
        network: hall
        title: Lamps $$(all) of $$$(it)
        variables: { folder: .., product: lamp }
        products: [$(folder)/products]
        subnets: { home: { index: 0, key: { file: home.key } } }
        application_keys: { lighting: { subnet: home } }
        groups: { lights: { title: "$$(x)" } }
        floors: { ground: { title: Ground, positions: floor.csv } }
        profiles:
          lamp:
            product: $(product)
            elements:
              0:
                generic-onoff-server: { keys: [lighting], subscribe: [lights] }
                dimmer: { keys: [lighting], states: { dimmer-state: 7 } }
                siren: { keys: [lighting], states: { siren-state: loud } }
        nodes:
          hall-1: { profile: lamp }
          hall-2: { profile: lamp }
        tests:
          the lamps can be switched: [{ set: group.lights onoff on, within: 1s, expect: { nodes: all, onoff: on } }]
        ---
        models: [$(folder)/models/dimmer.yaml]
        ---
        models:
          siren:
            company: 0x0059
            model: 0x0007
            client: 0x0008
            types: { siren-state: u8 0=silent 1=loud }
            messages:
              siren-get: { opcode: 0x07, answer: siren-status }
              siren-set: { opcode: 0x08, answer: siren-status, fields: "state:siren-state" }
              siren-status: { opcode: 0x3F, direction: status, fields: "state:siren-state" }
            states: { siren-state: { get: siren-get, set: siren-set, lasting: on } }

        """
    private static let dimmer = """
        models:
          dimmer:
            company: 0x0059
            model: 0x0006
            messages:
              dimmer-get: { opcode: 0x01, answer: dimmer-status }
              dimmer-set: { opcode: 0x02, answer: dimmer-status, fields: "state:u8" }
              dimmer-status: { opcode: 0x03, direction: status, fields: "state:u8" }
            states: { dimmer-state: { get: dimmer-get, set: dimmer-set, lasting: on } }

        """
    private static let products = """
        products:
          lamp:
            company: 0x0059
            product: 0x0010
            elements: [{ models: [generic-onoff-server, "0x0059:0x0006", "0x0059:0x0007"] }, { models: [] }]

        """
}
