import SystemLayer
import Testing

@testable import LanguageServer

@Suite("Completion")
struct CompletionTests {
    private static let path = "/w/hq.yaml"
    /// What stands before the text of a case, so that there are names.
    private static let base = """
        version: 1
        network: hq
        subnets: { building: { index: 0 } }
        application_keys: { lighting: { subnet: building }, sensors: { subnet: building } }
        groups: { kitchen: {}, hall: {} }
        floors: { ground: {} }
        variables: { proxies: { type: on/off, default: on } }
        modules:
          room:
            parameters: { room: number, dim: { type: text, default: low } }
            nodes:
              lamp-$(room): { profile: lamp }
        profiles:
          lamp: { ttl: 5, tags: { kind: lamp } }

        """

    private func items(_ marked: String) throws -> [JSONValue] {
        let marked = MarkedText(Self.base + marked)
        var client = ScriptedClient([Self.path: Self.base])
        client.initialize()
        // The names come from the last text that could be read.
        client.open(Self.path, Self.base)
        client.change(Self.path, marked.text, version: 2)
        let answer = client.request("textDocument/completion", marked.params(Self.path))
        return try #require(answer?["result"]?["items"]?.items)
    }

    private func labels(_ marked: String) throws -> [String] { try items(marked).compactMap { $0["label"]?.text } }

