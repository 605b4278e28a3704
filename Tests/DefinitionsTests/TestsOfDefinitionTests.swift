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
                    - recall: 3 in group.hall
                      expect: { nodes: lamp-1, onoff: on, within: 2s }
                      others: [unchanged, silent]
                    - fault: lamp-1 overheat
                      expect: { nodes: lamp-1, faults: [overheat, 0x80], arrives: 1s, heartbeat: switch-1, hops: 3 }
                      others: silent
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
                "press switch-1/1 on", "recall 3 in group.hall", "fault lamp-1 overheat",
                "sense lamp-1 present-ambient-light-level 100 lx", "sense lamp-1 1", "fault lamp-1 overheat",
                "set group.hall lightness 40%", "power_off ", "wait 1m", "power_on ",
            ]
        )
        #expect(steps[0].within?.value == 300 && steps[0].keepsOthers && !steps[0].silencesOthers)
        #expect(steps[0].expectations.map(\.element?.value) == [nil, 1])
        #expect(steps[0].expectations[0].states.map(\.value.name) == ["onoff", "lightness"])
        #expect(steps[1].expectations[0].within?.value == 2_000)
        #expect(steps[1].keepsOthers && steps[1].silencesOthers && !steps[2].keepsOthers && steps[2].silencesOthers)
        #expect(steps[2].expectations[0].faults?.value == ["overheat", "0x80"])
        #expect(steps[2].expectations[0].arrives?.value == 1_000)
        #expect(steps[2].expectations[0].heartbeat?.value == "switch-1" && steps[2].expectations[0].hops?.value == 3)
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
            ("{ for_each: {}, steps: [{ wait: 1s }] }", "`for_each` does not say what the runs differ in"),
            ("{ for_each: { nodes: all }, steps: [{ wait: 1s }] }", "`nodes` belongs to `tag`"),
            (
                "{ for_each: { tag: room, without: relays }, steps: [{ wait: 1s }] }",
                "the runs of a test differ in one thing"
            ),
            ("{ for_each: { tag: rom }, steps: [{ wait: 1s }] }", "no node has the tag `rom`"),
            ("[{ press: switch-$(room) on }]", "`$(room)` stands for nothing here"),
            (
                "{ for_each: { tag: room }, steps: [{ power_off: { room: $(roon) } }] }",
                "`$(roon)` stands for nothing here"
            ),
            ("{ for_each: { tag: room }, steps: [{ press: switch-$(room) on }] }", "there is no node `switch-hall`"),
            ("{ for_each: { tag: room }, steps: [{ power_off: lamp-$(room) }] }", "there is no node `lamp-hall`"),
            (
                "{ for_each: { node: all }, steps: [{ power_off: { room: $(floor) } }] }",
                "`switch-1` has nothing for `$(floor)`"
            ),
            ("[{ recall: group.hall 3 }]", "what is recalled is a scene in a target"),
            ("[{ recall: 0 in group.hall }]", "`0` is not the number of a scene"),
            ("[{ recall: 1/2 in group.hall }]", "`1/2` is not the name of a scene"),
            ("[{ recall: evening in group.hall }]", "there is no scene `evening`"),
            (
                "{ for_each: { tag: room }, steps: [{ recall: $(room) in group.$(room) }] }",
                "there is no scene `hall`"
            ),
            (
                "[{ press: switch-1 on, expect: { nodes: all, faults: overheating } }]",
                "there is no fault `overheating`"
            ),
            ("[{ expect: { nodes: all, onoff: on, hops: 3 } }]", "`hops` is about a heartbeat, but none is expected"),
            (
                "[{ expect: { nodes: all, heartbeat: lamp-1, hops: 0 } }]",
                "`0` is out of range for a number of hops"
            ),
            ("[{ expect: { nodes: all, heartbeat: lamp-9 } }]", "there is no node `lamp-9`"),
            (
                "[{ expect: { nodes: provisioner, heartbeat: lamp-1, onoff: on } }]",
                "only heartbeats can be expected at the provisioner"
            ),
            (
                "[{ wait: 1s, expect: { nodes: all, arrives: 1s } }]",
                "`arrives` is about the message of a switch or sensor"
            ),
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
            ("[{ expect: { nodes: all } }]", "nothing is expected of the nodes"),
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

    @Test("Variables stand for another room or node in each run")
    func variables() throws {
        let (found, problems) = definitions(
            Self.building + """
                tests:
                  rooms:
                    for_each: { tag: room, nodes: switch-* }
                    steps:
                      - { set: group.$(room) onoff on, expect: { nodes: { room: $(room) }, onoff: on } }
                      - { recall: 3 in group.$(room) }
                  lamps:
                    for_each: { node: lamp-* }
                    steps: [{ fault: $(node) overheat, expect: { nodes: { room: $(room) }, faults: none } }]
                """
        )
        #expect(problems == [])
        let definition = try #require(found.first)
        let index = NodeSelectorIndex(definition.nodes)
        let bound = try definition.tests.map { test in
            let bindings = try #require(test.bindings(index, definition.nodes))
            return bindings.map { ("\($0.name) \($0.value)", $0.steps(test.steps)) }
        }
        #expect(bound.map { $0.map(\.0) } == [["room hall"], ["node lamp-1"]])
        #expect(
            bound.flatMap { $0.flatMap(\.1) }.map { $0.action?.words ?? "" } == [
                "group.hall onoff on", "3 in group.hall", "lamp-1 overheat",
            ]
        )
        #expect(bound[0][0].1[0].expectations[0].nodes.tags["room"]?.value == "hall")
        #expect(bound[1][0].1[0].expectations[0].nodes.tags["room"]?.value == "hall")
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
