import Foundation
import Testing

/// The page “The house” names functions and files; they have to be there.
@Suite struct HousePageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("what The house names is in the sources")
    func names() throws {
        let page = Self.root.appendingPathComponent("Sources/meshplan/Documentation.docc/The-house.md")
        let pattern = #/\| `(?<name>\w+)` \| `(?<file>Sources/[^`]+)` \|/#
        let rows = try String(contentsOf: page, encoding: .utf8).matches(of: pattern)
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
