import ArgumentParser
import DefinitionModel
import MeshCore

/// Advice for a command line that nobody understands, if more can be said: the command that was probably meant, or the
/// one for what users of other tools type.
enum CommandAdvice {
    /// Explains why a command line is wrong; nil if the parser's own message is better.
    ///
    /// - Parameter arguments: without the program's name.
    static func failure(of arguments: [String]) -> Failure? {
        let (command, depth) = Self.command(of: arguments)
        let names = Array(arguments[..<depth])
        let rest = arguments[depth...]
        if let failure = option(in: rest, of: command, names) ?? negative(in: rest) { return failure }
        guard let word = rest.first, !word.hasPrefix("-") else { return nil }
        let known = subcommands(of: command).map(name)
        guard known.isEmpty else {
            // The parser handles `help`. A command with a default subcommand takes other words as arguments.
            guard word != "help", command.configuration.defaultSubcommand == nil else { return nil }
            return unknown(word, among: known, names)
        }
        return argument(word, of: names)
    }

    // MARK: Commands

    /// The command that a command line names, and how many words that takes.
    static func command(of arguments: [String]) -> (command: any ParsableCommand.Type, depth: Int) {
        var command: any ParsableCommand.Type = Meshplan.self
        var depth = 0
        while depth < arguments.count, let next = subcommand(arguments[depth], of: command) {
            command = next
            depth += 1
        }
        return (command, depth)
    }

    private static func unknown(_ word: String, among known: [String], _ names: [String]) -> Failure {
        let path = (names + [word]).joined(separator: " ").printable
        let message = "there is no command `\(path)`"
        if names.isEmpty, let advice = elsewhere[word.lowercased()] { return Failure(.usage, message, hint: advice) }
        let prefix = (["meshplan"] + names).joined(separator: " ")
        if let nearest = Suggestion.nearest(to: word, among: known) {
            return Failure(.usage, message, hint: "Did you mean \(prefix) \(nearest)?")
        }
        // The group may be missing: `history` is `state history`.
        if names.isEmpty, let group = group(of: word) {
            return Failure(.usage, message, hint: "Did you mean meshplan \(group) \(word)?")
        }
        if FileName.looksLikeOne(word), names.isEmpty {
            return Failure(
                .usage,
                message,
                hint: "Put the file after a command: meshplan validate \(word.printable.shellWord), or meshplan plan "
                    + "\(word.printable.shellWord)."
            )
        }
        return Failure(
            .usage,
            message,
            hint: names.isEmpty
                ? "meshplan --help lists the commands." : "There are: \(known.sorted().joined(separator: ", "))."
        )
    }

    /// The group that contains a command of this name.
    private static func group(of word: String) -> String? {
        subcommands(of: Meshplan.self).first { subcommand(word, of: $0) != nil }.map(name)
    }

