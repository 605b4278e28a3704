import Foundation
import Testing

/// The page “The house” names functions, types and files; they have to be there.
@Suite struct HousePageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text() throws -> String {
        let page = root.appendingPathComponent("Sources/meshplan/Documentation.docc/The-house.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    @Test("twelve files are there to be read, in an hour")
    func twelveFiles() throws {
        let files = try Self.text().matches(of: #/(?m)^\d+\. `(Sources/[^`]+\.swift)`/#).map { String($0.1) }
        #expect(Set(files).count == 12)
        let lines = try files.map { file in
            try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8).split(separator: "\n").count
        }
        #expect(lines.reduce(0, +) < 3_200)
    }

    @Test("types and folders that the text names are in the sources")
    func types() throws {
        let sources = Self.root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var declared: Set<Substring> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else {
                declared.insert(Substring(file.lastPathComponent))
                continue
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            declared.formUnion(text.matches(of: #/\b(?:struct|class|enum|protocol) (\w+)/#).map(\.1))
        }
        let page = try Self.text()
        let types = page.matches(of: #/`([A-Z]\w+)`/#).map(\.1)
        #expect(types.count > 25)
        for type in Set(types) where !type.hasPrefix("Sources") {
            #expect(declared.contains(type), "\(type) is declared nowhere")
        }
        for path in page.matches(of: #/`(Sources/[^`]+)`/#).map({ String($0.1) }) {
            #expect(FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(path).path), "\(path)")
        }
    }

    @Test("what The house names is in the sources")
    func names() throws {
        let pattern = #/\| `(?<name>\w+)` \| `(?<file>Sources/[^`]+)` \|/#
        let rows = try Self.text().matches(of: pattern)
        #expect(rows.count > 15)
        for row in rows {
            let file = Self.root.appendingPathComponent(String(row.file))
            guard let text = try? String(contentsOf: file, encoding: .utf8) else {
                Issue.record("there is no file \(row.file)")
                continue
            }
            let isDeclared = [
                "func \(row.name)(", "struct \(row.name):", "func \(row.name)<",
                "class \(row.name)<",
            ].contains(
                where: text.contains
            )
            #expect(isDeclared, "\(row.file) does not declare \(row.name)")
        }
    }
}
