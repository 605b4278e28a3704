import DefinitionModel
import Foundation
import MeshCore
import TestSupport
import Testing

@testable import Definitions

@Suite("YAML that is read without libyaml")
struct PlainTreeReaderTests {
    /// A tree with its texts, in a form that can be compared.
    private static func shown(_ tree: DocumentTree, _ symbols: inout SymbolTable) -> [String] {
        tree.nodes.map { node in
            let value = node.kind.isText ? symbols.text(node.value) : "\(node.value)"
            return "\(node.line):\(node.column)+\(node.length) \(node.kind) \(value)"
        } + [tree.hasReferences ? "with references" : "without references"]
    }

    private static func plain(_ text: [UInt8], _ limits: ReadingLimits = ReadingLimits()) -> [String]? {
        text.withUnsafeBufferPointer { text in
            var symbols = SymbolTable()
            guard TextScan.firstProblem(text) == nil else { return nil }
            guard let tree = PlainTreeReader.tree(of: text, limits: limits, symbols: &symbols) else { return nil }
            return shown(tree, &symbols)
        }
    }

    /// What libyaml makes of a text: its trees, and whether something is wrong with it.
    private static func reference(_ text: [UInt8]) -> (trees: [[String]], isWrong: Bool) {
        text.withUnsafeBufferPointer { text in
            let limits = ReadingLimits()
            var (symbols, diagnostics) = (SymbolTable(), DiagnosticCollector(limit: 10))
            var builder = TreeBuilder(file: 0, limits: limits)
            var trees: [[String]] = []
            guard var parser = YAMLParser(text) else { return ([], true) }
            while true {
                let progress = try? parser.next {
                    builder.take($0, symbols: &symbols, diagnostics: &diagnostics)
                }
                switch progress {
                case .unfinished: continue
                case .document: trees.append(shown(builder.tree, &symbols))
                case .end: return (trees, diagnostics.hasErrors)
                case .failed, nil: return (trees, true)
                }
            }
        }
    }

    private static let texts = [
        "a: 1\nb:\nc: [x, { y: z, \"q\": 'r' }]\n",
        "a:\n  b:\n  - c: 1\n    d: 2\n  - e\n  f: g\n",
        "# one\n\na: b # two\n\n  # three\nc:\n    - - 1\n      - 2\n    -\n      x: y\n",
        "ä: { größe: \"ü ö\", 0x0059:0x0001: [] }\nb: $(n)\n",
        "k: [a,\n  b, # c\n c]\nl: { m:\n n, o: -03:30 }",
        "x: { ä: [ö, \"ü ü\", ö], ß: { é: $(n), e: ñ } } # ä\ny: [ñ, { ñ: ñ }]\n",
        "a b: c d\ne: http://x/y#z\nf: 1..4\n- g: h\n",
    ]

    @Test("Ordinary texts are read like this, and libyaml reads them the same", arguments: texts.dropLast())
    func readsOrdinaryTexts(text: String) throws {
        let tree = try #require(Self.plain(Array(text.utf8)))
        let reference = Self.reference(Array(text.utf8))
        #expect(reference.trees == [tree])
        #expect(!reference.isWrong)
    }

    @Test(
        "What is unusual or wrong is left to libyaml",
        arguments: [
            "", "# nothing\n", "a\n", "- \n", "a: b: c\n",
            "a: 'it''s'\n", "a: \"\\x41\"\n", "a: b\n  c\n", "a: |\n  b\n",
            "a: &x b\n", "a: *x\n", "a: !x b\n", "? a\n: b\n", "--- \na: b\n", "a: b\n...\n", "%YAML 1.1\n", "a:\tb\n",
            "a: b\r\n", "a: [b\n", "a: { b }\n", "a: { b: }\n", "a: [b: c]\n",
            "a: [b,]\n", "a: 1\n b: 2\n", " a: 1\nb: 2\n",
            "a:\n  - b\n  c: d\n", "a: 1\n- b\n", "a: {b: c}d\n", "a: [b]: c\n", "{a: b}: c\n", "a: - b\n", "a: @b\n",
        ]
    )
    func leavesOthers(text: String) {
        #expect(Self.plain(Array(text.utf8)) == nil)
    }

    @Test("Limits are those of libyaml's way")
    func limits() {
        var limits = ReadingLimits()
        limits.nodes = 4
        #expect(Self.plain(Array("a: [1, 2]\n".utf8), limits) == nil)
        limits = ReadingLimits()
        limits.scalarSize = 3
        #expect(Self.plain(Array("abcd: 1\n".utf8), limits) == nil)
        limits = ReadingLimits()
        limits.depth = 3
        #expect(Self.plain(Array("a: [[[1]]]\n".utf8), limits) == nil)
        #expect(Self.plain(Array("a: [[1]]\n".utf8), limits) != nil)
    }

    @Test("However a text is damaged: what is read without libyaml, libyaml reads the same")
    func readsLikeReference() {
        var random = SplitMix64(seed: 71)
        let pieces = [
            "-", ":", "{", "}", "[", "]", ",", "#", "'", "\"", "&", "*", "!", "|", ">", "%", "@", "?", "\n", " ", "\t",
            "a", "1", "é", "\n  ", "\n    ", ": ", "- ", " #", "\n- ", "$(", "---", "..", "{ ", "\n\n",
        ].map { Array($0.utf8) }
        var read = 0
        for round in 0..<12_000 {
            var text = Array(Self.texts[round % Self.texts.count].utf8)
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let start = Int.random(in: 0...text.count, using: &random)
                let end = min(text.count, start + Int.random(in: 0..<4, using: &random))
                let piece = Bool.random(using: &random) ? pieces.randomElement(using: &random) ?? [] : []
                text.replaceSubrange(start..<end, with: piece)
            }
            guard let tree = Self.plain(text) else { continue }
            read += 1
            let reference = Self.reference(text)
            let shown = String(decoding: text, as: UTF8.self)
            #expect(reference.trees == [tree] && !reference.isWrong, "\(shown)")
        }
        #expect(read > 1000)
    }

    @Test("The examples are read without libyaml")
    func readsExamples() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL
        for name in ["hotel/hotel.yaml", "house/house.yaml"] {
            let text = Array(try Data(contentsOf: root.appending(path: "examples/\(name)")))
            let tree = try #require(Self.plain(text), "\(name)")
            #expect(Self.reference(text).trees == [tree], "\(name)")
        }
    }
}
