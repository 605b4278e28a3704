import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Definitions

/// The form of a text; what is wrong with it if it has none.
private func form(_ text: String) -> String { form(octets: Array(text.utf8)) }

private func form(octets: [UInt8]) -> String {
    let file = SourceFiles.File(path: "a.yaml", bytes: octets)
    let format = DefinitionFormat(file)
    guard format.diagnostics.isEmpty else {
        return format.diagnostics.map { compact($0, SourceFiles(files: [file])) }.joined(separator: "\n")
    }
    return String(decoding: format.bytes, as: UTF8.self)
}

@Suite("The form of definitions")
struct FormatTests {
    /// Texts and their forms.
    private static let cases: [(title: String, text: String, form: String)] = [
        (
            "indentation",
            "a:\n    b:\n        - c\n        -   d: 1\n            e: 2\n",
            "a:\n  b:\n    - c\n    - d: 1\n      e: 2\n"
        ),
        (
            "a list in the column of its key",
            "a:\n- b\n- c: 1\n  d: 2\ne: 3\n",
            "a:\n  - b\n  - c: 1\n    d: 2\ne: 3\n"
        ),
        ("lists of lists", "-   -   a\n    - b\n-  c\n", "- - a\n  - b\n- c\n"),
        (
            "brackets",
            "a: {b:   1,c: [ 1,2 , 3 ],d: { },e: [ ]}\n",
            "a: { b: 1, c: [1, 2, 3], d: {}, e: [] }\n"
        ),
        ("a comma before a bracket", "a: [1, 2,]\nb: { c: 1, }\n", "a: [1, 2]\nb: { c: 1 }\n"),
        (
            "brackets over lines", "a:\n  - { b: 1,\n   c: [2,\n 3],\n        d: 4\n    }\n",
            "a:\n  - { b: 1,\n      c: [2,\n        3],\n      d: 4\n    }\n"
        ),
        ("brackets on a line of their own", "a:\n    [b,\n  c]\n", "a:\n  [b,\n   c]\n"),
        ("keys in quotes", "{\"a\":1}\n", "{ a: 1 }\n"),
        ("colons", "a   :   b\n*x : c\n".replacing("*x", with: "d"), "a: b\nd: c\n"),
        (
            "quotes",
            "a: 'b'\n\"c\": \"on\"\nd: 'it''s'\ne: '1'\nf: \"\\x41\"\n",
            "a: b\nc: \"on\"\nd: 'it''s'\ne: \"1\"\nf: \"\\x41\"\n"
        ),
        ("values below each other", "a:    1\nbbb:  2\ncc: 3\n", "a:   1\nbbb: 2\ncc:  3\n"),
        ("values that only have spaces before them", "a:   1\nbbb:  2\n", "a: 1\nbbb: 2\n"),
        (
            "comments",
            "  # one\na: 1 # two\n\n\n\n#three\nb:\n # four\n    c: 1\n    # five\n# six\n",
            "# one\na: 1  # two\n\n#three\nb:\n  # four\n  c: 1\n  # five\n# six\n"
        ),
        (
            "comments below each other",
            "a: 1     # x\nbbb: 2\ncccc: 3  # y\n",
            "a: 1     # x\nbbb: 2\ncccc: 3  # y\n"
        ),
        (
            "comments in brackets",
            "a: [ # x\n  1,   # y\n # z\n  2 ]\n",
            "a: [  # x\n  1,  # y\n  # z\n  2]\n"
        ),
        ("texts over lines", "a: b\n    c\n\n    d\ne: \"f\n   g\"\n", "a: b\n  c\n\n  d\ne: \"f\n  g\"\n"),
        (
            "blocks of text",
            "a: |\n      b\n\n        c  \n\n\n\nd: >-   # e\n f\n",
            "a: |\n  b\n\n    c  \n\nd: >-   # e\n  f\n"
        ),
        ("blocks of spaces", "a: |+\n          \nb: 1\nc: |\n      \nd: 1\n", "a: |+\n\nb: 1\nc: |\n\nd: 1\n"),
        ("blocks of text that keep their end", "a: |+\n   b\n\n\nc: 1\n", "a: |+\n  b\n\n\nc: 1\n"),
        (
            "blocks of text with their indentation",
            "a:\n    b: |2\n         c\n       d\n",
            "a:\n  b: |2\n       c\n     d\n"
        ),
        (
            "anchors",
            "a:   &x\n    b: 1\nc: &y { d: 1 }\ne:   *x\nf:\n    <<:  [*x,*y]\n",
            "a: &x\n  b: 1\nc: &y { d: 1 }\ne: *x\nf:\n  <<: [*x, *y]\n"
        ),
        ("documents", "---   # one\na: 1\n---\nb:  2\n...\n", "---  # one\na: 1\n---\nb: 2\n...\n"),
        ("long keys", "?   a\n:   b\n? - c\n: - d\n", "? a\n: b\n? - c\n: - d\n"),
        ("values below their keys", "a:\n      1\nb: # c\n    2\n", "a:\n  1\nb:  # c\n  2\n"),
        ("other line breaks", "\u{FEFF}a: 1\r\n\r\n\r\nb: |\r\n    c\r\n    d", "a: 1\n\nb: |\n  c\n  d\n"),
        ("tabs between", "a:\t1\t# b\n", "a: 1  # b\n"),
        (
            "other scripts",
            "küche:   { größe: 1 }   # große\nä:  { b:  2 }\n",
            "küche: { größe: 1 }  # große\nä: { b: 2 }\n"
        ),
        ("nothing", "", ""),
        ("nothing but comments", "\n\n  # a\n\n\n    # b", "# a\n\n# b\n"),
    ]

