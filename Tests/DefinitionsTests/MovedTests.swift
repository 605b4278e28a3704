import DefinitionModel
import MeshCore
import Testing

@testable import Definitions

@Suite("Moved names")
struct MovedTests {
    private func read(_ moved: String) -> [String] {
        diagnose(
            head + """
                subnets: { a: {} }
                groups: { kitchen: {}, hall: {} }
                application_keys: { light: { subnet: a } }
                moved: [\(moved)]

                """
        )
    }

    @Test("Entries are taken as they stand, chains and dots included")
    func decoded() throws {
        let text =
            head + "groups: { c.1: {} }\nmoved: [{ from: group.a, to: group.b }, { from: group.b, to: group.c.1 }]\n"
        let (definitions, diagnostics) = DefinitionReader.read(files: sources([text]))
        #expect(diagnostics == [])
        let moved = try #require(definitions.first).moved
        #expect(moved.map { "\($0.kind) \($0.from.value) \($0.to.value)" } == ["group a b", "group b c.1"])
        #expect(definitions.first?.previousNames(of: .group) == ["b": "a", "c.1": "b"])
        #expect(definitions.first?.previousNames(of: .subnet) == [:])
    }

    @Test(
        "What cannot be a rename is refused",
        arguments: [
            ("{ from: group.old, to: group.gone }", "there is no group `gone`"),
            ("{ from: group.hall, to: group.kitchen }", "the group `hall` was moved and is still declared"),
            ("{ from: group.x, to: group.y }, { from: group.y, to: group.x }", "the group `x` is moved to itself"),
            ("{ from: group.kitchen, to: group.kitchen }", "the group `kitchen` was moved and is still declared"),
            ("{ from: group.x, to: group.hall }, { from: group.x, to: group.kitchen }", "the group `x` is moved twice"),
            (
                "{ from: group.x, to: group.hall }, { from: group.y, to: group.hall }",
                "the group `hall` is the new name of two things"
            ),
            ("{ from: group.x, to: subnet.a }", "a group cannot become a subnet"),
            ("{ from: node.x, to: node.y }", "`node.x` cannot be moved"),
            ("{ from: kitchen, to: group.hall }", "`kitchen` is not the address of something renamed"),
            ("{ from: group., to: group.hall }", "`group.` is not the address of something renamed"),
            ("{ from: group.x }", "`to` is missing"),
        ]
    )
    func refused(_ moved: String, _ message: String) {
        let problems = read(moved)
        #expect(problems.contains { $0.contains(message) }, "\(problems)")
    }

    @Test("Ten thousand entries, in a chain or a circle, take no time to speak of")
    func long() {
        let chain = (0..<10_000).map { "{ from: group.g\($0), to: group.g\($0 + 1) }" }
        #expect(read(chain.joined(separator: ", ")).count == 1)
        let circle = chain.dropLast() + ["{ from: group.g9999, to: group.g0 }"]
        #expect(read(circle.joined(separator: ", ")).count == 1)
    }
}
