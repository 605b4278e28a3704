import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Scalars are typed by their field")
struct ScalarTests {
    private func nodeProblems(_ field: String) -> [String] {
        diagnose(head + "nodes:\n  a: { uuid: \(uuid(1)), \(field) }\n").map { $0.replacing("a.yaml:4:", with: "") }
    }

    @Test(
        "Addresses need 0x, in quotes or not",
        arguments: [
            ("0016", "`0016` is not an address (write addresses with 0x: 0x0016)"),
            ("16", "`16` is not an address (write addresses with 0x: 0x0016, or 0x0010 for decimal 16)"),
            ("'16'", "`16` is not an address (write addresses with 0x: 0x0016, or 0x0010 for decimal 16)"),
            ("c000", "`c000` is not an address (write addresses with 0x: 0xC000)"),
            ("49152", "`49152` is not an address (write addresses as hexadecimal: 0xC000)"),
            ("0x", "`0x` is not an address (write it like 0x0010)"),
            ("0x00010", "`0x00010` is not an address (write it like 0x0010)"),
            ("0x-1", "`0x-1` is not an address (write it like 0x0010)"),
            ("5:30", "`5:30` is not an address (write it like 0x0010)"),
            ("0x0000", "0x0000 is not a unicast address (nodes have addresses from 0x0001 to 0x7FFF)"),
            ("0x8000", "0x8000 is not a unicast address (nodes have addresses from 0x0001 to 0x7FFF)"),
            ("", "a unicast address is expected here, not nothing"),
            ("null", "a unicast address is expected here, not nothing"),
            ("{}", "a unicast address is expected here, not a mapping"),
        ]
    )
    func addresses(_ text: String, _ expected: String) {
        #expect(nodeProblems("address: \(text)") == ["\(text.isEmpty ? 58 : 57): error: \(expected)"])
    }

    @Test("Right addresses in all their spellings", arguments: [("0x0010", 16), ("0X7fff", 0x7FFF), ("\"0x1\"", 1)])
    func rightAddresses(_ text: String, _ value: Int) {
        let (definitions, problems) = definitions(head + "nodes: { a: { uuid: \(uuid(1)), address: \(text) } }\n")
        #expect(problems == [])
        #expect(definitions.first?.nodes.first?.address.map { Int($0.value.rawValue) } == value)
    }