    @Test("Texts get their form", arguments: cases.indices)
    func forms(number: Int) {
        let (title, text, expected) = Self.cases[number]
        #expect(form(text) == expected, "\(title)")
        #expect(form(expected) == expected, "\(title), again")
    }

    @Test(
        "What is no YAML stays as it is",
        arguments: [
            ("a: 1\n\tb: 2\n", "a.yaml:2:1: error: a tab"),
            ("a: [1\n", "error:"),
            ("a: *b\n", "a.yaml:1:4: error: there is no anchor `b` before this"),
            (String(repeating: "[", count: 1000), "error: lists and mappings are nested"),
            ("a: \"b\n", "error:"),
        ]
    )
    func refuses(text: String, problem: String) {
        #expect(form(text).contains(problem), "\(form(text))")
        #expect(DefinitionFormat(.init(path: "a", bytes: Array(text.utf8))).bytes == Array(text.utf8))
    }

    @Test("Octets that are no text stay as they are")
    func refusesOctets() {
        #expect(form(octets: [0xFF, 0xFE, 0x41, 0]).contains("UTF-16"))
        #expect(form(octets: [0x61, 0x3A, 0x20, 0xC3]).contains("is not UTF-8"))
    }

    @Test("A very long key moves no values of its neighbours")
    func longKeys() {
        let long = String(repeating: "k", count: 200)
        #expect(form("a:   1\nbbb:  2\nc:   3\n\(long): 4\n") == "a: 1\nbbb: 2\nc: 3\n\(long): 4\n")
        let short = String(repeating: "k", count: 100)
        #expect(form("a:   1\nc:   3\nbbb: 3\n\(short): 4\n").contains("a:\(String(repeating: " ", count: 100))1\n"))
    }

    @Test("A file of very many lines stays as it is")
    func manyLines() {
        let text = "a: 1\n" + String(repeating: "#\n", count: 1_000_000)
        #expect(form(text).contains("too long to be brought into form: it has 1000001 lines"))
    }

