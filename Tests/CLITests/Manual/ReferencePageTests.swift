import DefinitionModel
import Foundation
import Testing

@testable import MeshplanCLI
@testable import Planning

/// Tests pages of the manual that are made from the product's own descriptions, or that must name all of something.
@Suite struct ReferencePageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func page(_ name: String) -> URL {
        root.appendingPathComponent("Sources/meshplan/Documentation.docc/\(name).md")
    }

    private static func text(of name: String) throws -> String {
        try String(contentsOf: page(name), encoding: .utf8)
    }

    /// Compares the text after a marker of a page with the expected text; with `RECORD_SNAPSHOTS=1`, writes it there.
    private func expect(_ expected: String, behind marker: String, in name: String) throws {
        let text = try Self.text(of: name)
        let range = try #require(text.range(of: marker + "\n"), "\(name) has no marker")
        let wanted = text[..<range.upperBound] + "\n" + expected
        guard wanted != text else { return }
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
            try String(wanted).write(to: Self.page(name), atomically: true, encoding: .utf8)
        }
        Issue.record("\(name) is not what it is made from; record it with RECORD_SNAPSHOTS=1")
    }

    @Test("the definition language is that of the schema")
    func language() throws {
        let data = try Data(contentsOf: Self.root.appendingPathComponent("schemas/meshplan.schema.json"))
        let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        try expect(
            SchemaTables(try #require(schema["$defs"] as? [String: [String: Any]])).render(),
            behind: "<!-- made from schemas/meshplan.schema.json -->",
            in: "Definition-language"
        )
    }

    @Test("the states are those of the catalogue")
    func states() throws {
        try expect(ModelStateTable.render(), behind: "<!-- made from the catalogue -->", in: "Model-states")
    }

    @Test("the commands are those of the command line")
    func commands() throws {
        let help = try CommandFixture().run("--experimental-dump-help").output
        let root = try JSONDecoder().decode(CommandTables.Root.self, from: Data(help.utf8))
        try expect(
            CommandTables(root.command).render(),
            behind: "<!-- made from the command line -->",
            in: "Commands"
        )
    }

    @Test("the guards are those of the planner")
    func guards() throws {
        let rows = try Self.text(of: "Guards").matches(of: #/(?m)^\| `([a-z-]+)` \|/#).map { String($0.1) }
        #expect(rows == PlanGuard.allCases.map(\.rawValue).sorted())
    }

    @Test(
        "every exit code has its row",
        arguments: [
            MeshplanCLI.ExitStatus.success, .failure, .changes, .drift, .partial, .refused, .locked, .stale,
            .notApproved, .repaired, .usage, .invalidInput, .interrupted, .hungUp, .terminated,
        ]
    )
    func exitCodes(status: MeshplanCLI.ExitStatus) throws {
        let codes = try Self.text(of: "Exit-codes").matches(of: #/(?m)^\| ([0-9, ]+) \|/#)
            .flatMap { $0.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
        #expect(codes.contains("\(status.rawValue)"))
    }

    @Test("every variable that a source names is explained")
    func environment() throws {
        let sources = Self.root.appendingPathComponent("Sources/MeshplanCLI")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: #/"\$?(MESHPLAN_[A-Z_]+)/#).map { String($0.1) })
        }
        #expect(names.count >= 4)
        let page = try Self.text(of: "Environment")
        for name in names.sorted() { #expect(page.contains("`\(name)`"), "\(name)") }
    }
}
