import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("The second colleague")
struct SecondColleagueTests {
    private static let definition = """
        version: 1
        network: school
        title: Waldschule
        subnets: { building: { index: 0, title: Haus } }
        application_keys: { light: { subnet: building, title: Licht } }
        groups:
          room-001: { title: Class 1a }
          room-002: { title: Class 1b }
        nodes:
          lamp-1:
            uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001
            title: Wall lamp
            features: { proxy: on }
            elements: { 0: { generic-onoff-server: { keys: [light], subscribe: [room-001] } } }

        """

    /// A folder whose network is built, and its export.
    private func built() throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.copy("devices.yaml", to: "sim/devices.yaml")
        try #require(fixture.run("init", "--network", "school").status == 0)
        try fixture.write(Self.definition, to: "school.yaml")
        let apply = fixture.run("apply", "--auto-approve", "--via", "simulator", "--devices", "sim/devices.yaml")
        try #require(apply.status == 0, "\(apply.combined)")
        let export = fixture.run("export", "--cdb", "out.json")
        #expect(export.output.hasPrefix("Exported 1 node, 1 provisioner, 1 subnet, 1 application key, 2 groups to"))
        #expect(fixture.run("validate").output.contains("1 node, 2 groups"))
        return fixture
    }

    @Test("imports the export beside the same definition, and has nothing to plan", arguments: [true, false])
    func imports(withNames: Bool) throws {
        let first = try built()
        let second = try CommandFixture()
        second.random = SplitMix64(seed: 43)
        try second.write(Self.definition, to: "school.yaml")
        var text = String(decoding: try #require(first.read("out.json")), as: UTF8.self)
        #expect(text.contains(#""name": "Class 1a""#) && text.contains(#""C001": "room-002""#), "\(text)")
        if !withNames {
            // As earlier versions exported, or a program that leaves out what it does not know.
            let start = try #require(text.firstRange(of: #/,\s*"meshplan": \{/#))
            text = String(text[..<start.lowerBound]) + "\n}\n"
        }
        try second.write(text, to: "out.json")
        try #require(second.run("init").status == 0)
        let lint = second.run("import", "--cdb", "out.json", "--lint")
        #expect(lint.status == 0 && !lint.output.contains("repair"), "\(lint.combined)")
        #expect(second.run("import", "--cdb", "out.json", "--lint", "--strict").status == 0)
        let imported = second.run("import", "--cdb", "out.json")
        #expect(imported.status == 0 && !imported.error.contains("Repaired"), "\(imported.combined)")
        #expect(imported.error.contains("the provisioner of this one is called meshplan-2"), "\(imported.combined)")
        #expect(imported.error.contains("share one database"))
        let plan = second.run("plan", "--detailed-exitcode")
        #expect(plan.status == 0, "\(plan.combined)")
        #expect(!second.run("doctor").output.contains("node-name-twice"))
        #expect(second.run("show").output.contains("room-002"))
    }

    @Test("gets the names back without the definition, too")
    func writes() throws {
        let fixture = try CommandFixture()
        fixture.random = SplitMix64(seed: 43)
        try fixture.put(try built().read("out.json"), to: "out.json")
        try #require(fixture.run("init").status == 0)
        let imported = fixture.run("import", "--cdb", "out.json", "--write-definition", ".")
        #expect(imported.status == 0, "\(imported.combined)")
        let written = String(decoding: fixture.read("school.yaml") ?? [], as: UTF8.self)
        for line in ["network: school", "title: Waldschule", "room-001:", "lamp-1:", "building:"] {
            #expect(written.contains(line), "\(line)")
        }
        #expect(written.contains("\"Class 1a\""), "\(written)")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }
}
