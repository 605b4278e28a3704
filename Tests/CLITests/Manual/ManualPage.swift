import Foundation

/// The transcripts of a page of the manual that can be run.
///
/// HTML comments, which readers do not see, say what the next blocks are for:
/// - `<!-- in: examples/house -->` begins a session in a copy of that folder; `<!-- in: empty -->` in an empty one.
/// - `<!-- file: NAME -->`: the next block becomes that file in the session's folder.
/// - `<!-- not run: REASON -->`: the next `console` block is not run.
struct ManualPage {
    /// A step of a session.
    enum Event: Equatable {
        /// Writes a block to a file.
        case file(name: String, text: String)
        /// Runs a block.
        case transcript(Transcript)
    }

    /// A `console` block: commands and what they print.
    struct Transcript: Equatable {
        /// One command line and what it prints.
        struct Command: Equatable {
            /// The line as on the page.
            var shown: String
            /// The command line, without its prompt and comment.
            var line: String
            /// The expected output. A line `…` stands for any lines, and `…` within a line for any text.
            var output: [String]
        }

        /// The line of the page where the block begins, from 1.
        var line: Int
        /// The commands, in order.
        var commands: [Command]
    }

    /// The consecutive steps in one folder.
    struct Session {
        /// The folder to copy, relative to the top of the repository; nil for an empty one.
        var folder: String?
        /// The steps.
        var events: [Event] = []
    }

    /// An error in a page.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// The file's name.
    let name: String
    /// The sessions, in order.
    private(set) var sessions: [Session] = []
    /// The reasons of the blocks that are not run.
    private(set) var reasonsNotToRun: [String] = []

    /// Parses the text of a page.
    init(name: String, text: String) throws {
        self.name = name
        var directive: (name: Substring, value: String)?
        var block: (language: String, line: Int, lines: [String])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if var open = block {
                if line.hasPrefix("```") {
                    block = nil
                    try take(open.language, open.lines, at: open.line, directive)
                    directive = nil
                } else {
                    open.lines.append(String(line))
                    block = open
                }
            } else if line.hasPrefix("```") {
                block = (String(line.dropFirst(3)), index + 1, [])
            } else if let match = line.wholeMatch(of: #/<!-- (in|file|not run): (.+) -->/#) {
                if match.1 == "in" {
                    sessions.append(Session(folder: match.2 == "empty" ? nil : String(match.2)))
                } else {
                    directive = (match.1, String(match.2))
                }
            }
        }
        if let block { throw Fault(description: "\(name):\(block.line): the block has no end") }
    }

    private mutating func take(
        _ language: String,
        _ lines: [String],
        at line: Int,
        _ directive: (name: Substring, value: String)?
    ) throws {
        if let directive, directive.name == "not run" { return reasonsNotToRun.append(directive.value) }
        let event: Event
        if let directive, directive.name == "file" {
            event = .file(name: directive.value, text: lines.joined(separator: "\n") + "\n")
        } else if language == "console" {
            event = .transcript(Transcript(line: line, commands: try commands(in: lines, at: line)))
        } else {
            return
        }
        guard !sessions.isEmpty else { throw Fault(description: "\(name):\(line): no session has begun") }
        sessions[sessions.count - 1].events.append(event)
    }

    private func commands(in lines: [String], at line: Int) throws -> [Transcript.Command] {
        var commands: [Transcript.Command] = []
        for text in lines {
            if text.hasPrefix("$ ") {
                let command = text.dropFirst(2).replacing(#/ {2,}# .*$/#, with: "")
                commands.append(Transcript.Command(shown: text, line: String(command), output: []))
            } else if commands.isEmpty {
                throw Fault(description: "\(name):\(line): a transcript begins with `$ `")
            } else {
                commands[commands.count - 1].output.append(text)
            }
        }
        return commands
    }
}

/// Compares output with a transcript.
///
/// - Returns: the first line of the transcript that was not found; nil if all match.
func mismatch(of expected: [String], with actual: [String]) -> String? {
    var next = actual[...]
    var maySkip = false
    for line in expected {
        if line == "…" {
            maySkip = true
            continue
        }
        let parts = line.components(separatedBy: "…")
        func matches(_ text: String) -> Bool {
            guard parts.count > 1 else { return text == line }
            var rest = text[...]
            guard let first = parts.first, rest.hasPrefix(first), let last = parts.last else { return false }
            rest = rest.dropFirst(first.count)
            for part in parts.dropFirst().dropLast() {
                guard let range = rest.range(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return rest.hasSuffix(last)
        }
        let place = maySkip ? next.firstIndex(where: matches) : next.first.map(matches) == true ? next.startIndex : nil
        guard let place else { return line }
        next = next[next.index(after: place)...]
        maySkip = false
    }
    return maySkip || next.isEmpty ? nil : "(the end, but there is more: \(next.first ?? ""))"
}
