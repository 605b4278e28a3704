/// The help of a command as most people need it. Pages that are too long for that leave out the options that few need,
/// which `--help-all` shows.
struct HelpPage {
    /// The whole text, as the parser of command lines writes it.
    var text: String

    /// The most lines of a page from which nothing is left out.
    static let longest = 50

    /// The option that asks for all options, which the parser does not know.
    static let allOption = "--help-all"

    /// The options that are left out, those that fewest need first. Each group goes as a whole.
    private static let rare: [Set<String>] = [
        // What can be set once for all in the environment.
        ["--key-file", "--passphrase-file", "--key-command", "--state", "--accept-older"],
        // How a simulation is disturbed.
        ["--hops", "--loss", "--seed", "--off", "--deaf", "--iv-index", "--fail"],
        ["--adapter", "--connections", "--window", "--ttl", "--proxy", "--models", "--version"],
        [
            "--radio", "--capture", "--addresses-as-heard", "--older-than", "--listen", "--confirm-within",
            "--log-file", "--log-level",
        ],
        ["--full", "--var-file", "--expect-digest", "--subnet", "--exclude", "--network"],
        ["--reset", "--remove", "--destroy", "--metrics"],
        ["--var"],
        // What an agent rarely needs otherwise.
        ["--airtime", "--all-within", "--workers", "--select"],
        ["--approved", "--every"],
    ]

    /// The lines to show, with a last one about `--help-all` if options were left out.
    ///
    /// - Parameter command: the command line of the page without its options, such as `meshplan plan`.
    func shortened(of command: String) -> String {
        var blocks = Self.blocks(of: text)
        // The text ends in a line break; the line about the others takes two.
        func count() -> Int { blocks.reduce(0) { $0 + $1.lines.count } + 2 }
        guard count() - 2 > Self.longest else { return text }
        for group in Self.rare where count() > Self.longest {
            blocks.removeAll { block in block.options.contains { group.contains($0) } }
            blocks = Self.withoutEmptySections(blocks)
        }
        if count() > Self.longest { blocks = blocks.map(Self.withoutDiscussion) }
        while blocks.last?.lines.allSatisfy(\.isEmpty) == true { blocks.removeLast() }
        let lines = blocks.flatMap(\.lines) + ["", "All options: \(command) \(Self.allOption)"]
        return lines.joined(separator: "\n")
    }

    /// The commands that have a line of their own on the first page. The others are only named there.
    private static let common: Set<String> = [
        "init", "validate", "plan", "test", "show", "report", "assign", "apply", "refresh", "state",
        "doctor", "scan", "diagnose", "get", "watch", "map", "fleet", "sim",
    ]

    /// The first page: what the commands that most people need do, the names of all others, and where the rest is.
    var overview: String {
        var lines: [String] = []
        var others: [Substring] = []
        var isOfCommands = false
        var isShown = true
        func name(_ others: [Substring]) -> [String] {
            guard !others.isEmpty else { return [] }
            var lines = ["  also: "]
            for (index, other) in others.enumerated() {
                let text = other + (index + 1 < others.count ? ", " : "")
                if lines[lines.count - 1].count + text.count > 81 { lines.append("        ") }
                lines[lines.count - 1] += text
            }
            return lines
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasSuffix(" SUBCOMMANDS:") {
                isOfCommands = true
            } else if line.hasPrefix("Exit codes: ") || line.hasPrefix("OPTIONS:") || line.hasPrefix("  See ") {
                isShown = false
            } else if isOfCommands, line.hasPrefix("  "), line.dropFirst(2).first != " " {
                let command = line.dropFirst(2).prefix { $0 != " " }
                isShown = Self.common.contains(String(command))
                if !isShown { others.append(command) }
            } else if isOfCommands, isShown, line.hasPrefix("   ") {
                // The rest of a sentence stands on the page of the command.
                let last = lines.count - 1
                if lines[last].last != "…", lines[last].count <= 78 { lines[last] += " …" }
                continue
            } else if line.isEmpty {
                lines += name(others)
                others = []
                isShown = true
                // The headings of the groups show well enough where one begins.
                if !isOfCommands, lines.last?.isEmpty == false { lines.append("") }
                continue
            }
            if isShown { lines.append(String(line)) }
        }
        lines += name(others)
        while lines.last?.isEmpty == true { lines.removeLast() }
        lines += [
            "", "A command: meshplan help COMMAND. Everything, with the exit codes:", "meshplan \(Self.allOption)",
        ]
        return lines.map { $0.last == " " ? String($0.dropLast()) : $0 }.joined(separator: "\n")
    }

    /// Lines that stay or go together: an option with its text, a heading, or a line of other text.
    private struct Block {
        var lines: [Substring]
        /// The names of the option; empty for other blocks.
        var options: [String] = []
        var isHeading = false
    }

    private static func blocks(of text: String) -> [Block] {
        var blocks: [Block] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isContinuation = line.hasPrefix("      ") && blocks.last?.options.isEmpty == false
            if isContinuation {
                blocks[blocks.count - 1].lines.append(line)
            } else if line.hasPrefix("  -") {
                let names = line.split(separator: " ").prefix { $0.hasPrefix("-") }.map { $0.filter { $0 != "," } }
                blocks.append(Block(lines: [line], options: names))
            } else {
                let isHeading = line.last == ":" && line.first?.isUppercase == true
                blocks.append(Block(lines: [line], isHeading: isHeading))
            }
        }
        return blocks
    }

    /// An option without what its text only adds, such as the list of all guards.
    private static func withoutDiscussion(_ block: Block) -> Block {
        guard !block.options.isEmpty else { return block }
        var block = block
        block.lines.removeAll { $0.hasPrefix("        ") && $0.dropFirst(8).first != " " }
        return block
    }

    private static func withoutEmptySections(_ blocks: [Block]) -> [Block] {
        var kept: [Block] = []
        for (index, block) in blocks.enumerated() {
            let next = blocks.dropFirst(index + 1).first
            if block.isHeading, next?.lines == [""] || next == nil { continue }
            if block.lines == [""], kept.last?.lines == [""] { continue }
            kept.append(block)
        }
        return kept
    }
}
