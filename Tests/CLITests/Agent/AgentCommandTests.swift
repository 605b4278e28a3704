import Foundation
import MeshCore
import SystemLayer
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan agent")
struct AgentCommandTests {
    private static func building(_ name: String, _ number: Int) -> String {
        """
        version: 1
        network: \(name)
        subnets: { all: { index: 0 } }
        application_keys: { lighting: { subnet: all } }
        groups: { lamps: { address: 0xC000 } }
        nodes:
          lamp:
            uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c0\(number)0001
            elements: { 0: { generic-onoff-server: { keys: [lighting], subscribe: [lamps] } } }
        tests:
          all of them: [{ set: group.lamps onoff on, within: 2s, expect: { nodes: lamp, onoff: on } }]

        """
    }

    /// Two networks in folders of their own, without nodes yet, and their devices.
    private static func fleet() throws -> CommandFixture {
        let fixture = try CommandFixture()
        var devices =
            "products:\n  lamp: { features: [relay, proxy], elements: [{ models: [generic-onoff-server] }] }\ndevices:\n"
        for (number, name) in ["east", "west"].enumerated() {
            try fixture.write(building(name, number), to: "\(name)/building.yaml")
            devices += "  lamp-\(number): { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c0\(number)0001, product: lamp }\n"
            try initialise(fixture.folder.path + "/" + name, name, fixture.environment)
        }
        // It is no definition, and no part of one.
        try fixture.write(devices, to: "devices/all.txt")
        return fixture
    }

    private static func initialise(_ folder: String, _ name: String, _ environment: [String: String]) throws {
        let own = CommandFixture(inSystemFolder: folder)
        own.environment = environment
        try #require(own.run("init", "--network", name).status == 0)
    }

    private let apply = ["agent", "--once", "--apply", "--via", "simulator", "--devices", "devices/all.txt"]

    /// The digests that lines of text name, by network.
    private func digests(_ output: String) -> [String: String] {
        var digests: [String: String] = [:]
        for match in output.matches(of: #/(?m)^  (\w+) ([0-9a-f]{64})$/#) {
            digests[String(match.1)] = String(match.2)
        }
        return digests
    }

