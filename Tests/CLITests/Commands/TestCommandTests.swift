import DefinitionModel
import Foundation
import Rehearsal
import Testing

@testable import MeshplanCLI

@Suite("meshplan test")
struct TestCommandTests {
    private static let building = """
        version: 1
        network: hq
        subnets: { building: { index: 0 } }
        application_keys: { lighting: { subnet: building } }
        groups: { hall: { address: 0xC000 } }
        profiles:
          lamp:
            features: { relay: on, proxy: on }
            elements: { 0: { generic-onoff-server: { keys: [lighting], subscribe: [hall] } } }
        nodes:
          lamp-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, profile: lamp }
          lamp-2: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, profile: lamp }
          switch-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0003, features: { relay: on } }
        publications:
          - { node: switch-1, model: generic-onoff-client, to: hall, key: lighting }

        """
    private static let tests = """
        tests:
          dark & bright:
            - { set: group.hall onoff on, within: 2s, expect: { nodes: lamp-*, onoff: on } }
            - { set: lamp-1 onoff off, within: 2s, expect: { nodes: lamp-1, onoff: off }, others: unchanged }
          somebody presses: [{ press: switch-1/0 on, within: 5s, expect: { nodes: lamp-*, onoff: on } }]
          somebody sees: [{ press: switch-1/0 on, expect: { nodes: lamp-1, arrives: 1s } }]
          without each: { for_each: { without: lamp-* }, steps: [{ wait: 1s }] }
          each lamp: { for_each: { node: lamp-* }, steps: [{ expect: { nodes: $(node), onoff: off } }] }

        """

