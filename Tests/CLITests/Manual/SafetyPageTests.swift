import Foundation
import Testing

/// The page “What is safe” names for each promise the test that holds it; it has to be there.
@Suite struct SafetyPageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The texts of all test files.
    private func texts() throws -> [String] {
        let tests = Self.root.appendingPathComponent("Tests")
        let names = try #require(FileManager.default.enumerator(atPath: tests.path)).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix("Tests.swift") }.map {
            try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8)
        }
    }

    @Test("each promise names a test or a script that exists")
    func promises() throws {
        let page = Self.root.appendingPathComponent("Sources/meshplan/Documentation.docc/What-is-safe.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| promise |") })
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        #expect(rows.count > 3)
        let texts = try texts()
        for row in rows {
            let names = row.matches(of: #/`(?<name>[A-Za-z]\w*)/(?<rest>[\w/-]+)`/#)
            #expect(!names.isEmpty, "no test holds this: \(row)")
            for match in names {
                let isThere =
                    match.name == "Tests"
                    ? FileManager.default.isExecutableFile(atPath: Self.root.path + "/Tests/" + match.rest)
                    : texts.contains { text in
                        ["struct ", "class "].contains { text.contains($0 + match.name) }
                            && text.contains("func \(match.rest)(")
                    }
                #expect(isThere, "there is no \(match.name)/\(match.rest)")
            }
        }
    }
}
