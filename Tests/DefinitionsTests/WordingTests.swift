import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Titles and descriptions")
struct WordingTests {
    @Test("Networks, subnets, keys, groups and nodes have titles and descriptions in any script")
    func titles() throws {
        let text = """
            version: 1
            network: hq
            title: "Büro 東京 👩‍🚀"
            description: "One line.\\nAnother."
            subnets: { building: { title: "Gebäude", index: 0 } }
            application_keys: { light: { title: "Свет", description: Lamps, subnet: building } }
            groups: { kitchen: { title: "Küche" } }
            nodes: { lamp: { title: "שולחן 1", uuid: \(uuid(1)) } }

            """
        let (read, problems) = definitions(text)
        #expect(problems == [])
        let definition = try #require(read.first)
        #expect(definition.wording.title?.value == "Büro 東京 👩‍🚀")
        #expect(definition.wording.description?.value == "One line.\nAnother.")
        #expect(definition.subnets.first?.wording.title?.value == "Gebäude")
        #expect(definition.applicationKeys.first?.wording.title?.value == "Свет")
        #expect(definition.groups.first?.wording.title?.value == "Küche")
        #expect(definition.nodes.first?.wording.title?.value == "שולחן 1")
        let written = DefinitionWriter.text(of: definition)
        #expect(DefinitionWriter.text(of: try #require(definitions(written).definitions.first)) == written)
        #expect(written.contains("title: \"שולחן 1\""))
    }

    @Test(
        "What nobody sees, or what changes the writing direction, is refused",
        arguments: [
            ("\\u202Eabc", "a title cannot hold the character U+202E"),
            ("a\\u2066", "a title cannot hold the character U+2066"),
            ("a\\x1B[2J", "a title cannot hold the character U+001B"),
            ("a\\nb", "a title cannot hold the character U+000A"),
            ("\\uFEFFa", "a title cannot hold the character U+FEFF"),
            ("\\U000E0041", "a title cannot hold the character U+E0041"),
            (" ", "` ` cannot be a title"), (String(repeating: "x", count: 121), "cannot be a title"),
        ]
    )
    func refuses(title: String, problem: String) {
        let problems = diagnose(head + "groups: { g: { title: \"\(title)\" } }\n")
        #expect(problems.count == 1 && problems[0].contains(problem), "\(problems)")
        #expect(problems.first?.hasPrefix("a.yaml:3:23: error: ") == true, "\(problems)")
    }

    @Test("A network has one title")
    func once() {
        let problems = diagnose(head + "title: a\n---\nnetwork: hq\ntitle: b\n")
        #expect(problems == ["a.yaml:6:8: error: the title is given twice [a.yaml:3:8: first here]"])
    }

    @Test("Modules and repetitions make titles, too")
    func instances() throws {
        let (read, problems) = definitions(
            head + "groups: { g-$(n): { for: { n: 1..2 }, title: Raum $(n) } }\n"
        )
        #expect(problems == [])
        #expect(read.first?.groups.map { $0.wording.title?.value } == ["Raum 1", "Raum 2"])
    }

    @Test("Rooms whose titles hold their number are folded into a module, whose titles hold its parameter")
    func folded() throws {
        let groups = (101...112).map { "  room-\($0): { title: \"Room \($0)\" }\n" }.joined()
        let nodes = (101...112).map { "  lamp-\($0): { title: \"Lamp of \($0)\", uuid: \(uuid($0)) }\n" }.joined()
        let (read, problems) = definitions(head + "groups:\n\(groups)nodes:\n\(nodes)")
        #expect(problems == [])
        let plain = try #require(read.first)
        let folded = try #require(FoldedDefinition(plain))
        #expect(folded.text.contains("room-$(n): { title: \"Room $(n)\" }"), "\(folded.text)")
        #expect(folded.text.contains("lamp-$(n): { title: \"Lamp of $(n)\" }"), "\(folded.text)")
        let again = reading([("a.yaml", folded.text)])
        #expect(!again.diagnostics.contains { $0.severity == .error })
        #expect(again.definitions.first?.groups.last?.wording.title?.value == "Room 112")
    }

    @Test("Rooms with titles of their own are folded, too, and each says its title")
    func titled() throws {
        let names = Array("abcdefghijkl").map { "Class \($0)" }
        let groups = names.enumerated().map { "  room-\($0 + 101): { title: \"\($1)\" }\n" }.joined()
        let nodes = (101...112).flatMap { room in
            ["wall", "window", "door"].enumerated().map { index, name in
                "  \(name)-\(room): { title: \"Lamp\", uuid: \(uuid(room * 10 + index)) }\n"
            }
        }.joined()
        let (read, problems) = definitions(head + "groups:\n\(groups)nodes:\n\(nodes)")
        #expect(problems == [])
        let plain = try #require(read.first)
        let folded = try #require(FoldedDefinition(plain))
        #expect(folded.moduleCount == 1 && folded.devices.count == 36)
        #expect(folded.text.contains("title: $(title)"), "\(folded.text)")
        #expect(folded.text.contains("title: Lamp"), "\(folded.text)")
        #expect(folded.text.contains("with: { n: 112, title: \"Class l\" }"), "\(folded.text)")
        let again = reading([("a.yaml", folded.text)])
        #expect(!again.diagnostics.contains { $0.severity == .error })
        #expect(again.definitions.first?.groups.compactMap(\.wording.title?.value).sorted() == names)
    }
}