    private func fixture(_ tests: String = Self.tests) throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.write(Self.building + tests, to: "hq.yaml")
        return fixture
    }

    /// The same with a mesh that is simulated and configured.
    private func mesh(_ tests: String = Self.tests, building: String = Self.building) throws -> CommandFixture {
        let fixture = try CommandFixture()
        try fixture.write(building + tests, to: "hq.yaml")
        try fixture.write(
            """
            products:
              thing:
                features: [relay, proxy]
                elements: [{ models: [configuration-server, generic-onoff-server, generic-onoff-client] }]
            devices:
              lamp-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0001, product: thing }
              lamp-2: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0002, product: thing }
              switch-1: { uuid: 0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0003, product: thing }

            """,
            to: "devices/devices.yaml"
        )
        try #require(fixture.run("init", "--network", "hq").status == 0)
        let arguments = ["apply", "--via", "simulator", "--devices", "devices/devices.yaml", "--auto-approve"]
        let applied = fixture.run(arguments)
        try #require(applied.status == 0, "\(applied.combined)")
        return fixture
    }

    @Test("an interrupt ends the tests with a summary of those that were played")
    func interrupted() throws {
        let tests = "tests:\n" + ["a", "b", "c"].map { "  \($0): [{ wait: 1s }]\n" }.joined()
        for format in [[], ["--json"]] {
            let fixture = try fixture(tests)
            var isPressed = false
            fixture.onText = { text in
                if text.contains(#""type":"test""#) || text.contains("ok    a") { isPressed = true }
            }
            fixture.interruptCount = { isPressed ? 1 : 0 }
            let result = fixture.run(["test"] + format)
            #expect(result.status == 130, "\(result.combined)")
            let last = result.output.split(separator: "\n").last ?? ""
            if format.isEmpty {
                #expect(last == "Tests, not all played: 1 passed, 0 failed.", "\(result.output)")
            } else {
                #expect(last.contains(#""passed":1,"failed":0,"skipped":0,"interrupted":true"#), "\(result.output)")
                #expect(last.contains(#""type":"summary""#))
            }
        }
    }

    @Test("says how often a test held under twenty chances, and counts right")
    func seeds() throws {
        let tests = "tests: { t: [{ press: switch-1/0 on, within: 300ms, expect: { nodes: lamp-*, onoff: on } }] }\n"
        let result = try fixture(tests).run("test", "--loss", "0.6", "--seeds", "20", "--json")
        #expect(result.status == 1, "\(result.combined)")
        let lines = result.output.split(separator: "\n")
        let failures = lines.count { $0.contains(#""type":"test_failure""#) }
        #expect((1..<20).contains(failures), "\(failures)")
        let summary = #""passed":false,"runs":20,"held":\#(20 - failures)"#
        #expect(lines.contains { $0.contains(summary) }, "\(result.output)")
        let text = try fixture(tests).run("test", "--loss", "0.6", "--seeds", "20")
        #expect(text.output.contains("FAIL  t (held in \(20 - failures) of 20 runs)"), "\(text.combined)")
        #expect(try fixture(tests).run("test", "--radio", "harsh", "--seeds", "3").output.contains("3 runs"))
    }

    @Test("plays on a mesh what needs no simulated hand, names the rest, and ends with 4")
    func via() throws {
        let fixture = try mesh()
        let result = fixture.run("test", "--via", "simulator", "--junit", "report.xml")
        #expect(result.status == 1, "\(result.combined)")
        #expect(result.output.hasPrefix("Testing network hq over simulator: 5 tests\n  ok    dark & bright"))
        #expect(
            result.output.contains(
                "  skip  somebody presses: somebody has to press on at switch-1, and nobody can be asked\n"
            ),
            "\(result.combined)"
        )
        #expect(result.output.contains("  skip  without each: it takes power from nodes\n"))
        // The first test left the second lamp lit.
        #expect(result.output.contains("  FAIL  each lamp (held in 1 of 2 runs)\n"))
        #expect(result.output.contains("lamp-2: onoff is on after 1s, not off\n"))
        // Nobody chooses the chances of a mesh.
        #expect(result.output.contains(": step 1, node lamp-2\n"), "\(result.output)")
        #expect(result.output.hasSuffix("Tests: 1 passed, 1 failed, 3 skipped.\n"), "\(result.output)")
        let report = String(decoding: try #require(fixture.read("report.xml")), as: UTF8.self)
        #expect(report.contains(#"tests="5" failures="1" errors="0" skipped="3""#), "\(report)")
        #expect(report.contains(#"<skipped message="it takes power from nodes"/>"#))
        let some = fixture.run("test", "--via", "simulator", "--only", "dark*", "--only", "without*")
        #expect(some.status == 4, "\(some.combined)")
        #expect(some.output.hasSuffix("Tests: 1 passed, 0 failed, 1 skipped.\n"), "\(some.combined)")
        #expect(fixture.run("test", "--via", "simulator", "--only", "dark*").status == 0)
    }

    @Test("hears on a mesh the heartbeats that reach the provisioner")
    func heartbeats() throws {
        let sending =
            "features: { relay: on, proxy: on }\n"
            + "    heartbeat: { publish: { to: provisioner, ttl: 5, period: 8s, count: infinite } }"
        let expected = "expect: { nodes: provisioner, heartbeat: lamp-2, within: 20s }"
        let silent = expected.replacing("lamp-2", with: "switch-1")
        let fixture = try mesh(
            "tests: { a: [{ set: lamp-1 onoff on, \(expected) }], b: [{ \(silent) }] }\n",
            building: Self.building.replacing("features: { relay: on, proxy: on }", with: sending)
        )
        let result = fixture.run("test", "--via", "simulator")
        #expect(result.status == 1 && result.output.contains("  ok    a"), "\(result.combined)")
        let problem = "provisioner: no heartbeat of switch-1 has arrived after 20s\n"
        #expect(result.output.contains(problem), "\(result.combined)")
    }

    @Test("asks somebody to press a switch of another process, and reads back what came of it")
    func press() throws {
        let fixture = try mesh()
        let pressing = Flag()
        let simulator = SimulatorThread(beside: fixture, ["--listen", "unix:mesh.sock", "--speed", "10"]) {
            pressing.take() ? "press 0D5C5A0E6F5B4F0EA1A50B1F1C1F0003 0 on" : nil
        }
        try waitForSocket("mesh.sock", in: fixture)
        fixture.isTerminal = true
        fixture.onText = { if $0.contains("Please press on at switch-1") { pressing.set() } }
        fixture.typed = [("Return here", "")]
        let result = fixture.run("test", "--via", "unix:mesh.sock", "--only", "somebody presses")
        #expect(result.status == 0, "\(result.combined)")
        #expect(result.output.contains("ok    somebody presses"), "\(result.combined)")
        fixture.typed = [("Return here", "s")]
        let skipped = fixture.run("test", "--via", "unix:mesh.sock", "--only", "somebody presses")
        _ = simulator.stop()
        #expect(skipped.status == 4 && skipped.output.contains("nobody did what was asked"), "\(skipped.combined)")
    }

    @Test(
        "says what does not go together before anything is read",
        arguments: [
            (["--via", "simulator", "--seeds", "3"], "--seeds cannot be combined with --via"),
            (["--via", "unix:x", "--loss", "0.1"], "--loss needs --via simulator"),
            (["--via", "unix:x", "--devices", "d.yaml"], "--devices needs --via simulator"),
            (["--adapter", "hci0"], "--adapter needs --via gatt"), (["--capture", "x"], "--capture needs --via"),
            (["--seeds", "0"], "--seeds takes 1 to 10000"),
        ]
    )
    func mistakes(_ arguments: [String], text: String) throws {
        let result = try fixture().run(["test"] + arguments)
        #expect(result.status == 64 && result.error.contains(text), "\(result.error)")
    }

    @Test("A report is what build servers read, whatever a test is called")
    func report() throws {
        let location = SourceLocation(file: 0, line: 3, column: 5)
        func test(_ name: String) -> TestDefinition { TestDefinition(name: Located(name, at: location), steps: []) }
        let failed = TestVariant(test: test("a < b & \"c\"\u{1}"))
        var outcome = TestOutcome(run: failed)
        let problem = TestFailure.Problem(node: "lamp-1", text: "onoff is off, not on", reason: "it is <dark>")
        outcome.failure = TestFailure(number: 1, step: TestStep(location: location), problems: [problem])
        let report = JUnitReport(
            network: "hq",
            results: [
                TestResult(test: failed.test, outcomes: [outcome], elapsed: .milliseconds(1_042)),
                TestResult(test: test("b"), skipped: "it takes power from nodes"),
                TestResult(test: test("c"), outcomes: [TestOutcome(run: TestVariant(test: test("c")))]),
            ],
            files: SourceFiles(files: [SourceFiles.File(path: "hq.yaml", bytes: [])])
        )
        #expect(
            report.text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites>
                  <testsuite name="hq" tests="3" failures="1" errors="0" skipped="1" time="1.042">
                    <testcase name="a &lt; b &amp; &quot;c&quot;\u{FFFD}" classname="hq" time="1.042">
                      <failure message="step 1 at hq.yaml:3; held in 0 of 1 runs">\
                lamp-1: onoff is off, not on (it is &lt;dark&gt;)</failure>
                    </testcase>
                    <testcase name="b" classname="hq" time="0.000">
                      <skipped message="it takes power from nodes"/>
                    </testcase>
                    <testcase name="c" classname="hq" time="0.000"/>
                  </testsuite>
                </testsuites>

                """
        )
    }
}