    private static func subcommands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands
    }

    private static func subcommand(
        _ word: String,
        of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        subcommands(of: command).first { name($0) == word }
    }

    private static func name(_ command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }

    private static let removal =
        "What leaves the definition leaves the network at the next apply; in one go: meshplan plan --remove NODE"

    /// Commands of other infrastructure tools, and the equivalent here.
    private static let elsewhere: [String: String] = [
        "destroy":
            "meshplan plan --destroy shows what that would take away, and meshplan apply --destroy --via BEARER does it.",
        "format": "meshplan fmt brings the files of a definition into form, meshplan validate checks them.",
        "version": "The version: meshplan --version",
        "output": "What is known of the network: meshplan show --json",
        "console": "What is known of the network: meshplan show, and with --json for programs.",
        "status": "What is known of the network: meshplan show; what waits for something: meshplan plan",
        "list": "What is known of the network: meshplan show; its resources by their names: meshplan state list",
        "ls": "What is known of the network: meshplan show; its resources by their names: meshplan state list",
        "diff": "meshplan plan shows what the definition changes, meshplan drift how nodes differ from what is known.",
        "check": "meshplan validate checks a definition, meshplan doctor the database and the files.",
        "lint": "meshplan validate checks a definition, meshplan import --lint --cdb FILE a configuration database.",
        "up": "meshplan plan shows what has to change, and meshplan apply --via BEARER does it.",
        "run": "meshplan plan shows what has to change, and meshplan apply --via BEARER does it.",
        "deploy": "meshplan plan shows what has to change, and meshplan apply --via BEARER does it.",
        "provision":
            "Devices of the definition are provisioned by meshplan apply --via BEARER; meshplan scan finds them.",
        "force-unlock": "meshplan state unlock releases the lock of a shared database.",
        "workspace": "Each network has its own database; choose one with --network NAME.",
        "backup":
            "Copies are made below .meshplan/backups before each change; one of your own: meshplan state pull FILE",
        "restore": "A former state: meshplan state restore SERIAL; a copy of the database: meshplan state push FILE",
        "taint":
            "A node that was replaced or reset is provisioned again: give it the new device's UUID in the definition.",
        "delete": removal,
        "remove": removal,
        "undo": "meshplan rollback plans a return to the definition applied before the last one.",
        "info": "What is known of the network: meshplan show; of one part of it: meshplan show node.NAME",
        "describe": "What is known of the network: meshplan show; of one part of it: meshplan show node.NAME",
        "discover": "meshplan scan lists the devices and proxies nearby.",
        "on": "meshplan set NODE onoff on, or a group: meshplan set group.NAME onoff on",
        "off": "meshplan set NODE onoff off, or a group: meshplan set group.NAME onoff off",
        "completion": "meshplan --generate-completion-script bash, or zsh or fish",
        "completions": "meshplan --generate-completion-script bash, or zsh or fish",
    ]

    // MARK: Options

    /// Advice about options that have another name or place here.
    private static func option(
        in rest: ArraySlice<String>,
        of command: any ParsableCommand.Type,
        _ names: [String]
    ) -> Failure? {
        for argument in rest.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") {
            let name = String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
            let message = "there is no option `\(argument.prefix { $0 != "=" }.description.printable)`"
            if argument.hasPrefix("-C") {
                return Failure(.usage, message, hint: ForeignOptions.advice(for: "chdir", of: ""))
            }
            if argument == "-v" || argument == "-V" || argument == "-version", names.isEmpty {
                return Failure(.usage, message, hint: "The version: meshplan --version")
            }
            guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0 == "-" }) else { continue }
            if knows(name, command) {
                // A word after a single hyphen is in the style of Terraform and Go.
                guard !argument.hasPrefix("--"), name.count > 1 else { continue }
                return Failure(.usage, message, hint: "Options of more than one letter have two hyphens: --\(name).")
            }
            if let advice = ForeignOptions.advice(for: name, of: names.joined(separator: " ")) {
                return Failure(.usage, message, hint: advice)
            }
        }
        return nil
    }

    private static func knows(_ name: String, _ command: any ParsableCommand.Type) -> Bool {
        Meshplan.helpMessage(for: command, includeHidden: true, columns: 200)
            .split { $0.isWhitespace || ",[]|".contains($0) }.contains { $0 == (name.count > 1 ? "--" : "-") + name }
    }

    /// Advice about a negative number, which the parser takes for an option.
    private static func negative(in rest: ArraySlice<String>) -> Failure? {
        for (option, value) in zip(rest, rest.dropFirst()) where value.hasPrefix("-") && Double(value) != nil {
            if option == "--" { return nil }
            guard option.hasPrefix("--"), !option.contains("=") else {
                return Failure(
                    .usage,
                    "\(value.printable) looks like an option",
                    hint: "Write the options first, and this after two hyphens: -- \(option.printable) \(value)"
                )
            }
            return Failure(
                .usage,
                "\(option.printable) does not take a negative number, but got \(value.printable)",
                hint:
                    "Write a value that begins with a hyphen after an equals sign: \(option.printable.shellWord)=VALUE."
            )
        }
        return nil
    }

    /// Advice about an argument in place of an option.
    private static func argument(_ word: String, of names: [String]) -> Failure? {
        let word = word.printable.shellWord
        let advice: String? =
            switch names {
            case ["import"]: "Name the file with an option: meshplan import --cdb \(word)"
            case ["export"]: "Name the file with an option: meshplan export --cdb \(word)"
            case ["init"]: "Name the network with an option: meshplan init --network \(word)"
            case ["refresh"], ["drift"]: "Name the node with an option: meshplan \(names[0]) --node \(word)"
            default: nil
            }
        return advice.map {
            Failure(.usage, "`\(names.joined(separator: " "))` takes no argument, but got \(word)", hint: $0)
        }
    }
}

/// Recognises names of files among words of a command line.
private enum FileName {
    /// Whether a word looks like the name of a file that meshplan reads.
    static func looksLikeOne(_ word: String) -> Bool {
        [".yaml", ".yml", ".mplan", ".json"].contains { word.hasSuffix($0) } || word.contains("/")
    }
}
