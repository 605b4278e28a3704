import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Checks without a database")
struct CheckTests {
    @Test("Key indexes, UUIDs, addresses and labels are given once")
    func unique() {
        #expect(
            diagnose(
                head + """
                    subnets: { a: { index: 1 }, b: { index: 0x001 } }
                    application_keys: { a: { subnet: a, index: 5 }, b: { subnet: a, index: 5 } }
                    groups:
                      a: { address: 0xC000 }
                      b: { address: 0xc000 }
                      c: { label: 0073e7e4d8b9440faf8415df4c56c0e1 }
                      d: { label: 0073E7E4-D8B9-440F-AF84-15DF4C56C0E1 }
                    nodes:
                      n1: { uuid: \(uuid(1)), address: 0x0010 }
                      n2: { uuid: \(uuid(1)), address: 0x0010 }
                    """
            ) == [
                "a.yaml:3:41: error: the NetKey index 1 is given twice [a.yaml:3:24: first here]",
                "a.yaml:4:72: error: the AppKey index 5 is given twice [a.yaml:4:44: first here]",
                "a.yaml:7:17: error: the group address 0xC000 is given twice [a.yaml:6:17: first here]",
                "a.yaml:9:15: error: the label is given twice [a.yaml:8:15: first here]",
                "a.yaml:12:15: error: the UUID 0D5C5A0E-6F5B-4F0E-A1A5-0B1F00000001 is given twice [a.yaml:11:15: first here]",
                "a.yaml:12:58: error: the address 0x0010 is given twice [a.yaml:11:58: the other node]",
            ]
        )
    }

    @Test("Nodes stay clear of each other's declared elements and inside the unicast range")
    func overlap() {
        #expect(
            diagnose(
                head + """
                    profiles: { p: { elements: { 3: {} } } }
                    nodes:
                      a: { uuid: \(uuid(1)), address: 0x0013 }
                      b: { uuid: \(uuid(2)), address: 0x0010, profile: p }
                      c: { uuid: \(uuid(3)), address: 0x0014 }
                      d: { uuid: \(uuid(4)), address: 0x7FFD, profile: p }
                      e: { uuid: \(uuid(5)), address: 0x7FFC, profile: p }
                    """
            ) == [
                "a.yaml:6:57: error: the addresses of `b` overlap those of `a` (`b` takes 0x0010 to 0x0013) "
                    + "[a.yaml:5:57: the other node]",
                "a.yaml:8:57: error: the elements of `d` do not fit behind 0x7FFD (element 3 would lie above 0x7FFF)",
            ]
        )
    }

    @Test("References lead somewhere, or the nearest name is suggested")
    func references() {
        #expect(
            diagnose(
                head + """
                    subnets: { building: }
                    application_keys: { lighting: { subnet: bulding } }
                    groups: { kitchen: { parent: kitchn }, b: { parent: all-nodes } }
                    profiles: { luminaire: { application_keys: [lightning], subnets: [x] } }
                    nodes:
                      a:
                        uuid: \(uuid(1))
                        profile: luminair
                        elements: { 0: { generic-onoff-server: { keys: [y], subscribe: [kitchen, hall, all-nodes] } } }
                    """
            ) == [
                "a.yaml:4:41: error: there is no subnet `bulding` (did you mean `building`? declared: building)",
                "a.yaml:5:30: error: there is no group `kitchn` (did you mean `kitchen`? declared: b, kitchen)",
                "a.yaml:5:53: error: the fixed group `all-nodes` cannot be a parent",
                "a.yaml:6:45: error: there is no application key `lightning` (did you mean `lighting`? declared: lighting)",
                "a.yaml:6:67: error: there is no subnet `x` (declared: building)",
                "a.yaml:10:14: error: there is no profile `luminair` (did you mean `luminaire`? declared: luminaire)",
                "a.yaml:11:53: error: there is no application key `y` (declared: lighting)",
                "a.yaml:11:78: error: there is no group `hall` (declared: b, kitchen)",
                "a.yaml:11:84: error: no model can subscribe to `all-nodes` "
                    + "(every node receives those messages without a subscription)",
            ]
        )
    }

    @Test("What was left out because it is wrong is not missed as well")
    func noFollowUps() {
        #expect(
            diagnose(
                head + """
                    subnets: { s: x }
                    application_keys: { k: { subnet: s } }
                    nodes: { n: { uuid: y } }
                    subscriptions: [{ groups: [], models: [], nodes: n }, { groups: [], models: [], nodes: { a: b } }]
                    """
            ) == [
                "a.yaml:3:15: error: a subnet is expected here, not a text",
                "a.yaml:5:21: error: `y` is not a UUID (write 32 hexadecimal digits, with or without hyphens)",
            ]
        )
    }

    @Test("There are no more groups with labels than virtual addresses")
    func labels() {
        func found(_ count: Int) -> [String] {
            let groups = (0..<count).map { number in
                "  g\(number): { label: 0073e7e4-d8b9-440f-af84-15df\(UInt32(number).hexadecimal) }\n"
            }
            return diagnose(head + "groups:\n  g: { address: 0xC000 }\n" + groups.joined())
        }
        #expect(found(16_384).isEmpty)
        #expect(
            found(16_385) == [
                "a.yaml:16389:20: error: more than 16384 groups have a label "
                    + "(there are no more virtual addresses; give groups no label, or an address from 0xC000)"
            ]
        )
    }

    @Test("No group lies in itself, and each circle is shown once")
    func circles() {
        #expect(
            diagnose(
                head + "groups: { a: { parent: b }, b: { parent: c }, c: { parent: a }, d: { parent: a }, "
                    + "e: { parent: e } }\n"
            ) == [
                "a.yaml:3:60: error: the group `a` is its own ancestor (the parents form a circle: a → b → c → a)",
                "a.yaml:3:96: error: the group `e` is its own ancestor (the parents form a circle: e → e)",
            ]
        )
    }

    @Test("Names of the language are not names of groups and nodes")
    func reserved() {
        #expect(
            diagnose(head + "groups: { all-relays: }\nnodes: { all: { uuid: \(uuid(1)) } }\n") == [
                "a.yaml:3:11: error: the name `all-relays` is that of a fixed group of every network (choose another name)",
                "a.yaml:4:10: error: the name `all` selects every node in selectors (choose another name)",
            ]
        )
    }

    private static let publisher = """
        subnets: { s: }
        application_keys: { k: { subnet: s }, l: { subnet: s } }
        groups: { g: , same: }
        nodes:
          same: { uuid: \(uuid(9)) }
          a: { uuid: \(uuid(1)), elements: { 0: { generic-onoff-client: { keys: [k, l] }, generic-level-client: { keys: [k] } } } }

        """

    @Test("A publication goes to exactly one thing that exists")
    func targets() {
        let rules = ["same", "gg", "49152", "a/1", "b/1", "all-proxies", "same/0"].map { target in
            "  - { node: a, model: generic-onoff-client, element: \(target.utf8.count), to: \(target), key: k }\n"
        }
        let text = head + Self.publisher + "publications:\n"
        #expect(
            rules.flatMap { diagnose(text + $0) }.map { $0.replacing("a.yaml:10:", with: "") } == [
                "61: error: `same` is the name of a group and of a node "
                    + "(write `same/0` for the node's first element, or rename one of them)",
                "61: error: there is no group or node `gg` (declare it under `groups:`, or write the name of a node "
                    + "or an address such as 0xC000)",
                "61: error: there is no group or node `49152` (write addresses as hexadecimal: 0xC000)",
                "61: error: there is no node `b` (declared: a, same)",
            ]
        )
    }

    @Test("A publication without a key needs a model with exactly one")
    func keys() {
        let text = head + Self.publisher + "publications:\n"
        let rule = { (model: String) in text + "  - { node: a, model: \(model), to: g }\n" }
        let problem = "error: the publication does not say which application key it uses"
        #expect(diagnose(rule("generic-level-client")) == [])
        #expect(
            diagnose(rule("generic-onoff-client")) == [
                "a.yaml:10:49: \(problem) (the model has 2 keys; write `key: NAME`)"
            ]
        )
        #expect(
            diagnose(rule("generic-level-server")) == [
                "a.yaml:10:49: \(problem) (the definition gives the model no key; write `key: NAME`)"
            ]
        )
    }

    @Test("Profiles and nodes give a model's publication and keys together")
    func profileKeys() {
        let text =
            head + """
                subnets: { s: }
                application_keys: { k: { subnet: s } }
                groups: { g: }
                profiles:
                  publishing: { elements: { 0: { generic-onoff-client: { publish: { to: g } } } } }
                  keyed: { elements: { 0: { generic-onoff-client: { keys: [k] } } } }
                nodes:

                """
        let good = """
              a: { uuid: \(uuid(1)), profile: publishing, elements: { 0: { generic-onoff-client: { keys: [k] } } } }
              b: { uuid: \(uuid(2)), profile: keyed, elements: { 0: { generic-onoff-client: { publish: { to: g } } } } }

            """
        #expect(diagnose(text + good) == [])
        #expect(
            diagnose(text + good + "  c: { uuid: \(uuid(3)), profile: publishing }\n") == [
                "a.yaml:7:73: error: the publication does not say which application key it uses "
                    + "(the definition gives the model no key; write `key: NAME`)"
            ]
        )
    }

    @Test("A model publishes to one place")
    func conflicts() {
        #expect(
            diagnose(
                head + Self.publisher + """
                    publications:
                      - { nodes: all, model: generic-onoff-client, to: g, key: k }
                      - { node: a, model: generic-onoff-client, element: 1, to: g, key: k }
                      - { node: a, model: generic-onoff-client, to: 0xC00F, key: k }
                    """
            ) == [
                "a.yaml:12:5: error: the model generic-onoff-client of `a` has two publications "
                    + "(a model can have only one; publish to a group that contains both targets) "
                    + "[a.yaml:10:5: the other publication]"
            ]
        )
    }

    private let allowance = "if that is meant, write `allow_empty: true` beside `nodes`"

    @Test(
        "Selectors that may select nobody say so, and one for all needs nobody; named nodes must be there all the same"
    )
    func emptySelectors() {
        let nodes = "groups: { g: }\nnodes: { a: { uuid: \(uuid(1)), tags: { room: hall } } }\n"
        let rule = { (selector: String) in
            "subscriptions: [{ groups: [g], models: [0x1000], nodes: \(selector), allow_empty: true }]\n"
        }
        for selector in ["{ rom: hall }", "{ room: kitchen }", "b-*", "[b-*, a]"] {
            #expect(diagnose(head + nodes + rule(selector)) == [], "\(selector)")
        }
        #expect(
            diagnose(head + nodes + rule("[b]")) == ["a.yaml:5:58: error: there is no node `b` (declared: a)"]
        )
        #expect(
            diagnose(head + nodes + "defaults: [{ nodes: { rom: hall }, allow_empty: on, ttl: 5 }]\n") == []
        )
        #expect(
            diagnose(head + nodes + "publications: [{ nodes: x*, allow_empty: off, model: 0x1000, to: g, key: k }]\n")
                .first
                == "a.yaml:5:25: error: no node matches `x*` (\(allowance))"
        )
        let all = "groups: { g: }\nsubscriptions: [{ groups: [g], models: [0x1000], nodes: all }]\n"
        #expect(diagnose(head + all) == ["a.yaml:4:57: warning: there is no node to select"])
        #expect(
            diagnose(head + nodes + rule("b-*").replacing("true", with: "perhaps")).contains {
                $0.contains("`perhaps` is neither on nor off")
            }
        )
    }

    @Test("A publication uses one of the keys that its model is given, if it is given any")
    func publicationKeys() {
        let start = """
            subnets: { s: }
            application_keys: { light: { subnet: s }, other: { subnet: s } }
            groups: { g: }

            """
        let model = { (text: String) in
            "nodes: { a: { uuid: \(uuid(1)), elements: { 0: { 0x1000: { \(text) } } } } }\n"
        }
        #expect(
            diagnose(head + start + model("keys: [light], publish: { to: g, key: other }")) == [
                "a.yaml:6:120: error: the publication uses application key `other`, which is not among the model's keys "
                    + "(add it to the `keys` of the model, or publish with one of them)"
            ]
        )
        #expect(diagnose(head + start + model("keys: [light, other], publish: { to: g, key: other }")).isEmpty)
        // Who says nothing of keys leaves them as they are, and the binding comes with the publication.
        #expect(diagnose(head + start + model("publish: { to: g, key: other }")).isEmpty)
        let rule = "publications: [{ node: a, model: 0x1000, to: g, key: other }]\n"
        #expect(diagnose(head + start + model("keys: [light]") + rule).count == 1)
        #expect(diagnose(head + start + model("keys: [other]") + rule).isEmpty)
        // On which element the rule takes effect, the definition does not tell here.
        let second = model("keys: [light]").replacing("{ 0: {", with: "{ 1: {")
        #expect(diagnose(head + start + second + rule).isEmpty)
        #expect(diagnose(head + start + second + rule.replacing("node: a", with: "node: a, element: 1")).count == 1)
    }

    @Test("A network has 32,767 addresses")
    func tooManyNodes() {
        func nodes(_ count: Int, _ more: String = "") -> String {
            "nodes:\n" + (1...count).map { "  n\($0): { uuid: \(uuid($0)) }\n" }.joined() + more
        }
        let last = "  last: { uuid: \(uuid(40_000)), elements: { 3: { 0x1000: } } }\n"
        #expect(diagnose(head + nodes(32_763, last)) == [])
        #expect(
            diagnose(head + nodes(32_764, last)) == [
                "a.yaml:32768:3: error: with `last` the nodes need more than the 32767 unicast addresses that a network has "
                    + "(split the definition into several networks; it has 32765 nodes, and each of their elements takes an "
                    + "address)"
            ]
        )
    }

    @Test("Words that other tools use, and words that are cut short, lead to the right ones")
    func otherWords() {
        let problems = diagnose(
            head + "groups: { all: , kitchen: }\nnodes: { a: { uuid: \(uuid(1)), beacon: on } }\n"
                + "subscriptions: [{ groups: [al], models: [0x1000], nodes: [a] }, "
                + "{ groups: [kitch], models: [0x1000], nodes: [a] }]\n"
        )
        #expect(problems.contains { $0.contains("unknown key `beacon` (did you mean `secure_network_beacon`?") })
        #expect(problems.contains { $0.contains("there is no group `al` (did you mean `all`?") })
        #expect(problems.contains { $0.contains("there is no group `kitch` (did you mean `kitchen`?") })
        // Two that go on so are no hint.
        let two = diagnose(
            head + "groups: { alarm: , alcove: }\n"
                + "subscriptions: [{ groups: [al], models: [0x1000], nodes: all }]\n"
        )
        #expect(two.contains { $0.contains("there is no group `al` (declared: alarm, alcove)") })
    }

    @Test("A key that is too long for YAML is called that")
    func longKey() {
        let problems = diagnose(
            head
                + "nodes:\n  a: { uuid: \(uuid(1)) }\n  \(String(repeating: "n", count: 1_100)): { uuid: \(uuid(2)) }\n"
        )
        #expect(problems.first?.hasPrefix("a.yaml:5:3: error: a key of more than 1024 characters (") == true)
        #expect(diagnose(head + "x\n").first?.contains("a key without `:`") == true)
    }

    @Test("Selectors that select nothing are errors")
    func selectors() {
        #expect(
            diagnose(
                head + """
                    groups: { g: }
                    nodes:
                      kitchen-1: { uuid: \(uuid(1)), tags: { room: kitchen, floor: 1 } }
                      hall-1: { uuid: \(uuid(2)), tags: { room: hall } }
                    subscriptions:
                      - { groups: [g], models: [0x1000], nodes: { rom: kitchen } }
                      - { groups: [g], models: [0x1000], nodes: { room: kitchn } }
                      - { groups: [g], models: [0x1000], nodes: { room: hall, floor: 1 } }
                      - { groups: [g], models: [0x1000], nodes: [kitchen-*, "*-2", kitchen-2, all] }
                      - { groups: [g], models: [0x1000], nodes: { room: "*l*" } }
                      - { groups: [g], models: [0x1000], nodes: {} }
                      - { groups: [g], models: [0x1000], nodes: [] }
                      - { groups: [g], models: [0x1000] }
                    publications:
                      - { node: kitchen-1, nodes: all, model: 0x1000, to: g, key: k }
                      - { model: 0x1000, to: g }
                    """
            ) == [
                "a.yaml:8:52: error: no node has the tag `rom` with the value `kitchen` (did you mean `room`? tags in use: floor, room; \(allowance))",
                "a.yaml:9:53: error: no node has the tag `room` with the value `kitchn` (did you mean `kitchen`? values in use: hall, kitchen; \(allowance))",
                "a.yaml:10:45: error: no node has all of these tags (\(allowance))",
                "a.yaml:11:57: error: no node matches `*-2` (\(allowance))",
                "a.yaml:11:64: error: there is no node `kitchen-2` (did you mean `kitchen-1`? declared: hall-1, kitchen-1)",
                "a.yaml:11:75: error: `all` cannot stand in a list (write `nodes: all` to select every node)",
                "a.yaml:13:45: error: the selector has no tag (write `all` to select every node)",
                "a.yaml:14:45: error: the selector names no node (write `all` to select every node)",
                "a.yaml:15:5: error: `nodes` is missing (a subscription needs it)",
                "a.yaml:17:5: error: `node` and `nodes` exclude each other (write `node: NAME` for one node, `nodes:` for a selector)",
                "a.yaml:17:63: error: there is no application key `k` (declare it under `application_keys:`)",
                "a.yaml:18:5: error: `node` or `nodes` is missing (write `node: NAME` for one node, `nodes:` for a selector)",
            ]
        )
    }

    @Test("Configuration models take no keys, groups and publications")
    func configurationModels() {
        #expect(
            diagnose(
                head + """
                    subnets: { s: }
                    application_keys: { k: { subnet: s } }
                    nodes: { a: { uuid: \(uuid(1)), elements: { 0: { configuration-server: { keys: [k] }, 0x0001: {} } } } }
                    """
            ) == [
                "a.yaml:5:72: error: the model configuration-server never has application keys "
                    + "(Configuration messages are secured with the node's device key)"
            ]
        )
    }

    @Test("What stands twice in a list is a warning and counts once")
    func lists() {
        let (definitions, problems) = definitions(
            head + "subnets: { s: }\nnodes: { a: { uuid: \(uuid(1)), subnets: [s, s] } }\n"
        )
        #expect(problems == ["a.yaml:4:68: warning: `s` occurs twice in this list"])
        #expect(definitions.first?.nodes.first?.settings.subnets?.value.map(\.value) == ["s"])
    }

    @Test("Errors say which resource they are about")
    func resources() {
        let diagnostics = DefinitionReader.read(
            files: sources([head + "nodes: { a: { uuid: \(uuid(1)), ttl: 1 }, b: { uuid: \(uuid(1)) }, c d: {} }\n"])
        ).diagnostics
        #expect(diagnostics.map(\.resource) == ["node.a", "node.b", nil])
        #expect(diagnostics.map(\.length) == [1, 1, 3])
    }
}
