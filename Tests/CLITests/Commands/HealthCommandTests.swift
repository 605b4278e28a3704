import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan health")
struct HealthCommandTests {
    private let via = ["--via", "simulator"]

    @Test("faults are shown as words, cleared on request, and registered again by a test")
    func faults() throws {
        let fixture = try CommandFixture.measuredHouse()
        try fixture.besides(["fault Bell overheat", "fault Bell 0x81", "fault Door Bell battery-low-warning"])
        let all = fixture.run(["health"] + via)
        #expect(all.status == 0, "\(all.combined)")
        #expect(
            all.output == """
                NODE       ELEMENT  TEST  REGISTERED FAULTS                             PERIOD WITH FAULTS
                Bell             0     0  overheat-error, fault 0x81 of company 0x0007  unchanged
                Door Bell        0     0  battery-low-warning                           unchanged

                """,
            "\(all.output)"
        )
        #expect(all.error.contains("because each has no application key bound to its Health Server: "), "\(all.error)")
        #expect(all.error.split(separator: "\n").count { $0.hasPrefix("Warning: not asked") } == 1)
        let clear = fixture.run(["health", "Bell", "--clear", "--period-divisor", "4"] + via)
        #expect(clear.status == 0 && clear.error.isEmpty, "\(clear.combined)")
        let row = "Bell        0     0  none               overheat-error, fault 0x81 of company 0x0007  divided by 4\n"
        #expect(clear.output.hasSuffix(row), "\(clear.output)")
        let test = fixture.run(["health", "Bell", "--test", "3", "--json"] + via)
        #expect(test.status == 0)
        #expect(
            test.output.contains(
                #"{"type":"health","node":"Bell","element":0,"company":"0x0007","registered_faults":["#
                    + #"{"number":14,"name":"overheat-error"},{"number":129,"company":"0x0007"}],"test":3,"#
                    + #""period_divisor":4}"#
            ),
            "\(test.output)"
        )
    }

    @Test("attention is drawn; who does not answer is named, and the command ends with 4")
    func silence() throws {
        let fixture = try CommandFixture.measuredHouse()
        let drawn = fixture.run(["health", "Bell", "--attention", "10s"] + via)
        #expect(drawn.status == 0 && drawn.output.contains("ATTENTION"), "\(drawn.combined)")
        let off = fixture.run(["health", "*Bell", "--off", "Door Bell"] + via)
        #expect(off.status == 4)
        #expect(off.error.hasPrefix("Warning: no answer of Door Bell\n"), "\(off.error)")
        #expect(off.output.contains("Door Bell        0        (no answer)"), "\(off.output)")
        let json = fixture.run(["health", "*Bell", "--off", "Door Bell", "--json"] + via)
        #expect(
            json.output.contains(
                #"{"type":"health","node":"Door Bell","element":0,"company":"0x0007","reason":"no answer"}"#
            ),
            "\(json.output)"
        )
        let foreign = fixture.run(["health", "Bell", "--company", "0x1234"] + via)
        #expect(foreign.status == 4)
        #expect(foreign.error.hasPrefix("Warning: Bell says nothing of faults of company 0x1234\n"), "\(foreign.error)")
    }

    @Test("what acts on many of the nodes asks first, reading does not")
    func approval() throws {
        let fixture = try CommandFixture.measuredHouse(copies: 4)
        let refused = fixture.run(["health", "--clear"] + via)
        #expect(refused.status == 8 && refused.output.isEmpty, "\(refused.combined)")
        fixture.isTerminal = true
        fixture.answers = ["no"]
        let no = fixture.run(["health", "Bell*", "--test", "0"] + via)
        #expect(no.status == 8 && no.error.contains("Do so at 5 of the 12 nodes?"), "\(no.error)")
        #expect(no.error.contains("`Bell*` selects so many."))
        fixture.isTerminal = false
        let yes = fixture.run(["health", "--clear", "--auto-approve"] + via)
        #expect(yes.status == 0 && yes.output.contains("Bell 3"), "\(yes.combined)")
        #expect(fixture.run(["health", "Bell*"] + via).status == 0)
        #expect(fixture.run(["health", "Bell", "--clear"] + via).status == 0, "one node is what it is")
    }

    @Test(
        "says what is wrong before anything is connected to",
        arguments: [
            (["nobody"], 64, "there is no node `nobody`"),
            (["Bell", "--test", "256"], 64, "256"), (["Bell", "--attention", "300s"], 64, "255s at most"),
            (["Bell", "--attention", "1500ms"], 64, "whole seconds"),
            (["Bell", "--period-divisor", "3"], 64, "a power of 2"),
            (["Bell", "--company", "0xzz"], 64, "no number of a company"),
            (["Cat Flap"], 1, "Cat Flap has no application key bound to its Health Server"),
            (["Bell/1"], 64, "has no element 1"),
        ]
    )
    func mistakes(_ arguments: [String], status: Int, text: String) throws {
        let result = try CommandFixture.measuredHouse().run(["health"] + arguments + ["--via", "unix:/nosuch"])
        #expect(result.status == status && result.error.contains(text), "\(result.error)")
        #expect(!result.error.contains("connect"))
    }
}
