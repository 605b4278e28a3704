import Foundation
import SystemLayer
import Testing

@testable import MeshplanCLI

/// A path for a file of a test, in a folder of its own.
func temporaryPath() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("meshplan-agent-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("agent.json").path
}

/// Writes a file for its owner alone.
func writePrivate(_ bytes: [UInt8], to path: String) throws { try AtomicFile.write(path, bytes) }

@Suite("The state of an agent")
struct AgentStateTests {
    private static func read(_ text: String, mode: UInt16 = 0o600) throws -> AgentState {
        let path = try temporaryPath()
        try AtomicFile.write(path, Array(text.utf8), mode: mode)
        return try AgentState.read(path, as: ".meshplan/agent.json")
    }

    @Test("no file is a new agent; members that a file lacks are as in one")
    func fresh() throws {
        #expect(try AgentState.read(temporaryPath(), as: "x") == AgentState())
        #expect(try Self.read(#"{"agent":1,"unknown":[1]}"#) == AgentState())
    }

    @Test(
        "nothing of a damaged or made up file is believed, and the way out is told",
        arguments: [
            "", "{", "[]", "{}", #"{"agent":2}"#, #"{"agent":"1"}"#, #"{"agent":1,"next_number":1e300}"#,
            #"{"agent":1,"networks":[]}"#, #"{"agent":1,"networks":{"hq":7}}"#,
            #"{"agent":1,"networks":{"hq":{"allowance":99999999999999999999}}}"#,
            #"{"agent":1,"networks":{"hq":{"allowance":9223372036854775807}}}"#,
            #"{"agent":1,"networks":{"hq":{"asked":{"a":"b"}}}}"#, #"{"agent":1,"networks":{"hq":{"used":"all"}}}"#,
            #"{"agent":1,"networks":{"hq":{"told_budget":1}}}"#,
            #"{"agent":1,"settings":{"tests_at":86400}}"#, #"{"agent":1,"settings":{"budget":0}}"#,
            #"{"agent":1,"settings":{"budget":1,"within":0}}"#, #"{"agent":1,"settings":7}"#,
            #"{"agent":1,"told_problem":\#n1}"#,
        ]
    )
    func hostile(_ text: String) throws {
        let failure = #expect(throws: Failure.self) { try Self.read(text) }
        #expect(failure?.status == .invalidInput)
        #expect(failure?.message.hasPrefix(".meshplan/agent.json is not the state of an agent: ") == true)
        #expect(failure?.hint?.contains("rm .meshplan/agent.json") == true)
    }

    @Test(
        "brackets in brackets are refused, however many",
        arguments: ["[", #"{"agent":1,"networks":{"hq":["#, #"{"a":"#]
    )
    func deep(_ start: String) throws {
        let text = start + String(repeating: start.last == ":" ? start : "[", count: 100_000)
        let failure = #expect(throws: Failure.self) { try Self.read(text) }
        #expect(failure?.message.contains("nested more than") == true, "\(failure?.message ?? "")")
    }

    @Test("what does not fit is named")
    func named() throws {
        let failure = #expect(throws: Failure.self) {
            try Self.read(#"{"agent":1,"networks":{"hq_1":{"told_budget":1}}}"#)
        }
        #expect(failure?.message.hasSuffix("networks.hq_1.toldBudget is something else than expected") == true)
    }

    @Test("a file that others can use is refused")
    func exposed() throws {
        #expect(throws: FileError.self) { try Self.read(#"{"agent":1}"#, mode: 0o644) }
    }

    @Test("the largest numbers that are believed make no trouble")
    func extremes() throws {
        let most = "4503599627370496"
        for sign in ["", "-"] {
            let number = sign + most
            let text = """
                {"agent":1,"next_number":\(number),"tested_day":\(number),
                "networks":{"hq":{"allowance":\(number),"accrued_at":\(number),"spent":\(number),"sampled_at":\(number),
                "plan_failures":\(number),"plan_at":\(number),"apply_failures":\(number),"apply_at":\(number),
                "asked":{"node-0":\(number)},"drift":{"node-0":\(number)}}}}
                """
            var settings = AgentSettings(applies: true, sampling: AgentSampling(), testsAt: 7_200)
            settings.lookEvery = 10
            var agent = SimulatedAgent(settings)
            agent.machine = AgentMachine(settings, try Self.read(text))
            agent.nodes = [AgentNode(uuid: "node-0", readAt: nil, airtime: 1_000)]
            agent.plan = .init(status: .locked)
            let start = agent.now
            agent.run(until: start + 86_400)
            #expect(agent.tests.count == 2 && agent.plans > 1)
            // However much the file says may be spent.
            #expect(agent.readings.values.joined().count <= 3)
        }
    }
}
