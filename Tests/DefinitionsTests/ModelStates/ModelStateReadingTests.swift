import Catalogue
import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("States of models: the language")
struct ModelStateReadingTests {
    /// The states of one model as a definition declares them: path and value for people, and the message that sets it.
    private func read(_ model: String, _ states: String, models: String = "") -> (lines: [String], problems: [String]) {
        let node = "nodes: { a: { uuid: \(uuid(1)), elements: { 0: { \(model): { states: \(states) } } } } }\n"
        let (definitions, problems) = definitions(head + models + node)
        let declared = definitions.first?.nodes.first?.settings.elements[0]?.models.first?.states?.value ?? []
        let lines = declared.map { setting in
            "\(setting.value.path) \(setting.value.text) \(Hexadecimal.encode(setting.value.state.setPayload))"
        }
        return (lines, problems)
    }

    @Test(
        "Values are written in natural units",
        arguments: [
            ("generic-power-onoff-server", "{ on_power_up: restore }", ["on_power_up restore 821302"]),
            ("generic-power-onoff-setup-server", "{ on-power-up: off }", ["on_power_up off 821300"]),
            (
                "light-lightness-server", "{ range: [5%, 100%], default: 80% }",
                ["range 5%, 100% 825bcd0cffff", "default 80% 8259cccc"]
            ),
            (
                "light-lightness-server", "{ lightness_range: { maximum: 100%, minimum: 5% } }",
                ["range 5%, 100% 825bcd0cffff"]
            ),
            ("light-lightness-server", "{ default: last }", ["default last 82590000"]),
            (
                "light-ctl-server", "{ temperature_range: [2700K, 6500K] }",
                ["temperature_range 2700K, 6500K 826b8c0a6419"]
            ),
            (
                "light-ctl-server", "{ default: { lightness: 50%, temperature: 3000K } }",
                ["default lightness 50%, temperature 3000K 82690080b80b0000"]
            ),
            (
                "light-ctl-server", "{ default: [50%, 3000 K] }",
                ["default lightness 50%, temperature 3000K 82690080b80b0000"]
            ),
            (
                "light-lc-server", "{ mode: on, properties: { light-control-time-run-on: 10m } }",
                ["mode on 829201", "properties.light-control-time-run-on 10min 623c00c02709"]
            ),
            (
                "light-lc-server", "{ light-control-time-run-on: 600s, light_control_lightness_on: 80% }",
                [
                    "properties.light-control-time-run-on 10min 623c00c02709",
                    "properties.light-control-lightness-on 80% 622e00cccc",
                ]
            ),
            (
                "generic-default-transition-time-server", "{ default_transition_time: 2s }",
                ["default_transition_time 2s 820e14"]
            ),
            ("health-server", "{ period: 3 }", ["period 3 803503"]),
            (
                "scheduler-server",
                "{ schedules: { 3: { hour: 19, minute: 30, weekdays: [monday, friday], action: off } } }",
                ["schedules.3 hour 19, minute 30, weekdays monday, friday, action off 60"]
            ),
            (
                "sensor-server",
                """
                { cadence: { present-ambient-light-level: { divisor: 4, delta_down: 10lx, delta_up: 20lx, \
                minimum_interval: 1s, fast_low: 0lx, fast_high: 100 lx } } }
                """,
                [
                    "cadences.present-ambient-light-level divisor 4, delta_down 10lx, delta_up 20lx, "
                        + "minimum_interval 1s, fast_low 0lx, fast_high 100lx 554e0004e80300d007000a000000102700"
                ]
            ),
            (
                "generic-user-property-server", "{ properties: { 0x1234: hex:00ff } }",
                ["properties.0x1234 hex:00ff 4c341200ff"]
            ),
        ] as [(String, String, [String])]
    )
    func natural(_ model: String, _ states: String, _ expected: [String]) {
        let (lines, problems) = read(model, states)
        #expect(problems == [])
        // Long messages are compared as far as the test tells them.
        #expect(lines.count == expected.count)
        for (line, start) in zip(lines, expected) {
            #expect(
                line == start || start.hasSuffix(" 60") && line.hasPrefix(start)
                    || start.hasSuffix(" 55") && line.hasPrefix(start),
                "\(line)"
            )
        }
    }

    @Test(
        "What is wrong with a state is said at its place, with how to mend it",
        arguments: [
            ("light-lightness-server", "{ rnage: [5%, 100%] }", "no state `rnage`", "did you mean `range`?"),
            (
                "light-lightness-server", "{ lightness: 5% }", "`lightness` does not last",
                "states of this model: default, range"
            ),
            (
                "light-lightness-server", "{ lightness_last: 5% }", "nothing sets it",
                "states of this model: default, range"
            ),
            (
                "light-lightness-server", "{ on_power_up: restore }", "no state `on_power_up`",
                "it is a state of generic-power-onoff-server"
            ),
            ("generic-onoff-server", "{ blink: 5% }", "no state `blink`", "no state of this model can be declared"),
            ("0x0059:0x0001", "{ blink: 5% }", "no state of 0x0059:0x0001 is known", "under `models:`"),
            ("light-lightness-server", "{ default: 120% }", "`120%` is out of range", "it goes from 0.002% to 100%"),
            ("light-lightness-server", "{ default: 80 }", "`80` has no unit", "write for example `80%`"),
            ("light-lightness-server", "{ default: 80K }", "`80K` has the wrong unit", "the unit is %"),
            ("light-lightness-server", "{ default: dim }", "`dim` is no value here", "for example `50%`"),
            (
                "light-lightness-server", "{ range: [100%, 5%] }", "the maximum 5% is below the minimum 100%",
                "[5%, 100%]"
            ),
            ("light-lightness-server", "{ range: [5%] }", "`maximum` is missing", "write for example `["),
            ("light-lightness-server", "{ range: [5%, 6%, 7%] }", "3 values stand here", "write for example `["),
            (
                "light-lightness-server", "{ range: 5% }", "a list or a mapping of fields is expected here",
                "write for example `["
            ),
            (
                "light-lightness-server", "{ range: { minimun: 5%, maximum: 9% } }", "there is no field `minimun` here",
                "did you mean `minimum`?"
            ),
            (
                "light-lightness-server", "{ range: [5%, 6%], lightness_range: [5%, 7%] }",
                "the state range is declared twice", ""
            ),
            (
                "light-lightness-server", "{ range: }", "a list or a mapping of fields is expected here, not nothing",
                "for example"
            ),
            ("light-lightness-server", "", "a mapping of states is expected here, not nothing", "write {} for none"),
            ("light-lightness-server", "[range]", "a mapping of states is expected here, not a list", ""),
            (
                "generic-power-onoff-server", "{ on_power_up: restored }", "`restored` is no value here",
                "did you mean `restore`? allowed here: default, off, restore"
            ),
            (
                "generic-default-transition-time-server", "{ default_transition_time: 65s 5ms }",
                "`65s 5ms` has the wrong unit", "in ms, s, min, h or d"
            ),
            (
                "generic-default-transition-time-server", "{ default_transition_time: 65s }",
                "messages cannot carry `65s`", "the nearest value is `70s`"
            ),
            (
                "light-lc-server", "{ properties: { light-control-time-runon: 10min } }",
                "no property `light-control-time-runon`", "did you mean `light-control-time-run-on`?"
            ),
            (
                "light-lc-server", "{ properties: { present-ambient-temperature: 21 } }",
                "is a property that this model refuses", "properties of this model: "
            ),
            (
                "light-lc-server", "{ properties: { light-control-time-run-on: 600 } }", "`600` has no unit",
                "write for example `10min`, in ms, s, min, h or d"
            ),
            (
                "light-lc-server", "{ properties: { light-control-time-run-on: 10lx } }", "has the wrong unit",
                "the unit is s"
            ),
            (
                "light-lc-server", "{ properties: { light-control-time-run-on: 10d } }", "`10d` is out of range",
                "to 16777.214s"
            ),
            (
                "light-lc-server", "{ properties: 10min }", "a mapping with a key for each property is expected here",
                "properties: { light-control-"
            ),
            ("scheduler-server", "{ schedules: { 16: { hour: 1 } } }", "`16` is out of range", "it goes from 0 to 15"),
            (
                "scheduler-server", "{ schedules: { 1: { hour: 1, action: on } } }", "`minute` is missing",
                "write for example `{ hour: "
            ),
            (
                "scheduler-server", "{ schedules: { 1: { hour: 1, minute: 0, action: on, weekdays: [munday] } } }",
                "`munday` is no value here", "did you mean `monday`?"
            ),
            (
                "generic-user-property-server", "{ properties: { 0x1234: 5 } }",
                "how the value of 0x1234 is written is not known", "hex:00ff"
            ),
            (
                "generic-user-property-server", "{ properties: { input-voltage-statistics: 230V } }",
                "the fields of input-voltage-statistics are expected here", "average_voltage_value"
            ),
        ] as [(String, String, String, String)]
    )
    func problems(_ model: String, _ states: String, _ message: String, _ hint: String) {
        let node = "nodes: { a: { uuid: \(uuid(1)), elements: { 0: { \"\(model)\": { states: \(states) } } } } }\n"
        let found = diagnose(head + node)
        #expect(found.count == 1, "\(found)")
        let line = found.first ?? ""
        #expect(line.hasPrefix("a.yaml:3:"), "\(line)")
        #expect(line.contains(message), "\(line)")
        #expect(line.contains(hint), "\(line)")
    }

    @Test("The column is that of the value, or of the name that is unknown")
    func columns() {
        func place(_ states: String) -> String? {
            diagnose(
                head
                    + "nodes:\n  a:\n    uuid: \(uuid(1))\n    elements:\n      0:\n        light-lightness-server:\n          states: \(states)\n"
            )
            .first.map { String($0.split(separator: " ")[0]) }
        }
        #expect(place("{ rnage: [5%, 100%] }") == "a.yaml:9:21:")
        #expect(place("{ range: [5%, 200%] }") == "a.yaml:9:33:")
    }

    @Test("A state stands once in an element, under the server or its setup server")
    func serverAndSetupServer() {
        let found = diagnose(
            head
                + "nodes: { a: { uuid: \(uuid(1)), elements: { 0: { light-lightness-server: { states: { default: 5% } }, "
                + "light-lightness-setup-server: { states: { default: 6% } } } } } }\n"
        )
        #expect(found.count == 1)
        #expect(found.first?.contains("the state default is declared twice in this element") == true, "\(found)")
        #expect(
            found.first?.contains("light-lightness-server and light-lightness-setup-server hold it together") == true
        )
    }

    @Test("Described states of vendor models can be declared")
    func vendorModel() {
        let models = """
            models:
              exit-light:
                company: 0x0059
                model: 0x0001
                types: { level: "u8 /2 [%] 0..200" }
                messages:
                  exit-get: { opcode: 0x01, answer: exit-status }
                  exit-set: { opcode: 0x02, answer: exit-status, fields: "level:level" }
                  exit-status: { opcode: 0x03, direction: status, fields: "level:level" }
                states:
                  exit-level: { get: exit-get, set: exit-set, lasting: true }
                  exit-now: { get: exit-get, set: exit-set }

            """
        let (lines, problems) = read("exit-light", "{ level: 80% }", models: models)
        #expect(problems == [])
        #expect(lines == ["level 80% c25900a0"])
        let (_, refused) = read("exit-light", "{ exit_now: 80% }", models: models)
        #expect(refused.first?.contains("`exit_now` does not last") == true, "\(refused)")
    }
}
