import Foundation
import Testing

/// A mistake of users, and the message that it must get.
///
/// The files of `Resources/bad-inputs` contain the cases, so that a new case needs no compiler. A case has a title,
/// preparations, one command line, and the expected result:
///
///     # a tab as indentation
///     ~ t.yaml | ttl: 5 => \tttl: 5
///     $ validate
///     = 65
///     > t.yaml:11:1: error: a tab where indentation is expected
///     ? Indent with spaces.
///
/// - `@ NAME`: the folder to begin with, one of ``BadInputFolder/names``. It also applies to the following cases.
/// - `~ FILE | OLD => NEW`: changes the only place in a file that reads so. Here, and in `+` and `<`, `\n`, `\t`, `\\`
///   and `\xNN` have their usual meaning, and `\{COUNT TEXT}` repeats a text.
/// - `+ FILE | TEXT`: adds a line at the end of a file.
/// - `< FILE | TEXT`: creates a file with exactly that text and mode 0600.
/// - `! WORDS`: does something to a file; see ``BadInputFolder/perform(_:)``.
/// - `$ WORDS`: the command line. Text in quotes is one word.
/// - `= CODE`: the exit code.
/// - `> TEXT`: the beginning of the first line of standard error or, if that is empty, of standard output. If the
///   message has a place, it begins with it: `FILE:LINE:COLUMN`.
/// - `? TEXT`: a text that the two streams must contain, with lines joined: the hint. `-` for cases that need none.
struct BadInput: Sendable {
    var file: String
    var title: String
    var folder: String
    var steps: [String] = []
    var command: [String] = []
    var status: Int32?
    var firstLine: String?
    var hints: [String] = []

    /// The differences between a command's result and the expected one; empty if there are none.
    func complaints(about result: CommandFixture.Result) -> [String] {
        var complaints: [String] = []
        let text = result.error.isEmpty ? result.output : result.error
        // Lines end where a narrow terminal ends, so the beginning of the message is compared without its line ends.
        let message = Self.joined(text)
        if result.status != status { complaints.append("exit code \(result.status), not \(status ?? -1)") }
        if firstLine.map({ message.hasPrefix(Self.joined($0)) }) != true {
            complaints.append("first line: \(message.prefix(200))")
        }
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
    /// The folder of the files with cases.
    static var resources: URL? { Bundle.module.url(forResource: "Resources/bad-inputs", withExtension: nil) }

    /// The names of the files with cases, sorted.
    static let files: [String] = Array(Set(all.map(\.file))).sorted()

    /// All cases of all files. A file that cannot be read gives none, which a test notices.
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

    /// The words of a line. Text in double quotes is one word.
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
