import DefinitionModel
import Testing

@testable import Definitions

@Suite("Tests in definitions")
struct TestsOfDefinitionTests {
    private static let building = """
        version: 1
        network: hq
        nodes:
          switch-1: { uuid: \(uuid(1)), tags: { room: hall } }
          lamp-1: { uuid: \(uuid(2)), tags: { room: hall } }

        """

    /// What is wrong with a test that has these steps, without the place and the hint.
    private func problems(_ steps: String) -> [String] {
        let files = sources([Self.building + "tests: { t: \(steps) }\n"])
        return DefinitionReader.read(files: files).diagnostics.map(\.message)
    }

    @Test("Every part of a test is read")
    func everything() throws {
        let (found, problems) = definitions(
            Self.building + """
                tests:
                  a switch lights the hall:
                    - press: switch-1/1 on
                      within: 300ms
                      expect:
                        - { nodes: { room: hall }, onoff: on, lightness: 40% }
                        - { nodes: lamp-*, element: 1, ctl: 3000K }
                      others: unchanged
                    - sense: lamp-1 present-ambient-light-level 100 lx
                    - sense: lamp-1 1
                    - fault: lamp-1 overheat
                    - set: group.hall lightness 40%
                    - power_off: all
                    - wait: 1m
                    - power_on: [lamp-1, switch-1]
                  without: { for_each: { without: relays }, steps: [{ press: switch-1 off }] }
                  without lamps: { for_each: { without: lamp-* }, steps: [{ expect: { nodes: all, on_power_up: restore } }] }
                """
        )
        #expect(problems == [])
        let tests = try #require(found.first).tests
        #expect(tests.map(\.name.value) == ["a switch lights the hall", "without", "without lamps"])
        let steps = tests[0].steps
        #expect(
            steps.map { step in step.action.map { "\($0.key) \($0.words ?? "")" } ?? "" } == [
                "press switch-1/1 on", "sense lamp-1 present-ambient-light-level 100 lx", "sense lamp-1 1",
                "fault lamp-1 overheat", "set group.hall lightness 40%", "power_off ", "wait 1m", "power_on ",
            ]
        )
        #expect(steps[0].within?.value == 300 && steps[0].keepsOthers && !steps[1].keepsOthers)
        #expect(steps[0].expectations.map(\.element?.value) == [nil, 1])
        #expect(steps[0].expectations[0].states.map(\.value.name) == ["onoff", "lightness"])
        #expect(tests[1].variation == .withoutRelay)
        guard case .without(let lamps) = tests[2].variation else {
            Issue.record("\(String(describing: tests[2].variation))")
            return
        }
        #expect(lamps.names?.map(\.value) == ["lamp-*"])
        #expect(tests[2].steps[0].expectations[0].states[0].value.name == "on-power-up")
    }

    @Test(
        "What makes no sense is said at its place",
        arguments: [
            ("[]", "the test has no step"),
            ("[{}]", "the step does nothing"),
            ("on", "a list of steps, or a mapping with steps is expected here, not a text"),
            ("{ for_each: { without: relays } }", "`steps` is missing"),
            ("{ for_each: {}, steps: [{ wait: 1s }] }", "`without` is missing"),
            ("[{ press: switch-1/0 }]", "a press is a switch, and on or off"),
            ("[{ press: switch-1/x on }]", "`switch-1/x` is not an element of a node"),
            ("[{ press: switch-2 on }]", "there is no node `switch-2`"),
            ("[{ sense: lamp-1 }]", "a measurement is a node and a value"),
            ("[{ fault: lamp-1 }]", "a fault is a node and the name of the fault"),
            ("[{ set: lamp-1 onoff }]", "what is set is a target, a state and a value"),
            ("[{ set: lamp-1 brightness 1 }]", "there is no state `brightness`"),
            ("[{ wait: 10 }]", "`10` has no unit"),
            ("[{ wait: 1s, press: switch-1 on }]", "a step does one thing, but here are `wait` and `press`"),
            (
                "[{ wait: 1s, within: 2s }]",
                "`within` says until when something must have happened, but nothing is expected"
            ),
            ("[{ press: switch-1 on, others: dark }]", "`dark` is not what others can be"),
            ("[{ expect: { onoff: on } }]", "`nodes` is missing"),
            ("[{ expect: { nodes: all } }]", "no state is expected"),
            ("[{ expect: { nodes: all, onof: on } }]", "there is no state `onof`"),
            (
                "[{ expect: { nodes: { room: kitchen }, onoff: on } }]",
                "no node has the tag `room` with the value `kitchen`"
            ),
            ("[{ power_off: lamp-9 }]", "there is no node `lamp-9`"),
            ("[{ clap: twice }]", "unknown key `clap`"),
        ]
    )
    func mistakes(_ steps: String, _ message: String) {
        let found = problems(steps)
        #expect(found.contains { $0.hasPrefix(message) }, "\(found)")
        #expect(found.count <= 2, "\(found)")
    }

    @Test("Values of states are checked against the catalogue")
    func values() {
        let found = problems("[{ expect: { nodes: all, lightness: 140%, onoff: maybe } }]")
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("lightness cannot be `140%`") == true, "\(found)")
    }

    @Test("Two tests of one name are an error, also in two files")
    func twice() {
        let test = "tests: { t: [{ wait: 1s }] }\n"
        #expect(
            diagnose(Self.building + test, test) == [
                "b.yaml:1:10: error: the test `t` is declared twice [a.yaml:6:10: first here]"
            ]
        )
    }

    @Test("A test without a name, and one with a line break in it, are refused")
    func names() {
        #expect(diagnose(Self.building + "tests: { \"\": [{ wait: 1s }], \"a\\nb\": [{ wait: 1s }] }\n").count == 2)
    }
}
