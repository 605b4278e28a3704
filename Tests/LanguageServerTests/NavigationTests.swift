import SystemLayer
import Testing

@testable import LanguageServer

@Suite("Definitions, hovers, symbols and formatting")
struct NavigationTests {
    private static let path = "/w/hq.yaml"
    private static let text = """
        version: 1
        network: hq
        include: [parts/more.yaml]
        subnets: { building: { index: 0 } }
        application_keys: { lighting: { subnet: building } }
        variables: { level: { type: number, default: 5 } }
        groups:
          kitchen: { title: Die Küche }
        profiles:
          lamp:
            ttl: 5
            elements:
              0:
                generic-onoff-server: { keys: [lighting], subscribe: [kitchen] }
                light-lightness-server:
                  keys: [lighting]
                  states: { range: [5%, 100%] }
        modules:
          room:
            parameters: { room: number }
            groups: { room-$(room): {} }
            nodes:
              lamp-$(room)-$(n): { for: { n: 1..2 }, profile: lamp, tags: { room: $(room) } }
            subscriptions:
              - { groups: [room-$(room)], models: [generic-onoff-server], nodes: lamp-$(room)-* }
        use:
          - { module: room, for: { room: 1..3 } }
        nodes:
          hub: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, profile: lamp, ttl: 7 }
        publications:
          - { node: lamp-2-1, model: generic-onoff-client, to: stairs, key: lighting }
          - { node: hub, model: generic-onoff-client, to: room-3, key: lighting }

        """
    private static let more = "groups:\n  stairs: {}\n"
    private static let disk = [path: text, "/w/parts/more.yaml": more]

    /// The text with a cursor in the middle of the first word of a phrase.
    private func params(_ phrase: String, _ word: String) throws -> String {
        let range = try #require(Self.text.firstRange(of: phrase))
        let inner = try #require(Self.text[range].firstRange(of: word))
        let place = Self.text.index(after: inner.lowerBound)
        return MarkedText(Self.text[..<place] + "¦" + Self.text[place...]).params(Self.path)
    }

    private func client() -> ScriptedClient {
        var client = ScriptedClient(Self.disk)
        client.initialize(
            #"{"capabilities":{"textDocument":{"hover":{"contentFormat":["markdown"]}}},"rootUri":"file:///w"}"#
        )
        client.open(Self.path, Self.text)
        return client
    }

    @Test(
        "Where names lead",
        arguments: [
            ("subnet: building", "building", "/w/hq.yaml", 3, 11),
            ("keys: [lighting]", "lighting", "/w/hq.yaml", 4, 20),
            ("subscribe: [kitchen]", "kitchen", "/w/hq.yaml", 7, 2),
            ("2 }, profile: lamp", "lamp", "/w/hq.yaml", 9, 2),
            ("module: room", "room", "/w/hq.yaml", 18, 2),
            ("lamp-$(room)-$(n)", "room", "/w/hq.yaml", 19, 18),
            ("$(n)", "n)", "/w/hq.yaml", 22, 34),
            ("groups: [room-$(room)]", "room-", "/w/hq.yaml", 20, 14),
            ("to: stairs", "stairs", "/w/parts/more.yaml", 1, 2),
            // Names that come of modules lead to the text that they are made of.
            ("node: lamp-2-1", "lamp", "/w/hq.yaml", 22, 6),
            ("to: room-3", "room", "/w/hq.yaml", 20, 14),
            ("node: hub", "hub", "/w/hq.yaml", 28, 2),
            ("parts/more.yaml", "parts", "/w/parts/more.yaml", 0, 0),
        ]
    )
    func leads(phrase: String, word: String, file: String, line: Int, character: Int) throws {
        var client = client()
        let answer = client.request("textDocument/definition", try params(phrase, word))?["result"]
        #expect(answer?["uri"] == .string("file://" + file))
        #expect(answer?["range"]?["start"] == TextPosition(line: line, character: character).json)
    }

    @Test("What names nothing leads nowhere", arguments: [("ttl: 5", "ttl"), ("version: 1", "1"), ("[5%, 100%]", "5")])
    func leadsNowhere(phrase: String, word: String) throws {
        var client = client()
        #expect(client.request("textDocument/definition", try params(phrase, word))?["result"] == .null)
    }

