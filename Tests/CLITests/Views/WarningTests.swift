import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

/// Warnings must not be missed, and an empty selection is more than a warning.
@Suite("Warnings and empty selectors on the command line")
struct WarningTests {
    /// The applied house, and a definition with a rule for an element without a key.
    private func house(_ change: (String) -> String) throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let text = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        let other = change(text)
        try #require(other != text)
        try fixture.write(other, to: "house.yaml")
        return fixture
    }

    @Test("a tag that nobody has is an error in validate, plan and apply, and nothing is sent")
    func emptySelector() throws {
        let fixture = try house { $0.replacing("nodes: { bed: left }", with: "nodes: { bad: left }") }
        for command in [["validate"], ["plan"], ["apply", "--via", "simulator", "--auto-approve"]] {
            let result = fixture.run(command)
            #expect(result.status == 65 && result.output.isEmpty, "\(command) \(result.output)")
            #expect(result.error.hasPrefix("house.yaml:42:84: error: no node has the tag `bad` with the value `left`"))
            #expect(result.error.contains("Did you mean `bed`?") && result.error.contains("allow_empty: true"))
        }
        let meant = try house {
            $0.replacing("nodes: { bed: left }", with: "nodes: { bad: left }, allow_empty: true")
        }
        let plan = meant.run("plan")
        #expect(plan.status == 0 && plan.error.isEmpty, "\(plan.error)")
        #expect(plan.output.contains(" to remove,") && !plan.output.contains(" 0 to remove,"), "\(plan.output)")
    }

    @Test("warnings stand below the plan once more, and --strict takes them for errors")
    func reminder() throws {
        let fixture = try house {
            $0.replacing("  bell:  ", with: "  twice: { uuid: 27668C97-32A3-45B5-6149-4865E288CBC9 }\n  bell:  ")
                .replacing("groups: [bedroom, good-night]", with: "groups: [bedroom, bedroom, good-night]")
        }
        let plan = fixture.run("plan")
        #expect(plan.status == 0, "\(plan.error)")
        #expect(plan.error.contains("warning: "), "\(plan.error)")
        let reminder = "1 warning, shown above with what can be done:\n  house.yaml:"
        #expect(plan.output.contains(reminder), "\(plan.output)")
        let summary = try #require(plan.output.range(of: "Plan: "))
        #expect(try #require(plan.output.range(of: reminder)).lowerBound > summary.lowerBound)
        let json = fixture.run("plan", "--json")
        #expect(!json.output.contains("shown above"))
        #expect(fixture.run("validate").status == 0)
        let strict = fixture.run("validate", "--strict")
        #expect(strict.status == 65 && strict.output.isEmpty)
        #expect(strict.error.contains("--strict treats the warning as an error"), "\(strict.error)")
        #expect(
            fixture.run("validate", "--strict", "--json").output.contains(#""valid":false,"errors":0,"warnings":1"#)
        )
        let sound = try CommandFixture.house()
        #expect(sound.run("validate", "--strict").status == 0)
        #expect(!sound.run("plan").output.contains("shown above"))
    }

    @Test("keys whose file or variable is not there are noted, and warned of where apply would need them")
    func missingSources() throws {
        let sources =
            "  spare: { subnet: home, key: { file: spare.key } }\n  other: { subnet: home, key: { env: OTHER } }\n"
        let fixture = try house {
            $0.replacing(
                "  heating:         { subnet: home }\n",
                with: "  heating:         { subnet: home }\n" + sources
            )
        }
        let validated = fixture.run("validate")
        #expect(validated.status == 0)
        #expect(
            validated.error.contains(
                "note: the key of application key `spare` comes from the file spare.key, which is not there; only apply needs it"
            )
        )
        #expect(validated.error.contains("from the variable OTHER, which is not set"))
        let plan = fixture.run("plan")
        #expect(plan.status == 0 && plan.output.contains("2 warnings, shown above"), "\(plan.output)")
        #expect(plan.error.contains("spare.key, which is not there: apply could not make it"))
        try fixture.writePrivate("00112233445566778899aabbccddeeff\n", to: "spare.key")
        fixture.environment["OTHER"] = "00112233445566778899aabbccddeefe"
        #expect(fixture.run("validate").error.isEmpty)
        #expect(!fixture.run("plan").output.contains("shown above"))
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        // The database has the keys now, so their sources no longer matter.
        fixture.environment["OTHER"] = nil
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("spare.key"))
        #expect(fixture.run("plan").error.isEmpty)
    }

    @Test("there is no going back to a serial that never was")
    func rollback() throws {
        let fixture = try HistoryCommandTests.changedHouse()
        let result = fixture.run("rollback", "--to", "99999")
        #expect(
            result.status == 64 && result.error.hasPrefix("Error: serial 99999 does not exist yet"),
            "\(result.error)"
        )
        #expect(fixture.run("rollback", "--to", "99999", "--write-definition", "old").status == 64)
    }

    @Test("modes of reprovision that exclude each other are named")
    func reprovision() throws {
        let fixture = try CommandFixture.house()
        let none = fixture.run("reprovision", "brian", "--via", "simulator")
        #expect(none.status == 64 && none.error.contains("one of --device-key, --address and --composition"))
        let two = fixture.run("reprovision", "brian", "--device-key", "--address", "--via", "simulator")
        #expect(two.status == 64 && two.error.contains("--device-key and --address exclude each other"), "\(two.error)")
        let others = fixture.run("reprovision", "brian", "--address", "--composition", "--via", "simulator")
        #expect(others.error.contains("--address and --composition exclude each other."), "\(others.error)")
    }

    @Test("nobody is left in a subnet only if that is allowed")
    func everybodyExcluded() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let names = ["switch", "ceiling", "brian", "mary", "push", "bell"]
        let command = ["keys", "refresh", "home", "--out", "new.mplan"] + names.flatMap { ["--exclude", $0] }
        let refused = fixture.run(command)
        #expect(refused.status == 5, "\(refused.output)\(refused.error)")
        #expect(refused.error.contains("nobody would be left in it"), "\(refused.error)")
        let pattern = fixture.run("keys", "refresh", "home", "--exclude", "b*", "--out", "new.mplan")
        #expect(pattern.status == 64 && pattern.error.contains("without patterns"))
    }
}
