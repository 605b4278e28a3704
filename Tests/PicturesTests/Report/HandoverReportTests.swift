import Foundation
import TestSupport
import Testing

@testable import Pictures

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("Reports for owners")
struct HandoverReportTests {
    private static let wicked = "<script>alert('x')</script>&\"'\u{1B}"

    private static var report: HandoverReport {
        var report = HandoverReport(
            network: wicked,
            made: "2026-11-27T10:40:00Z",
            moment: "2026-11-27 10:40 UTC",
            source: wicked
        )
        report.findings = [.init(.bad, wicked, section: "nodes")]
        report.assurances = [wicked]
        report.figures = [.init(wicked, wicked, .good)]
        report.sections = [
            .init(
                "nodes",
                "Nodes",
                [
                    .text(wicked), .heading(wicked), .command(wicked),
                    .picture(svg: "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>", caption: wicked),
                    .table(.init(wicked, ["A", wicked], [[.init(wicked, .bad), .init(lines: [wicked, "second"])]])),
                ]
            )
        ]
        return report
    }

    /// The body of a page as XML: the page is written so that only its head is not.
    private static func body(_ html: String) throws -> XMLDocument {
        let start = try #require(html.range(of: "<body>"))
        let end = try #require(html.range(of: "</body>"))
        var body = String(html[start.lowerBound..<end.upperBound])
        let script = try #require(body.range(of: "<script>"))
        let scriptEnd = try #require(body.range(of: "</script>"))
        body.replaceSubrange(script.lowerBound..<scriptEnd.upperBound, with: "")
        let xml = body.replacing("<br>", with: "<br/>").replacing(" hidden>", with: " hidden=\"\">")
            .replacing(#/<input ([^>]*)>/#) { "<input \($0.1)/>" }
        return try XMLDocument(xmlString: xml)
    }

    @Test("Names of others never become markup, and the page loads nothing")
    func escaping() throws {
        let html = Self.report.html()
        #expect(html.components(separatedBy: "<script").count == 2)
        #expect(!html.contains("alert('x')") && !html.contains("\u{1B}"))
        for trace in ["src=", "@import", "url(", "<link", "<iframe", "<object"] {
            #expect(!html.contains(trace), "\(trace)")
        }
        #expect(html.contains("default-src 'none'"))
        _ = try Self.body(html)
    }

    @Test("Identifiers are unique, references lead somewhere, and fields and regions have labels")
    func structure() throws {
        let body = try Self.body(Self.report.html())
        let identifiers = try body.nodes(forXPath: "//@id").compactMap(\.stringValue)
        #expect(Set(identifiers).count == identifiers.count)
        for name in ["aria-labelledby", "aria-describedby", "for"] {
            for reference in try body.nodes(forXPath: "//@\(name)").compactMap(\.stringValue) {
                for part in reference.split(separator: " ") { #expect(identifiers.contains(String(part)), "\(part)") }
            }
        }
        for reference in try body.nodes(forXPath: "//a/@href").compactMap(\.stringValue) {
            #expect(reference.hasPrefix("#") && identifiers.contains(String(reference.dropFirst())), "\(reference)")
        }
        #expect(try body.nodes(forXPath: "//*[@role='region'][not(@aria-label)]").isEmpty)
        #expect(try body.nodes(forXPath: "//input[not(@id)]").isEmpty)
        #expect(try body.nodes(forXPath: "//label[@for='search']").count == 1)
        #expect(try body.nodes(forXPath: "//table[not(caption)]").isEmpty)
        #expect(try body.nodes(forXPath: "//h1").count == 1)
    }

    @Test("The heading says how much needs attention")
    func verdict() {
        var report = HandoverReport(
            network: "n",
            made: "2026-11-27T10:40:00Z",
            moment: "2026-11-27 10:40 UTC",
            source: "s"
        )
        #expect(report.html().contains("All is as it should be"))
        #expect(report.html().contains("2026-11-27 10:40 UTC"))
        report.findings = [.init(.warning, "a", section: "b")]
        #expect(report.html().contains("One thing needs attention"))
        report.findings.append(.init(.bad, "a", section: "b"))
        #expect(report.html().contains("2 things need attention"))
    }

    @Test(
        "Names that only differ in a number are told together, and none is left out",
        arguments: [
            ([], ""), (["b", "a"], "a, b"), (["l-2", "l-10", "l-1"], "l-1, l-2, l-10"),
            (["l-2", "l-3", "l-1", "l-7", "k"], "k, l-1 … 3, l-7"), (["l-01", "l-02", "l-03"], "l-01, l-02, l-03"),
            (["9", "10", "11"], "9 … 11"), (["l-9223372036854775807", "l-1"], "l-1, l-9223372036854775807"),
        ] as [([String], String)]
    )
    func names(_ names: [String], _ expected: String) {
        #expect(NameRuns.text(names) == expected)
    }
}
