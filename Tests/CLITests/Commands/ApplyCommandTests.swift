import DefinitionModel
import Foundation
import MeshCore
import Store
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan apply")
struct ApplyCommandTests {
    @Test("carries a saved plan out without a question, and a plan after it is empty")
    func savedPlan() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("plan", "--out", "house.mplan")
        expectSnapshot(fixture.run("apply", "house.mplan", "--via", "simulator").transcript, "apply-saved.txt")
        let again = fixture.run("plan", "--detailed-exitcode")
        #expect(again.status == 0 && again.output.hasPrefix("No changes. The network matches the definition.\n"))
        #expect(fixture.run("sim", "status").output.hasSuffix("All agree with the mesh database.\n"))
        #expect(try fixture.mode(".meshplan/house.simulator") == 0o600)
    }

    @Test("says of a saved plan what it costs, and shows all of it when asked to")
    func savedPlanInFull() throws {
        let fixture = try CommandFixture.house()
        let planned = fixture.run("plan", "--full", "--radio", "ideal", "--out", "house.mplan")
        let other = CommandFixture(sharing: fixture)
        let full = fixture.run("apply", "house.mplan", "--via", "simulator", "--full")
        let shown = try #require(planned.output.firstRange(of: "\nSaved").map { planned.output[..<$0.lowerBound] })
        #expect(full.status == 0 && full.output.hasPrefix(shown))
        let refused = other.run("apply", "house.mplan", "--via", "simulator", "--json")
        #expect(refused.status == 7)
        let types = refused.output.split(separator: "\n").map { $0.prefix { $0 != "," } }
        #expect(
            types == [
                #"{"type":"version""#, #"{"type":"plan_summary""#, #"{"type":"diagnostic""#, #"{"type":"summary""#,
            ]
        )
    }

    @Test(
        "asks before it does anything; only yes is yes",
        arguments: [
            ("yes", Int32(0)), (" yes\r", 0), ("y", 8), ("Yes", 8), ("", 8), (nil, 8),
        ] as [(String?, Int32)]
    )
    func approval(answer: String?, status: Int32) throws {
        let fixture = try CommandFixture.house()
        fixture.isTerminal = true
        fixture.answers = [answer]
        let result = fixture.run("apply", "--via", "simulator")
        #expect(result.status == status && fixture.answers.isEmpty)
        #expect(result.error.contains("Do you want to perform these actions?"))
        #expect(fixture.run("plan", "--detailed-exitcode").status == (status == 0 ? 0 : 2))
    }

    @Test("on a terminal the question stands before the run and one line is rewritten with the progress")
    func terminal() throws {
        let fixture = try CommandFixture.house()
        fixture.isTerminal = true
        fixture.answers = ["yes"]
        let result = fixture.run("apply", "--via", "simulator")
        expectSnapshot(result.error.replacing("\r\u{1B}[K", with: "<rewrite>"), "apply-terminal.txt")
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test("without a terminal and without --auto-approve it ends with 8 instead of waiting")
    func nobodyToAsk() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("apply", "--via", "simulator")
        #expect(result.status == 8 && result.error.contains("standard input is not a terminal"))
    }

    @Test("says before it asks when only the database will change")
    func onlyDatabase() throws {
        let fixture = try CommandFixture()
        _ = fixture.run("init", "--network", "villa")
        try fixture.write("version: 1\nnetwork: villa\ngroups: { kitchen: {} }\n", to: "villa.yaml")
        fixture.isTerminal = true
        fixture.answers = ["yes"]
        let result = fixture.run("apply", "--via", "simulator")
        #expect(result.status == 0)
        #expect(result.error.contains("Only the mesh database will change; nothing will be sent."))
    }

    @Test("a plan that is out of date is refused as such even where nobody listens")
    func staleFirst() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("plan", "--out", "house.mplan")
        #expect(fixture.run("apply", "house.mplan", "--via", "unix:nobody.sock").status == 1)
        _ = fixture.run("apply", "--via", "simulator", "--auto-approve")
        let result = fixture.run("apply", "house.mplan", "--via", "unix:nobody.sock")
        #expect(
            result.status == 7 && result.error.hasPrefix("Error: the database has changed since the plan was made")
        )
    }

    @Test("with nothing to do it does not ask, and a bearer that is not there is an error all the same")
    func nothingToDo() throws {
        let fixture = try CommandFixture.house()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let result = fixture.run("apply", "--via", "unix:nobody.sock", "--listen", "0")
        #expect(result.status == 1 && result.output.hasPrefix("No changes."))
        #expect(result.error.hasPrefix("Error: cannot connect to unix:"))
        let listening = fixture.run("apply", "--via", "unix:nobody.sock")
        #expect(listening.status == 1 && listening.output == result.output)
        #expect(listening.error.hasPrefix("Listening 1.5s to 3s for nodes that were reset …\n"))
        #expect(
            listening.error.contains(
                "Nodes that were reset meanwhile cannot be detected, because no bearer can listen:"
            )
        )
    }

    @Test("writes events as lines of JSON and the summary last")
    func json() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("apply", "--via", "simulator", "--auto-approve", "--json")
        expectSnapshot(result.transcript, "apply.jsonl")
        let last = try #require(result.output.split(separator: "\n").last)
        #expect(last.hasPrefix(#"{"type":"summary","exit_code":0,"complete":true"#))
    }

    @Test("nodes that are off stay pending and refusals are explained; the next apply does the rest")
    func partial() throws {
        let fixture = try CommandFixture.house()
        let first = fixture.run(
            "apply",
            "--via",
            "simulator",
            "--auto-approve",
            "--off",
            "mary",
            "--fail",
            "brian=0x00:0x05"
        )
        #expect(first.status == 4)
        expectSnapshot(first.transcript, "apply-partial.txt")
        #expect(fixture.run("plan").output.contains("1 request of an earlier run may or may not have arrived"))
        // The database remembers that the node had no room for another key.
        expectSnapshot(fixture.run("plan").transcript, "plan-full-list.txt")
        let second = fixture.run("apply", "--via", "simulator", "--auto-approve", "--allow", "full-list")
        expectSnapshot(second.transcript, "apply-rest.txt")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("on a lossy radio over two hops it completes")
    func lossy() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run(
            "apply",
            "--via",
            "simulator",
            "--auto-approve",
            "--loss",
            "0.2",
            "--hops",
            "2",
            "--seed",
            "7"
        )
        #expect(result.status == 0 && result.output.contains("Apply complete."))
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("reads the whole database once, whether the plan is made, saved, confirmed, repeated or empty")
    func readings() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("plan", "--out", "house.mplan").status == 0)
        #expect(fixture.completeReadings == 1)
        #expect(fixture.run("apply", "house.mplan", "--via", "simulator").status == 0)
        #expect(fixture.completeReadings == 1)
        #expect(fixture.run(HistoryCommandTests.apply).status == 0)
        #expect(fixture.completeReadings == 1)
        try HistoryCommandTests.change(fixture)
        #expect(fixture.run(HistoryCommandTests.apply).status == 0)
        #expect(fixture.completeReadings == 1)
    }

    @Test("an interrupt ends with the recap and 130, and the next apply goes on")
    func interrupted() throws {
        let fixture = try CommandFixture.house()
        var calls = 0
        fixture.interruptCount = {
            calls += 1
            return calls > 6 ? 1 : 0
        }
        let result = fixture.run("apply", "--via", "simulator", "--auto-approve")
        #expect(result.status == 130)
        #expect(result.error.contains("Interrupted: waiting for the answers to what was sent."))
        #expect(result.output.contains("Interrupted.\n") && result.output.contains("Next: meshplan apply"))
        fixture.interruptCount = { 0 }
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test(
        "the last line of JSON sums up, also when an interrupt came before anything was sent",
        arguments: [0, 3, 6, 12]
    )
    func interruptedJSON(after limit: Int) throws {
        let fixture = try CommandFixture.house()
        var calls = 0
        fixture.interruptCount = {
            calls += 1
            return calls > limit ? 1 : 0
        }
        let result = fixture.run("apply", "--via", "simulator", "--auto-approve", "--json")
        #expect(result.status == 130, "\(result.combined)")
        let last = try #require(result.output.split(separator: "\n").last)
        #expect(last.contains(#""type":"summary""#) && last.contains(#""exit_code":130"#), "\(result.output)")
        #expect(last.contains(#""complete":false"#), "\(last)")
    }

    @Test(
        "the exit code of an interrupt tells the signal, as shells count",
        arguments: [(1, 129), (2, 130), (15, 143)]
    )
    func signals(_ signal: Int32, _ status: Int32) throws {
        let fixture = try CommandFixture.house()
        fixture.interruptSignal = signal
        var calls = 0
        fixture.interruptCount = {
            calls += 1
            return calls > 6 ? 1 : 0
        }
        let result = fixture.run("apply", "--via", "simulator", "--auto-approve")
        #expect(result.status == status && result.output.contains("Interrupted.\n"), "\(result)")
        // A command with nothing to interrupt ends as usual.
        #expect(fixture.run("show").status == 0)
    }

    @Test("an interrupt at the question does nothing")
    func interruptedQuestion() throws {
        let fixture = try CommandFixture.house()
        fixture.isTerminal = true
        fixture.answers = [nil]
        var calls = 0
        fixture.interruptCount = {
            calls += 1
            return calls > 1 ? 1 : 0
        }
        #expect(fixture.run("apply", "--via", "simulator").status == 130)
    }

    @Test("a plan is refused when the database has moved on, and when it was applied before")
    func stale() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("plan", "--out", "old.mplan")
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.write(definition.replacing("ttl: 4", with: "ttl: 6"), to: "house.yaml")
        _ = fixture.run("plan", "--out", "new.mplan")
        #expect(fixture.run("apply", "new.mplan", "--via", "simulator").status == 0)
        let old = fixture.run("apply", "old.mplan", "--via", "simulator")
        #expect(old.status == 7 && old.error.contains("the database has changed since the plan was made"))
        let again = fixture.run("apply", "new.mplan", "--via", "simulator")
        #expect(again.status == 7 && again.error.contains("the plan was applied before"))
        #expect(fixture.run("show", "old.mplan").error.contains("This plan is out of date"))
    }

    @Test("a plan file that is cut off, changed or of another database is refused with 65")
    func damaged() throws {
        let fixture = try CommandFixture.house()
        _ = fixture.run("plan", "--out", "house.mplan")
        let whole = try #require(fixture.read("house.mplan"))
        let again = "\n  Save the plan again with: meshplan plan --out FILE\n"
        let header = Array("meshplan plan 1 house\n".utf8)
        try #require(whole.starts(with: header))
        var cuts = [0: "is empty"]
        // Within the words of the first line, then within the name of the network and all of the rest.
        for length in 1..<header.count - "house\n".utf8.count { cuts[length] = "is cut off" }
        for length in [16, 17, 20, 21, 22, 23, 30, 40, 60, whole.count / 2, whole.count - 1] {
            cuts[length] = "is damaged or cut off"
        }
        for (length, complaint) in cuts.sorted(by: { $0.key < $1.key }) {
            let file = fixture.folder.appendingPathComponent("cut.mplan")
            try Data(whole.prefix(length)).write(to: file)
            let result = fixture.run("apply", "cut.mplan", "--via", "simulator")
            #expect(result.status == 65 && result.output == "", "cut to \(length)")
            #expect(result.error == "Error: the saved plan cut.mplan \(complaint)" + again, "cut to \(length)")
        }
        for place in stride(from: 0, to: whole.count, by: max(whole.count / 15, 1)) {
            var changed = whole
            changed[place] ^= 1
            try Data(changed).write(to: fixture.folder.appendingPathComponent("changed.mplan"))
            let status = fixture.run("apply", "changed.mplan", "--via", "simulator").status
            // With a changed name, the plan may be for a network without a database.
            #expect(status == 65 || status == 1, "changed at \(place)")
        }
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent(".meshplan/house.meshdb"))
        #expect(fixture.run("import", "--cdb", "network.json", "--accept-older").status == 0)
        let foreign = fixture.run("apply", "house.mplan", "--via", "simulator")
        #expect(foreign.status == 65 && foreign.error.contains("made with another database"))
    }

    @Test("while somebody else changes the database it ends with 6 and names them")
    func locked() throws {
        let fixture = try CommandFixture.house()
        let folder = fixture.folder.appendingPathComponent(".meshplan").path
        let key = try KeyFile.load(from: folder + "/key")
        let database = try MeshDatabase.open(at: folder + "/house.meshdb", key: key)
        let holder = LockHolder(
            user: "ann",
            host: "pi",
            process: 99,
            operation: "apply",
            since: Timestamp(rawValue: 0)
        )
        let lease = try database.lock(holder: holder)
        let result = fixture.run("apply", "--via", "simulator", "--auto-approve")
        #expect(result.status == 6)
        #expect(
            result.error.hasPrefix("Error: .meshplan/house.meshdb: is being changed by ann on pi, process 99, apply\n")
        )
        #expect(fixture.run("plan").status == 0)
        lease.release()
        #expect(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
    }

    @Test("an unreachable gateway is one clear message, and nothing is applied")
    func noGateway() throws {
        let fixture = try CommandFixture.house()
        let result = fixture.run("apply", "--via", "unix:nobody.sock", "--auto-approve")
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("Error: cannot connect to unix:") && result.error.contains("No such file"))
        #expect(result.error.contains("meshplan sim --listen"))
        #expect(fixture.run("plan", "--detailed-exitcode").status == 2)
    }

    @Test("a node that does not exist cannot be switched off")
    func unknownNode() throws {
        let result = try CommandFixture.house().run("apply", "--via", "simulator", "--auto-approve", "--off", "nobody")
        #expect(result.status == 64 && result.error.contains("there is no node `nobody` in the network"))
    }

    @Test(
        "keys come from files and the environment as the definition says",
        arguments: [
            ("00112233445566778899aabbccddeeff", Int32(0)), ("short", 4), (nil, 4),
        ] as [(String?, Int32)]
    )
    func keySources(text: String?, status: Int32) throws {
        let fixture = try CommandFixture.house()
        let definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("house.yaml"))
        try fixture.write(
            definition.replacing(
                "heating:         { subnet: home }",
                with: "heating: { subnet: home, key: { file: heating.key } }"
            ),
            to: "mesh/house.yaml"
        )
        if let text { try fixture.writePrivate(text + "\n", to: "mesh/heating.key") }
        let result = fixture.run("apply", "mesh", "--via", "simulator", "--auto-approve")
        #expect(result.status == status)
        #expect(!result.error.contains("short") && !result.output.contains("short"))
        if status != 0 { #expect(result.error.contains("mesh/heating.key")) }
    }
}
