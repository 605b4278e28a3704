import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Commands of a fleet that share a process")
struct FleetServingTests {
    /// What a server answers to these requests, and the folders that it has entered.
    private func serve(
        _ requests: [String],
        _ fixture: CommandFixture,
        memory: Int = 0,
        isOnce: Bool = false
    ) throws -> (answers: [FleetAnswer], folders: [String]) {
        var octets: [[UInt8]] = [Array((requests.joined(separator: "\n") + "\n").utf8)]
        // Requests come in pieces.
        if let all = octets.first, all.count > 8 { octets = [Array(all[..<7]), Array(all[7...])] }
        fixture.byteInput = ByteInput { _ in octets.isEmpty ? .end : .bytes(octets.removeFirst()) }
        var folders: [String] = []
        let result = fixture.run { context in
            var serving = FleetServing(context: context, isOnce: isOnce)
            serving.memory = { memory }
            serving.enter = { folder in
                folders.append(folder)
                return Files.kind(folder) == .folder ? nil : "no such folder"
            }
            serving()
        }
        #expect(result.error == "")
        let schema = try JSONSchema("meshplan-events.schema.json")
        let requests = requests.filter { $0.contains("fleet_") && !$0.contains(#""format":2"#) }
        for line in requests + result.output.split(separator: "\n").map(String.init) {
            #expect(try schema.mistakes(in: JSONParser.parse(Array(line.utf8))) == [], "\(line)")
        }
        let answers = result.output.split(separator: "\n").map { FleetAnswer(String($0)) }
        return (try answers.map { try #require($0) }, folders)
    }

    private func call(_ name: String, _ fixture: CommandFixture, _ more: [String] = []) -> FleetCall {
        var call = FleetCall(
            folder: fixture.folder.path + "/sites/" + name,
            arguments: ["plan", fixture.folder.path + "/shop.yaml", "--network", name, "--detailed-exitcode"] + more,
            environment: fixture.environment
        )
        call.environment["MESHPLAN_VAR_name"] = name
        call.environment["MESHPLAN_VAR_building"] = name == "graz-1" ? "1" : "3"
        return call
    }

    private func ends(_ answers: [FleetAnswer]) -> [FleetResult] {
        answers.compactMap { if case .ended(let result) = $0 { result } else { nil } }
    }

    @Test("Each gets what it gets in a process of its own: folder, environment, output, status")
    func same() throws {
        let fixture = try FleetCommandTests.shops()
        var calls = [call("graz-1", fixture), call("wien-1", fixture, ["--json"]), call("wien-1", fixture, ["--no"])]
        for (index, details) in [FleetCall.Details.text, .json, .text].enumerated() { calls[index].details = details }
        let (answers, folders) = try serve(calls.map(\.line), fixture)
        #expect(folders == calls.map(\.folder))
        var rest = answers[...]
        for call in calls {
            let own = CommandFixture(inSystemFolder: call.folder)
            own.environment = call.environment
            let alone = own.run(call.arguments)
            // Empty lines are none of a split text. Identifiers of plans are random.
            func comparable(_ text: String) -> Set<Substring> {
                let text = text.replacing(#/"plan":"[0-9a-f]{32}"/#, with: "").replacing(#/,"time":"[^"]*"/#, with: "")
                return Set(text.split(separator: "\n"))
            }
            var lines: [String] = []
            while case .line(let line)? = rest.first {
                lines.append(line)
                rest.removeFirst()
            }
            #expect(comparable(lines.joined(separator: "\n")) == comparable(alone.combined))
            let result = try #require(rest.popFirst().map { ends([$0]) }?.first)
            #expect(result.status.rawValue == alone.status && !result.isLast)
            if result.status == .changes {
                let digest = try #require(result.summary?.digest)
                #expect(alone.output.contains(digest), "whether it prints text or JSON, it tells the digest")
                #expect(result.text("plan") == "2 to provision, 8 to add, 1 to change, 8 to send")
                #expect(result.printed?["type"] == "plan_summary")
            } else {
                #expect(result.status == .usage && result.text("plan").contains("--no"), "\(result)")
            }
        }
        #expect(rest.isEmpty)
    }

    @Test("Without details nothing is answered but the end, which has the figures and the errors")
    func quiet() throws {
        let fixture = try FleetCommandTests.shops()
        var failing = call("wien-1", fixture, ["--json"])
        failing.environment["MESHPLAN_VAR_lamps"] = "none"
        let answers = try serve([call("graz-1", fixture, ["--json"]).line, failing.line], fixture).answers
        let ends = ends(answers)
        #expect(ends.count == answers.count && ends.map(\.status) == [.changes, .invalidInput])
        #expect(ends[0].summary?.changes == 11 && ends[0].problems == [])
        let problem = try #require(ends[1].problems.first)
        #expect(ends[1].problems.contains { $0.message.hasSuffix(": `none` is not a number") && $0.hint != nil })
        #expect(ends[1].text("plan") == problem.message)
    }

    @Test("What is no request, is of another version, or has no folder, is an error of that request only")
    func hostile() throws {
        let fixture = try FleetCommandTests.shops()
        let good = call("graz-1", fixture)
        var lost = good
        lost.folder = "/none"
        let later = good.line.replacing(#""format":1"#, with: #""format":2"#)
        let other = good.line.replacing("fleet_call", with: "fleet_wish")
        #expect(later != good.line && other != good.line)
        let requests = ["nonsense", "{}", #"{"arguments":7}"#, later, other, lost.line, good.line]
        let (answers, folders) = try serve(requests, fixture)
        #expect(folders == ["/none", good.folder])
        let ends = ends(answers)
        #expect(ends.map(\.status.rawValue) == [1, 1, 1, 1, 1, 1, 2])
        for result in ends[..<5] { #expect(result.text("plan").contains("does not understand the request")) }
        #expect(ends[5].text("plan") == "cannot work in /none: no such folder")
    }

    @Test("A call and an answer are the same behind the line; what another version answers is a failure or ignored")
    func lines() throws {
        let environment = ["MESHPLAN_VAR_aB": "1", "x_y": ""]
        var call = FleetCall(folder: "/a b", arguments: ["plan", "--", "ü\n"], environment: environment)
        call.details = .json
        let read = try #require(FleetCall(Array(call.line.utf8)))
        #expect(!call.line.contains("\n") && read.line == call.line && read.environment == call.environment)
        #expect(read.arguments == call.arguments && read.folder == call.folder && read.details == .json)

        #expect(FleetAnswer(FleetAnswer.text(of: "=2 \"x\" \u{301}")) == .line("=2 \"x\" \u{301}"))
        let report = CommandReport()
        report.note("it fails", hint: "Try.")
        report.summary = try JSONParser.parse(
            Array(#"{"type":"summary","failed":1,"pending":[{"node_uuid":"A"}],"new":{"x":[1]}}"#.utf8)
        )
        let line = FleetAnswer.text(4, report, isLast: true)
        let result = try #require(ends([FleetAnswer(line)].compactMap(\.self)).first)
        #expect(result.status == .partial && result.isLast && result.hasEnded)
        #expect(result.problems == report.problems && result.printed == report.summary)
        #expect(result.summary?.text("apply") == "1 failed, 1 node pending")

        for unknown in ["", "[]", "trap", #"{"type":"fleet_news","line":"x"}"#, #"{"line":"x"}"#] {
            #expect(FleetAnswer(unknown) == nil, "\(unknown)")
        }
        for (part, other) in [
            (#""format":1"#, #""format":2"#), (#""exit_code":4"#, #""exit_code":77"#), (#""exit_code":4,"#, ""),
            (#""failed":1"#, #""failed":"one""#),
        ] {
            let changed = line.replacing(part, with: other)
            #expect(changed != line)
            guard case .ended(let result)? = FleetAnswer(changed) else {
                Issue.record("\(changed)")
                continue
            }
            #expect(result.status == .failure && result.text("apply").contains("another version"))
        }
    }

    @Test("A process that has needed much memory, or is for one request, ends after it and takes no other")
    func memory() throws {
        let fixture = try FleetCommandTests.shops()
        let request = call("graz-1", fixture).line
        for (memory, isOnce) in [(1 << 40, false), (0, true)] {
            let (answers, folders) = try serve([request, request], fixture, memory: memory, isOnce: isOnce)
            #expect(folders.count == 1 && ends(answers).map(\.isLast) == [true])
        }
    }

    @Test("Plans that send nothing share a process; all other commands have one of their own")
    func choice() throws {
        let fixture = try FleetCommandTests.shops()
        var calls: [FleetCall] = []
        fixture.fleetWorkers = FleetWorkers { workers, context, next, tell in
            let noted = { () -> (number: Int, call: FleetCall)? in
                let call = next()
                if let call { calls.append(call.call) }
                return call
            }
            FleetWorkers.inThisProcess.run(workers, context, noted, tell)
        }
        func served(_ arguments: String...) -> Set<Bool> {
            calls = []
            _ = fixture.run(["fleet"] + arguments)
            return Set(calls.map(\.isShared))
        }
        #expect(served("plan") == [true])
        #expect(calls.count == 3)
        #expect(served("plan", "--json") == [true])
        #expect(served("plan", "--", "--refresh=all", "--via", "simulator") == [false])
        #expect(served("drift") == [false])
        #expect(served("apply", "--auto-approve", "--devices", "devices/all.yaml") == [true, false])
    }
}