    @Test("A path that is not part of the definition is not given to the client")
    func foreignPath() {
        let text = "version: 1\nnetwork: hq\ninclude: ../secret.yaml\n"
        let marked = MarkedText(text.replacing("secret", with: "sec¦ret"))
        var client = ScriptedClient([Self.path: text])
        client.initialize()
        client.open(Self.path, text)
        #expect(client.request("textDocument/definition", marked.params(Self.path))?["result"] == .null)
    }

    @Test(
        "What hovers say",
        arguments: [
            ("version: 1", "version", "The version of the language"),
            ("ttl: 5", "ttl", "The default TTL"),
            ("ttl: 5", "ttl", "Sets `ttl` to `5`: nodes `lamp-1-1`"),
            ("ttl: 5", "5", "Does not set `ttl`, which is `7`, the node (hq.yaml:29): node `hub`"),
            ("ttl: 7", "7", "Sets `ttl` to `7`, over `5` of profile lamp (hq.yaml:11): node `hub`"),
            ("generic-onoff-server", "generic", "Generic OnOff Server, model 0x1000"),
            ("light-lightness-server", "light", "States: `default`, `range`"),
            ("range: [", "range", "- `minimum`: "),
            ("[5%, 100%]", "5%", "- `minimum`: "),
            ("kitchen: {", "kitchen", "Die Küche"),
            ("kitchen: {", "kitchen", "Used by nodes"),
            (
                "hub: { uuid", "hub",
                "- `ttl` = `7`, set by the node (hq.yaml:29), over `5` of profile lamp (hq.yaml:11)"
            ),
            ("lamp-$(room)-$(n): ", "lamp", "in use[0] of room, room = 1"),
            ("module: room", "room", "Parameters: `room`."),
            ("subnet: building", "building", "Subnet `building`"),
        ]
    )
    func hovers(phrase: String, word: String, expected: String) throws {
        var client = client()
        let answer = client.request("textDocument/hover", try params(phrase, word))?["result"]
        let text = answer?["contents"]?["value"]?.text ?? ""
        #expect(text.contains(expected), "\(text)")
        #expect(answer?["contents"]?["kind"] == .string("markdown"))
    }

    @Test("Symbols are sections and what they declare")
    func symbols() throws {
        var client = client()
        let answer = client.request("textDocument/documentSymbol", try params("version", "version"))?["result"]
        let sections = answer?.items ?? []
        #expect(sections.compactMap { $0["name"]?.text }.prefix(4) == ["version", "network", "include", "subnets"])
        let modules = sections.first { $0["name"] == .string("modules") }?["children"]?.items
        let parts = modules?.first?["children"]?.items?.compactMap { $0["name"]?.text }
        #expect(parts == ["parameters", "groups", "nodes"])
        let nodes = sections.first { $0["name"] == .string("nodes") }
        #expect(
            nodes?["children"]?.items?.first?["selectionRange"]?["start"] == TextPosition(line: 28, character: 2).json
        )
        #expect(nodes?["range"]?["end"]?["line"] == .integer(28))
    }

    @Test("Formatting changes the lines that fmt changes")
    func formatting() throws {
        let params = #"{"textDocument":{"uri":"file:///w/hq.yaml"},"options":{"tabSize":2}}"#
        var client = client()
        #expect(client.request("textDocument/formatting", params)?["result"] == .array([]))
        let bad = Self.text.replacing("kitchen: { title: Die Küche }", with: "kitchen:    {title:   Die Küche}")
        client.change(Self.path, bad, version: 2)
        let edits = client.request("textDocument/formatting", params)?["result"]?.items ?? []
        #expect(edits.count == 1)
        let range = try #require(TextRange(edits.first?["range"]))
        var document = TextDocument(Array(bad.utf8))
        let start = document.offset(of: range.start, .utf16)
        document.replace(start..<document.offset(of: range.end, .utf16), with: edits.first?["newText"]?.text ?? "")
        #expect(document.text == Self.text)
        #expect(range.end.line - range.start.line == 1)
        client.change(Self.path, "a: [", version: 3)
        #expect(client.request("textDocument/formatting", params)?["error"]?["code"] == .integer(-32803))
    }
}
