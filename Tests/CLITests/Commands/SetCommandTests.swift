import Execution
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan set")
struct SetCommandTests {
    private func house() throws -> CommandFixture {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        return fixture
    }

    @Test("a node is as asked, and is so for the next command")
    func node() throws {
        let fixture = try house()
        let result = fixture.run("set", "brian", "onoff", "on", "--via", "simulator")
        #expect(result.status == 0 && result.output == "onoff on: 1 as asked.\n", "\(result.combined)")
        let state = fixture.run("get", "brian", "onoff", "--json", "--via", "simulator")
        let line =
            #"{"type":"state","node":"brian","element":0,"model":"generic-onoff-server","state":"onoff","value":true}"#
        #expect(state.status == 0 && state.output.contains(line), "\(state.combined)")
        #expect(fixture.run("plan", "--detailed-exitcode").status == 0)
    }

    @Test("a plan that was saved before is still good after nodes were operated")
    func planStays() throws {
        let fixture = try house()
        let text = try String(decoding: #require(fixture.read("house.yaml")), as: UTF8.self)
        try fixture.write(text.replacing("ttl: 4", with: "ttl: 6"), to: "house.yaml")
        try #require(fixture.run("plan", "--out", "q.mplan").status == 0)
        for command in [["set", "brian", "onoff", "on"], ["get", "brian", "onoff"]] {
            let result = fixture.run(command + ["--via", "simulator"])
            #expect(result.status == 0, "\(result.combined)")
        }
        let result = fixture.run("apply", "q.mplan", "--via", "simulator")
        #expect(result.status == 0 && result.output.contains("Apply complete"), "\(result.combined)")
    }

    @Test("a group is set as a whole, and a silent member is named")
    func group() throws {
        let fixture = try house()
        let result = fixture.run("set", "group.bedroom", "onoff", "on", "--via", "simulator")
        #expect(result.status == 0 && result.output.hasPrefix("onoff on: "), "\(result.combined)")
        let off = fixture.run("set", "group.bedroom", "onoff", "off", "--json", "--via", "simulator", "--off", "brian")
        #expect(off.status == 4)
        #expect(
            off.output.contains(
                #""node":"brian","element":0,"model":"generic-onoff-server","state":"onoff","result":"silent""#
            )
        )
    }

    @Test("the recap names who was repaired, as people count")
    func recap() {
        let some: [(title: String, outcome: StateSettingOutcome)] = [
            ("lamp-10", .repaired), ("lamp-1", .asAsked), ("lamp-2", .repaired), ("lamp-3", .unknown(.silent)),
        ]
        let lines = StateSettingView.recap("onoff on", some)
        #expect(lines == ["Repaired: lamp-2, lamp-10.", "onoff on: 1 as asked, 2 repaired, 1 silent."])
        let none = some.filter { $0.outcome != .repaired }
        #expect(StateSettingView.recap("onoff on", none) == ["onoff on: 1 as asked, 1 silent."])
        let many = (1...23).map { (title: "lamp-\($0)", outcome: StateSettingOutcome.repaired) }
        #expect(StateSettingView.recap("onoff on", many).first?.hasSuffix(", lamp-20 and 3 more.") == true)
    }

    @Test(
        "says what is wrong before anything is connected to",
        arguments: [
            (["mary", "onof", "on"], "Did you mean `onoff`?"), (["mary", "onoff", "maybe"], "onoff: "),
            (["mary", "battery", "3"], "battery can only be read"),
            (["nobody", "onoff", "on"], "there is no node `nobody`"),
            (["mary", "onoff", "on", "--delay", "2s"], "1275 ms at most"),
            (["mary", "attention", "5s", "--transition", "2s"], "without a transition"),
        ]
    )
    func mistakes(_ arguments: [String], text: String) throws {
        let result = try CommandFixture.house().run(["set"] + arguments + ["--via", "unix:/nosuch"])
        #expect(result.status == 64 && result.error.contains(text), "\(result.error)")
        #expect(!result.error.contains("connect"))
    }
}
