import Foundation
import Testing

@testable import MeshplanCLI

@Suite("fmt")
struct FormatCommandTests {
    private static let untidy = "version:  1\nnetwork:   hq\ngroups: {a: {},b: {}}   # both\n"
    private static let tidy = "version: 1\nnetwork: hq\ngroups: { a: {}, b: {} }  # both\n"

    private func text(_ fixture: CommandFixture, _ name: String) -> String {
        String(decoding: fixture.read(name) ?? [], as: UTF8.self)
    }

    @Test("The files of a folder are brought into form, and those that changed are named")
    func formats() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.untidy, to: "a.yaml")
        try fixture.write(Self.tidy, to: "b.yaml")
        let checked = fixture.run("fmt", "--check")
        #expect(checked.status == 1)
        #expect(checked.output == "a.yaml\n")
        #expect(checked.error == "  line 1 is the first with other spaces or quotes\n")
        #expect(text(fixture, "a.yaml") == Self.untidy)
        let run = fixture.run("fmt")
        #expect(run.status == 0)
        #expect(run.combined == "a.yaml\n")
        #expect(text(fixture, "a.yaml") == Self.tidy)
        let again = fixture.run("fmt", "--check")
        #expect(again.status == 0)
        #expect(again.combined == "")
    }

    @Test("A file keeps its permissions, and a link stays a link")
    func keepsModesAndLinks() throws {
        let fixture = try CommandFixture()
        try fixture.write(Self.untidy, to: "real/a.yaml")
        let real = fixture.folder.appending(path: "real/a.yaml").path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real)
        let link = fixture.folder.appending(path: "link.yaml").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real/a.yaml")
        #expect(fixture.run("fmt", "link.yaml").status == 0)
        #expect(text(fixture, "real/a.yaml") == Self.tidy)
        #expect(try fixture.mode("real/a.yaml") == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real/a.yaml")
    }

    @Test(
        "--check says what no editor shows",
        arguments: [
            ("\u{FEFF}" + tidy, "it begins with a byte order mark"),
            (tidy.replacing("\n", with: "\r\n"), "its lines end with CR and LF, not with LF alone"),
            (
                "\u{FEFF}" + tidy.replacing("\n", with: "\r\n"),
                "it begins with a byte order mark; its lines end with CR and LF, not with LF alone"
            ),
            (String(tidy.dropLast()), "it does not end with one line break"),
        ]
    )
    func unseen(_ text: String, _ reason: String) throws {
        let fixture = try CommandFixture()
        try fixture.write(text, to: "a.yaml")
        let checked = fixture.run("fmt", "--check")
        #expect(
            checked.status == 1 && checked.output == "a.yaml\n" && checked.error == "  \(reason)\n",
            "\(checked.error)"
        )
        #expect(fixture.run("fmt").status == 0 && self.text(fixture, "a.yaml") == Self.tidy)
    }

    @Test("A file that is no YAML stays as it is and is explained; others are formatted")
    func refuses() throws {
        let fixture = try CommandFixture()
        try fixture.write("version: 1\n\tnetwork: hq\n", to: "a.yaml")
        try fixture.write(Self.untidy, to: "b.yaml")
        let run = fixture.run("fmt")
        #expect(run.status == 65)
        #expect(run.output == "b.yaml\n")
        #expect(run.error.hasPrefix("a.yaml:2:1: error: "), "\(run.error)")
        #expect(text(fixture, "a.yaml") == "version: 1\n\tnetwork: hq\n")
        #expect(text(fixture, "b.yaml") == Self.tidy)
    }

    @Test(
        "A file that is not named as one of a definition stays as it is",
        arguments: ["network.json", "rows.csv", "yaml"]
    )
    func refusesOthers(_ name: String) throws {
        let fixture = try CommandFixture()
        let json = #"{ "version":   1 }"#
        try fixture.write(json, to: name)
        try fixture.write(Self.untidy, to: "a.yaml")
        let run = fixture.run("fmt", "a.yaml", name)
        #expect(run.status == 64)
        #expect(run.error.contains("\(name) is not named as a file of a definition"), "\(run.error)")
        #expect(text(fixture, name) == json && text(fixture, "a.yaml") == Self.untidy)
    }

    @Test("Standard input goes to standard output, and a definition need not be valid")
    func formatsStandardInput() throws {
        let fixture = try CommandFixture()
        fixture.answers = ["nodes:   {n:   {profile: nowhere}}", nil]
        let run = fixture.run("fmt", "-")
        #expect(run.status == 0)
        #expect(run.combined == "nodes: { n: { profile: nowhere } }\n")
    }
}
