import SystemLayer
import TestSupport
import Testing

@testable import LanguageServer

@Suite("What a client may do wrong")
struct RobustnessTests {
    private static let text = """
        version: 1
        network: hq
        subnets: { building: { index: 0 } }
        application_keys:
          lighting: { subnet: building }
        nodes:
          a:
            elements:
              0:
                light-lightness-server: { keys: [lighting], states: { range: [5%, "100%"] } }
        use:
          - { module: x, with: { a: $(b) } }

        """

    private static func messages() -> [String] {
        let uri = "file:///w/hq.yaml"
        let text = JSONValue.string(text).line
        let features = ["completion", "hover", "definition", "documentSymbol", "formatting"].enumerated().map {
            """
            {"jsonrpc":"2.0","id":\($0 + 2),"method":"textDocument/\($1)","params":{"textDocument":{"uri":"\(uri)"},\
            "position":{"line":\($0 + 3),"character":\($0 * 5)}}}
            """
        }
        return [#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#]
            + [
                """
                {"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"\(uri)","version":1,\
                "text":\(text)}}}
                """
            ] + features + [
                """
                {"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"\(uri)",\
                "version":2},"contentChanges":[{"range":{"start":{"line":2,"character":9},"end":{"line":1,\
                "character":99}},"text":"ä"}]}}
                """
            ] + features
    }

    @Test("A client cannot open more than a server can hold")
    func limits() {
        var client = ScriptedClient()
        client.server = LanguageServer(client.server.workshop, textLimit: 9_000)
        client.initialize()
        for number in 0..<300 { client.open("/w/\(number).txt", "x: 1\n") }
        #expect(client.server.documents.count == LanguageServer.mostDocuments)
        // One that is open already can be opened again.
        client.open("/w/7.txt", "y: 2\n")
        #expect(client.server.documents["file:///w/7.txt"]?.text.text == "y: 2\n")
        client.open("/w/8.txt", String(repeating: "#", count: 10_000))
        #expect(client.server.documents["file:///w/8.txt"] == nil)
        #expect(client.server.takeNotes().contains { $0.contains("more than 9000 octets") })
    }

    @Test("Documents that are opened together are checked together")
    func together() {
        var client = ScriptedClient()
        client.initialize()
        var examinations = 0
        let workshop = client.server.workshop
        var server = LanguageServer(
            DefinitionWorkshop(
                name: "meshplan",
                examine: { folder, open in
                    examinations += 1
                    return workshop.examine(folder, open)
                },
                examineFile: workshop.examineFile,
                word: workshop.word,
                markdown: workshop.markdown
            )
        )
        server.receive(
            MessageFraming.message(#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#)
        )
        for number in 0..<200 {
            let text = number == 0 ? Self.text : "groups: { g\(number): {} }\n"
            let document =
                #"{"uri":"file:///w/\#(number).yaml","languageId":"yaml","version":1,"text":\#(JSONValue.string(text).line)}"#
            server.receive(
                MessageFraming.message(
                    #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":\#(document)}}"#
                )
            )
        }
        while server.next(at: 10_000) {}
        #expect(server.documents.count == 200)
        #expect((1...4).contains(examinations), "\(examinations)")
    }

    @Test("An outline ends at a number of entries, in lines and in braces")
    func outlines() {
        let lines = String(repeating: "a:\n", count: 600_000)
        let braces = "a: [" + String(repeating: "b,", count: 600_000) + "]"
        for text in [lines, braces] {
            let count = DefinitionOutline(Array(text.utf8)).nodes.count
            #expect((OutlineReader.nodeLimit...(OutlineReader.nodeLimit + 2)).contains(count), "\(count)")
        }
    }

    @Test("Answers have as many things as somebody can look at")
    func answers() {
        var client = ScriptedClient()
        client.initialize()
        let groups = (0..<20_000).map { "  g\($0): {}\n" }.joined()
        client.open("/w/hq.yaml", "version: 1\nnetwork: hq\ngroups:\n" + groups)
        let symbols = client.request(
            "textDocument/documentSymbol",
            #"{"textDocument":{"uri":"file:///w/hq.yaml"}}"#
        )?["result"]?.items
        let count = symbols?.reduce(0) { $0 + 1 + ($1["children"]?.items?.count ?? 0) }
        #expect(count == LanguageServer.mostItems)
    }

    private func play(_ bytes: [UInt8], in pieces: Int, _ random: inout SplitMix64) -> ScriptedClient {
        var client = ScriptedClient(["/w/hq.yaml": Self.text])
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...max(pieces, 1), using: &random))
            client.server.receive(rest.prefix(count))
            rest = rest.dropFirst(count)
            client.wait(50)
        }
        client.wait(2_000)
        return client
    }

    @Test("Messages cut into pieces mean the same")
    func pieces() {
        var random = SplitMix64(seed: 1)
        let bytes = Self.messages().flatMap(MessageFraming.message)
        let whole = play(bytes, in: .max, &random)
        #expect(whole.received.count > 10)
        for size in [1, 7, 100] {
            let cut = play(bytes, in: size, &random)
            let answers = { (client: ScriptedClient) in client.received.filter { $0["id"] != nil } }
            #expect(answers(cut) == answers(whole))
        }
    }

    @Test("Octets that are changed, lost or doubled never stop the machine", arguments: 0..<40)
    func noise(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var messages = Self.messages()
        for _ in 0..<3 {
            let place = Int.random(in: 0..<messages.count, using: &random)
            var content = Array(messages[place].utf8)
            let at = Int.random(in: 0..<content.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: content[at] = UInt8.random(in: .min ... .max, using: &random)
            case 1: content.removeSubrange(at..<min(at + 9, content.count))
            case 2: content.insert(contentsOf: content[..<at], at: at)
            default: messages.swapAt(place, Int.random(in: 0..<messages.count, using: &random))
            }
            messages[place] = String(decoding: content, as: UTF8.self)
        }
        var bytes = messages.flatMap(MessageFraming.message)
        if seed.isMultiple(of: 4) { bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0x10 }
        var client = play(bytes, in: 300, &random)
        client.server.endInput()
        #expect(client.server.ending != nil)
    }

    @Test("Texts that are no YAML have outlines, and every place in them an answer", arguments: 0..<40)
    func outlines(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed) + 1_000)
        var bytes = Array(Self.text.utf8)
        let signs = Array("{}[]:,-#\"'|>&*!$()\n\r\t 😀\u{0}".utf8)
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            let at = Int.random(in: 0..<bytes.count, using: &random)
            if Bool.random(using: &random) {
                bytes.insert(signs.randomElement(using: &random) ?? 0, at: at)
            } else {
                bytes.removeSubrange(at..<min(at + Int.random(in: 1...9, using: &random), bytes.count))
            }
        }
        let outline = DefinitionOutline(bytes)
        for node in outline.nodes.indices {
            #expect(outline.nodes[node].end <= bytes.count + 1)
            #expect(outline.nodes[node].parent.map { $0 < node } ?? true)
            _ = outline.path(to: node)
        }
        let names = KnownNames(declarations: DeclarationIndex())
        for offset in stride(from: 0, through: bytes.count, by: 3) {
            _ = outline.place(at: offset)
            let completion = Completion(bytes, at: offset, names: names)
            #expect(completion.replaced.upperBound <= bytes.count)
        }
    }

    @Test("Deep nesting and long lines are passed over")
    func deep() {
        for text in [
            String(repeating: "[", count: 100_000), String(repeating: "- ", count: 50_000),
            String(repeating: "{a: ", count: 50_000),
            (0..<2_000).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
        ] {
            let outline = DefinitionOutline(Array(text.utf8))
            #expect(outline.nodes.count < 5_000)
        }
    }

    @Test("A thousand nodes are checked again, completed and explained in reasonable time", .timeLimit(.minutes(45)))
    func large() {
        let nodes = (1...1_000).map { number in
            let digits = String(number, radix: 16)
            let uuid = String(repeating: "0", count: 32 - digits.count) + digits
            return "  lamp-\(number): { uuid: \(uuid), profile: lamp, tags: { room: r\(number % 50) } }\n"
        }
        let text = """
            version: 1
            network: hq
            subnets: { building: { index: 0 } }
            application_keys: { lighting: { subnet: building } }
            groups: { all: {} }
            profiles:
              lamp: { elements: { 0: { generic-onoff-server: { keys: [lighting], subscribe: [all] } } } }
            nodes:
            \(nodes.joined())
            """
        var client = ScriptedClient(["/w/hq.yaml": text])
        client.initialize()
        client.open("/w/hq.yaml", text)
        #expect(client.published().map(\.messages) == [[]])
        let clock = ContinuousClock()
        let change = """
            {"textDocument":{"uri":"file:///w/hq.yaml","version":2},"contentChanges":[{"range":{"start":\
            {"line":500,"character":62},"end":{"line":500,"character":63}},"text":"L"}]}
            """
        let edit = clock.measure {
            client.notify("textDocument/didChange", change)
            client.wait(200)
        }
        let found = client.published()
        #expect(found.first?.messages.count == 1, "\(found)")
        let marked = #"{"textDocument":{"uri":"file:///w/hq.yaml"},"position":{"line":500,"character":62}}"#
        let completion = clock.measure { _ = client.request("textDocument/completion", marked) }
        client.notify("textDocument/didChange", change.replacing(#""L""#, with: #""l""#))
        client.wait(200)
        let hover = clock.measure { _ = client.request("textDocument/hover", marked) }
        print("1,000 nodes: diagnostics after an edit \(edit), completion \(completion), first hover \(hover)")
    }
}
