import Foundation
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan diagnose")
struct DiagnoseCommandTests {
    private let via = ["--via", "simulator"]

    /// The house after an apply.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        let apply = fixture.run(["apply", "--auto-approve"] + via)
        try #require(apply.status == 0, "\(apply.combined)")
        return fixture
    }

    private func expectCause(_ cause: String, _ result: CommandFixture.Result, status: Int32 = 4) {
        #expect(result.status == status, "\(result.combined)")
        #expect(result.output.contains("Likely cause: \(cause)"), "\(result.combined)")
    }

    @Test("a node that answers is said to")
    func answers() throws {
        let result = try house().run(["diagnose", "mary"] + via)
        #expect(result.status == 0, "\(result.combined)")
        #expect(result.output.contains("asked with TTL 5: answers\nResult: mary answers.\n"), "\(result.output)")
    }

    @Test("a node without power: others answer, and it does not, from however far")
    func off() throws {
        let result = try house().run(["diagnose", "mary", "--off", "mary"] + via)
        expectCause("mary has no power, or is out of reach of every relay.", result)
        #expect(result.output.contains("asked with TTL 127: no answer"), "\(result.output)")
        #expect(result.output.contains(#/others of its subnets: [1-9]\d* of \d+ answer/#), "\(result.output)")
        let json = try house().run(["diagnose", "mary", "--off", "mary", "--json"] + via)
        #expect(json.output.contains(#""cause":"off""#), "\(json.output)")
        let schema = try JSONSchema("meshplan-events.schema.json")
        #expect(schema.definitions["event_diagnosis"] != nil)
    }

    @Test("a node that was reset is heard as a device")
    func reset() throws {
        let fixture = try house()
        try fixture.besides(["reset mary"])
        let result = fixture.run(["diagnose", "mary"] + via)
        expectCause("mary was reset, and waits to be provisioned.", result)
        #expect(result.output.contains("mary as a device without a network"), "\(result.output)")
    }

    @Test("no proxy in reach is the cause where all are off")
    func noProxy() throws {
        let fixture = try house()
        let names = ["Bell", "ceiling", "brian", "mary", "push", "switch", "Cat Flap", "bell"]
        let known = fixture.run("show").output
        let off = names.filter { known.contains($0) }.flatMap { ["--off", $0] }
        let result = fixture.run(["diagnose", "mary"] + off + via)
        expectCause("no proxy of the network is in reach.", result)
        #expect(result.output.contains("listening: heard no proxy of the network"), "\(result.output)")
    }
}
