import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Keys never show")
struct SecretsTests {
    private static let key = "7dd7364cd842ad18c17c2b820c84c3d6"

    @Test(
        "A key in a definition is refused, not repeated, and its line is not shown",
        arguments: [
            "subnets: { a: { key: \(key) } }", "subnets: { a: { key: { value: \(key) } } }",
            "subnets: { a: { key: { \(key): 1 } } }", "subnets: { a: \(key) }", "subnets: { a: { secret: \(key) } }",
            "subnets: { a: { index: \(key) } }", "subnets: { a: { \(key): 1 } }",
            "subnets: { a: { key: [\(key)] } }", "subnets: { a: { key: { env: \"\(key)\" } } }",
            "subnets: { a: {} }\napplication_keys: { a: { subnet: a, key: \(key) } }",
            "subnets: { a: {} }\napplication_keys: { a: \(key) }",
        ]
    )
    func keys(_ text: String) {
        let files = sources([head + text + "\n"])
        let diagnostics = DefinitionReader.read(files: files).diagnostics
        #expect(!diagnostics.isEmpty)
        for diagnostic in diagnostics {
            #expect(diagnostic.concealsSource, "\(compact(diagnostic, files))")
            #expect(!compact(diagnostic, files).contains(Self.key))
        }
    }

    @Test("Where there is no key, the line is shown")
    func shown() {
        let diagnostics = DefinitionReader.read(files: sources([head + "subnets: { a: { index: 5000 } }\n"]))
            .diagnostics
        #expect(diagnostics.map(\.concealsSource) == [false])
        #expect(diagnostics.map(\.resource) == ["subnet.a"])
    }

    @Test("A key has one source")
    func oneSource() {
        let hint = "(write `key: { file: PATH }` or `key: { env: NAME }`, or leave it out to have one made)"
        #expect(
            diagnose(head + "subnets: { a: { key: { file: x, env: Y } }, b: { key: {} }, c: { key: } }\n") == [
                "a.yaml:3:17: error: a key has exactly one source, not 2 \(hint)",
                "a.yaml:3:50: error: a key has exactly one source, not 0 \(hint)",
                "a.yaml:3:71: error: a source of a key is expected here, not nothing \(hint)",
            ]
        )
    }

    @Test("Text in messages is short and harmless to a terminal")
    func quoting() {
        #expect(quoted("a\u{1B}[31m\u{202E}\nb") == "`a\\u{1b}[31m\\u{202e}\\nb`")
        #expect(quoted(String(repeating: "x", count: 100)) == "`" + String(repeating: "x", count: 48) + "…`")
        #expect(quoted(Self.key) == "(32 digits, not shown)")
    }
}
