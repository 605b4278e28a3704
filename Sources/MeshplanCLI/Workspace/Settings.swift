import ArgumentParser
import Bearers
import DefinitionModel
import Definitions
import Planning
import SystemLayer

/// What a command line leaves out, because it is the same each time: from `MESHPLAN_…` variables, or else from the file
/// of settings in the working folder. An option that is typed wins over both.
struct Settings {
    /// The values of a setting, and where they come from.
    struct Setting: Hashable {
        var key: SettingsFile.Key
        /// The values, in their order; at least one.
        var values: [String]
        /// The variable, or the file with its line.
        var origin: String
    }

    /// All that are set, in the order of their keys.
    private(set) var all: [Setting] = []

    /// The settings for a command in the working folder.
    ///
    /// - Throws: ``InvalidDefinition`` if the file is wrong, ``Failure`` if a variable is, ``FileError`` if the file
    ///   cannot be read.
    init(_ context: Context) throws {
        let file = try Self.file(context)
        for key in SettingsFile.Key.allCases {
            if let setting = try Self.variable(key, context) {
                all.append(setting)
            } else if let values = file.values[key], let first = values.first {
                let origin = "\(SettingsFile.fileName):\(first.location.line)"
                all.append(Setting(key: key, values: values.map(\.value), origin: origin))
            }
        }
    }

    static func variableName(_ key: SettingsFile.Key) -> String { "MESHPLAN_" + key.rawValue.uppercased() }

    private static func variable(_ key: SettingsFile.Key, _ context: Context) throws(Failure) -> Setting? {
        let name = variableName(key)
        let text = context.environment[name] ?? ""
        let values = key.isList ? text.split(separator: ",").map(String.init) : [text]
        guard !values.allSatisfy(\.isEmpty) else { return nil }
        for value in values {
            do throws(SettingsFile.Problem) {
                try check(key, value)
            } catch {
                throw Failure(.usage, "the variable \(name): \(error.message)", hint: error.hint)
            }
        }
        return Setting(key: key, values: values, origin: "$" + name)
    }

    private static func file(_ context: Context) throws -> SettingsFile {
        let path = context.absolute(SettingsFile.fileName)
        guard Files.kind(path) != nil else { return SettingsFile() }
        let bytes = try context.read(SettingsFile.fileName, limit: 2 << 20)
        let files = SourceFiles(files: [.init(path: SettingsFile.fileName, bytes: bytes)])
        let (settings, diagnostics) = SettingsFile.read(files: files, check: check)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        return settings
    }

