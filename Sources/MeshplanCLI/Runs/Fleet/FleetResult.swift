import SystemLayer

/// What became of a command for one network.
struct FleetResult {
    /// The exit status.
    var status = ExitStatus.failure
    /// The last summary among the lines of JSON.
    var summary: JSONValue?
    /// The errors, with hints, and what was written to standard error.
    var problems: [(message: String, hint: String?)] = []
    /// The lines to show with `--details`.
    var details: [String] = []
    /// Whether the command has ended.
    var hasEnded = false

    /// How many lines of one command are kept.
    private static let mostDetails = 20_000
    /// How many problems are kept.
    private static let mostProblems = 3

    private var talk: [String] = []
    private var printedDigest: String?
    private var printedFigures: JSONValue?

    /// Takes a line of text.
    mutating func note(detail line: String) {
        let mark = "Digest: "
        if line.hasPrefix(mark) { printedDigest = String(line.dropFirst(mark.count)).trimmed }
        if line.hasPrefix("Plan: ") { printedFigures = Self.figures(line) }
        if details.count < Self.mostDetails {
            details.append(line)
        } else if details.count == Self.mostDetails {
            details.append("…")
        }
    }

    /// Whether a line of JSON may be one that ``note(_:)`` looks at. Others need not be parsed.
    static func concerns(_ line: String) -> Bool {
        // Every line begins with its type.
        guard line.utf8.starts(with: #"{"type":""#.utf8) else { return true }
        let type = line.utf8.dropFirst(9).prefix { $0 != UInt8(ascii: "\"") }
        return type.reversed().starts(with: "summary".utf8.reversed()) || type.elementsEqual("diagnostic".utf8)
            || type.elementsEqual("examination".utf8)
    }

    /// Takes a line of JSON.
    mutating func note(_ value: JSONValue) {
        switch value["type"]?.text {
        case "diagnostic" where value["severity"]?.text == "error":
            guard problems.count < Self.mostProblems, let message = value["message"]?.text else { return }
            let place = value["file"]?.text.map { file in
                "\(file):\(value["line"]?.number ?? 1):\(value["column"]?.number ?? 1): "
            }
            problems.append(((place ?? "") + message, value["hint"]?.text))
        case let type? where type == "summary" || type.hasSuffix("_summary"): summary = value
        case "examination":
            // One of the network, one of the machine: the first says more about the network.
            if summary == nil { summary = value }
        default: break
        }
    }

    /// Takes a line of standard error.
    mutating func note(error line: String) {
        talk.append(line)
        if talk.count > 4 { talk.removeFirst() }
    }

    /// Takes the end.
    mutating func end(_ status: ExitStatus, _ reason: String? = nil) {
        self.status = status
        hasEnded = true
        if let reason { problems.append((reason, nil)) }
        let isBad = ![.success, .changes, .drift].contains(status)
        let said = talk.last { $0.hasPrefix("Error: ") } ?? talk.last { !$0.trimmed.isEmpty }
        if problems.isEmpty, isBad, let last = said {
            problems.append((last.trimmed, nil))
        }
        talk = []
    }

    /// Whether the summary of a plan counts anything to do.
    var hasPlanned: Bool {
        ["provision", "add", "change", "remove", "forget", "reset", "exclude"].contains {
            (summary?[$0]?.number ?? 0) > 0
        }
    }

    /// What became of the command, in a few words.
    func words(for command: String) -> String {
        // Nobody needs both digests later.
        if status == .stale, problems.first?.message.lowercased().hasPrefix("the plan has the digest") == true {
            return "the plan is not the one that was approved"
        }
        return problems.first?.message ?? summary.flatMap { FleetView.text($0, command) } ?? ""
    }

    /// The digest of the plan; nil if there is nothing to apply.
    var digest: String? { summary?["digest"]?.text ?? printedDigest }

    /// What the plan does, in a few words, whether it was printed as text or as JSON.
    var changes: String { (summary ?? printedFigures).flatMap { FleetView.text($0, "plan") } ?? "" }

    /// The figures of a line `Plan: 2 to add, 1 to change. 3 messages (5 PDUs) to 1 node.`, as in a summary.
    private static func figures(_ line: String) -> JSONValue {
        let parts = line.matches(of: #/([0-9]+) (?:to ([a-z]+)|(message)s?)\b/#)
        return .object(parts.map { JSONMember($0.2.map(String.init) ?? "messages", .number(String($0.1))) })
    }
}

extension JSONValue {
    /// A member of an object.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text, if it is one.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number, if it is one.
    var number: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    /// How many entries the array has.
    var entries: Int { if case .array(let entries) = self { entries.count } else { 0 } }
}