    @Test(
        "Group addresses lie where groups lie",
        arguments: [
            ("0xFF00", "0xFF00 and above are fixed groups, such as all-proxies; groups have 0xC000 to 0xFEFF"),
            ("0x8001", "virtual addresses follow from a label: write `label:` and 32 hexadecimal digits"),
            ("0x0001", "groups have addresses from 0xC000 to 0xFEFF"),
        ]
    )
    func groupAddresses(_ text: String, _ hint: String) {
        #expect(
            diagnose(head + "groups: { a: { address: \(text) } }\n") == [
                "a.yaml:3:25: error: \(text) cannot be the address of a group (\(hint))"
            ]
        )
    }

    @Test(
        "Wrong settings are refused with what is possible",
        arguments: [
            ("ttl: 1", "the default TTL cannot be 1 (it can be 0 or 2 to 127)"),
            ("ttl: 128", "`128` is out of range for a TTL (it can be 0 to 127)"),
            ("ttl: 0010", "`0010` has leading zeros (write 10)"),
            ("ttl: 0x5", "`0x5` is not a TTL (write a number from 0 to 127)"),
            ("ttl: -1", "`-1` is not a TTL (write a number from 0 to 127)"),
            ("ttl: 99999999999999999999", "`99999999999999999999` is out of range for a TTL (it can be 0 to 127)"),
            ("protect: maybe", "`maybe` is neither on nor off (write on or off (also true, yes, false, no))"),
            ("protect: ON", "`ON` is neither on nor off (write on or off (also true, yes, false, no))"),
            (
                "on_remove: rest",
                "`rest` is not a removal policy (did you mean `reset`? write one of: forget, reset)"
            ),
            (
                "profile: a b",
                "`a b` is not a name (names are letters, digits, `.`, `_` and `-`, and start with a letter or digit)"
            ),
            ("subnets: x", "a list of subnets is expected here, not a text (write it in brackets: [ … ])"),
            ("subnets: ", "a list of subnets is expected here, not nothing (write [] for none)"),
            ("tags: { a: 'x*' }", "the value of a tag cannot hold `*` (`*` stands for anything in selectors)"),
            ("elements: { 255: {} }", "`255` is out of range for an element index (it can be 0 to 254)"),
            ("network_transmit: { interval: 20ms }", "`count` is missing (`network_transmit` needs it)"),
            ("network_transmit: { count: 0 }", "`0` is out of range for a number of transmissions (it can be 1 to 8)"),
            (
                "network_transmit: { count: 2 }",
                "`interval` is missing (more than one transmission needs it: interval: 20ms)"
            ),
        ]
    )
    func settings(_ field: String, _ expected: String) {
        let problems = nodeProblems(field)
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix("error: " + expected) == true, "\(problems)")
    }

    @Test(
        "Intervals are those that the state can hold",
        arguments: [
            (
                "15ms", 10, "an interval of `15ms` cannot be set",
                "the nearest are 10ms and 20ms; it can be 10ms to 320ms in steps of 10ms"
            ),
            (
                "5ms", 10, "an interval of `5ms` cannot be set",
                "the nearest is 10ms; it can be 10ms to 320ms in steps of 10ms"
            ),
            (
                "1h", 10, "an interval of `1h` cannot be set",
                "the nearest is 320ms; it can be 10ms to 320ms in steps of 10ms"
            ),
            (
                "120ms", 50, "an interval of `120ms` cannot be set",
                "the nearest are 100ms and 150ms; it can be 50ms to 1.6s in steps of 50ms"
            ),
            ("20", 10, "`20` has no unit", "write 20ms, 20s, 20m or 20h"),
            ("20us", 10, "`20us` has an unknown unit", "units are ms, s, m and h"),
            ("ms", 10, "`ms` is not a duration", "write it like 20ms, 10s, 5m or 1h"),
            ("1.", 10, "`1.` is not a duration", "write it like 20ms, 10s, 5m or 1h"),
        ]
    )
    func intervals(_ text: String, _ step: Int, _ message: String, _ hint: String) {
        #expect(throws: ScalarProblem(message, hint: hint)) { try Durations.interval(text, step: step) }
    }

    @Test(
        "Durations are exact",
        arguments: [("20ms", 20), ("1.5s", 1500), ("0.001s", 1), ("5m", 300_000), ("1h", 3_600_000), ("0s", 0)]
    )
    func durations(_ text: String, _ milliseconds: Int) throws {
        #expect(try Durations.milliseconds(text) == milliseconds)
    }

    @Test(
        "Durations are shown as definitions write them",
        arguments: [
            (0, "0ms"), (20, "20ms"), (999, "999ms"), (1000, "1s"), (1500, "1.5s"), (1550, "1550ms"), (60_000, "1m"),
            (90_000, "90s"), (600_000, "10m"), (37_800_000, "630m"), (7_200_000, "2h"),
        ]
    )
    func durationTexts(_ milliseconds: Int, _ text: String) throws {
        #expect(DurationText.text(milliseconds: milliseconds) == text)
        #expect(try Durations.milliseconds(text) == milliseconds)
    }

    @Test("Durations that are too fine, too long or too precise are refused without overflow")
    func impossibleDurations() {
        for text in [
            "0.5ms", "99999999999999999999s", "1.0000001s", "99999999999h.5", "١s", "1e3s", "-1s", "+1s", " 1s",
        ] {
            #expect(throws: ScalarProblem.self, "\(text)") { try Durations.milliseconds(text) }
        }
    }

    @Test(
        "Periods take the finest resolution that hits them, others name the nearest",
        arguments: [
            ("6.3s", 63, 0, nil), ("7s", 7, 1, nil), ("63s", 63, 1, nil), ("10m", 60, 2, nil), ("10.5h", 63, 3, nil),
            ("0s", 0, 0, nil),
            ("6.4s", 0, 0, "the nearest are 6.3s and 7s"), ("64s", 0, 0, "the nearest are 63s and 70s"),
            ("11m", 0, 0, "the nearest are 630s and 20m"), ("11h", 0, 0, "the nearest is 630m"),
            ("50ms", 0, 0, "the nearest is 100ms"),
        ] as [(String, UInt8, UInt8, String?)]
    )
    func periods(_ text: String, _ steps: UInt8, _ resolution: UInt8, _ nearest: String?) throws {
        guard let nearest else {
            #expect(try Durations.period(text).octet == steps | resolution << 6)
            return
        }
        let hint = nearest + "; it is up to 63 steps of 100ms, 1s, 10s or 10m"
        #expect(throws: ScalarProblem("a period of `\(text)` cannot be set", hint: hint)) { try Durations.period(text) }
    }

    @Test("Key indexes are decimal or hexadecimal")
    func keyIndexes() throws {
        #expect(try (Numbers.keyIndex("4095", "") as NetKeyIndex).rawValue == 4095)
        #expect(try (Numbers.keyIndex("0x0fff", "") as AppKeyIndex).rawValue == 4095)
        for text in ["4096", "0x1000", "007", "x", "", "0x"] {
            #expect(throws: ScalarProblem.self, "\(text)") { try (Numbers.keyIndex(text, "") as NetKeyIndex) }
        }
    }

    @Test(
        "Publication targets",
        arguments: [
            ("kitchen", .name("kitchen")), ("node.1/254", .element(node: "node.1", index: 254)),
            ("0x0001", .address(Address(rawValue: 1))), ("0xFFFF", .address(Address(rawValue: 0xFFFF))),
            ("101", .name("101")),
        ] as [(String, PublishTarget)]
    )
    func targets(_ text: String, _ target: PublishTarget) throws {
        #expect(try Words.publishTarget(text) == target)
    }

    @Test("What is no publication target", arguments: ["a/b", "a/255", "/1", "a/1/2", "0x8000", "0x0000", "a b", "*"])
    func wrongTargets(_ text: String) {
        #expect(throws: ScalarProblem.self) { try Words.publishTarget(text) }
    }

    @Test("UUIDs and labels count their digits")
    func uuids() {
        #expect(
            diagnose(head + "nodes: { a: { uuid: 0d5c }, b: { uuid: 0x01 } }\ngroups: { c: { label: 00 } }\n") == [
                "a.yaml:3:21: error: `0d5c` is not a UUID (write 32 hexadecimal digits, with or without hyphens; these are 4)",
                "a.yaml:3:40: error: `0x01` is not a UUID (write 32 hexadecimal digits, with or without hyphens)",
                "a.yaml:4:23: error: `00` is not a label (write 32 hexadecimal digits, with or without hyphens; these are 2)",
            ]
        )
    }

    @Test("Models are suggested by name, and bare numbers shown with 0x")
    func models() {
        #expect(
            diagnose(
                head + "nodes: { a: { uuid: \(uuid(1)), elements: { 0: { generic-onof-server: , 1000: , 0x1000: , "
                    + "generic-onoff-server: , washing-machine: } } } }\n"
            ) == [
                "a.yaml:3:72: error: `generic-onof-server` is not a model (did you mean `generic-onoff-server`?)",
                "a.yaml:3:95: error: `1000` is not a model "
                    + "(write model identifiers with 0x: 0x1000, or company and model: 0x0059:0x0001)",
                "a.yaml:3:113: error: the model generic-onoff-server occurs twice in this element [a.yaml:3:103: first here]",
                "a.yaml:3:137: error: `washing-machine` is not a model (write a name such as generic-onoff-server, "
                    + "or 0x1000, or 0x0059:0x0001 for a vendor model)",
            ]
        )
    }
}
