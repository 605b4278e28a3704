import ArgumentParser
import Basics

/// The first page of the help: what the commands that most people need do, the names of all others, and where the rest
/// is.
///
/// The pages of commands are the parser's own. Options that few need are declared hidden; `--help-all` shows them.
enum HelpPage {
    /// The option that asks for all options, which the parser calls `--help-hidden`.
    static let allOption = "--help-all"

    /// The commands that have a line of their own. The others are only named.
    private static let common: Set<String> = [
        "init", "validate", "plan", "test", "show", "report", "assign", "apply", "refresh", "state",
        "doctor", "scan", "diagnose", "get", "watch", "map", "fleet", "sim",
    ]

    /// The column at which the sentences about commands begin.
    private static let indent = 26

    /// The page.
    ///
    /// - Parameter columns: how wide lines may be.
    static func overview(columns: Int) -> String {
        let root = Meshplan.configuration
        let about = String(root.discussion.split(separator: "\n\n").first ?? "")
        var lines = ["OVERVIEW: \(root.abstract)", ""] + wrapped(about, columns)
        lines += ["", "USAGE: meshplan <subcommand>", ""]
        for group in root.groupedSubcommands {
            lines.append("\(group.name.uppercased()) SUBCOMMANDS:")
            var others: [String] = []
            for command in group.subcommands {
                let name = command.configuration.commandName ?? ""
                guard common.contains(name) else {
                    others.append(name)
                    continue
                }
                let sentence = wrapped(command.configuration.abstract, columns - indent)
                for (index, line) in sentence.enumerated() {
                    lines.append((index == 0 ? "  \(name)" : "").padded(to: indent) + line)
                }
            }
            if !others.isEmpty { lines.append("  also: \(others.joined(separator: ", "))") }
        }
        lines += ["", "A command: meshplan help COMMAND. Everything, with the exit codes:", "meshplan \(allOption)"]
        var fitter = LineFitter(width: columns)
        return fitter.fitted(lines.joined(separator: "\n"))
    }

    /// A message about wrong usage that points to the help where its option is.
    ///
    /// The parser describes the option in the message itself, but none that is hidden: those are in the longer help.
    static func pointingToAllOptions(_ message: String) -> String {
        guard message.contains(" for '-"), !message.contains("\nHelp:") else { return message }
        return message.replacing(" --help' for more information", with: " \(allOption)' for more information")
    }

    /// A paragraph in lines of at most that many columns.
    private static func wrapped(_ text: String, _ columns: Int) -> [String] {
        var fitter = LineFitter(width: columns)
        return fitter.fitted(text).split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }
}
