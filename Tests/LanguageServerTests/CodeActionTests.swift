import SystemLayer
import Testing

@testable import LanguageServer

@Suite("Mending by the editor")
struct CodeActionTests {
    private static let path = "/w/hq.yaml"

    private func actions(_ text: String, line: Int, context: String = "{}") -> (ScriptedClient, [JSONValue]) {
        var client = ScriptedClient([Self.path: text])
        client.initialize(
            #"{"capabilities":{"textDocument":{"codeAction":{"codeActionLiteralSupport":{}}}},"rootUri":"file:///w"}"#
        )
        client.open(Self.path, text)
        let range = #"{"start":{"line":\#(line),"character":0},"end":{"line":\#(line),"character":200}}"#
        let answer = client.request(
            "textDocument/codeAction",
            #"{"textDocument":{"uri":"file://\#(Self.path)"},"range":\#(range),"context":\#(context)}"#
        )
        return (client, answer?["result"]?.items ?? [])
    }

    private static func text(_ lamp: String, _ rest: String = "") -> String {
        """
        version: 1
        network: hq
        subnets: { building: { index: 0 } }
        application_keys: { lighting: { subnet: building } }
        profiles:
          lamp: { elements: { 0: { generic-onoff-server: { keys: [lighting] } } } }
        nodes:
          lamp-1: \(lamp)
        \(rest)

        """
    }

    @Test(
        "What is near replaces what is meant",
        arguments: [
            ("{ profile: lampe }", "{ profile: lamp }"), ("{ proflie: lamp }", "{ profile: lamp }"),
            ("{ profile: \"lampe\", title: 🏠 }", "{ profile: \"lamp\", title: 🏠 }"),
            ("{ title: 🏠🏠, profile: lampe }", "{ title: 🏠🏠, profile: lamp }"),
            ("{ elements: { 0: { generic-onof-server: {} } } }", "{ elements: { 0: { generic-onoff-server: {} } } }"),
        ]
    )
    func nearest(wrong: String, right: String) throws {
        let (_, actions) = actions(Self.text(wrong), line: 7)
        #expect(actions.count == 1)
        let action = try #require(actions.first)
        #expect(action["kind"] == .string("quickfix"))
        let edit = action["edit"]?["changes"]?["file://" + Self.path]?.items?.first
        var document = TextDocument(Array(Self.text(wrong).utf8))
        let range = try #require(TextRange(edit?["range"]))
        let octets = document.offset(of: range.start, .utf16)..<document.offset(of: range.end, .utf16)
        document.replace(octets, with: edit?["newText"]?.text ?? "")
        #expect(document.text == Self.text(right))
    }

    @Test("A word within a sentence is replaced alone")
    func sentence() throws {
        let test = "tests:\n  it works:\n    - { press: lamp-x/0 on, expect: { nodes: lamp-2, onoff: on } }"
        let (_, actions) = actions(Self.text("{ profile: lamp }", test), line: 10)
        let titles = actions.compactMap { $0["title"]?.text }
        #expect(titles.contains("Replace `lamp-2` by `lamp-1`"), "\(titles)")
    }

    @Test("There is nothing to mend where nothing is wrong, and where other kinds of actions are asked for")
    func nothing() {
        #expect(actions(Self.text("{ profile: lamp }"), line: 7).1.isEmpty)
        #expect(actions(Self.text("{ profile: lampe }"), line: 2).1.isEmpty)
        #expect(actions(Self.text("{ profile: lampe }"), line: 7, context: #"{"only":["refactor"]}"#).1.isEmpty)
        #expect(actions(Self.text("{ profile: lampe }"), line: 7, context: #"{"only":["quickfix"]}"#).1.count == 1)
    }

    @Test("A client that knows no actions is offered none")
    func oldClient() {
        var client = ScriptedClient([:])
        let answer = client.request("initialize", #"{"capabilities":{}}"#)
        #expect(answer?["result"]?["capabilities"]?["codeActionProvider"] == nil)
    }
}
