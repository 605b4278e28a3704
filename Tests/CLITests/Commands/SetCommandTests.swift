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
