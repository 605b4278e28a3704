import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Definitions

@Suite("Definitions that are read again")
struct ReadingAgainTests {
    /// Small entries are divided as far as it goes, so that short texts have the ways of long ones.
    private static let fine: ReadingLimits = {
        var limits = ReadingLimits()
        limits.separateOctets = 40
        return limits
    }()

    /// There are no other files.
    private static var none: DocumentPass.Loading<Never> {
        DocumentPass.Loading(load: { (_: String) throws(Never) -> [SourceFiles.File] in [] }, admits: { _ in true })
    }

    private static let text = """
        # The building.
        version: 1
        network: hq
        subnets:
          # The only one.
          primary: { index: 0 }
        application_keys:
          light: { subnet: primary, index: 0 }
        groups:
          hall: { address: 0xC000 }
          room:
            address: 0xC001
            parent: hall
            description: |+
              A room with ä
               and more.

        profiles:
          lamp:
            ttl: 5
            elements:
              0:
                generic-onoff-server:
                  keys:
                  - light
                  subscribe: [hall,
                    room]
        nodes:
          lamp-1:
            uuid: \(uuid(1))   # first

            profile: lamp
            features:
              relay: on
              proxy: "off"
            title: A lamp
              over two lines
          lamp-2: {
            uuid: \(uuid(2)),
            profile: lamp }
          'lamp-3':
            uuid: \(uuid(3))
            elements:
              0:
                generic-onoff-server: { keys: [light] }
        subscriptions:
          - nodes: lamp-1
            model: generic-onoff-server
            groups: [room]

        """

    private static let module = """
        modules:
          pair:
            parameters: { number: { type: integer, default: 7 } }
            nodes:
              pair-$(number)-a: { uuid: \(uuid(8)) }
              pair-$(number)-b:
                uuid: \(uuid(9))
                ttl: 4
        use:
          - module: pair
        """

    /// Lines and words as people and mistakes insert them.
    private static let pieces = [
        "\n", " ", "  ", "\t", ":", "#", "# x\n", "-", "- ", "?", "? ", "{", "}", "[", "]", ",", "\"", "'", "|\n",
        ">-\n", "&a ", "*a", "<<: *a\n", "---\n", "...\n", "%YAML 1.1\n", "!!str ", "!x ", "ä", "$(number)", "\r\n",
        "\r", "\u{0}", "    ttl: 6\n", "  lamp-9:\n    ttl: 3\n", "  lamp-1: {}\n", "nodes:\n", "groups: {}\n",
        "x", "7", "light", "\u{FEFF}", "      \n", "  \n\n",
    ]

    private static func edited(_ text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var text = text
        let place = Int.random(in: 0...text.count, using: &random)
        let end = min(text.count, place + (random.chance(80) ? Int.random(in: 0...3, using: &random) : 60))
        let piece = random.chance(60) ? pieces.randomElement(using: &random) ?? "" : ""
        if random.chance(25) {
            // A whole line, where a line begins.
            let start = (text[..<place].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
            let rest = text[place...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
            text.replaceSubrange(start..<(random.chance(50) ? start : rest), with: piece.utf8)
        } else {
            text.replaceSubrange(place..<end, with: piece.utf8)
        }
        return text
    }

    @Test(
        "After any edits they say the same as if they were read for the first time",
        arguments: 0..<40 as Range<UInt64>
    )
    func edits(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let parsed = ParsedFiles()
        let original = [Array(Self.text.utf8), Array((random.chance(50) ? Self.module : "description: x\n").utf8)]
        var texts = original
        for _ in 0..<40 {
            // Somebody undoes what is wrong, so that most texts are nearly right.
            let file = random.chance(75) ? 0 : 1
            texts[file] = Self.edited(random.chance(40) ? original[file] : texts[file], &random)
            let files = sources(texts.map { String(decoding: $0, as: UTF8.self) })
            let again = DefinitionReader.reading(files, limits: Self.fine, reusing: parsed, Self.none)
            let first = DefinitionReader.reading(files, limits: Self.fine, Self.none)
            let text = String(decoding: texts[file], as: UTF8.self)
            #expect(again.diagnostics == first.diagnostics, "\(text)")
            #expect(again.definitions == first.definitions, "\(text)")
            #expect(again.vendorModels == first.vendorModels)
            guard again.diagnostics == first.diagnostics, again.definitions == first.definitions else { return }
        }
    }

    /// The texts of a tree with their places.
    private static func words(_ tree: DocumentTree, _ symbols: inout SymbolTable) -> [String] {
        tree.nodes.map { node in
            let value = node.kind.isText ? symbols.text(node.value) : "\(node.value)"
            return "\(node.kind) \(value) \(node.line):\(node.column)+\(node.length)"
        }
    }

    @Test("Of edits within an entry only that is parsed, and the tree is that of the whole text")
    func entries() throws {
        let head = "nodes:\n"
        let lines = (1...200).map { "  lamp-\($0):\n    ttl: 5\n    features:\n      relay: on\n" }
        let text = Array((head + lines.joined()).utf8)
        var decoder = DocumentDecoder(limits: Self.fine, known: KnownTrees([:]))
        let reader = FileReader(file: 0, limits: Self.fine)
        reader.read(SourceFiles.File(path: "a.yaml", bytes: text), with: &decoder) { _ in }
        let known = try #require(decoder.known?.file("a.yaml"))
        var replacements = [(lines[99], "  lamp-100:\n    ttl: 6\n    title: Two\n      lines\n")]
        replacements += [(lines[99], ""), (lines[99], lines[99] + "  more: {}\n"), (lines[199], "  last: {}")]
        for (old, new) in replacements {
            let changed = Array((head + lines.joined().replacing(old, with: new)).utf8)
            let updated = known.updated(to: changed, symbols: &decoder.symbols, limits: Self.fine)
            // Nothing is left of an entry that is taken away, so that the mapping is read as a whole.
            guard !new.isEmpty else { continue }
            let tree = try #require(updated?.trees.first)
            var whole = DocumentDecoder(limits: Self.fine, known: KnownTrees([:]))
            reader.read(SourceFiles.File(path: "a.yaml", bytes: changed), with: &whole) { _ in }
            let expected = try #require(whole.known?.file("a.yaml")?.trees.first)
            #expect(Self.words(tree, &decoder.symbols) == Self.words(expected, &whole.symbols))
        }
        // What is said about an entry alone would be something else.
        for wrong in ["  lamp-100: [\n", "  lamp-100: &a 1\n", "  ? lamp-100\n", " lamp-100: 1\n", "  lamp-100\n"] {
            let changed = Array((head + lines.joined().replacing(lines[99], with: wrong)).utf8)
            #expect(known.updated(to: changed, symbols: &decoder.symbols, limits: Self.fine) == nil, "\(wrong)")
        }
    }

    @Test("Texts that edits leave behind are forgotten at some time")
    func symbols() {
        let parsed = ParsedFiles()
        for round in 0..<4 {
            let names = (0..<40_000).map { "  g-\(round)-\($0): {}\n" }.joined()
            let files = sources(["version: 1\nnetwork: hq\ngroups:\n" + names])
            _ = DefinitionReader.reading(files, limits: ReadingLimits(), reusing: parsed, Self.none)
            #expect(parsed.symbols.count < 240_000)
        }
    }
}
