import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan graph")
struct GraphCommandTests {
    @Test("draws who controls whom in the house, in each format")
    func formats() throws {
        let fixture = try CommandFixture.house()
        expectSnapshot(fixture.run("graph", "--format", "dot").transcript, "graph-house.dot")
        expectSnapshot(fixture.run("graph", "--format", "json").transcript, "graph-house.jsonl")
        #expect(fixture.run("graph").output.hasPrefix("<svg "))
        #expect(fixture.run("graph", "--format", "html").output.hasPrefix("<!DOCTYPE html>\n"))
        #expect(fixture.run("graph", "--format", "mermaid").output.hasPrefix("flowchart LR\n"))
    }

    @Test("marks what a saved plan does, and refuses a plan of another network")
    func plan() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("plan", "--out", "house.mplan").status == 0)
        let planned = fixture.run("graph", "--format", "json", "--plan", "house.mplan")
        #expect(planned.status == 0)
        #expect(planned.output.contains(#""mark":"added""#))
        #expect(!fixture.run("graph", "--format", "json").output.contains(#""mark":"added""#))
        let wrong = fixture.run("graph", "--plan", "house.yaml")
        #expect(wrong.status == 65)
        #expect(wrong.error.contains("house.yaml is not a saved plan"))
    }

    @Test("needs no database, and without a definition the database is enough")
    func alone() throws {
        let fixture = try CommandFixture()
        try fixture.copy("house.yaml")
        let drawn = fixture.run("graph", "--format", "json")
        #expect(drawn.status == 0)
        #expect(drawn.output.contains(#""mark":"missing""#))
        let house = try CommandFixture.house()
        #expect(house.run("graph", "--format", "json", "--fold", "none").output.contains(#""mark":"settled""#))
        try FileManager.default.removeItem(at: house.folder.appendingPathComponent("house.yaml"))
        let recorded = house.run("graph", "--format", "json")
        #expect(recorded.status == 0)
        #expect(recorded.output.contains(#""mark":"unmanaged""#))
    }

    @Test("a wrong definition is shown where it is wrong")
    func invalid() throws {
        let fixture = try CommandFixture.house()
        try fixture.write(
            "version: 1\nnetwork: house\nsubscriptions:\n  - { groups: [x], models: [generic-onoff-server] }\n",
            to: "house.yaml"
        )
        let result = fixture.run("graph")
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("house.yaml:4"))
    }
}
