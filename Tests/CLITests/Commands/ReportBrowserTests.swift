import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

/// The browser of this machine.
private enum Browser {
    /// Where it is; nil if none is installed.
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Opens reports in Chromium, where it is installed: a judge nobody here wrote.
@Suite("A report in a browser", .enabled(if: Browser.path != nil), .serialized)
struct ReportBrowserTests {
    /// What is read from the page after it was loaded, and what was searched for.
    private static let probe = """
        <script>
        var field = document.getElementById("search");
        field.value = "BRIAN";
        field.dispatchEvent(new Event("input"));
        var rows = Array.from(document.querySelectorAll("main tbody tr"));
        document.body.setAttribute("data-found", rows.filter(function (row) { return !row.hidden; }).length);
        document.body.setAttribute("data-wrong", rows.filter(function (row) {
          return !row.hidden && row.textContent.toLowerCase().indexOf("brian") < 0;
        }).length);
        document.body.setAttribute("data-status", document.getElementById("search-status").textContent);
        document.body.setAttribute("data-wide", document.documentElement.scrollWidth > window.innerWidth);
        </script>
        """

    @Test("no error is told, the search box works, and nothing is wider than the screen", arguments: [400, 1_400])
    func opens(width: Int) throws {
        let fixture = try CommandFixture.house()
        try #require(fixture.run("apply", "--via", "simulator", "--auto-approve").status == 0)
        try #require(fixture.run("report", "--html", "house.html").status == 0)
        let html = String(decoding: try #require(fixture.read("house.html")), as: UTF8.self)
        try fixture.write(html.replacing("</body>", with: Self.probe + "</body>"), to: "probe.html")
        // The page goes to standard output, and what the browser tells to standard error: both end up in one file.
        let told = fixture.folder.appendingPathComponent("told.txt")
        try #require(FileManager.default.createFile(atPath: told.path, contents: nil))
        let file = try FileHandle(forWritingTo: told)
        let browser = try SpawnedProcess(
            [
                try #require(Browser.path), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--enable-logging=stderr", "--user-data-dir=\(fixture.folder.path)/profile",
                "--window-size=\(width),900", "--dump-dom",
                fixture.folder.appendingPathComponent("probe.html").absoluteString,
            ],
            output: file.fileDescriptor
        )
        _ = browser.waitForEnd()
        let page = String(decoding: try #require(fixture.read("told.txt")), as: UTF8.self)
        #expect(!page.contains(":CONSOLE"), "\(page.prefix(2_000))")
        let found = try #require(
            page.firstMatch(of: #/data-found="(\d+)"/#).flatMap { Int($0.1) },
            "\(page.suffix(500))"
        )
        #expect(found > 1)
        #expect(page.contains(#"data-wrong="0""#) && page.contains(#"data-wide="false""#))
        #expect(page.contains("data-status=\"\(found) of "))
        #expect(page.contains(#"<form id="search-form" role="search">"#), "the box is shown")
    }
}
