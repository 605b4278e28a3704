import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Definitions

@Suite("Hostile files end in diagnostics")
struct HostileInputTests {
    /// Ten aliases of the line before, on each of nine lines: a thousand million values.
    private static func bomb(_ first: String, _ line: (Int, String) -> String) -> String {
        var text = first
        for level in 1...9 {
            let aliases = repeatElement("*a\(level - 1)", count: 10).joined(separator: ", ")
            text += line(level, aliases)
        }
        return text
    }

    private static let tooMany =
        "error: the document holds more than 5000000 values "
        + "(each alias counts as much as the value it repeats; split the definition into several files)"

    @Test("An alias bomb of lists is found at the alias that goes too far")
    func listBomb() {
        let text = Self.bomb(head + "a0: &a0 [x, x]\n") { "a\($0): &a\($0) [\($1)]\n" }
        #expect(diagnose(text) == ["a.yaml:10:10: \(Self.tooMany)"])
    }

    @Test("An alias bomb of merges is found as well")
    func mergeBomb() {
        let text = Self.bomb(head + "nodes:\n  a0: &a0 { ttl: 5 }\n") { "  a\($0): &a\($0) { <<: [\($1)] }\n" }
        #expect(diagnose(text).last?.contains("holds more than 5000000 values") == true)
    }

    @Test("Nesting ends at a depth, also behind aliases")
    func depth() {
        let tooDeep = "error: lists and mappings are nested more than 64 deep"
        #expect(diagnose(String(repeating: "[", count: 100_000)) == ["a.yaml:1:65: \(tooDeep)"])
        #expect(diagnose(String(repeating: "{a: ", count: 1000)).last?.contains(tooDeep) == true)
        #expect(diagnose(String(repeating: "- ", count: 1000) + "x").last?.contains(tooDeep) == true)
        let half = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let twice = String(repeating: "[", count: 30) + "*a" + String(repeating: "]", count: 30)
        #expect(diagnose("groups: &a \(half)\nnodes: \(twice)\n") == ["a.yaml:2:38: \(tooDeep)"])
    }

    @Test("A text of five megabytes is refused, not repeated")
    func longText() {
        let long = String(repeating: "x", count: 5_000_000)
        let problem =
            "error: a text of 5000000 octets (no text may be longer than 4096 octets; check for a missing quote)"
        #expect(diagnose(head + "groups: \(long)\n") == ["a.yaml:3:9: \(problem)"])
        #expect(diagnose(head + "groups: { a: { parent: \"\(long)\" } }\n") == ["a.yaml:3:24: \(problem)"])
        #expect(diagnose(head + "groups: { ? \"\(long)\" : {} }\n") == ["a.yaml:3:13: \(problem)"])
    }

    @Test("A chain of modules ends at a depth")
    func chain() {
        func text(_ count: Int) -> String {
            let modules = (1..<count).map { "  m\($0): { use: [{ module: m\($0 - 1) }] }\n" }.joined()
            return head + "modules:\n  m0: { groups: { g: {} } }\n\(modules)use: [{ module: m\(count - 1) }]\n"
        }
        #expect(diagnose(text(60)).isEmpty)
        let found = diagnose(text(9_000))
        #expect(found.count == 1 && found[0].contains("more than 64 modules use each other in a chain"), "\(found)")
    }

    @Test("Rules times nodes have a limit, whatever the patterns")
    func selectors() {
        let nodes = (0..<2_000).map { "  na\($0)a: { uuid: \(uuid($0)), tags: { r: x } }\n" }.joined()
        func text(_ section: String, _ count: Int, _ entry: String) -> String {
            head + "nodes:\n" + nodes + section + ":\n" + String(repeating: "  - \(entry)\n", count: count)
        }
        func refuses(_ text: String) -> Bool {
            let found = diagnose(text)
            return found.count == 1 && found[0].contains("look at nodes more than 10000000 times")
        }
        #expect(refuses(text("defaults", 6_000, "{ nodes: { r: x }, ttl: 5 }")))
        let entry = "{ nodes: \"*a*\", models: [generic-onoff-server], groups: [g] }"
        #expect(refuses(text("subscriptions", 3_000, entry)))
        let list = String(repeating: "\"*a*\", ", count: 3_000)
        #expect(refuses(head + "nodes:\n" + nodes + "defaults: [{ nodes: [\(list)], ttl: 5 }]\n"))
        // Whole names cost nothing.
        let named = (0..<2_000).map { "  - { nodes: na\($0)a, ttl: 5 }\n" }.joined()
        #expect(diagnose(head + "nodes:\n" + nodes + "defaults:\n" + named).isEmpty)
    }