    private func nodes(_ fixture: CommandFixture) -> [String] {
        fixture.run("fleet", "status", "--json").output.matches(of: #/"network":"(\w+)".*"nodes":(\d+)/#)
            .map { "\($0.1) \($0.2)" }
    }

    @Test("a fleet is planned, waits, and is applied network by network as its digests are approved")
    func approvals() throws {
        let fixture = try Self.fleet()
        let before = nodes(fixture)
        let first = fixture.run("agent", "--once", "--reports", "plans", "--metrics", "agent.prom")
        #expect(first.status == 2, "\(first.combined)")
        #expect(first.output.contains("east: plan ready: 1 to provision"))
        #expect(first.output.hasSuffix("2 networks: 2 with changes.\n"))
        let digests = digests(first.output)
        let (east, west) = (try #require(digests["east"]), try #require(digests["west"]))
        let list = String(decoding: try #require(fixture.read("plans/README.md")), as: UTF8.self)
        #expect(list.contains("| [east](east.plan.md) | changes | ") && list.contains("`west \(west)`"), "\(list)")
        #expect(fixture.read("plans/west.plan.md").map { String(decoding: $0, as: UTF8.self) }?.contains(west) == true)
        let metrics = String(decoding: try #require(fixture.read("agent.prom")), as: UTF8.self)
        #expect(metrics.contains(#"meshplan_agent_plan_exit_code{network="east"} 2"#), "\(metrics)")
        #expect(try fixture.mode(".meshplan/agent.json") == 0o600)

        // Nothing is approved, then the wrong plans are.
        let waiting = fixture.run(apply)
        #expect(waiting.status == 2 && waiting.output.contains("east: waits for approval"), "\(waiting.combined)")
        try fixture.write("east \(west) eve\nwest \(east)\nnorth \(east)\n", to: "approvals")
        let wrong = fixture.run(apply)
        #expect(wrong.status == 2 && wrong.output.contains("an approval is ignored: it is of no present plan"))
        #expect(wrong.output.contains("an approval names no network of the folder"))
        #expect(!fixture.run(apply).output.contains("ignored"), "told once")
        #expect(nodes(fixture) == before, "nothing was sent")

        try fixture.write("# after the review\nwest \(west) Ada\n", to: "approvals")
        let half = fixture.run(apply)
        #expect(half.status == 2 && half.output.contains("west: applied: 1 provisioned"), "\(half.combined)")
        #expect(half.output.hasSuffix("2 networks: 1 with changes, 1 up to date.\n"))
        #expect(!fixture.run(apply).output.contains("applied"))
        // Without the option, approvals mean nothing.
        try fixture.write("east \(east)\n", to: "elsewhere.txt")
        #expect(fixture.run("agent", "--once").status == 2)
        let whole = fixture.run(apply + ["--approved", "elsewhere.txt"])
        #expect(whole.status == 0 && whole.output.hasSuffix("2 networks: 2 up to date.\n"), "\(whole.combined)")
    }

    @Test("lines of JSON are as the schema says, nodes are read back, and tests are played at night")
    func watching() throws {
        let fixture = try Self.fleet()
        let schema = try JSONSchema("meshplan-events.schema.json")
        let digests = digests(fixture.run("agent", "--once").output)
        try fixture.write(digests.map { "\($0) \($1)\n" }.joined(), to: "approvals")
        try #require(fixture.run(apply).status == 0)
        let read = fixture.run("agent", "--once", "--sample-drift", "--via", "simulator", "--json")
        #expect(read.status == 0, "\(read.combined)")
        #expect(read.output.contains(#""type":"agent_reading","network":"east","nodes":1,"exit_code":0,"read_back":1"#))
        #expect(!fixture.run("agent", "--once", "--sample-drift", "--via", "simulator").output.contains("asked"))
        // A day later it is their turn again.
        fixture.now.rawValue += 90_000
        #expect(
            fixture.run("agent", "--once", "--sample-drift", "--via", "simulator").output.contains("west: 1 node asked")
        )

        fixture.secondsAhead = 3_600
        #expect(fixture.run("agent", "--once", "--tests-at", "02:00").status == 0)
        let text = Self.building("east", 0).replacing(", subscribe: [lamps]", with: "")
        try fixture.write(text, to: "east/building.yaml")
        fixture.now.rawValue += 14 * 3_600
        fixture.keepsTimes = true
        let tested = fixture.run("agent", "--once", "--tests-at", "02:00", "--json")
        #expect(tested.output.contains(#""event":"tests_failed","number""#), "\(tested.combined)")
        #expect(tested.status == 1 && !tested.output.contains(#""west: tests failed"#))
        #expect(!fixture.run("agent", "--once", "--tests-at", "02:00").output.contains("tests failed"))
        for line in (read.output + tested.output).split(separator: "\n") where line.contains("\"agent_") {
            guard line.contains("\"time\"") else { continue }
            for mistake in schema.mistakes(in: try JSONParser.parse(Array(line.utf8))) { Issue.record("\(mistake)") }
        }
    }

    @Test("its status is told from its files: plans, approvals that wait, drift, tests, and when they are played next")
    func status() throws {
        let fixture = try Self.fleet()
        let none = fixture.run("agent", "status")
        #expect(none.status == 1 && none.error.contains("no agent has worked in the current folder yet"))
        #expect(none.error.contains("meshplan agent --once") && fixture.read(".meshplan/agent.json") == nil)
        let digests = digests(fixture.run("agent", "--once", "--apply", "--via", "simulator").output)
        let (east, west) = (try #require(digests["east"]), try #require(digests["west"]))
        let stored = fixture.read(".meshplan/agent.json")
        let waiting = fixture.run("agent", "status")
        #expect(
            waiting.output == """
                Network  Planned               Plan       Read back  Drifted
                east     2026-11-18T11:06:40Z  7 changes  –                –
                west     2026-11-18T11:06:40Z  7 changes  –                –

                Waiting for approval:
                  east \(east)
                  west \(west)

                Approved plans are applied. Nodes are not read back. No tests are played.

                """,
            "\(waiting.combined)"
        )
        #expect(waiting.status == 0 && fixture.read(".meshplan/agent.json") == stored, "nothing is stored")

        try fixture.write("west \(west)\n", to: "approvals")
        try #require(fixture.run(apply).status == 2)
        fixture.secondsAhead = 3_600
        _ = fixture.run("agent", "--once", "--sample-drift", "--via", "simulator", "--tests-at", "02:00")
        try fixture.write(Self.building("east", 0) + "nonsense: 1\n", to: "east/building.yaml")
        _ = fixture.run("agent", "--once", "--sample-drift", "--via", "simulator", "--tests-at", "02:00")
        let later = fixture.run("agent", "status", "--select", "network=west")
        #expect(later.output.contains("west     2026-11-18T11:06:40Z  up to date  2026-11-18T11:06:40Z"))
        #expect(later.output.contains("0.5 % of the air"), "\(later.output)")
        // It is five past twelve local time.
        #expect(later.output.contains("The next tests\nbegin at 2026-11-19T01:00:00Z."), "\(later.output)")
        let json = fixture.run("agent", "status", "--json")
        let schema = try JSONSchema("meshplan-events.schema.json")
        let lines = try json.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
        for line in lines { #expect(schema.mistakes(in: line).isEmpty, "\(schema.mistakes(in: line))") }
        #expect(lines.map { $0["type"]?.text } == ["version", "agent_network", "agent_network", "agent_status"])
        #expect(lines.last?["next_tests"]?.text == "2026-11-19T01:00:00Z", "\(json.output)")
        #expect(lines[1]["problem"]?.text?.contains("cannot be planned") == true, "\(json.output)")
        #expect(lines[2]["read_back"]?.text == "2026-11-18T11:06:40Z")
    }

    @Test("drift that reading back finds is told once, and makes a new plan")
    func drift() throws {
        let fixture = try RefreshCommandTests().changedHouse(RefreshCommandTests.changes)
        try fixture.put(nil, to: "elsewhere/house.yaml")
        #expect(fixture.run("agent", "--once").status == 0)
        let found = fixture.run("agent", "--once", "--sample-drift", "--via", "simulator")
        #expect(found.status == 2 && found.output.contains("house: 3 values of 3 nodes drifted"), "\(found.combined)")
        #expect(found.output.contains("house: plan ready: "))
        fixture.now.rawValue += 90_000
        let again = fixture.run("agent", "--once", "--sample-drift", "--via", "simulator")
        #expect(
            again.output.contains("6 nodes asked") && !again.output.contains("house: 3 values"),
            "\(again.combined)"
        )
    }

    @Test("a program in the background ends by itself, and is waited for")
    func background() {
        let program = ProgramPool.Program(
            arguments: ["/bin/sh", "-c", "echo done; exit 3"],
            folder: "/",
            environment: [:]
        )
        let result = RunningProgram.inBackground(program).wait()
        #expect(result == ProgramResult(status: 3, output: ["done"]))
    }

    @Test("an agent that stays plans what changes, and ends by SIGTERM with what it knows stored")
    func staying() throws {
        let fixture = try Self.fleet()
        var pauses = 0
        fixture.interruptSignal = 15
        fixture.interruptCount = { pauses >= 8 ? 1 : 0 }
        fixture.whilePausing = {
            pauses += 1
            let more = Self.building("east", 0).replacing("lamps: { address: 0xC000 }", with: "lamps: {}, hall: {}")
            if pauses == 3 { try? fixture.write(more, to: "east/building.yaml") }
            if pauses == 5 { try? fixture.write("network: [", to: "west/building.yaml") }
        }
        let result = fixture.run("agent", "--reports", "plans")
        #expect(result.status == 143 && pauses == 8)
        #expect(result.output.matches(of: #/east: plan ready/#).count == 2, "\(result.combined)")
        #expect(result.output.matches(of: #/west: plan ready/#).count == 1)
        // A file that names no network any more is none of the fleet.
        let again = fixture.run("agent", "--once")
        #expect(!again.output.contains("plan ready"), "\(again.combined)")
    }

    @Test("events are posted without the address in a command line, and again if the receiver was away")
    func posting() throws {
        let fixture = try Self.fleet()
        let address = "https://chat.example/hooks/secret-42"
        var posted: [String] = []
        var answer: ProgramResult = ProgramResult(status: 22, errors: ["curl: (22) cannot reach \(address)"])
        fixture.runProgram = { program in
            #expect(
                !program.arguments.joined().contains("secret-42") && program.arguments.contains { $0.contains("curl") }
            )
            let input = program.environment["CURL_CONFIGURATION"] ?? ""
            #expect(input.hasPrefix("url = \"\(address)\"\n"))
            if answer.isDone { posted.append(input) }
            return answer
        }
        fixture.environment["MESHPLAN_WEBHOOK"] = address
        let failed = fixture.run("agent", "--once")
        #expect(
            failed.status == 2 && failed.error.contains("event 1 could not be posted: curl: (22)"),
            "\(failed.error)"
        )
        #expect(!failed.combined.contains("secret-42") && posted.isEmpty)
        answer = ProgramResult(status: 0)
        _ = fixture.run("agent", "--once")
        _ = fixture.run("agent", "--once")
        #expect(posted.count == 2)
        #expect(posted.first?.contains(#"\"event\":\"plan_ready\",\"number\":1,\"network\":\"east\""#) == true)
        #expect(
            String(decoding: try #require(fixture.read(".meshplan/agent.json")), as: UTF8.self).contains("secret")
                == false
        )
        // From a file it has to be private, and an address.
        fixture.environment["MESHPLAN_WEBHOOK"] = nil
        try fixture.write(address + "\n", to: "hook")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.folder.path + "/hook")
        #expect(fixture.run("agent", "--once", "--webhook-file", "hook").status == 1)
        try fixture.writePrivate("ftp://x\n", to: "hook")
        #expect(fixture.run("agent", "--once", "--webhook-file", "hook").status == 65)
        try fixture.writePrivate("https://x\" -o /etc/passwd\n", to: "hook")
        #expect(fixture.run("agent", "--once", "--webhook-file", "hook").status == 65)
    }

