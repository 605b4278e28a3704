import Foundation
import Testing

/// One thing that users get wrong, and what has to be said about it.
///
/// The cases stand in the files of `Resources/bad-inputs`, which need no compiler. A case is a title, what is prepared, one
/// command line, and what it has to come to:
///
///     # a tab as indentation
///     ~ t.yaml | ttl: 5 => \tttl: 5
///     $ validate
///     = 65
///     > t.yaml:11:1: error: a tab where indentation is expected
///     ? Indent with spaces.
///
/// - `@ NAME`: the folder to begin with, one of ``BadInputFolder/names``; it holds for the cases that follow, too.
/// - `~ FILE | OLD => NEW`: changes the one place in a file that reads so. In it, and in `+` and `<`, `\n`, `\t`, `\\` and
///   `\xNN` stand for what they stand for elsewhere, and `\{COUNT TEXT}` for a text many times.
/// - `+ FILE | TEXT`: adds a line at the end of a file.
/// - `< FILE | TEXT`: makes a file of exactly that text, with mode 0600.
/// - `! WORDS`: something done to a file, see ``BadInputFolder/perform(_:)``.
/// - `$ WORDS`: the command line; what stands in quotes is one word.
/// - `= CODE`: the exit code.
/// - `> TEXT`: how the first line begins, of standard error or, where that is empty, of standard output. Where there is a
///   place, it is the beginning of it: `FILE:LINE:COLUMN`.
/// - `? TEXT`: what has to stand in both streams, lines joined: the hint. `-` for cases that need none.
struct BadInput: Sendable {
    var file: String
    var title: String
    var folder: String
    var steps: [String] = []
    var command: [String] = []
    var status: Int32?
    var firstLine: String?
    var hints: [String] = []

    /// What is wrong with what a command has come to; empty where all is as it should be.
    func complaints(about result: CommandFixture.Result) -> [String] {
        var complaints: [String] = []
        let text = result.error.isEmpty ? result.output : result.error
        let first = text.split(separator: "\n").first.map(String.init) ?? ""
        if result.status != status { complaints.append("exit code \(result.status), not \(status ?? -1)") }
        if firstLine.map(first.hasPrefix) != true { complaints.append("first line: \(first)") }
        let joined = Self.joined(result.error + "\n" + result.output)
        for hint in hints where hint != "-" && !joined.contains(Self.joined(hint)) {
            complaints.append("not said: \(hint)\nbut: \(joined)")
        }
        return complaints
    }

    private static func joined(_ text: String) -> String {
        text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }
}

extension BadInput {
    /// Where the files with cases are.
    static var resources: URL? { Bundle.module.url(forResource: "Resources/bad-inputs", withExtension: nil) }

    /// The names of the files with cases, sorted.
    static let files: [String] = Array(Set(all.map(\.file))).sorted()

    /// All cases of all files; none where a file cannot be read, which a test notices.
    static let all: [BadInput] = {
        guard let folder = resources,
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        else { return [] }
        return names.sorted().flatMap { name -> [BadInput] in
            guard let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8) else {
                return []
            }
            return parse(text, file: name)
        }
    }()

    /// The cases of a file.
    static func parse(_ text: String, file: String) -> [BadInput] {
        var cases: [BadInput] = []
        var folder = "empty"
        for line in text.split(separator: "\n").map(String.init) {
            let rest = String(line.dropFirst(2))
            switch line.first {
            case "@": folder = rest
            case "#": cases.append(BadInput(file: file, title: rest, folder: folder))
            case _ where cases.isEmpty: break
            case "$": cases[cases.count - 1].command = words(rest)
            case "=": cases[cases.count - 1].status = Int32(rest)
            case ">": cases[cases.count - 1].firstLine = rest
            case "?": cases[cases.count - 1].hints.append(rest)
            case "~", "+", "<", "!": cases[cases.count - 1].steps.append(line)
            default: cases[cases.count - 1].steps.append("unknown: \(line)")
            }
        }
        return cases
    }

    /// The words of a line; what stands in double quotes is one.
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            switch character {
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let done = word { words.append(done) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }
}
