import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan keys refresh")
struct KeysCommandTests {
    /// The house with its definition applied.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        return fixture
    }

    @Test("shows the plan, asks, replaces the keys on all nodes, and leaves nothing to plan")
    func complete() throws {
        let fixture = try house()
        fixture.isTerminal = true
        fixture.answers = ["yes"]
        let result = fixture.run("keys", "refresh", "home", "--via", "simulator")
        #expect(result.status == 0, "\(result.output)\(result.error)")
        #expect(result.output.contains("new key alone"))
        #expect(result.output.contains("\nKey refresh complete.\n"), "\(result.output)")
        #expect(result.error.contains("Do you want to perform these actions?"))
        fixture.isTerminal = false
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
        #expect(fixture.run("sim", "status").output.hasSuffix("All agree with the mesh database.\n"))
    }

    @Test("says how to go on when a node does not answer, and goes on")
    func partial() throws {
        let fixture = try house()
        let command = ["keys", "refresh", "home", "--via", "simulator", "--auto-approve"]
        let first = fixture.run(command + ["--off", "mary"])
        #expect(first.status == 4, "\(first.output)\(first.error)")
        #expect(first.output.contains("Pending, because they do not answer:\n  mary"))
        #expect(first.output.contains(" will be tried again by the next key refresh\n"), "\(first.output)")
        #expect(first.output.contains("\nKey refresh is not complete.\n"))
        #expect(first.output.contains("meshplan keys refresh"))
        #expect(fixture.run("plan").output.contains("is not finished (phase 1"))
        let waited = fixture.run(command + ["--off", "mary", "--wait", "30s", "--json"])
        #expect(waited.status == 4 && waited.output.contains(#""type":"waiting""#))
        #expect(fixture.run(command).status == 0)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("goes on with a refresh that another tool began, and leaves a node out for good")
    func takenOver() throws {
        let fixture = try house()
        #expect(fixture.run("plan").output.contains("is not finished (phase 1, 2 of 2 nodes have the new key)"))
        let result = fixture.run(
            "keys",
            "refresh",
            "molly",
            "--via",
            "simulator",
            "--auto-approve",
            "--exclude",
            "mary"
        )
        #expect(result.status == 65 && result.error.contains("does not know subnet `molly`"))
        let unreached = fixture.run("keys", "refresh", "molly", "--via", "simulator", "--auto-approve", "--listen", "0")
        #expect(unreached.status == 4 && unreached.error.contains("no proxy of subnet molly is in reach"))
        let excluding = fixture.run(
            "keys",
            "refresh",
            "home",
            "--via",
            "simulator",
            "--auto-approve",
            "--exclude",
            "mary"
        )
        #expect(excluding.status == 0, "\(excluding.output)\(excluding.error)")
        #expect(excluding.output.contains("node.mary will be excluded"))
        let protected = fixture.run(
            "keys",
            "refresh",
            "home",
            "--via",
            "simulator",
            "--auto-approve",
            "--exclude",
            "bell"
        )
        #expect(protected.status == 5)
    }

    @Test("saves a plan that apply carries out without the definition")
    func saved() throws {
        let fixture = try house()
        #expect(fixture.run("keys", "refresh", "home", "--out", "keys.mplan").status == 0)
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("house.yaml"))
        let applied = fixture.run("apply", "keys.mplan", "--via", "simulator")
        #expect(applied.status == 0, "\(applied.output)\(applied.error)")
        #expect(fixture.run("apply", "keys.mplan", "--via", "simulator").status == 7)
    }

    @Test("refuses what it cannot know or do, with a way out")
    func errors() throws {
        let fixture = try house()
        #expect(fixture.run("keys", "refresh", "nowhere", "--via", "simulator").status == 64)
        #expect(fixture.run("keys", "refresh", "home", "--via", "simulator", "--exclude", "nobody").status == 64)
        #expect(fixture.run("keys", "refresh", "home", "--via", "simulator", "--out", "x.mplan").status == 64)
        let unattended = fixture.run("keys", "refresh", "home", "--via", "simulator")
        #expect(unattended.status == 8 && unattended.error.contains("--auto-approve"))
    }

    @Test("without --via the plan is shown and judged, and nothing is sent")
    func shown() throws {
        let fixture = try house()
        let before = fixture.run("show").output
        let plan = fixture.run("keys", "refresh", "home")
        #expect(plan.status == 0, "\(plan.error)")
        #expect(plan.output.contains("subnet.home"))
        #expect(plan.output.contains("\nNothing was sent. Carry it out with --via BEARER"), "\(plan.output)")
        #expect(fixture.run("show").output == before)
        #expect(fixture.run("keys", "refresh", "nowhere").error.hasPrefix("Error: there is no subnet `nowhere`"))
    }
}
