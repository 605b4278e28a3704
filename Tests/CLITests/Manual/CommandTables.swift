import DefinitionModel
import Foundation

/// The command line as tables for people, made from the output of `--experimental-dump-help`.
struct CommandTables {
    /// The whole document.
    struct Root: Decodable {
        let command: Command
    }

    /// A command with its subcommands.
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let arguments: [Argument]?
        let subcommands: [Command]?
        let shouldDisplay: Bool

        /// What the command takes, with the options that its page leaves out.
        var options: [Argument] {
            (arguments ?? []).filter { $0.shouldDisplay || $0.names?.last?.name != "help" }.map { argument in
                var argument = argument
                argument.shouldDisplay = true
                return argument
            }
        }

        /// The commands of a group that people use.
        var shown: [Command] { (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" } }
    }

    /// An option, a flag or a positional argument.
    struct Argument: Decodable, Hashable {
        /// A spelling of an option.
        struct Name: Decodable, Hashable {
            let kind: String
            let name: String
        }

        let abstract: String?
        let kind: String
        let names: [Name]?
        var shouldDisplay: Bool
        let valueName: String?
        let isOptional: Bool

        /// The way to type it.
        var usage: String {
            guard kind != "positional" else { return "<\(valueName ?? "")>" }
            let spellings = (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
            return spellings.joined(separator: ", ") + (kind == "option" ? " <\(valueName ?? "")>" : "")
        }
    }

    private let root: Command
    /// Options that at least this many commands share are listed once.
    private static let sharedBy = 12

    init(_ root: Command) {
        self.root = root
    }

    /// Makes the tables.
    func render() -> String {
        var uses: [Argument: Int] = [:]
        count(root, &uses)
        let shared = uses.filter { $0.value >= Self.sharedBy && $0.key.kind != "positional" }.keys
        var text = "## Options of many commands\n\n" + table(shared.sorted { $0.usage < $1.usage })
        write(root, path: [], shared: Set(shared), &text)
        return text
    }

    private func count(_ command: Command, _ uses: inout [Argument: Int]) {
        for argument in command.options { uses[argument, default: 0] += 1 }
        for subcommand in command.shown { count(subcommand, &uses) }
    }

    private func write(_ command: Command, path: [String], shared: Set<Argument>, _ text: inout String) {
        let path = path + [command.commandName]
        let isGroup = !command.shown.isEmpty
        if !isGroup {
            let own = command.options.filter { !shared.contains($0) }
            let others = command.options.filter { shared.contains($0) && $0.names?.first?.name != "version" }
            text += "\n## \(path.joined(separator: " "))\n\n\(escaped(command.abstract ?? ""))\n\n"
            if !own.isEmpty { text += table(own) + "\n" }
            let names = others.compactMap { $0.names?.last { $0.kind == "long" }.map { "`--\($0.name)`" } }.filter {
                $0 != "`--help`"
            }
            if !names.isEmpty { text += "Also: \(names.joined(separator: ", ")).\n" }
        }
        for subcommand in command.shown {
            write(subcommand, path: path, shared: shared, &text)
        }
    }

    private func table(_ arguments: [Argument]) -> String {
        "| option | meaning |\n| --- | --- |\n"
            + arguments.map { "| `\($0.usage)` | \(escaped($0.abstract ?? "")) |\n" }.joined()
    }

    private func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("\n", with: " ")
    }
}
