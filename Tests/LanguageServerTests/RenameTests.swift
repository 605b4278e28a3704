import SystemLayer
import Testing

@testable import LanguageServer

@Suite("References and renaming")
struct RenameTests {
    private static let path = "/w/hq.yaml"
    private static let text = """
        version: 1
        network: hq
        include: [parts/more.yaml]
        subnets: { building: { index: 0 } }
        application_keys: { lighting: { subnet: building } }
        groups:
          all: {}
          kitchen: { parent: all }
        scenes: { evening: 1 }
        profiles:
          lamp:
            elements:
              0:
                generic-onoff-server: { keys: [lighting], subscribe: ["kitchen"] }
          dimmer: { elements: { 0: { generic-onoff-client: { keys: [lighting] } } } }
        modules:
          room:
            parameters: { room: number }
            nodes:
              lamp-$(room): { profile: lamp }
        use:
          - { module: room, for: { room: 1..3 } }
        nodes:
          knob: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, profile: dimmer }  # knob, at the door
          sink: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0002, profile: lamp }
        publications:
          - { node: knob, model: generic-onoff-client, to: kitchen, key: lighting }
        subscriptions:
          - { groups: [kitchen], models: [generic-onoff-server], nodes: [sink, lamp-*] }
        tests:
          the knob works:
            - { press: knob/0 on, within: 1s, expect: { nodes: sink, onoff: on } }
            - { set: group.kitchen onoff off, expect: { nodes: [sink, lamp-1], onoff: off } }
            - { power_off: sink }

        """
    private static let disk = [
        path: text, "/w/parts/more.yaml": "groups: { stairs: { parent: kitchen, title: Die Küche 🏠 } }  # kitchen\n",
    ]

    /// The place of the cursor within the first word of a phrase.
    private func mark(_ phrase: String, _ word: String, in text: String = text) throws -> MarkedText {
        let range = try #require(text.firstRange(of: phrase))
        let inner = try #require(text[range].firstRange(of: word))
        let place = text.index(after: inner.lowerBound)
        return MarkedText(text[..<place] + "¦" + text[place...])
    }

    private func client(_ disk: [String: String] = disk) -> ScriptedClient {
        var client = ScriptedClient(disk)
        client.initialize(
            #"{"capabilities":{"textDocument":{"rename":{"prepareSupport":true}}},"rootUri":"file:///w"}"#
        )
        client.open(Self.path, disk[Self.path] ?? "")
        return client
    }

    /// The answer to a rename: the files as they are then, or why not.
    private func renamed(
        _ client: inout ScriptedClient,
        _ mark: MarkedText,
        to name: String
    ) throws -> (files: [String: String], refusal: String?) {
        let params = mark.params(Self.path).dropLast() + #","newName":"\#(name)"}"#
        let answer = client.request("textDocument/rename", String(params))
        if let error = answer?["error"]?["message"]?.text { return ([:], error) }
        var files = client.disk
        for change in answer?["result"]?["changes"]?.members ?? [] {
            let path = try #require(DocumentURI.path(change.name))
            var text = TextDocument(Array((files[path] ?? "").utf8))
            for edit in (change.value.items ?? []).reversed() {
                let range = try #require(TextRange(edit["range"]))
                let octets = text.offset(of: range.start, .utf16)..<text.offset(of: range.end, .utf16)
                text.replace(octets, with: edit["newText"]?.text ?? "")
            }
            files[path] = text.text
        }
        return (files, nil)
    }

    @Test(
        "Where a thing is named, in all files",
        arguments: [
            ("node: knob", "knob", ["23:2", "26:12", "31:15"]),
            ("knob/0", "knob", ["23:2", "26:12", "31:15"]),
            ("to: kitchen", "kitchen", ["7:2", "13:63", "26:51", "28:15", "32:19", "more 0:28"]),
            ("subnet: building", "building", ["3:11", "4:40"]),
            ("profile: lamp", "lamp", ["10:2", "19:31", "24:59"]),
            // Also by a pattern, and in a list.
            ("lamp-$(room): {", "lamp", ["19:6", "28:71", "32:62"]),
            ("parent: all", "all", ["6:2", "7:21"]),
            ("module: room", "room", ["16:2", "21:14"]),
        ]
    )
    func references(phrase: String, word: String, expected: [String]) throws {
        var client = client()
        let answer = client.request("textDocument/references", try mark(phrase, word).params(Self.path))
        let places = (answer?["result"]?.items ?? []).map { place in
            let start = place["range"]?["start"]
            let file = place["uri"]?.text?.hasSuffix("more.yaml") == true ? "more " : ""
            return file + "\(start?["line"]?.whole ?? -1):\(start?["character"]?.whole ?? -1)"
        }
        #expect(places == expected)
    }

    @Test("A node is renamed everywhere, and nothing else is touched")
    func node() throws {
        var client = client()
        let (files, refusal) = try renamed(&client, mark("node: knob", "knob"), to: "switch-1")
        #expect(refusal == nil)
        let expected = Self.text.replacing("  knob: {", with: "  switch-1: {").replacing(
            "node: knob",
            with: "node: switch-1"
        )
        .replacing("press: knob/0", with: "press: switch-1/0")
        #expect(files[Self.path] == expected)
        #expect(files["/w/parts/more.yaml"] == Self.disk["/w/parts/more.yaml"])
    }