    // MARK: - Meaning

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    /// All YAML files of examples and tests.
    private static let files: [URL] = ["examples", "Tests"].flatMap { folder in
        let all = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "yaml" }
    }
    .sorted { $0.path < $1.path }

    /// What a text says, without where.
    private static func meaning(_ text: String) -> [String] {
        let files = SourceFiles(files: [.init(path: "a.yaml", bytes: Array(text.utf8))])
        let (definitions, diagnostics) = DefinitionReader.read(files: files)
        return definitions.map { DefinitionWriter.text(of: $0) } + diagnostics.map(\.message).sorted()
    }

    @Test("The form of all examples and test files means the same, and is its own form")
    func keepsMeaning() throws {
        #expect(Self.files.count >= 10)
        for file in Self.files {
            let text = try String(contentsOf: file, encoding: .utf8)
            let formed = form(text)
            #expect(Self.meaning(formed) == Self.meaning(text), "\(file.lastPathComponent)")
            #expect(form(formed) == formed, "\(file.lastPathComponent)")
        }
    }

    @Test("The examples are in form")
    func examples() throws {
        let examples = Self.files.filter { $0.path.contains("/examples/") }
        #expect(examples.count >= 6)
        for file in examples {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(form(text) == text, "meshplan fmt \(file.path)")
        }
    }

    @Test("What meshplan writes is in form")
    func writesForm() throws {
        for file in Self.files where file.path.contains("Snapshots") {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(form(text) == text, "\(file.lastPathComponent)")
        }
    }

    @Test("However a definition is laid out, its form means the same, has all comments, and is its own form")
    func keepsMeaningOfMangledLayouts() throws {
        var random = SplitMix64(seed: 17)
        var mangled = 0
        for file in Self.files where !file.path.contains("Snapshots") {
            let text = try String(contentsOf: file, encoding: .utf8)
            let meaning = Self.meaning(text)
            for round in 0..<6 {
                let layout = Self.mangled(text, &random)
                let formed = form(layout)
                guard Self.meaning(layout) == meaning else { continue }
                mangled += 1
                #expect(Self.meaning(formed) == meaning, "\(file.lastPathComponent), \(round)")
                #expect(form(formed) == formed, "\(file.lastPathComponent), \(round)")
                #expect(Self.marks(formed) == Self.marks(layout), "\(file.lastPathComponent), \(round)")
            }
        }
        #expect(mangled > 20)
    }

    /// The comments that mangling has put in, in their order.
    private static func marks(_ text: String) -> [String] { text.matches(of: #/# mark [0-9]+/#).map { String($0.0) } }

    /// A text with other spaces, breaks and comments, most of the time with the same meaning.
    private static func mangled(_ text: String, _ random: inout SplitMix64) -> String {
        let factor = Int.random(in: 1...4, using: &random)
        var result = ""
        var mark = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let spaces = line.prefix { $0 == " " }.count
            var rest = String(line.dropFirst(spaces))
            let isComment = rest.hasPrefix("#")
            if !isComment, !rest.contains("\""), !rest.contains("'") {
                rest = rest.replacing(#/, /#) { _ in
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0: return ","
                    case 1: return "  ,    "
                    case 2 where rest.hasSuffix("}") && !rest.contains("#"):
                        return ",\n" + String(repeating: " ", count: spaces * factor + 9)
                    default: return ", "
                    }
                }
                rest = rest.replacing(": ", with: [": ", ":   ", ": ", ":\t"].randomElement(using: &random) ?? ": ")
                rest = rest.replacing("{ ", with: ["{ ", "{", "{    "].randomElement(using: &random) ?? "{ ")
                if !rest.isEmpty, Int.random(in: 0..<4, using: &random) == 0, !rest.contains("#") {
                    mark += 1
                    rest += "   # mark \(mark)"
                }
            }
            if Int.random(in: 0..<6, using: &random) == 0 {
                mark += 1
                let column = Int.random(in: 0...(spaces * factor + 2), using: &random)
                result += String(repeating: " ", count: column) + "# mark \(mark)\n"
            }
            if Int.random(in: 0..<5, using: &random) == 0 { result += "   \n\n" }
            result += String(repeating: " ", count: spaces * factor) + rest
            result += ["\n", "  \n", "\r\n", "\n"].randomElement(using: &random) ?? "\n"
        }
        return result
    }
}