    /// Checks a value.
    ///
    /// - Throws: what is wrong with it.
    static func check(_ key: SettingsFile.Key, _ text: String) throws(SettingsFile.Problem) {
        func number(_ range: ClosedRange<Int>) throws(SettingsFile.Problem) {
            guard let number = Int(text), range.contains(number) else {
                throw SettingsFile.Problem(
                    "\(text.withoutKeys.printable) is not a number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
        }
        switch key {
        case .via:
            do {
                _ = try BearerChoice(text)
            } catch {
                throw SettingsFile.Problem("\(error)")
            }
        case .devices, .secrets: break
        case .connections: try number(RunOptions.connectionsRange)
        case .window: try number(RunOptions.windowRange)
        case .radio:
            let names = RadioOptions.names
            guard names.contains(text) else {
                throw SettingsFile.Problem(
                    "there is no radio `\(text.withoutKeys.printable)`",
                    hint: Suggestion.hint(for: text, among: names, are: "there are")
                )
            }
        case .hub:
            do {
                _ = try BearerChoice.hubAddress(text)
            } catch {
                throw SettingsFile.Problem("\(error)")
            }
        }
    }

    /// Where the hub serves clients: what is set, or the usual address.
    ///
    /// - Throws: the errors of ``init(_:)``.
    static func hub(_ context: Context) throws -> SocketAddress {
        try BearerChoice.hubAddress(Settings(context)[.hub]?.first ?? BearerChoice.usualHub)
    }

    /// The way that an apply here takes, unless its command line names another; nil if nothing is set.
    ///
    /// - Throws: the errors of ``init(_:)``.
    static func way(_ context: Context) throws -> PlanDependencies.Way? {
        let settings = try Settings(context)
        guard let via = settings[.via] else { return nil }
        return PlanDependencies.Way(via: via, files: via == ["simulator"] ? settings[.devices] ?? [] : [])
    }

    /// The first value of a setting; nil if it is not set.
    private subscript(_ key: SettingsFile.Key) -> [String]? { all.first { $0.key == key }?.values }
}

extension Settings {
    /// The command line with the options that it leaves out and that are set.
    ///
    /// A way to the mesh is filled in only where a command cannot do without one: where `--via` decides whether
    /// anything is sent at all, somebody has to type it. What only the simulator takes is filled in only for the
    /// simulator.
    ///
    /// - Parameter arguments: without the program's name.
    /// - Throws: the errors of ``init(_:)``, if the command takes any of what can be set.
    static func completed(_ arguments: [String], in context: Context) throws -> [String] {
        guard
            Files.kind(context.absolute(SettingsFile.fileName)) != nil
                || SettingsFile.Key.allCases.contains(where: { context.environment[variableName($0)] != nil })
        else { return arguments }
        let (named, depth) = CommandAdvice.command(of: arguments)
        let command = named.configuration.defaultSubcommand ?? named
        let line = TypedOptions(arguments[depth...])
        guard !line.asksForHelp, command.configuration.subcommands.isEmpty else { return arguments }
        // Its current folder may be the one with definitions, which others write. Its commands take what is set in its
        // own folder.
        guard command != AgentRunCommand.self else { return arguments }
        let accepted = AcceptedOptions(command)
        guard SettingsFile.Key.allCases.contains(where: { accepted.takes($0.rawValue) }) else { return arguments }
        return try Settings(context).completed(arguments, depth, command, line, accepted)
    }

    private func completed(
        _ arguments: [String],
        _ depth: Int,
        _ command: any ParsableCommand.Type,
        _ line: TypedOptions,
        _ accepted: AcceptedOptions
    ) -> [String] {
        var added: [String] = []
        func add(_ key: SettingsFile.Key) {
            guard accepted.takes(key.rawValue), !line.has(key.rawValue) else { return }
            for value in self[key] ?? [] { added += ["--" + key.rawValue, value] }
        }
        let readsBack = accepted.takes("refresh") && line.has("refresh") && line.value(of: "refresh") != "none"
        if accepted.needs("via") || readsBack { add(.via) }
        let via = line.has("via") ? line.values(of: "via") : added.isEmpty ? [] : self[.via] ?? []
        let isSimulation = command == SimRunCommand.self || command == TestCommand.self && via.isEmpty
        let simulates = isSimulation || via == ["simulator"]
        if simulates { add(.devices) }
        add(.hub)
        // A gateway's links are those of all its clients.
        if command == GatewayRunCommand.self { return arguments }
        if !via.isEmpty { add(.secrets) }
        if !via.isEmpty || accepted.assumesRadio {
            add(.connections)
            add(.window)
        }
        let isSimulated = self[.radio].map { $0 != [RadioOptions.learned] } ?? false
        if accepted.assumesRadio || simulates && isSimulated { add(.radio) }
        return Array(arguments[..<depth]) + added + Array(arguments[depth...])
    }
}

/// The options of a command line.
private struct TypedOptions {
    private let words: ArraySlice<String>

    init(_ words: ArraySlice<String>) {
        self.words = words.prefix { $0 != "--" }
    }

    /// Whether the line asks for help, or for nothing but the version.
    var asksForHelp: Bool {
        words.contains { ["-h", "--help", "-help", "--help-hidden", "--help-all", "--version"].contains($0) }
    }

    func has(_ name: String) -> Bool {
        words.contains { $0 == "--" + name || $0.hasPrefix("--\(name)=") }
    }

    /// The values of an option, in their order.
    func values(of name: String) -> [String] {
        words.indices.compactMap { place -> String? in
            if words[place].hasPrefix("--\(name)=") { return String(words[place].dropFirst(name.count + 3)) }
            guard words[place] == "--" + name, words.indices.contains(place + 1) else { return nil }
            return words[place + 1]
        }
    }

    /// The last value of an option; nil if it has none.
    func value(of name: String) -> String? { values(of: name).last }
}

/// The options that a command takes, as its help tells them.
private struct AcceptedOptions {
    private let help: String
    private let usage: String

    init(_ command: any ParsableCommand.Type) {
        help = Meshplan.helpMessage(for: command, includeHidden: true, columns: 1_000)
        usage = Meshplan.usageString(for: command)
    }

    /// Whether there is such an option with a value.
    func takes(_ name: String) -> Bool { help.contains(" --\(name) <") }

    /// Whether the command cannot do without it.
    func needs(_ name: String) -> Bool { usage.contains(" --\(name) <") }

    /// Whether the command estimates how long something takes.
    var assumesRadio: Bool { help.contains("The radio assumed for estimates") }
}