    @Test("What a database knows by its name gets an entry under moved")
    func group() throws {
        var client = client()
        let (files, refusal) = try renamed(&client, mark("to: kitchen", "kitchen"), to: "galley")
        #expect(refusal == nil)
        let expected =
            Self.text.replacing("kitchen", with: "galley") + "moved:\n  - { from: group.kitchen, to: group.galley }\n"
        #expect(files[Self.path] == expected)
        #expect(
            files["/w/parts/more.yaml"] == "groups: { stairs: { parent: galley, title: Die Küche 🏠 } }  # kitchen\n"
        )
        // And once more: the first entry stays, and leads to the second.
        var again = self.client(files)
        let mark = try mark("to: galley", "galley", in: expected)
        let (twice, second) = try renamed(&again, mark, to: "scullery")
        #expect(second == nil)
        #expect(
            twice[Self.path]?.hasSuffix(
                "moved:\n  - { from: group.kitchen, to: group.galley }\n"
                    + "  - { from: group.galley, to: group.scullery }\n"
            ) == true
        )
    }

    @Test("An entry under moved follows the form of the file")
    func moved() {
        func with(_ text: String, near octet: Int = 0) -> String {
            var document = TextDocument(Array(text.utf8))
            let entry = MovedEntry(document, near: octet, from: "group.a", to: "group.b")
            document.replace(entry.place..<entry.place, with: entry.text)
            return document.text
        }
        let entry = "{ from: group.a, to: group.b }"
        #expect(with("a: 1\n") == "a: 1\nmoved:\n  - \(entry)\n")
        #expect(with("a: 1") == "a: 1\nmoved:\n  - \(entry)")
        #expect(with("a: 1\r\n\r\n") == "a: 1\r\nmoved:\r\n  - \(entry)\r\n\r\n")
        #expect(with("moved:\n- {x: y}\n") == "moved:\n- {x: y}\n- \(entry)\n")
        #expect(with("moved: [{x: y}]\nb: 1\n") == "moved: [{x: y}, \(entry)]\nb: 1\n")
        #expect(with("d: |\n  text\n  more\n") == "d: |\n  text\n  more\nmoved:\n  - \(entry)\n")
        #expect(with("a: 1\n\n---\nb: 2\n") == "a: 1\nmoved:\n  - \(entry)\n\n---\nb: 2\n")
        #expect(with("a: 1\n---\nb: 2\n", near: 10) == "a: 1\n---\nb: 2\nmoved:\n  - \(entry)\n")
    }

    @Test(
        "What cannot be renamed, and why",
        arguments: [
            ("node: knob", "knob", "sink", "would be wrong: "),
            ("node: knob", "knob", "lamp-9", "the pattern `lamp-*` (hq.yaml:29) would select `lamp-9`, but not `knob`"),
            ("to: kitchen", "kitchen", "stairs", "would be wrong: "),
            ("node: knob", "knob", "two words", "names are letters, digits"),
            ("lamp-$(room): {", "lamp", "x", "stands for several names"),
            ("lamp-1]", "lamp", "x", "comes of a module or a repetition"),
            ("version: 1", "version", "x", "only the names of what a definition declares"),
            ("$(room): {", "room", "x", "only the names of what a definition declares"),
        ]
    )
    func refused(phrase: String, word: String, name: String, expected: String) throws {
        var client = client()
        let (_, refusal) = try renamed(&client, mark(phrase, word), to: name)
        #expect(refusal?.contains(expected) == true, "\(refusal ?? "renamed")")
    }

    @Test("Nothing is renamed in a definition with mistakes")
    func invalid() throws {
        let text = Self.text.replacing("parent: all", with: "parent: alle")
        var client = client([Self.path: text, "/w/parts/more.yaml": "groups: {}\n"])
        let (_, refusal) = try renamed(&client, mark("node: knob", "knob", in: text), to: "x")
        #expect(refusal == "the definition has errors; mend them first, so that the new name can be checked")
    }

    @Test("Two things of one name are not renamed")
    func twice() throws {
        let one = "version: 1\nnetwork: a\nsubnets: { all: { index: 0 } }\ngroups: { hall: {} }\n"
        let text = one + "---\n" + one.replacing("network: a", with: "network: b")
        var client = client([Self.path: text])
        let (_, refusal) = try renamed(&client, mark("hall: {}", "hall", in: text), to: "x")
        #expect(refusal == "`hall` is declared in 2 places; rename it by hand")
    }

    @Test("An editor learns what would be renamed, and the edits with versions if it takes them")
    func protocolForms() throws {
        var client = ScriptedClient(Self.disk)
        client.initialize(
            #"{"capabilities":{"workspace":{"workspaceEdit":{"documentChanges":true}}},"rootUri":"file:///w"}"#
        )
        client.open(Self.path, Self.text, version: 7)
        let place = try mark("knob/0", "knob")
        let prepared = client.request("textDocument/prepareRename", place.params(Self.path))?["result"]
        #expect(prepared?["placeholder"] == .string("knob"))
        #expect(prepared?["range"]?["start"] == TextPosition(line: 31, character: 15).json)
        let params = String(try mark("to: kitchen", "kitchen").params(Self.path).dropLast() + #","newName":"galley"}"#)
        let changes = client.request("textDocument/rename", params)?["result"]?["documentChanges"]?.items ?? []
        #expect(changes.map { $0["textDocument"]?["version"] } == [.integer(7), .null])
        let highlights = client.request("textDocument/documentHighlight", place.params(Self.path))?["result"]?.items
        #expect(highlights?.compactMap { $0["kind"]?.whole } == [3, 2, 2])
        let links = client.request("textDocument/documentLink", place.params(Self.path))?["result"]?.items
        #expect(links?.compactMap { $0["target"]?.text } == ["file:///w/parts/more.yaml"])
    }
}