    @Test(
        "What is offered",
        arguments: [
            // Keys.
            ("¦", ["nodes", "subscriptions", "include"], ["version", "groups", "ttl"]),
            ("no¦", ["nodes"], ["groups"]),
            ("nodes:\n  a:\n    ¦", ["uuid", "profile", "elements"], ["nodes"]),
            ("nodes:\n  a:\n    uuid: x\n    ¦", ["profile"], ["uuid", "nodes"]),
            ("nodes:\n  a: { uuid: x, ¦", ["profile", "tags"], ["uuid"]),
            ("nodes:\n  a: { uuid: x, ¦ }\n  b: {}\n", ["profile"], ["uuid"]),
            ("nodes: { a: { features: { ¦ } } }", ["relay", "proxy", "friend"], ["uuid"]),
            ("publications:\n  - ¦", ["model", "to", "key"], ["nodes:"]),
            ("publications:\n  - model: x\n    ¦", ["to", "key"], ["model"]),
            ("publications:\n  - { ¦", ["model", "to"], []),
            ("checks:\n  c:\n    ¦", ["have", "count"], []),
            ("modules:\n  x:\n    ¦", ["parameters", "nodes"], ["network"]),
            ("modules:\n  x:\n    nodes:\n      a: { ¦ }", ["profile", "uuid"], ["network"]),
            // Words.
            ("nodes: { a: { features: { relay: ¦ } } }", ["on", "off"], ["true"]),
            ("nodes:\n  a:\n    on_remove: ¦", ["reset"], []),
            ("modules:\n  x:\n    parameters: { p: ¦ }", ["number", "on/off"], []),
            // Names.
            ("nodes:\n  a: { profile: ¦ }", ["lamp"], ["kitchen"]),
            ("nodes:\n  a:\n    profile: la¦", ["lamp"], []),
            ("application_keys:\n  k: { subnet: ¦ }", ["building"], ["lighting"]),
            ("groups:\n  a: { parent: ¦", ["kitchen", "hall"], []),
            ("subscriptions:\n  - groups: [kitchen, ¦]", ["hall", "kitchen"], ["lighting"]),
            ("subscriptions:\n  - groups:\n    - ¦", ["hall", "kitchen"], ["lighting"]),
            ("subscriptions:\n  - { models: [¦", ["generic-onoff-server", "sensor-server"], ["kitchen"]),
            ("subscriptions:\n  - { nodes: { ¦ } }", [], ["uuid"]),
            ("publications:\n  - { to: ¦ }", ["kitchen", "all-nodes"], ["lighting"]),
            ("publications:\n  - { key: ¦ }", ["lighting", "sensors"], ["kitchen"]),
            ("nodes: { a: { position: { floor: ¦ } } }", ["ground"], []),
            // Models and states.
            (
                "nodes:\n  a:\n    elements:\n      0:\n        ¦", ["generic-onoff-server", "light-ctl-server"],
                ["uuid"]
            ),
            (
                "nodes:\n  a:\n    elements:\n      0:\n        light-lightness-server:\n          ¦",
                ["keys", "subscribe", "publish", "states"], ["uuid"]
            ),
            (
                "nodes:\n  a:\n    elements:\n      0:\n        light-lightness-server: { keys: [¦] }",
                ["lighting", "sensors"], ["kitchen"]
            ),
            (
                "nodes:\n  a:\n    elements:\n      0:\n        light-lightness-server:\n          states:\n            ¦",
                ["range", "default"], ["mode", "admin_properties"]
            ),
            (
                "nodes:\n  a:\n    elements:\n      0:\n        generic-power-onoff-server:\n"
                    + "          states: { on_power_up: ¦ }",
                ["restore", "off"], ["kitchen"]
            ),
            (
                "nodes:\n  a:\n    elements:\n      0:\n        light-lc-server:\n          states:\n            mode: ¦",
                ["on", "off"], []
            ),
            (
                "nodes:\n  a:\n    elements:\n      0:\n        light-lightness-server:\n"
                    + "          states:\n            range: { ¦ }",
                ["minimum", "maximum"], []
            ),
            // Modules.
            ("use:\n  - { module: ¦ }", ["room"], ["lamp"]),
            ("use:\n  - module: room\n    with: { ¦ }", ["room", "dim"], ["module"]),
            ("use:\n  - module: room\n    with: { room: 1, ¦ }", ["dim"], ["room"]),
            ("use:\n  - module: room\n    override:\n      nodes:\n        ¦", ["lamp-$(room)"], []),
            (
                "modules:\n  x:\n    parameters: { size: number }\n    groups: { g-$(¦) }", ["size", "proxies"],
                ["room"]
            ),
            ("groups:\n  g-$(n):\n    for: { n: 1..3 }\n    parent: h-$(¦", ["n", "proxies"], ["room"]),
            // While the text around is no YAML.
            ("nodes:\n  a: { profile: ¦\n  b: { uuid: ]\nsubscriptions:\n  - {", ["lamp"], []),
            ("nodes:\n  \"x: {\n  a:\n    profile: ¦\n  - - c: [}\n", ["lamp"], []),
            // Nothing.
            ("# nodes: ¦", [], ["nodes", "lamp"]),
            ("nodes:\n  a: {}   # ¦", [], ["uuid"]),
        ] as [(String, [String], [String])]
    )
    func offered(marked: String, expected: [String], unexpected: [String]) throws {
        let labels = try labels(marked)
        for label in expected { #expect(labels.contains(label), "\(label) is missing: \(labels.prefix(20))") }
        for label in unexpected { #expect(!labels.contains(label), "\(label) is one too many") }
        #expect(Set(labels).count == labels.count)
    }

    @Test("Tags and their values come from the nodes of the last text that could be read")
    func tags() throws {
        let text = Self.base + "nodes:\n  a: { profile: lamp, tags: { room: kitchen } }\n"
        for (marked, expected) in [
            ("subscriptions:\n  - { nodes: { ¦ } }", "room"), ("subscriptions:\n  - { nodes: { room: ¦ } }", "kitchen"),
            ("subscriptions:\n  - { each: ¦ }", "room"), ("publications:\n  - { node: ¦ }", "a"),
            ("publications:\n  - { to: ¦ }", "a"),
        ] {
            let marked = MarkedText(text + marked)
            var client = ScriptedClient([Self.path: text])
            client.initialize()
            client.open(Self.path, text)
            client.change(Self.path, marked.text, version: 2)
            let answer = client.request("textDocument/completion", marked.params(Self.path))
            let labels = answer?["result"]?["items"]?.items?.compactMap { $0["label"]?.text } ?? []
            #expect(labels.contains(expected), "\(marked.text): \(labels)")
        }
    }

    @Test("Products are offered by the names that their files give them")
    func products() throws {
        let base = "version: 1\nnetwork: hq\nproducts: [devices/lamps.yaml]\nprofiles:\n"
        let marked = MarkedText(base + "  lamp: { product: ¦ }\n")
        let lamps = "products: { downlight: { company: 0x59, product: 1, elements: [{ models: [] }] } }\n"
        var client = ScriptedClient([Self.path: base, "/w/devices/lamps.yaml": lamps])
        client.initialize()
        client.open(Self.path, base)
        client.change(Self.path, marked.text, version: 2)
        let answer = client.request("textDocument/completion", marked.params(Self.path))
        let items = answer?["result"]?["items"]?.items ?? []
        #expect(items.map { $0["label"] } == [.string("downlight")], "\(items)")
    }

    @Test("An item replaces the word at the cursor, and brings the colon that is missing")
    func edits() throws {
        func edit(_ marked: String, _ label: String) throws -> (start: Int?, end: Int?, text: String?) {
            let edit = try items(marked).first { $0["label"] == .string(label) }?["textEdit"]
            let range = edit?["range"]
            return (range?["start"]?["character"]?.whole, range?["end"]?["character"]?.whole, edit?["newText"]?.text)
        }
        #expect(try edit("nodes: { 😀: { prof¦ile: x } }", "profile") == (15, 22, "profile"))
        #expect(try edit("nodes: { a: { pro¦ } }", "profile") == (14, 17, "profile: "))
        #expect(try edit("subs¦", "subscriptions") == (0, 4, "subscriptions:"))
        #expect(try edit("nodes:\n  a:\n    t¦", "ttl") == (4, 5, "ttl: "))
        #expect(try edit("nodes:\n  a:\n    profile: \"la¦m\"", "lamp") == (14, 17, "lamp"))
        #expect(try edit("groups: { x-$(pro¦) }", "proxies") == (14, 17, "proxies"))
        #expect(try edit("groups: { x-$(pro¦", "proxies") == (14, 17, "proxies)"))
    }

    @Test(
        "Within a sentence only the word is offered and replaced",
        arguments: [
            ("tests: { t: [{ press: k¦/0 on }] }", "knob", "k"), ("tests: { t: [{ press: ¦ }] }", "knob", ""),
            ("tests: { t: [{ set: gr¦oup.hall onoff on }] }", "group.kitchen", "group.hall"),
            ("tests: { t: [{ recall: evening in group.h¦ }] }", "group.hall", "group.h"),
            ("schedules: { s: every day at 08:00 recall ev¦ on knob }", "evening", "ev"),
            ("schedules: { s: every day at 08:00 switch off on kn¦ }", "knob", "kn"),
            ("moved: [{ from: group.k¦, to: group.hall }]", "group.kitchen", "group.k"),
        ]
    )
    func sentence(marked: String, expected: String, replaced: String) throws {
        let base = Self.base + "nodes: { knob: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001 } }\nscenes: { evening: 1 }\n"
        let mark = MarkedText(base + marked)
        var client = ScriptedClient([Self.path: base])
        client.initialize()
        client.open(Self.path, base)
        client.change(Self.path, mark.text, version: 2)
        let answer = client.request("textDocument/completion", mark.params(Self.path))
        let items = try #require(answer?["result"]?["items"]?.items)
        let item = try #require(items.first { $0["label"] == .string(expected) }, "\(items.map { $0["label"] })")
        let range = try #require(TextRange(item["textEdit"]?["range"]))
        let text = TextDocument(Array(mark.text.utf8))
        let octets = text.offset(of: range.start, .utf16)..<text.offset(of: range.end, .utf16)
        #expect(String(decoding: text.bytes[octets], as: UTF8.self) == replaced)
    }
}
