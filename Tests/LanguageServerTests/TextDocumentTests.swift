import TestSupport
import Testing

@testable import LanguageServer

@Suite("Texts and positions")
struct TextDocumentTests {
    @Test(
        "Columns are converted both ways",
        arguments: [
            // ä has 2 octets and 1 unit, 😀 4 octets and 2 units, and the flag is two such characters.
            (PositionEncoding.utf16, [0, 1, 2, 4, 5, 7, 9]),
            (PositionEncoding.utf8, [0, 1, 3, 7, 8, 12, 16]),
        ]
    )
    func columns(encoding: PositionEncoding, columns: [Int]) {
        let document = TextDocument(Array("x\naä😀b🇦🇹\n".utf8))
        let offsets = [2, 3, 5, 9, 10, 14, 18]
        for (offset, column) in zip(offsets, columns) {
            let position = TextPosition(line: 1, character: column)
            #expect(document.position(of: offset, encoding) == position)
            #expect(document.offset(of: position, encoding) == offset)
        }
    }

    @Test("Columns of a long line are counted right wherever it is", arguments: [PositionEncoding.utf16, .utf8])
    func longLines(encoding: PositionEncoding) {
        var document = TextDocument(Array((String(repeating: "ä😀bc", count: 400) + "\n").utf8))
        document.replace(0..<0, with: "xy\n" + String(repeating: "aü", count: 900) + "\n")
        for offset in 0...document.bytes.count {
            let start = document.lineStarts[document.lineNumber(of: offset)]
            let units = document.bytes[start..<offset].reduce(0) { $0 + encoding.units(ofLead: $1) }
            #expect(document.position(of: offset, encoding).character == units)
        }
        #expect(TextDocument([]).position(of: 0, encoding) == TextPosition(line: 0, character: 0))
        for line in 1...3 {
            var column = 0
            for offset in document.line(line - 1) where document.bytes[offset] & 0xC0 != 0x80 {
                column += 1
                #expect(document.offset(line: line, column: column) == offset)
            }
            #expect(document.offset(line: line, column: column + 1) == document.line(line - 1).upperBound)
            #expect(document.offset(line: line, column: .max) == document.line(line - 1).upperBound)
        }
    }

    @Test("A position in the middle of a character is its beginning, and one behind the end the end")
    func roundedPositions() {
        let document = TextDocument(Array("😀b\nc".utf8))
        #expect(document.offset(of: TextPosition(line: 0, character: 1), .utf16) == 0)
        #expect(document.offset(of: TextPosition(line: 0, character: 3), .utf8) == 0)
        #expect(document.offset(of: TextPosition(line: 0, character: 99), .utf16) == 5)
        #expect(document.offset(of: TextPosition(line: 0, character: .max), .utf16) == 5)
        #expect(document.offset(of: TextPosition(line: 9, character: 0), .utf16) == 7)
    }

    @Test("Lines end with a line feed, a carriage return, or both")
    func lineEnds() {
        let document = TextDocument(Array("a\r\nb\rc\nd".utf8))
        #expect(document.lineStarts == [0, 3, 5, 7])
        #expect((0..<4).map { document.line($0).count } == [1, 1, 1, 1])
        #expect(TextDocument([]).lineStarts == [0])
        #expect(TextDocument([13]).lineStarts == [0, 1])
    }

    @Test("Columns of diagnostics are Unicode scalars")
    func scalars() {
        let document = TextDocument(Array("a\nä😀b".utf8))
        #expect([1, 2, 3, 4, 99].map { document.offset(line: 2, column: $0) } == [2, 4, 8, 9, 9])
        #expect(document.offset(line: 0, column: 0) == 0)
        #expect(document.offset(line: 9, column: 1) == 9)
    }

    @Test(
        "Addresses of files and their paths",
        arguments: [
            ("file:///a/b%20c/%C3%A4.yaml", "/a/b c/ä.yaml"),
            ("file://localhost/a/../b/./c.yaml", "/b/c.yaml"),
            ("FILE:///a#b", "/a"),
            ("file:///c%3A/x.yaml", "/c:/x.yaml"),
        ]
    )
    func addresses(uri: String, path: String) {
        #expect(DocumentURI.path(uri) == path)
        #expect(DocumentURI.path(DocumentURI.uri(ofPath: path)) == path)
    }

    @Test(
        "What is no file has no path",
        arguments: ["untitled:1", "file://host/a", "file:///a%0", "file:///a%+1b", "file:///a%00", "file:///%FF", ""]
    )
    func noFile(uri: String) {
        #expect(DocumentURI.path(uri) == nil)
    }

    @Test("A text that was edited is known as well as a new one")
    func edits() {
        var random = SplitMix64(seed: 4)
        let pieces = ["", "\n", "\r", "\r\n", "ä", "😀", "x", "a: b\n", String(repeating: "ä\n", count: 700)]
        var document = TextDocument([])
        for _ in 0..<2_000 {
            let start = Int.random(in: 0...document.bytes.count, using: &random)
            let count = random.chance(5) ? 3_000 : Int.random(in: 0...3, using: &random)
            document.replace(start..<start + count, with: pieces.randomElement(using: &random) ?? "")
            #expect(document == TextDocument(document.bytes))
        }
    }
}
