import Foundation
import Testing

@testable import MeshplanCLI

/// Tests commands on definitions with modules, variables and other files.
@Suite("Commands on modules")
struct ModuleCommandTests {
    private static let hotel = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../examples/hotel").standardizedFileURL

    /// The example hotel, without any device.
    private func hotel() throws -> CommandFixture {
        let fixture = try CommandFixture()
        for name in ["hotel.yaml", "rooms.csv"] {
            try fixture.write(String(contentsOf: Self.hotel.appending(path: name), encoding: .utf8), to: name)
        }
        return fixture
    }

    @Test("The hotel takes at most 100 lines and one file of rooms, and is planned without any device")
    func plansHotel() throws {
        let fixture = try hotel()
        let text = try String(contentsOf: Self.hotel.appending(path: "hotel.yaml"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 101)
        let valid = fixture.run("validate", "--strict")
        #expect(valid.error == "")
        #expect(valid.output.hasPrefix("Valid: network hotel with 1540 nodes, 310 groups"), "\(valid.output)")
        try #require(fixture.run("init", "--network", "hotel").status == 0)
        let planned = fixture.run("plan", "--detailed-exitcode")
        #expect(planned.status == 2, "\(planned.error)")
    }

    @Test("The switch at the bed lights the room, and nothing else")
    func lightsRoom() throws {
        let fixture = try hotel()
        try fixture.write("room,floor\n101,1\n117,1\n", to: "rooms.csv")
        let tested = fixture.run("test", "--only", "the switch at the bed*", "--var", "corridor_lamps=1")
        #expect(tested.status == 0, "\(tested.combined)")
        #expect(tested.output.contains("Tests: 1 passed, 0 failed."))
    }

    @Test("Variables take their values from the environment, a file and the command line; the last one wins")
    func variables() throws {
        let fixture = try CommandFixture()
        try fixture.write(
            """
            version: 1
            network: hq
            variables: { groups: { type: number, default: 1 } }
            groups: { g-$(n): { for: { n: 1..$(groups) } } }

            """,
            to: "hq.yaml"
        )
        try fixture.write("values: { groups: 3 }\n", to: "production.values")
        func groups(_ options: String...) -> String {
            let run = fixture.run(["validate", "hq.yaml"] + options)
            return run.output.matches(of: #/([0-9]+) groups?/#).first.map { String($0.1) } ?? run.error
        }
        #expect(groups() == "1")
        fixture.environment["MESHPLAN_VAR_groups"] = "2"
        fixture.environment["MESHPLAN_VAR_other"] = "5"
        #expect(groups() == "2")
        #expect(groups("--var-file", "production.values") == "3")
        #expect(groups("--var-file", "production.values", "--var", "groups=4") == "4")
        #expect(groups("--var", "groups=many").contains("`many` is not a number"))
        #expect(
            groups("--var", "grops=4").contains("did you mean `groups`?")
                || groups("--var", "grops=4").contains("Did you mean `groups`?")
        )
        #expect(fixture.run("validate", "hq.yaml", "--var", "groups").status == 64)
    }

    @Test("A definition may come from standard input, and must not take files from outside of its folder")
    func standardInputAndEscapes() throws {
        let fixture = try CommandFixture()
        fixture.answers = ["version: 1", "network: hq", "groups: { a: {}, b: {} }", nil]
        let valid = fixture.run("validate", "-")
        #expect(valid.output == "Valid: network hq with 0 nodes, 2 groups, 0 subnets, 0 application keys\n")
        try #require(fixture.run("init", "--network", "hq").status == 0)
        fixture.answers = ["version: 1", "network: hq", "groups: { a: {}, b: {} }", nil]
        let plan = fixture.run("plan", "-")
        #expect(plan.status == 0 && plan.output.contains("+ group.b"), "\(plan.output)\(plan.error)")
        #expect(plan.output.contains("Plan: 2 to add"), "\(plan.output)")
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "inner"),
            withIntermediateDirectories: true
        )
        try fixture.write("groups: { c: {} }\n", to: "outer.yaml")
        try fixture.write("version: 1\nnetwork: hq\ninclude: ../outer.yaml\n", to: "inner/hq.yaml")
        let refused = fixture.run("validate", "inner")
        #expect(refused.status == 65)
        #expect(refused.error.contains("`../outer.yaml` lies outside of the definition's repository"))
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: ".git"),
            withIntermediateDirectories: true
        )
        #expect(fixture.run("validate", "inner").output.contains("1 group"))
    }

    @Test("Links lead no definition out of its repository, whether they are named or lie in a folder")
    func linksOut() throws {
        let fixture = try CommandFixture()
        try fixture.write("groups: { secret: {} }\n", to: "outer/other.yaml")
        try fixture.write("n\n1\n", to: "outer/rows.csv")
        try fixture.write("groups: { own: {} }\n", to: "site/parts/own.yaml")
        for (link, target) in [
            ("site/link.yaml", "../outer/other.yaml"), ("site/rows.csv", "../outer/rows.csv"),
            ("site/folder", "../outer"),
            ("site/parts/link.yaml", "../../outer/other.yaml"), ("site/inner.yaml", "parts/own.yaml"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: fixture.folder.appending(path: link).path,
                withDestinationPath: target
            )
        }
        let module = "modules: { m: { parameters: { n: number }, groups: { g-$(n): {} } } }\n"
        for (text, path) in [
            ("include: link.yaml", "link.yaml"), ("include: folder", "folder"),
            ("include: parts", "site/parts/link.yaml"), ("models: [parts]", "site/parts/link.yaml"),
            ("products: [parts]", "site/parts/link.yaml"),
            ("models: [link.yaml]", "link.yaml"), ("products: [link.yaml]", "link.yaml"),
            (module + "use: [{ module: m, rows: rows.csv }]", "rows.csv"),
        ] {
            try fixture.write("version: 1\nnetwork: hq\n\(text)\n", to: "site/hq.yaml")
            let refused = fixture.run("validate", "site/hq.yaml")
            #expect(refused.status == 65, "\(text)")
            #expect(
                refused.error.contains("error: `\(path)` lies outside of the definition's repository"),
                "\(refused.error)"
            )
            #expect(!refused.combined.contains("secret"), "\(refused.combined)")
        }
        try fixture.write("version: 1\nnetwork: hq\ninclude: inner.yaml\n", to: "site/hq.yaml")
        #expect(fixture.run("validate", "site/hq.yaml").output.contains("1 group"))
    }

    @Test("render writes everything out, with where it comes from, and its output is the same definition")
    func renders() throws {
        let fixture = try hotel()
        try fixture.write("room,floor\n101,1\n117,2\n", to: "rooms.csv")
        let rendered = fixture.run("render")
        #expect(rendered.status == 0, "\(rendered.error)")
        #expect(rendered.output.contains("in use[0] of hotel-room, line 3 of rooms.csv, room = 117\n  room-117:"))
        let again = try CommandFixture()
        try again.write(rendered.output, to: "hotel.yaml")
        #expect(again.run("validate").output == fixture.run("validate").output)
    }
}
