import SystemLayer
import Testing

@testable import LanguageServer

@Suite("Diagnostics as they are typed")
struct DiagnosticsTests {
    private static let good = """
        version: 1
        network: hq
        subnets: { building: { index: 0 } }
        application_keys: { lighting: { subnet: building } }

        """
    private static let bad = good.replacing("subnet: building", with: "subnet: 😀x")

    @Test("A mistake is told at its place, and taken back when it is mended")
    func mistake() {
        var client = ScriptedClient(["/w/hq.yaml": Self.good])
        client.initialize()
        client.open("/w/hq.yaml", Self.good, version: 3)
        let first = client.published()
        #expect(first.map(\.uri) == ["file:///w/hq.yaml"])
        #expect(first.map(\.version) == [3])
        #expect(first.map(\.messages) == [[]])
        client.change("/w/hq.yaml", Self.good.replacing("subnet: building", with: "subnet: bilding"), version: 4)
        #expect(client.published().isEmpty)
        client.wait(200)
        let second = client.published()
        #expect(second.map(\.version) == [4])
        #expect(second.first?.messages.count == 1)
        #expect(second.first?.messages.first?.hasPrefix("3:40 ") == true)
        #expect(second.first?.messages.first?.contains("did you mean `building`?") == true)
        client.change("/w/hq.yaml", Self.good, version: 5)
        client.wait(200)
        #expect(client.published().map(\.messages) == [[]])
    }

    @Test("While somebody types, nothing is checked, but never for longer than a second")
    func patience() {
        var client = ScriptedClient(["/w/hq.yaml": Self.good])
        client.initialize()
        client.open("/w/hq.yaml", Self.good)
        _ = client.published()
        for version in 2...6 {
            client.change("/w/hq.yaml", Self.good + "nonsense\(version): 1\n", version: version)
            client.wait(100)
            #expect(client.published().isEmpty)
        }
        client.wait(100)
        // Only the last version is told.
        #expect(client.published().map(\.version) == [6])
        var checks: [Int64] = []
        for version in 7...30 {
            client.change("/w/hq.yaml", Self.good + "nonsense\(version): 1\n", version: version)
            client.wait(100)
            if !client.published().isEmpty { checks.append(client.now) }
        }
        #expect(checks.count == 2)
    }

    @Test("Incremental changes, with columns in UTF-16")
    func incremental() {
        var client = ScriptedClient(["/w/hq.yaml": Self.bad])
        client.initialize()
        client.open("/w/hq.yaml", Self.bad)
        #expect(client.published().first?.messages.isEmpty == false)
        // The emoji has two units, and x one.
        client.notify(
            "textDocument/didChange",
            """
            {"textDocument":{"uri":"file:///w/hq.yaml","version":2},"contentChanges":[
            {"range":{"start":{"line":3,"character":40},"end":{"line":3,"character":43}},"text":"build"},
            {"range":{"start":{"line":3,"character":45},"end":{"line":3,"character":45}},"text":"ing"}]}
            """
        )
        #expect(client.server.documents["file:///w/hq.yaml"]?.text.text == Self.good)
        client.wait(200)
        #expect(client.published().map(\.messages) == [[]])
    }

