import Foundation
import TestSupport
import Testing

@testable import MeshplanCLI

/// Runs the transcripts of the manual and the README.
@Suite struct ManualTranscriptTests {
    /// The top of the repository.
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let pages: [String] = {
        let folder = "Sources/meshplan/Documentation.docc"
        let files =
            (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
        return ["README.md"] + files.filter { $0.hasSuffix(".md") }.sorted().map { folder + "/" + $0 }
    }()

    private static func page(_ path: String) throws -> ManualPage {
        try ManualPage(name: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }

    /// With `RECORD_SNAPSHOTS=1` in the environment, output that differs is written into the page in full, to be
    /// abbreviated by hand.
    @Test("every transcript of a page prints what the page shows", arguments: pages)
    func transcripts(path: String) throws {
        var recorded: [(line: Int, lines: [String])] = []
        for session in try Self.page(path).sessions {
            let fixture = try CommandFixture()
            if let folder = session.folder { try copy(folder, into: fixture.folder) }
            for event in session.events {
                switch event {
                case .file(let name, let text): try fixture.write(text, to: name)
                case .transcript(let transcript):
                    let lines = try transcript.commands.flatMap { command in
                        [command.shown]
                            + (try run(command, at: "\(path):\(transcript.line)", fixture) ?? command.output)
                    }
                    recorded.append((transcript.line, lines))
                }
            }
        }
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" { try record(recorded, in: path) }
    }

    private func record(_ transcripts: [(line: Int, lines: [String])], in path: String) throws {
        let url = Self.root.appendingPathComponent(path)
        var lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        for transcript in transcripts.reversed() {
            let end = try #require(lines[transcript.line...].firstIndex { $0.hasPrefix("```") })
            lines.replaceSubrange(transcript.line..<end, with: transcript.lines)
        }
        try lines.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
    }

    @Test("most of what is shown is run, and what is not has its reason")
    func coverage() throws {
        var run = 0
        for path in Self.pages {
            let page = try Self.page(path)
            for case .transcript(let transcript) in page.sessions.flatMap(\.events) { run += transcript.commands.count }
            for reason in page.reasonsNotToRun { #expect(reason.count > 10, "\(path)") }
        }
        #expect(run >= 60)
    }

    private func copy(_ folder: String, into target: URL) throws {
        let source = Self.root.appendingPathComponent(folder)
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) where name != "run" {
            let copy = target.appendingPathComponent(name)
            try FileManager.default.copyItem(at: source.appendingPathComponent(name), to: copy)
            // Git keeps no modes, and whoever exported a network keeps its keys to himself.
            guard name.hasSuffix(".json") else { continue }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
        }
    }

    /// Runs a command.
    ///
    /// - Returns: the output, if it differs from the page, which fails the test.
    private func run(
        _ command: ManualPage.Transcript.Command,
        at place: String,
        _ fixture: CommandFixture
    ) throws -> [String]? {
        let printed: String
        if let match = command.line.wholeMatch(of: #/export ([A-Z_]+)=(\S+)/#) {
            fixture.environment[String(match.1)] = String(match.2)
            printed = ""
        } else if command.line.hasPrefix("meshplan ") {
            printed = fixture.run(Self.words(of: String(command.line.dropFirst("meshplan ".count)))).combined
        } else {
            printed = try SpawnedProcess.run(["/bin/sh", "-c", "cd '\(fixture.folder.path)' && \(command.line)"]).output
        }
        let lines = Self.lines(of: printed)
        guard let missing = mismatch(of: Self.lines(of: command.output.joined(separator: "\n")), with: lines) else {
            return nil
        }
        Issue.record("\(place): \(command.line)\nnot found: \(missing)\nprinted:\n\(lines.joined(separator: "\n"))")
        return lines
    }

    /// The lines without trailing blanks and without empty lines, which pages may leave out.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { String($0.replacing(#/ +$/#, with: "")) }.filter { !$0.isEmpty }
    }

    /// The words of a command line. Words may be in quotes.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }
}