    @Test("Sections, rows, and models have limits")
    func counts() {
        let groups = (0..<3).map { "  g\($0): {}\n" }.joined()
        var limits = ReadingLimits()
        limits.things = 2
        let found = diagnose(head + "groups:\n" + groups, limits: limits)
        #expect(found.count == 1 && found[0].hasPrefix("a.yaml:6:3: error: there are more than 2 entries of `groups`"))
        let types = (0...1_000).map { "t\($0): u8" }.joined(separator: ", ")
        let model = "models: { m: { company: 0x0059, model: 7, types: { \(types) } } }\n"
        #expect(diagnose(head + model).contains { $0.contains("a model has at most 1000 types") })
        let messages = (0...64).map { "m\($0): { opcode: 0xC00059 }" }.joined(separator: ", ")
        let chatty = "models: { m: { company: 0x0059, model: 7, messages: { \(messages) } } }\n"
        #expect(diagnose(head + chatty).contains { $0.contains("a model has at most 64 messages") })
        let table = Array(String(repeating: ",", count: 100_000).utf8)
        table.withUnsafeBufferPointer { bytes in
            var text = DelimitedText(bytes, from: 0)
            #expect(throws: DelimitedText.Problem.self) { _ = try text.next() }
        }
    }

    @Test("Documents of a file have a limit")
    func documents() {
        var limits = ReadingLimits()
        limits.documents = 2
        let text = head + "---\ngroups: {}\n---\ngroups: {}\n---\ngroups: {}\n"
        #expect(
            diagnose(text, limits: limits) == [
                "a.yaml:6:1: error: the file has more than 2 documents "
                    + "(put what belongs together into one document, or split the file)"
            ]
        )
        #expect(diagnose(head + "---\ngroups: {}\n", limits: limits).isEmpty)
    }

    @Test("What many nodes take over, and what each instance copies, has limits")
    func copies() {
        var limits = ReadingLimits()
        limits.inheritedTags = 5
        let nodes = "nodes: { \"l-$(n)\": { for: { n: 1..3 }, profile: p } }\n"
        let profile = "profiles: { p: { tags: { a: x, b: x } } }\n"
        #expect(
            diagnose(head + profile + nodes, limits: limits) == [
                "a.yaml:2:10: error: nodes inherit more than 5 tags in all "
                    + "(give profiles and entries of `defaults` only the tags that selectors ask for)"
            ]
        )
        #expect(diagnose(head + profile + nodes.replacing("1..3", with: "1..2"), limits: limits).isEmpty)
        let everywhere = head + "defaults: [{ tags: { a: x, b: x } }]\n" + nodes.replacing(", profile: p", with: "")
        #expect(diagnose(everywhere, limits: limits).count == 1)
        limits = ReadingLimits()
        limits.nodes = 10_000
        let variables = (0..<1_600).map { "v\($0): x" }.joined(separator: ", ")
        let groups = "groups: { \"g$(n)\": { for: { n: 1..200 } } }\n"
        #expect(diagnose(head + groups, limits: limits).isEmpty)
        let found = diagnose(head + "variables: { \(variables) }\n" + groups, limits: limits)
        #expect(found.count == 1 && found[0].contains("expand to more than 10000 values"), "\(found)")
    }

    @Test("Lists that are compared with each node have limits")
    func lists() {
        let variables = (0..<17).map { "v\($0): [x]" }.joined(separator: ", ")
        #expect(
            diagnose(head + "groups: { \"g$(v0)\": { for: { \(variables) } } }\n")
                .contains { $0.contains("the repetition has more than 16 variables") }
        )
        let values = (0...1_000).map { "v\($0)" }.joined(separator: ", ")
        #expect(
            diagnose(head + "checks: { c: { nodes: all, have: { tags: { room: [\(values)] } } } }\n")
                .contains { $0.contains("more than 1000 values (write `tags: room` for any") }
        )
        let keys = (0...4_096).map { "k\($0)" }.joined(separator: ", ")
        let profile = "profiles: { p: { elements: { 0: { generic-onoff-client: { keys: [\(keys)] } } } } }\n"
        #expect(diagnose(head + profile).first?.contains("more than 4096 keys") == true)
    }

    @Test("A file beyond the limit is not even scanned")
    func largeFile() {
        var limits = ReadingLimits()
        limits.fileSize = 1 << 20
        #expect(
            diagnose(octets: Array(repeating: 0xFF, count: 1_048_577), limits: limits).first
                == "a.yaml:1:1: error: the file has 1048577 octets (no file may be larger than 1 MiB; split the definition)"
        )
    }

    @Test("Beyond a hundred, problems are only counted")
    func manyProblems() {
        let text = head + "groups:\n" + (0..<1000).map { "  g\($0): { pärent: x }\n" }.joined()
        let problems = diagnose(text)
        #expect(problems.count == 101)
        #expect(problems.first?.hasPrefix("a.yaml:4:9: error: unknown key `pärent`") == true)
        #expect(problems.last == "error: 900 more errors are not shown")
    }

    @Test("Warnings do not crowd out errors")
    func warningsAndErrors() {
        let rules = String(repeating: "  - { groups: [g], models: [0x1000], nodes: all }\n", count: 300)
        let problems = diagnose(head + "groups: { g: }\nsubscriptions:\n" + rules + "---\nnetwork: hq\nttl: 1\n")
        #expect(problems.count == 102)
        #expect(problems.contains { $0.contains("error: unknown key `ttl`") })
        #expect(problems.last == "warning: 200 more warnings are not shown")
    }

    @Test("Mappings with very many keys take linear time")
    func manyKeys() {
        let groups = (0..<20_000).map { "  g\($0): { parent: g\($0 / 2) }\n" }.joined()
        #expect(
            diagnose(head + "groups:\n" + groups) == [
                "a.yaml:4:17: error: the group `g0` is its own ancestor (the parents form a circle: g0 → g0)"
            ]
        )
    }

    @Test("A mistake at the very end of a file without a line break is shown in its last line")
    func end() {
        #expect(diagnose("a: [b").first?.hasPrefix("a.yaml:1:6: error: `,` or `]` is missing") == true)
        #expect(diagnose("ä:\n  ö: {ü").first?.hasPrefix("a.yaml:2:8: error: `,` or `}` is missing") == true)
    }

    @Test("A mutated definition never traps, and its diagnostics point into the file", arguments: 0..<20)
    func mutations(_ seed: UInt64) {
        let original = Array(DesignExampleTests.text.utf8)
        var random = SplitMix64(seed: seed)
        let alphabet = Array("{}[]:,-&*!|>'\"%@`#\n\t \\x0<".utf8)
        for round in 0..<100 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                case 2: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: place)
                case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
                default:
                    let end = min(bytes.count, place + Int.random(in: 1...80, using: &random))
                    let target = Int.random(in: 0..<bytes.count, using: &random)
                    bytes.insert(contentsOf: Array(bytes[place..<end]), at: target)
                }
                if bytes.isEmpty { bytes = original }
            }
            let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: bytes)])
            let first = DefinitionReader.read(files: files)
            let lines = UInt32(bytes.count { $0 == 0x0A } + 1)
            for diagnostic in first.diagnostics {
                guard let location = diagnostic.location else { continue }
                #expect(location.file == 0 && (1...lines).contains(location.line) && location.column >= 1)
                #expect(diagnostic.length >= 1)
            }
            guard round % 10 == 0 else { continue }
            let second = DefinitionReader.read(files: files)
            #expect(first.definitions == second.definitions && first.diagnostics == second.diagnostics)
        }
    }
}