    @Test("a damaged state is refused, and a second agent in the folder, too")
    func refusals() throws {
        let fixture = try Self.fleet()
        #expect(fixture.run("agent", "--once").status == 2)
        do {
            let path = fixture.folder.path + "/.meshplan/agent.lock"
            let lock = try #require(try AppendFile(lockingPath: path, as: "agent.lock"))
            let second = fixture.run("agent", "--once")
            #expect(second.status == 6 && second.error.contains("another agent works in ."), "\(second.combined)")
            withExtendedLifetime(lock) {}
        }
        try fixture.writePrivate(#"{"agent":1,"networks":{"east":{"allowance":"all"}}}"#, to: ".meshplan/agent.json")
        let damaged = fixture.run("agent", "--once")
        #expect(damaged.status == 65 && damaged.error.contains("rm .meshplan/agent.json"), "\(damaged.error)")
        #expect(fixture.run("agent", "nowhere", "--once").status != 0)
        #expect(fixture.run("agent", "--once", "--approved", "x").status == 64)
        let unreachable = fixture.run("agent", "--once", "--apply")
        #expect(unreachable.status == 64 && unreachable.error.contains("nothing says how to reach the network east"))
        try fixture.write("mine\n", to: "own/README.md")
        #expect(fixture.run("agent", "--once", "--reports", "own").status == 1)
    }

    @Test("a network that cannot be planned has a report that says why, and the others go on")
    func invalid() throws {
        let fixture = try Self.fleet()
        try fixture.write(Self.building("west", 1) + "nodse: {}\n", to: "west/building.yaml")
        let result = fixture.run("agent", "--once", "--reports", "plans")
        #expect(
            result.status == 65 && result.output.contains("west: cannot be planned: building.yaml:"),
            "\(result.combined)"
        )
        #expect(result.output.contains("east: plan ready"))
        let report = String(decoding: try #require(fixture.read("plans/west.plan.md")), as: UTF8.self)
        #expect(report.contains("> **It cannot be planned.** ") && report.contains("`nodse`"), "\(report)")
    }

    @Test("a repository is followed in a clone of the agent's own, and somebody's own work is left alone")
    func repository() throws {
        let fixture = try CommandFixture()
        fixture.runProgram = { ProgramResult.of($0, Interrupts(arm: {}, count: { 0 })) }
        fixture.environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
        fixture.environment["HOME"] = fixture.folder.path
        func git(_ line: String) throws {
            let author = "-c user.name=t -c user.email=t@example -c init.defaultBranch=main"
            let script = "cd '\(fixture.folder.path)/origin' && git \(author) \(line)"
            try #require(try SpawnedProcess.run(["/bin/sh", "-c", script]).ending.status == 0)
        }
        try fixture.write(Self.building("east", 0), to: "origin/building.yaml")
        try git("init -q && git checkout -q -b main")
        try git("add -A")
        try git("commit -q -m one")
        let agent = ["agent", "site", "--git", fixture.folder.path + "/origin", "--once"]
        let first = fixture.run(agent)
        #expect(first.status == 1 && first.output.contains("east: cannot be planned: there is no"), "\(first.combined)")
        try Self.initialise(fixture.folder.path + "/site", "east", fixture.environment)
        #expect(fixture.run(agent).output.contains("east: plan ready: 1 to provision"))
        let changed = Self.building("east", 0).replacing("lamps: { address: 0xC000 }", with: "lamps: {}, hall: {}")
        try fixture.write(changed, to: "origin/building.yaml")
        #expect(!fixture.run(agent).output.contains("plan ready"), "not committed yet")
        try git("commit -q -a -m two")
        #expect(fixture.run(agent).output.contains("east: plan ready"))
        #expect(fixture.read("site/.meshplan/key") != nil)

        let gone = fixture.run("agent", "site", "--git", fixture.folder.path + "/secret-42", "--once")
        #expect(gone.status == 1 && gone.error.contains("git fetch fails") && !gone.error.contains("secret-42"))
        let own = fixture.run("agent", "origin", "--git", fixture.folder.path + "/origin", "--once")
        #expect(own.status == 1 && own.error.contains("a clone that somebody works in"), "\(own.combined)")
        #expect(fixture.run("agent", "site", "--git", "--upload-pack=x", "--once").status == 64)
    }
}
