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

    /// Two networks in folders of their own below `site`, without nodes yet. The agent's own folder is the current one.
    private static func fleet() throws -> CommandFixture {
        let fixture = try CommandFixture()
        var devices =
            "products:\n  lamp: { features: [relay, proxy], elements: [{ models: [generic-onoff-server] }] }\ndevices:\n"
        for (number, name) in ["east", "west"].enumerated() {
            try fixture.write(building(name, number), to: "site/\(name)/building.yaml")
            devices += "  lamp-\(number): { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c0\(number)0001, product: lamp }\n"
            try #require(fixture.run("init", "--network", name).status == 0)
        }
        try fixture.write(devices, to: "devices/all.txt")
        return fixture
    }

    private let apply = ["agent", "site", "--once", "--apply", "--via", "simulator", "--devices", "devices/all.txt"]

    /// The digests that lines of text name, by network.
    private func digests(_ output: String) -> [String: String] {
        var digests: [String: String] = [:]
        for match in output.matches(of: #/(?m)^  (\w+) ([0-9a-f]{64})$/#) {
            digests[String(match.1)] = String(match.2)
        }
        return digests
    }

    private func nodes(_ fixture: CommandFixture) -> [String] {
        ["east", "west"].map { fixture.run("state", "list", "--network", $0).output }
    }

    @Test("a fleet is planned, waits, and is applied network by network as its digests are approved")
    func approvals() throws {
        let fixture = try Self.fleet()
        let before = nodes(fixture)
        let first = fixture.run("agent", "site", "--once", "--reports", "plans", "--metrics", "agent.prom")
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
        #expect(fixture.run("agent", "site", "--once").status == 2)
        let whole = fixture.run(apply + ["--approved", "elsewhere.txt"])
        #expect(whole.status == 0 && whole.output.hasSuffix("2 networks: 2 up to date.\n"), "\(whole.combined)")
    }

    @Test("lines of JSON are as the schema says, nodes are read back, and tests are played at night")
    func watching() throws {
        let fixture = try Self.fleet()
        let schema = try JSONSchema("meshplan-events.schema.json")
        let digests = digests(fixture.run("agent", "site", "--once").output)
        try fixture.write(digests.map { "\($0) \($1)\n" }.joined(), to: "approvals")
        try #require(fixture.run(apply).status == 0)
        let read = fixture.run("agent", "site", "--once", "--sample-drift", "--via", "simulator", "--json")
        #expect(read.status == 0, "\(read.combined)")
        #expect(read.output.contains(#""type":"agent_reading","network":"east","nodes":1,"exit_code":0,"read_back":1"#))
        #expect(
            !fixture.run("agent", "site", "--once", "--sample-drift", "--via", "simulator").output.contains("asked")
        )
        // A day later it is their turn again.
        fixture.now.rawValue += 90_000
        #expect(
            fixture.run("agent", "site", "--once", "--sample-drift", "--via", "simulator").output.contains(
                "west: 1 node asked"
            )
        )

        fixture.secondsAhead = 3_600
        #expect(fixture.run("agent", "site", "--once", "--tests-at", "02:00").status == 0)
        let text = Self.building("east", 0).replacing(", subscribe: [lamps]", with: "")
        try fixture.write(text, to: "site/east/building.yaml")
        fixture.now.rawValue += 14 * 3_600
        fixture.keepsTimes = true
        let tested = fixture.run("agent", "site", "--once", "--tests-at", "02:00", "--json")
        #expect(tested.output.contains(#""event":"tests_failed","number""#), "\(tested.combined)")
        #expect(tested.status == 1 && !tested.output.contains(#""west: tests failed"#))
        #expect(!fixture.run("agent", "site", "--once", "--tests-at", "02:00").output.contains("tests failed"))
        for line in (read.output + tested.output).split(separator: "\n") where line.contains("\"agent_") {
            guard line.contains("\"time\"") else { continue }
            for mistake in schema.mistakes(in: try JSONParser.parse(Array(line.utf8))) { Issue.record("\(mistake)") }
        }
    }

    @Test("its status is told from its files: plans, approvals that wait, drift, tests, and when they are played next")
    func status() throws {
        let fixture = try Self.fleet()
        let none = fixture.run("agent", "status")
        #expect(none.status == 1 && none.error.contains("no agent has worked in \(fixture.folder.path) yet"))
        #expect(none.error.contains("meshplan agent FOLDER --once") && fixture.read(".meshplan/agent.json") == nil)
        let digests = digests(fixture.run(apply).output)
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
        _ = fixture.run("agent", "site", "--once", "--sample-drift", "--via", "simulator", "--tests-at", "02:00")
        try fixture.write(Self.building("east", 0) + "nonsense: 1\n", to: "site/east/building.yaml")
        _ = fixture.run("agent", "site", "--once", "--sample-drift", "--via", "simulator", "--tests-at", "02:00")
        let later = fixture.run("agent", "status", "site", "--select", "network=west")
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
        let house = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.write(house, to: "site/house.yaml")
        try fixture.put(nil, to: "house.yaml")
        #expect(fixture.run("agent", "site", "--once").status == 0)
        let found = fixture.run("agent", "site", "--once", "--sample-drift", "--via", "simulator")
        #expect(found.status == 2 && found.output.contains("house: 3 values of 3 nodes drifted"), "\(found.combined)")
        #expect(found.output.contains("house: plan ready: "))
        fixture.now.rawValue += 90_000
        let again = fixture.run("agent", "site", "--once", "--sample-drift", "--via", "simulator")
        #expect(
            again.output.contains("6 nodes asked") && !again.output.contains("house: 3 values"),
            "\(again.combined)"
        )
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
            if pauses == 3 { try? fixture.write(more, to: "site/east/building.yaml") }
            if pauses == 5 { try? fixture.write("network: [", to: "site/west/building.yaml") }
        }
        let result = fixture.run("agent", "site", "--reports", "plans")
        #expect(result.status == 143 && pauses == 8)
        #expect(result.output.matches(of: #/east: plan ready/#).count == 2, "\(result.combined)")
        #expect(result.output.matches(of: #/west: plan ready/#).count == 1)
        // A file that names no network any more is none of the fleet.
        let again = fixture.run("agent", "site", "--once")
        #expect(!again.output.contains("plan ready"), "\(again.combined)")
    }

    @Test("a damaged state is refused, and a second agent in the folder, too")
    func refusals() throws {
        let fixture = try Self.fleet()
        #expect(fixture.run("agent", "site", "--once").status == 2)
        do {
            let path = fixture.folder.path + "/.meshplan/agent.lock"
            let lock = try #require(try AppendFile(lockingPath: path, as: "agent.lock"))
            let second = fixture.run("agent", "site", "--once")
            #expect(second.status == 6 && second.error.contains("another agent works in"), "\(second.combined)")
            withExtendedLifetime(lock) {}
        }
        try fixture.writePrivate(#"{"agent":1,"networks":{"east":{"allowance":"all"}}}"#, to: ".meshplan/agent.json")
        let damaged = fixture.run("agent", "site", "--once")
        #expect(damaged.status == 65 && damaged.error.contains("rm .meshplan/agent.json"), "\(damaged.error)")
        #expect(fixture.run("agent", "nowhere", "--once").status != 0)
        #expect(fixture.run("agent", "site", "--once", "--approved", "x").status == 64)
        let unreachable = fixture.run("agent", "site", "--once", "--apply")
        #expect(unreachable.status == 64 && unreachable.error.contains("--via"))
        try fixture.write("mine\n", to: "own/README.md")
        #expect(fixture.run("agent", "site", "--once", "--reports", "own").status == 1)
    }

    @Test("a network that cannot be planned has a report that says why, and the others go on")
    func invalid() throws {
        let fixture = try Self.fleet()
        try fixture.write(Self.building("west", 1) + "nodse: {}\n", to: "site/west/building.yaml")
        let result = fixture.run("agent", "site", "--once", "--reports", "plans")
        #expect(
            result.status == 65 && result.output.contains("west: cannot be planned: west/building.yaml:"),
            "\(result.combined)"
        )
        #expect(result.output.contains("east: plan ready"))
        let report = String(decoding: try #require(fixture.read("plans/west.plan.md")), as: UTF8.self)
        #expect(report.contains("> **It cannot be planned.** ") && report.contains("`nodse`"), "\(report)")
    }

    @Test("what others write is data: databases, keys, settings and ways in the folder have no effect, which is told")
    func zones() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.building("east", 0), to: "site/east.yaml")
        try fixture.write(
            """
            version: 1
            networks:
              east:
                folder: elsewhere
                via: tcp:127.0.0.1:1
                state: postgres://nobody@127.0.0.1:1/x
                key_file: /nowhere/key

            """,
            to: "site/fleet.yaml"
        )
        try fixture.write("via: tcp:127.0.0.1:1\ndevices: [nowhere.yaml]\n", to: "site/.meshplan.yaml")
        for name in ["key", "agent.json", "east.meshdb"] { try fixture.write("x", to: "site/.meshplan/\(name)") }
        try #require(fixture.run("init", "--network", "east").status == 0)
        try fixture.write(
            "products:\n  lamp: { features: [relay, proxy], elements: [{ models: [generic-onoff-server] }] }\ndevices:\n"
                + "  lamp: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c000001, product: lamp }\n",
            to: "devices.txt"
        )
        let first = fixture.run("agent", "site", "--once")
        #expect(first.status == 2 && first.output.contains("east: plan ready: 1 to provision"), "\(first.combined)")
        #expect(first.error.contains("effect on the agent has: .meshplan, .meshplan.yaml, fleet.yaml: key_file"))
        #expect(first.error.matches(of: #/effect on the agent/#).count == 1)
        let digest = try #require(digests(first.output)["east"])
        try fixture.write("east \(digest)\n", to: "approvals")
        // An approval in the folder counts as little.
        try fixture.write("east \(digest)\n", to: "site/approvals")
        let applied = fixture.run(
            "agent",
            "site",
            "--once",
            "--apply",
            "--via",
            "simulator",
            "--devices",
            "devices.txt"
        )
        #expect(applied.status == 0 && applied.output.contains("east: applied: 1 provisioned"), "\(applied.combined)")
        #expect(fixture.read("site/.meshplan/key") == Array("x".utf8) && fixture.read("site/elsewhere") == nil)
        #expect(fixture.read("meshplan.lock.yaml") != nil && fixture.read("site/meshplan.lock.yaml") == nil)
    }

    @Test("approvals that stand in the folder with definitions are none")
    func foreignApprovals() throws {
        let fixture = try Self.fleet()
        let digests = digests(fixture.run("agent", "site", "--once").output)
        try fixture.write(digests.map { "\($0) \($1)\n" }.joined(), to: "site/approvals")
        let result = fixture.run(apply)
        #expect(result.status == 2 && !result.output.contains("applied"), "\(result.combined)")
    }

    @Test("the agent's own folder is outside of the definitions, and nobody else can write into it")
    func ownFolder() throws {
        let fixture = try Self.fleet()
        for place in [["site", "--state-folder", "site"], ["site", "--state-folder", "site/own"], ["."]] {
            let result = fixture.run(["agent", "--once"] + place)
            #expect(result.status == 64 && result.error.contains("--state-folder"), "\(result.combined)")
        }
        let link = fixture.folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(
            at: link,
            withDestinationURL: fixture.folder.appendingPathComponent("site/east")
        )
        #expect(fixture.run("agent", "site", "--once", "--state-folder", "link").status == 64)
        #expect(fixture.read("site/east/.meshplan/agent.lock") == nil)
        // The variable that systemd sets.
        fixture.environment["STATE_DIRECTORY"] = fixture.folder.path + "/own"
        _ = fixture.run("agent", "site", "--once")
        #expect(fixture.read("own/.meshplan/agent.json") != nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: fixture.folder.path + "/own")
        let open = fixture.run("agent", "site", "--once")
        #expect(open.status == 1 && open.error.contains("chmod go-w"), "\(open.combined)")
    }

    @Test(
        "nothing outside of the folder is read: by links, by fleet.yaml, from devices",
        arguments: ["file", "folder", "fleet.yaml", "definition", "above", "device"]
    )
    func border(_ kind: String) throws {
        let fixture = try Self.fleet()
        try fixture.write(Self.building("secretp", 3), to: "elsewhere/outside.yaml")
        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: fixture.folder.path + "/site/" + name,
                withDestinationPath: target
            )
        }
        func list(_ definition: String) -> String {
            "version: 1\nnetworks: { secretp: { definition: \(definition) } }\n"
        }
        switch kind {
        case "file": try link("z.yaml", to: fixture.folder.path + "/elsewhere/outside.yaml")
        case "folder": try link("z", to: "../elsewhere")
        case "fleet.yaml":
            try fixture.write(list("east/building.yaml"), to: "elsewhere/fleet.yaml")
            try link("fleet.yaml", to: "../elsewhere/fleet.yaml")
        case "definition":
            try fixture.write(list(fixture.folder.path + "/elsewhere/outside.yaml"), to: "site/fleet.yaml")
        case "above": try fixture.write(list("../elsewhere/not-there.yaml"), to: "site/fleet.yaml")
        default: try link("fleet.yaml", to: "/dev/zero")
        }
        let result = fixture.run("agent", "site", "--once")
        #expect([1, 65].contains(result.status), "\(result.combined)")
        #expect(!result.output.contains("plan ready") && !result.output.contains("secretp:"), "\(result.combined)")
    }

    @Test("an agent that is started with another way plans again, and the approval of the other one is ignored")
    func otherWay() throws {
        let fixture = try Self.fleet()
        let elsewhere = ["agent", "site", "--once", "--apply", "--via", "unix:elsewhere"]
        let digest = try #require(digests(fixture.run(elsewhere).output)["west"])
        try fixture.write("west \(digest) Ada\n", to: "approvals")
        let moved = fixture.run(apply)
        #expect(moved.output.contains("west: plan ready") && moved.output.contains("west: waits for approval"))
        #expect(moved.output.contains("west: an approval is ignored: it is of no present plan"), "\(moved.combined)")
        #expect(!moved.combined.contains("cannot be applied"))
        let state = try AgentState.read(fixture.folder.path + "/.meshplan/agent.json", as: "agent.json")
        let planned = try #require(state.networks["west"]?.digest)
        #expect(planned != digest)
        try fixture.write("west \(planned) Ada\n", to: "approvals")
        #expect(fixture.run(apply).output.contains("west: applied"))
    }

    @Test("an approval is used once, also if the file is away for a while; other words approve anew")
    func usedOnce() throws {
        let fixture = try Self.fleet()
        let west = try #require(digests(fixture.run("agent", "site", "--once").output)["west"])
        try fixture.write("west \(west) Ada\n", to: "approvals")
        #expect(fixture.run(apply).output.contains("west: applied"))
        let state = try AgentState.read(fixture.folder.path + "/.meshplan/agent.json", as: "agent.json")
        #expect(state.networks["west"]?.used == [west, "\(west) Ada"])
        try fixture.put(nil, to: "approvals")
        _ = fixture.run(apply)
        let later = try AgentState.read(fixture.folder.path + "/.meshplan/agent.json", as: "agent.json")
        #expect(later.networks["west"]?.used == [west, "\(west) Ada"])
    }

    @Test("whatever a plan reads is watched: assignments, rows, and files of any name that definitions name")
    func everySource() throws {
        let fixture = try CommandFixture()
        let text = Self.building("east", 0).replacing("    uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c000001\n", with: "")
        try fixture.write(text, to: "site/east.yaml")
        try #require(fixture.run("init", "--network", "east").status == 0)
        var pauses = 0
        fixture.interruptSignal = 15
        fixture.interruptCount = { pauses >= 4 ? 1 : 0 }
        fixture.whilePausing = {
            pauses += 1
            guard pauses == 2 else { return }
            let own = CommandFixture(inSystemFolder: fixture.folder.path + "/site")
            let assigned = own.run("assign", "lamp", "0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c000001", "--network", "east")
            #expect(assigned.status == 0, "\(assigned.combined)")
        }
        let result = fixture.run("agent", "site")
        #expect(result.output.contains("1 to provision"), "\(result.combined)")
    }

    @Test("reports and messages keep names of files as they are, and show nothing of Swift")
    func words() throws {
        #expect("kitchen.yaml:4:66: nothing".asSentence == "kitchen.yaml:4:66: nothing.")
        #expect("east/a.yaml is wrong".asSentence == "east/a.yaml is wrong.")
        #expect("nothing is wrong".asSentence == "Nothing is wrong.")
        let fixture = try Self.fleet()
        try fixture.writePrivate(#"{"agent":1,"#, to: ".meshplan/agent.json")
        let damaged = fixture.run("agent", "site", "--once")
        #expect(damaged.status == 65 && damaged.error.contains("line 1"), "\(damaged.error)")
        #expect(!damaged.error.contains("JSONError") && !damaged.error.contains("kind:"))
    }

    @Test("an agent that cannot store what it knows says so once, sends nothing, and goes on when it can again")
    func fullDisk() throws {
        let fixture = try Self.fleet()
        let digests = digests(fixture.run("agent", "site", "--once").output)
        let place = fixture.folder.path + "/.meshplan/agent.json"
        var pauses = 0
        fixture.interruptSignal = 15
        fixture.interruptCount = { pauses >= 9 ? 1 : 0 }
        fixture.whilePausing = {
            pauses += 1
            switch pauses {
            case 1:
                // Nothing can take its place any more.
                try? FileManager.default.removeItem(atPath: place)
                try? FileManager.default.createDirectory(atPath: place + "/x", withIntermediateDirectories: true)
                let more = Self.building("east", 0).replacing("lamps: { address: 0xC000 }", with: "lamps: {}, hall: {}")
                try? fixture.write(more, to: "site/east/building.yaml")
                try? fixture.write(digests.map { "\($0) \($1)\n" }.joined(), to: "approvals")
            case 5:
                try? FileManager.default.removeItem(atPath: place)
            default: break
            }
        }
        let result = fixture.run(apply.filter { $0 != "--once" })
        #expect(result.error.matches(of: #/cannot store what it knows/#).count == 1, "\(result.combined)")
        #expect(result.output.matches(of: #/west: applied/#).count == 1, "\(result.combined)")
        #expect(pauses == 9 && fixture.read(".meshplan/agent.json") != nil)
    }
}
