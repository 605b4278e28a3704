import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan watch")
struct WatchCommandTests {
    /// The house, where brian's light tells the bedroom every 10 s whether it is on.
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        var definition = String(decoding: try #require(fixture.read("house.yaml")), as: UTF8.self)
        definition +=
            "  - { node: brian, model: generic-onoff-server, to: bedroom, key: home-automation, ttl: 5, period: 10s }\n"
        try fixture.put(nil, to: "house.yaml")
        try fixture.write(definition, to: "house.yaml")
        let apply = fixture.run("apply", "--via", "simulator", "--auto-approve")
        try #require(apply.status == 0, "\(apply.combined)")
        return fixture
    }

    private let simulator = ["--via", "simulator"]

    @Test("shows what is published by period, with names and times, and counts it when --for is over")
    func period() throws {
        let fixture = try house()
        let result = fixture.run(["watch", "--for", "35s"] + simulator)
        #expect(result.status == 0, "\(result.combined)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count >= 3, "\(result.output)")
        let pattern = #/^\d\d:\d\d:\d\d  brian to group\.bedroom: generic-onoff-server onoff off$/#
        for line in lines.dropLast() { #expect(line.contains(pattern), "\(line)") }
        #expect(Set(lines.dropLast().map { $0.prefix(8) }).count == lines.count - 1, "time goes on")
        #expect(lines.last == "\(count(lines.count - 1, "message")) from 1 node in 35 s.")
        #expect(result.error.contains("Listening through ") && result.error.contains("Times are in UTC."))
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0, "watching is no change of the definition's")
    }

    @Test("writes one object a line, as get does")
    func json() throws {
        let fixture = try house()
        let result = fixture.run(["watch", "brian", "--for", "25s", "--json"] + simulator)
        #expect(result.status == 0, "\(result.combined)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.dropFirst().first?.hasPrefix(#"{"type":"listening","proxy":""#) == true, "\(result.output)")
        let states = lines.filter { $0.hasPrefix(#"{"type":"state""#) }
        let head =
            #"{"type":"state","node":"brian","element":0,"model":"generic-onoff-server","state":"onoff","value":false,"#
            + #""message":"generic-onoff-status","source":"0x"#
        #expect(!states.isEmpty && states.allSatisfy { $0.hasPrefix(head) }, "\(result.output)")
        #expect(states.allSatisfy { $0.contains(#","destination":"group.bedroom","time":"20"#) })
        #expect(lines.last == #"{"type":"end","messages":\#(states.count),"nodes":1,"duration_ms":25000}"#)
    }

    @Test(
        "shows only what is chosen",
        arguments: [
            ["brian"], ["brian/0"], ["group.bedroom"], ["bed=left"], ["--model", "generic-onoff-server"],
            ["mary", "group.bedroom"], ["bri*", "--model", "0x1000"],
        ]
    )
    func chosen(_ arguments: [String]) throws {
        let result = try house().run(["watch", "--for", "25s"] + arguments + simulator)
        #expect(result.status == 0 && result.output.contains(" brian to group.bedroom: "), "\(result.combined)")
    }

    @Test(
        "shows nothing of what is not chosen",
        arguments: [
            ["mary"], ["brian/1"], ["group.doorbell"], ["--model", "health-server"], ["brian", "--model", "0x1002"],
        ]
    )
    func notChosen(_ arguments: [String]) throws {
        let result = try house().run(["watch", "--for", "25s"] + arguments + simulator)
        guard result.status == 0 else {
            #expect(arguments == ["brian/1"] && result.error.contains("has no element 1"), "\(result.combined)")
            return
        }
        #expect(result.output == "0 messages in 25 s.\n", "\(result.combined)")
    }

    @Test("a switch that somebody presses is told, until Ctrl-C ends it with a count")
    func press() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let pressing = Flag()
        let simulator = SimulatorThread(beside: fixture, ["--listen", "unix:mesh.sock", "--speed", "20"]) {
            pressing.take() ? "press 27668C9732A345B561494865E288CBC2 0 on" : nil
        }
        try waitForSocket("mesh.sock", in: fixture)
        let seen = Flag()
        var interrupts = 0
        fixture.onText = { text in
            if text.hasPrefix("Listening through ") { pressing.set() }
            if text.contains("generic-onoff-client sets") { seen.set() }
        }
        fixture.interruptCount = {
            if seen.take() { interrupts = 1 }
            return interrupts
        }
        let result = fixture.run("watch", "--for", "60s", "--via", "unix:mesh.sock")
        _ = simulator.stop()
        #expect(result.status == 0, "\(result.combined)")
        let lines = result.output.split(separator: "\n")
        #expect(
            lines.contains { $0.hasSuffix("  push to group.doorbell: generic-onoff-client sets onoff on") },
            "\(result.combined)"
        )
        let end = #/^\d+ messages? from \d+ nodes? in \d+ s\.$/#
        #expect(lines.last?.contains(end) == true, "\(result.output)")
    }

    @Test(
        "says what is wrong before anything is connected to",
        arguments: [
            (["nobody"], "there is no node `nobody`"), (["group.nobody"], "there is no group `nobody`"),
            (["--model", "generic-onof-server"], "Did you mean `generic-onoff-server`?"),
            (["--for", "soon"], "A duration is a number with a unit"),
        ]
    )
    func mistakes(_ arguments: [String], text: String) throws {
        let result = try CommandFixture.house().run(["watch"] + arguments + ["--via", "unix:/nosuch"])
        #expect(result.status == 64 && result.error.contains(text), "\(result.error)")
        #expect(!result.error.contains("connect"))
    }

    @Test("a simulation in the process needs --for, since its time goes by at once")
    func needsTime() throws {
        let result = try CommandFixture.house().run(["watch"] + simulator)
        #expect(result.status == 64 && result.error.contains("Without --for, watch needs real time"))
    }
}
