import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("meshplan sensors")
struct SensorsCommandTests {
    private let via = ["--via", "simulator"]

    @Test("every property is shown with its unit, and in hexadecimal if nobody knows it")
    func values() throws {
        let fixture = try CommandFixture.measuredHouse()
        try fixture.besides(["sense Bell present-ambient-light-level 12.5 lx", "sense Bell 0x7abc hex:0102"])
        let table = fixture.run(["sensors"] + via)
        #expect(table.status == 0 && table.error.isEmpty, "\(table.combined)")
        #expect(
            table.output == """
                NODE  ELEMENT  PROPERTY                     VALUE
                Bell        0  present-ambient-light-level  12.5 lx
                Bell        0  0x7abc                       hex:0102

                """,
            "\(table.output)"
        )
        let json = fixture.run(["sensors", "Bell", "--json"] + via).output.split(separator: "\n").dropFirst()
        let head = #"{"type":"sensor","node":"Bell","element":0,"property":"#
        #expect(
            json.map(String.init) == [
                head + #""present-ambient-light-level","value":12.5,"unit":"lx"}"#,
                head + #""0x7abc","octets":"0102"}"#,
            ]
        )
    }

    @Test("the descriptor and the cadence are shown on request")
    func details() throws {
        let fixture = try CommandFixture.measuredHouse()
        let set = fixture.run(
            [
                "set", "Bell", "sensor-cadence", "property=presence-detected", "divisor=2", "trigger=value",
                "delta_down=true", "delta_up=true", "minimum_interval=1 s", "fast_low=true", "fast_high=true",
            ] + via
        )
        #expect(set.status == 0, "\(set.combined)")
        let table = fixture.run(["sensors", "Bell", "--descriptor", "--cadence"] + via)
        #expect(table.status == 0, "\(table.combined)")
        for column in ["TOLERANCE +", "TOLERANCE -", "SAMPLING", "MEASURED OVER", "UPDATED EVERY", "CADENCE"] {
            #expect(table.output.contains(column))
        }
        #expect(table.output.contains("unspecified") && table.output.contains("not-applicable"))
        #expect(table.output.contains("divisor=2 trigger=value delta_down=true"), "\(table.output)")
        let json = fixture.run(["sensors", "Bell", "--descriptor", "--cadence", "--json"] + via)
        #expect(
            json.output.contains(
                #""property":"presence-detected","value":false,"descriptor":{"positive_tolerance":"unspecified","#
            ),
            "\(json.output)"
        )
        #expect(json.output.contains(#""cadence":{"divisor":"2","trigger":"value","delta_down":"true","#))
    }

    @Test("who does not answer is named, and the command ends with 4")
    func silence() throws {
        let fixture = try CommandFixture.measuredHouse(copies: 1)
        let off = fixture.run(["sensors", "--off", "Bell"] + via)
        #expect(off.status == 4 && off.output.contains("(no answer)"), "\(off.combined)")
        #expect(off.error.hasPrefix("Warning: no answer of Bell\n"), "\(off.error)")
        let json = fixture.run(["sensors", "--off", "Bell", "--json"] + via)
        #expect(json.output.contains(#"{"type":"no_sensor","node":"Bell","element":0,"reason":"no answer"}"#))
    }

    @Test(
        "says what is wrong before anything is connected to",
        arguments: [
            (["nobody"], "there is no node `nobody`"),
            (["Door Bell"], "nothing that is meant has a sensor"),
        ]
    )
    func mistakes(_ arguments: [String], text: String) throws {
        let result = try CommandFixture.measuredHouse().run(["sensors"] + arguments + ["--via", "unix:/nosuch"])
        #expect(result.status == 64 && result.error.contains(text), "\(result.error)")
        #expect(!result.error.contains("connect"))
    }
}
