import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import MeshplanCLI

@Suite("Diagnostics on the terminal")
struct DiagnosticViewTests {
    private let terminal = Style(isColoured: false, drawsBoxes: true, isTerminal: true, width: 72)

    private let files = SourceFiles(files: [
        .init(
            path: "house.yaml",
            bytes: Array("network: house\nnodes:\n  kitchen-1: { uuid: 1, subcribe: [] }\n".utf8)
        ),
        .init(path: "more.yaml", bytes: Array("a: 1\n\t日本\t灯: { key: x }\n".utf8)),
    ])

    private var problems: [Diagnostic] {
        [
            Diagnostic(
                .warning,
                "the label “灯” is used twice",
                at: SourceLocation(file: 1, line: 2, column: 5),
                length: 1,
                related: [.init(message: "first here", location: SourceLocation(file: 0, line: 3, column: 3))]
            ),
            Diagnostic(
                .error,
                "unknown key `subcribe`",
                at: SourceLocation(file: 0, line: 3, column: 25),
                length: 8,
                resource: "node.kitchen-1",
                hint:
                    "Did you mean `subscribe`? Allowed are address, features, profile, protect, subscribe, tags and uuid."
            ),
            Diagnostic(.error, "the folder holds no definition"),
            Diagnostic(.note, "2 of 3 nodes are skipped", at: SourceLocation(file: 0, line: 3, column: 3)),
        ]
    }

    @Test("on a terminal a block has a rule, the source line, a mark and a hint")
    func boxed() {
        expectSnapshot(DiagnosticView(files: files, style: terminal).render(problems), "diagnostics-terminal.txt")
    }

    @Test("elsewhere the first line has the form that editors recognise, in ASCII but for the user's own words")
    func plain() {
        expectSnapshot(DiagnosticView(files: files, style: .plain).render(problems), "diagnostics-plain.txt")
    }

    @Test(
        "a key in a source line is not shown, however the line is cut; UUIDs are",
        arguments: [
            #"{"key": "A327BB410CF137455A4F234DF8134C78", "bogus": 1}"#,
            "  a: { deviceKey: 0xa327bb410cf137455a4f234df8134c78, bogus: 1 }",
            "  a: { bogus: 1, device_key: a327bb410cf137455a4f234df8134c78 }",
            "keys: [a327bb410cf137455a4f234df8134c78, bogus]",
        ]
    )
    func concealedKeys(line: String) throws {
        let uuid = "27668C9732A345B561494865E288CBC2"
        let text = line + " uuid: " + uuid
        let column = try #require(text.firstRange(of: "bogus").map { text[..<$0.lowerBound].count + 1 })
        for width in 20...120 {
            let excerpt = Excerpt(of: text, column: column, length: 5, width: width)
            #expect(!excerpt.text.lowercased().contains("a327") && !excerpt.text.lowercased().contains("4c78"))
            #expect(width < 120 || excerpt.text.contains(uuid))
        }
    }

    @Test("colours appear only when asked for")
    func coloured() {
        var style = terminal
        style.isColoured = true
        #expect(DiagnosticView(files: files, style: style).render(problems).contains("\u{1B}[1;31m"))
        #expect(!DiagnosticView(files: files, style: terminal).render(problems).contains("\u{1B}"))
    }

    @Test("nothing that comes from a file or a message reaches the terminal as a control character")
    func hostileText() {
        let hostile = SourceFiles(files: [
            .init(path: "a\u{1B}[2J.yaml", bytes: Array("\u{1B}]0;x\u{7} \u{202E}x\n".utf8))
        ])
        let diagnostic = Diagnostic(
            .error,
            "bad\u{1B}[31m\r\nvalue",
            at: SourceLocation(file: 0, line: 1, column: 1),
            resource: "node.\u{9B}x",
            hint: "see\u{7}"
        )
        let text = DiagnosticView(files: hostile, style: terminal).render([diagnostic])
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.isHarmless })
    }

    @Test("places outside the file, columns past the line and lengths past its end are shown without a trap")
    func outside() {
        for (line, column, length) in [(9, 1, 1), (1, 999, 1), (1, 1, Int.max), (1, 0, 0), (0, 0, -4)]
            as [(Int, Int, Int)]
        {
            let location = SourceLocation(file: 0, line: UInt32(line), column: UInt32(column))
            let text = DiagnosticView(files: files, style: .plain).render([
                Diagnostic(.error, "x", at: location, length: length)
            ])
            #expect(text.contains("error: x"))
        }
    }

    @Test("a very long line is cut around the place", arguments: [1, 50, 200, 100_000])
    func longLine(column: Int) {
        let source = String(repeating: "x", count: column - 1) + "HERE" + String(repeating: "y", count: 100_000)
        let excerpt = Excerpt(of: source, column: column, length: 4, width: 60)
        #expect(excerpt.text.displayWidth <= 61)
        let marked = excerpt.text.dropFirst(excerpt.indent.count).prefix(4)
        #expect(marked == "HERE" && excerpt.marks == "^^^^")
    }

    @Test("of a very long line only what is near is looked at, which is enough to conceal a long value")
    func windowOfLongLine() throws {
        let front = String(repeating: "ö: 1, ", count: 5_000)
        for secret in [String(repeating: "geheim", count: 680), String(repeating: "ßüä", count: 680)] {
            for rest in [", HERE: 1", String(repeating: " ", count: 40) + "# HERE"] {
                let source = "{ " + front + "oob: { static: " + secret + rest + " }, " + front + "}"
                let column = source.unicodeScalars.split(separator: "H")[0].count + 1
                let files = SourceFiles(files: [.init(path: "a.yaml", bytes: Array(("a: 1\n" + source).utf8))])
                let place = SourceLocation(file: 0, line: 2, column: UInt32(column))
                let line = try #require(files.line(of: place))
                #expect(line.text.utf8.count < 25_000)
                let excerpt = Excerpt(of: line.text, skipped: line.skipped, column: column, length: 4, width: 100)
                let marked = excerpt.text.dropFirst(excerpt.indent.count).prefix(4)
                #expect(marked == "HERE" && excerpt.marks == "^^^^")
                #expect(!excerpt.text.contains("e") && !excerpt.text.contains("ß"), "\(excerpt.text)")
                #expect(excerpt.text.hasPrefix("…") && excerpt.text.displayWidth <= 101)
            }
        }
    }

    @Test("more than a hundred diagnostics are counted instead of shown")
    func many() {
        let text = DiagnosticView(style: .plain).render((1000..<1250).map { Diagnostic(.error, "problem \($0)") })
        #expect(text.contains("problem 1099\n") && !text.contains("problem 1100\n"))
        #expect(text.hasSuffix("(150 more are not shown; --json shows all)\n250 errors\n"))
    }
}
