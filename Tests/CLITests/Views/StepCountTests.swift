import Foundation
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("One count of steps and changes")
struct StepCountTests {
    /// A network to apply, with what apply needs besides.
    enum Site: String, CaseIterable {
        /// An imported network whose compositions are known.
        case house
        /// A network from nothing, whose plan grows when compositions are read.
        case office

        var options: [String] {
            let usual = ["--auto-approve", "--via", "simulator"]
            return switch self {
            case .house: usual
            case .office: usual + ["--devices", "devices/devices.yaml", "--secrets", "devices/secrets.csv"]
            }
        }

        func fixture() throws -> CommandFixture {
            switch self {
            case .house: return try .house()
            case .office:
                let fixture = try CommandFixture()
                let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent()
                for name in ["office.yaml", "devices"] {
                    try FileManager.default.copyItem(
                        at: root.appending(path: "examples/office/\(name)"),
                        to: fixture.folder.appending(path: name)
                    )
                }
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600],
                    ofItemAtPath: fixture.folder.appending(path: "devices/secrets.csv").path
                )
                try #require(fixture.run("init", "--network", "office").status == 0)
                return fixture
            }
        }
    }

    /// The lines of a command with `--json`.
    private static func lines(_ result: CommandFixture.Result) throws -> [JSONValue] {
        try result.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
    }

    private static func line(_ type: String, _ lines: [JSONValue]) throws -> JSONValue {
        try #require(lines.last { $0["type"]?.text == type })
    }

    private static func number(_ name: String, _ line: JSONValue) throws -> Int {
        guard case .number(let text)? = line[name] else {
            Issue.record("no number \(name) in \(line)")
            return -1
        }
        return try #require(Int(text))
    }

    /// The numbers before a word, as in “3 added”.
    private static func number(_ word: String, in text: Substring) -> Int {
        text.matches(of: #/([0-9]+) (\w+)/#).first { $0.2 == word }.flatMap { Int($0.1) } ?? 0
    }

    @Test("plan, bar, lines of nodes, recap, history and JSON agree", arguments: Site.allCases)
    func agreement(site: Site) throws {
        let fixture = try site.fixture()
        fixture.isTerminal = true
        let plan = try Self.line("plan_summary", Self.lines(fixture.run("plan", "--json")))
        let text = fixture.run(["apply"] + site.options)
        try #require(text.status == 0, "\(text.combined)")

        // The recap has the words of the plan.
        let done = try #require(text.output.firstMatch(of: #/\nDone: ([^.]+)\./#)).1
        let unlisted = text.output.firstMatch(of: #/did not list ([0-9]+) of these/#).flatMap { Int($0.1) } ?? 0
        #expect(unlisted == 0)
        var changes = 0
        for (planned, word) in [
            ("add", "added"), ("change", "changed"), ("remove", "removed"), ("forget", "forgotten"),
        ] {
            let count = try Self.number(planned, plan)
            changes += Self.number(word, in: done) - count
            #expect(Self.number(word, in: done) >= count, "\(word)")
        }
        #expect(changes == unlisted)

        // The recap, the bar at its end, and the lines of all nodes have the same steps.
        let steps = try #require(text.output.firstMatch(of: #/\nApplied ([0-9]+) steps\./#).flatMap { Int($0.1) })
        let bars = text.error.matches(of: #/([0-9]+) of ([0-9]+) steps/#)
        #expect(bars.contains { Int($0.1) == steps && Int($0.2) == steps })
        #expect(bars.allSatisfy { (Int($0.1) ?? .max) <= (Int($0.2) ?? 0) && (Int($0.2) ?? .max) <= steps })
        let nodes = text.output.matches(of: #/: done \(([0-9]+) steps?/#).compactMap { Int($0.1) }
        #expect(nodes.reduce(0, +) == steps)

        // So has the history.
        fixture.isTerminal = false
        let history = fixture.run("state", "history")
        #expect(history.output.contains("completed, \(steps) steps done "), "\(history.output)")
        let entry = try Self.line("history_entry", Self.lines(fixture.run("state", "history", "--json")))
        guard case .array(let runs)? = entry["runs"] else {
            Issue.record("no runs")
            return
        }
        #expect(try runs.map { try Self.number("succeeded", $0) } == [steps])

        // And JSON, of the same run in another folder.
        let lines = try Self.lines(site.fixture().run(["apply", "--json"] + site.options))
        let summary = try Self.line("summary", lines)
        for word in ["added", "changed", "removed", "forgotten"] {
            #expect(try Self.number(word, summary) == Self.number(word, in: done), "\(word)")
        }
        #expect(try Self.number("unlisted", summary) == unlisted)
        #expect(try Self.number("steps", summary) == steps)
        #expect(try Self.number("applied", summary) == steps)
        let progress = try Self.line("apply_progress", lines)
        #expect(try [Self.number("decided", progress), Self.number("total", progress)] == [steps, steps])
        let grown = try lines.filter { $0["type"]?.text == "plan_grown" }.map { try Self.number("steps", $0) }
        #expect(try Self.number("steps", Self.line("apply_start", lines)) + grown.reduce(0, +) == steps)
        let ends = lines.filter { $0["type"]?.text == "apply_complete" && $0["deferred"] == nil }
        #expect(ends.count { $0["edit"] == nil } == steps)
        #expect(ends.count { $0["edit"] != nil } == (try Self.number("edits", summary)))
    }

    @Test("each step of a run that is not complete is counted once, and what is not done is not told as done")
    func incomplete() throws {
        let fixture = try CommandFixture.house()
        let options = Site.house.options + ["--json", "--off", "mary"]
        let first = try Self.lines(fixture.run(["apply", "--fail", "brian=0x00:0x05"] + options))
        let summary = try Self.line("summary", first)
        let parts = try ["applied", "unchanged", "failed", "blocked", "not_started", "in_doubt"].map {
            try Self.number($0, summary)
        }
        #expect(try parts.reduce(0, +) == Self.number("steps", summary), "\(parts)")
        #expect(parts[0] > 0 && parts[2] == 1 && parts[3] == 1 && parts[5] == 1, "\(parts)")

        try #require(fixture.run(["apply", "--allow", "full-list"] + Site.house.options).status == 0)
        let guards = ["protected-node", "last-proxy", "last-relay", "group-in-use"].flatMap { ["--allow", $0] }
        let destroyed = fixture.run(["apply", "--destroy", "--off", "mary"] + guards + Site.house.options)
        #expect(destroyed.status == 4, "\(destroyed.combined)")
        let planned = try #require(destroyed.output.firstMatch(of: #/([0-9]+) to reset/#).flatMap { Int($0.1) })
        let done = try #require(destroyed.output.firstMatch(of: #/\nDone: ([^.]+)\./#)).1
        #expect(planned > 1 && Self.number("reset", in: done) == planned - 1, "\(done)")
    }
}