    @Test("Files of one folder are one definition, and the open text counts before the one on disk")
    func folder() {
        let keys = "application_keys: { lighting: { subnet: guests } }\n"
        let network = "version: 1\nnetwork: hq\nsubnets: { building: {} }\n"
        var client = ScriptedClient(["/w/a.yaml": network, "/w/b.yaml": "network: hq\n" + keys])
        client.initialize()
        client.open("/w/a.yaml", network)
        // The mistake stands in the other file.
        let found = client.published().filter { !$0.messages.isEmpty }
        #expect(found.map(\.uri) == ["file:///w/b.yaml"])
        #expect(found.first?.version == nil)
        client.change("/w/a.yaml", network.replacing("building", with: "guests"), version: 2)
        client.wait(200)
        #expect(client.published().contains { $0.uri == "file:///w/b.yaml" && $0.messages.isEmpty })
        client.change("/w/a.yaml", network, version: 3)
        client.wait(200)
        #expect(client.published().contains { $0.uri == "file:///w/b.yaml" && $0.messages.count == 1 })
        // Nothing of a definition that nobody looks at stays on the screen.
        client.notify("textDocument/didClose", #"{"textDocument":{"uri":"file:///w/a.yaml"}}"#)
        #expect(client.published().map(\.uri) == ["file:///w/b.yaml"])
        #expect(client.server.projects.isEmpty)
        #expect(client.server.deadline == nil)
    }

    @Test("An included file belongs to the definition that includes it")
    func include() {
        let main = "version: 1\nnetwork: hq\ninclude: [parts/rooms.yaml]\nsubnets: { building: {} }\n"
        let rooms = "application_keys: { lighting: { subnet: building }, }\n"
        var client = ScriptedClient(["/w/hq.yaml": main, "/w/parts/rooms.yaml": rooms])
        client.initialize(#"{"capabilities":{},"rootUri":"file:///w"}"#)
        client.open("/w/parts/rooms.yaml", rooms)
        #expect(client.server.documents["file:///w/parts/rooms.yaml"]?.project == "/w")
        #expect(client.published().allSatisfy { $0.messages.isEmpty })
        client.change("/w/parts/rooms.yaml", rooms.replacing("building", with: "x"), version: 2)
        client.wait(200)
        #expect(client.published().map(\.uri) == ["file:///w/parts/rooms.yaml"])
    }

    @Test("The second place of a mistake is told, too")
    func related() {
        let text = Self.good + "groups:\n  a: {}\n  a: {}\n"
        var client = ScriptedClient(["/w/hq.yaml": text])
        client.initialize()
        client.open("/w/hq.yaml", text)
        let message = client.received.last { $0["method"] == .string("textDocument/publishDiagnostics") }
        let related = message?["params"]?["diagnostics"]?.items?.first?["relatedInformation"]?.items
        #expect(related?.first?["location"]?["range"]?["start"] == TextPosition(line: 5, character: 2).json)
        #expect(related?.first?["location"]?["uri"] == .string("file:///w/hq.yaml"))
    }

    @Test("A client that can watch files is asked to, and what changes outside of it is checked")
    func watchedFiles() {
        let params =
            #"{"capabilities":{"workspace":{"didChangeWatchedFiles":{"dynamicRegistration":true}}},"rootUri":"file:///w"}"#
        var client = ScriptedClient(["/w/hq.yaml": Self.good])
        client.initialize(params)
        #expect(client.received.map { $0["method"] } == [.string("client/registerCapability")])
        client.send(#"{"jsonrpc":"2.0","id":"watch-files","result":null}"#)
        client.open("/w/hq.yaml", Self.good)
        #expect(client.published().count == 1)
        #expect(client.server.deadline == nil)
        client.notify("workspace/didChangeWatchedFiles", #"{"changes":[{"uri":"file:///w/rows.csv","type":2}]}"#)
        // It is checked again, and there is nothing new to say.
        #expect(client.published().isEmpty)
        #expect(client.server.deadline == nil)
        var other = ScriptedClient()
        other.initialize()
        #expect(other.received.isEmpty)
    }

    @Test("A key that somebody has put into a definition is in no message of the server")
    func secrets() {
        let key = "00112233445566778899aabbccddeeff"
        let text = """
            version: 1
            network: hq
            key: \(key)
            subnets:
              building: { key: \(key) }
            nodes:
              a: { provisioning: { static: \(key) }, tags: { key: x } }

            """
        var client = ScriptedClient(["/w/hq.yaml": text])
        client.initialize()
        client.open("/w/hq.yaml", text)
        let lines = text.split(separator: "\n")
        for (line, content) in lines.enumerated() {
            for character in 0...content.count {
                let params =
                    #"{"textDocument":{"uri":"file:///w/hq.yaml"},"position":{"line":\#(line),"character":\#(character)}}"#
                for method in ["hover", "completion", "definition", "documentSymbol"] {
                    let answer = client.request("textDocument/\(method)", params)
                    #expect(answer?.line.contains(key) == false, "\(method) at \(line):\(character)")
                }
            }
        }
        let published = client.received.map(\.line).joined()
        #expect(published.contains("a definition must not contain a key"))
        #expect(!published.contains(key))
        #expect(client.server.takeNotes().allSatisfy { !$0.contains(key) })
    }

    @Test("A document that is no file, or no definition, is left alone")
    func foreign() {
        var client = ScriptedClient()
        client.initialize()
        client.notify(
            "textDocument/didOpen",
            #"{"textDocument":{"uri":"untitled:1","languageId":"yaml","version":1,"text":"nonsense"}}"#
        )
        client.open("/w/rows.csv", "a,b\n")
        #expect(client.published().isEmpty)
    }
}
