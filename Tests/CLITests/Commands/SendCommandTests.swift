import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan send")
struct SendCommandTests {
    private let via = ["--via", "simulator"]

    @Test("messages of the catalogue and octets are sent, and answers are shown with their fields")
    func messages() throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        let set = fixture.run(["send", "brian", "generic-onoff-server", "set", "onoff=on"] + via)
        #expect(set.status == 0 && set.output == "brian: generic-onoff-status onoff=on\n", "\(set.combined)")
        let octets = ["send", "brian", "0x1000", "--opcode", "0x8201", "--expect", "0x8204", "--json"]
        let get = fixture.run(octets + via)
        #expect(get.status == 0)
        #expect(
            get.output.contains(
                #"{"type":"message","node":"brian","element":0,"message":"generic-onoff-status","opcode":"0x8204","#
                    + #""parameters":"01","fields":{"onoff":"on"}}"#
            ),
            "\(get.output)"
        )
        let quiet = fixture.run(["send", "brian", "0x1000", "set-unacknowledged", "onoff=off"] + via)
        #expect(quiet.status == 0 && quiet.output == "Sent to 1 element; no answer is awaited.\n")
        #expect(fixture.run(octets + via).output.contains(#""parameters":"00""#))
        let posted = fixture.run(["send", "brian", "0x1000", "set-unacknowledged", "onoff=on", "--json"] + via)
        let sent = #"{"type":"sent","node":"brian","element":0}"#
        #expect(posted.output.hasSuffix("\n\(sent)\n"), "\(posted.output)")
        let silent = fixture.run(octets + ["--off", "brian"] + via)
        let line = #"{"type":"no_message","node":"brian","element":0,"reason":"no answer"}"#
        #expect(silent.status == 4 && silent.output.hasSuffix("\n\(line)\n"), "\(silent.output)")
    }

    @Test(
        "says what is wrong before anything is connected to",
        arguments: [
            (["brian", "0x1000"], "either the name of a message or --opcode"),
            (["brian", "0x1000", "set", "--parameters", "01"], "goes with --opcode"),
            (["brian", "0x1000", "--opcode", "0x7f"], "no opcode"),
            (["brian", "0x1000", "--opcode", "8201", "--parameters", "1"], "not hexadecimal"),
            (["brian", "generic-onof-server", "get"], "Did you mean `generic-onoff-server`?"),
            (["brian", "0x1000", "get", "--expect", "nothing"], "there is no message `nothing`"),
            (["brian", "0x1000", "set"], "the field onoff is missing"),
            (["brian", "0x1303", "get"], "nothing that is meant has the model light-ctl-server"),
            (["brian", "0x1000", "get", "--key", "nobody"], "there is no application key `nobody`"),
        ]
    )
    func mistakes(_ arguments: [String], text: String) throws {
        let result = try CommandFixture.house().run(["send"] + arguments + ["--via", "unix:/nosuch"])
        #expect(result.status == 64 && result.error.contains(text), "\(result.error)")
        #expect(!result.error.contains("connect"))
    }
}
