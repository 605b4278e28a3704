package import ArgumentParser
import Basics
import MeshCore
import Store
import SystemLayer

/// The root of the command line.
package struct Meshplan: ParsableCommand {
    /// The commands, in the groups of the help.
    package static let configuration = CommandConfiguration(
        commandName: "meshplan",
        abstract: "Infrastructure as code for Bluetooth Mesh networks.",
        discussion: """
            The definition in YAML says what a network should be, the mesh database below .meshplan what it is. \
            `plan` shows the difference, `apply` carries it out.

            Exit codes: 0 done or nothing to do, 1 error, 2 changes (plan --detailed-exitcode), 3 drift, \
            4 applied in part, 5 refused, 6 database locked, 7 plan or database out of date, 8 not approved, \
            9 importable with repairs (import --lint), 64 wrong command line, 65 invalid input, 130 interrupted (129 by \
            SIGHUP, 143 by SIGTERM).
            """,
        version: programVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "Edit",
                subcommands: [
                    InitCommand.self, ImportCommand.self, AdoptCommand.self, ExportCommand.self, ValidateCommand.self,
                    RenderCommand.self, FormatCommand.self, LanguageServerCommand.self,
                ]
            ),
            CommandGroup(
                name: "Plan",
                subcommands: [
                    PlanCommand.self, TestCommand.self, ShowCommand.self, GraphCommand.self, ReportCommand.self,
                    DriftCommand.self,
                ]
            ),
            CommandGroup(
                name: "Apply",
                subcommands: [
                    AssignCommand.self, ApplyCommand.self, ReplaceCommand.self, ConfirmCommand.self,
                    RollbackCommand.self, RefreshCommand.self, KeysCommand.self,
                    ReprovisionCommand.self,
                ]
            ),
            CommandGroup(
                name: "Database",
                subcommands: [
                    StateCommand.self, DoctorCommand.self, NetworkGroupCommand.self, DatabaseCommand.self,
                    ProvisionerCommand.self,
                ]
            ),
            CommandGroup(
                name: "Nearby",
                subcommands: [
                    ScanCommand.self, IdentifyCommand.self, DiagnoseCommand.self, NodeCommand.self,
                    CaptureCommand.self, GatewayCommand.self, HubCommand.self,
                ]
            ),
            CommandGroup(
                name: "Operate",
                subcommands: [
                    GetCommand.self, SetCommand.self, WatchCommand.self, SendCommand.self, HealthCommand.self,
                    SensorsCommand.self, MapCommand.self,
                ]
            ),
            CommandGroup(name: "Many networks", subcommands: [FleetCommand.self, AgentCommand.self]),
            CommandGroup(name: "Simulator", subcommands: [SimCommand.self]),
        ]
    )

    /// Required by the parser of command lines.
    package init() {}
}

extension Meshplan {
    /// Sets up the process. Only the executable calls this.
    package static func prepareProcess() {
        ProcessMemory.keepFromDumps()
        ProcessMemory.prepareForLargeValues()
    }

    /// The arguments of the process, without the program's name. Only the executable calls this.
    package static func arguments() -> [String] { Array(ThisProcess.arguments().dropFirst()) }

    /// Runs one command line.
    ///
    /// - Parameters:
    ///   - arguments: the command line without the program's name.
    ///   - context: all effects of the command.
    /// - Returns: the exit code of the process (``ExitStatus``).
    package static func main(_ arguments: [String], in context: Context) -> Int32 {
        let status = run(arguments, in: context).ended(by: context.interrupts.first())
        if case .failed(let reason)? = context.output.error {
            let failure = Failure(.failure, "cannot write to standard output: \(reason)")
            FailureView(context).show(failure)
            // The work itself may be done. A status that says more than “done” stays.
            return status == .success || status == .changes ? ExitStatus.failure.rawValue : status.rawValue
        }
        return status.rawValue
    }

    /// The path of a command through its groups, like `state list`.
    private static func path(of arguments: [String]) -> String {
        var names: [String] = []
        var command: any ParsableCommand.Type = Meshplan.self
        for argument in arguments {
            let next = command.configuration.subcommands.first { $0.configuration.commandName == argument }
            guard let next else { break }
            names.append(argument)
            command = next
        }
        return names.joined(separator: " ")
    }

    /// A text of the parser that is no error: help as a page, anything else, such as a script for a shell, as it is.
    private static func page(_ text: String, _ arguments: [String], _ context: Context) -> String {
        let words = arguments.first == "help" ? Array(arguments.dropFirst()) : arguments
        let isAll = words.contains { $0 == HelpPage.allOption || $0 == "--help-hidden" }
        let isPage = words.count < arguments.count || words.contains { $0 == "--help" || $0 == "-h" }
        guard isAll || isPage || words.isEmpty else { return text }
        let (command, depth) = CommandAdvice.command(of: words)
        if depth == 0, !isAll { return HelpPage.overview(columns: context.style.width) }
        // The parser does not break usages.
        var fitter = LineFitter(width: context.style.width)
        let page = fitter.fitted(text)
        let hasMore =
            helpMessage(for: command, columns: 80) != helpMessage(for: command, includeHidden: true, columns: 80)
        guard !isAll, hasMore else { return page }
        return page
            + "\nAll options: \((["meshplan"] + words[..<depth]).joined(separator: " ")) \(HelpPage.allOption)"
    }

    /// Whether something that is not an error was asked for in so many words, rather than by the letters of an option.
    private static func asksForHelp(_ arguments: [String]) -> Bool {
        !arguments.contains { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.count > 2 && $0.contains("h") }
    }

    private static func run(_ arguments: [String], in context: Context) -> ExitStatus {
        var context = context
        context.arguments = arguments
        do {
            let known = arguments.map { $0 == HelpPage.allOption ? "--help-hidden" : $0 }
            let completed = try Settings.completed(known, in: context)
            var command = try Completion.$place.withValue(CompletionPlace(context)) { try parseAsRoot(completed) }
            guard var command = command as? any ContextCommand else {
                try command.run()
                return .success
            }
            if command.writesJSON {
                context.json = JSONLines(
                    context.output,
                    command: path(of: arguments),
                    report: context.report,
                    clock: context.milliseconds
                )
            } else if context.terminal.isOutputTerminal {
                context.output.fitter = LineFitter(width: context.style.width)
            }
            if context.terminal.isErrorTerminal {
                context.errorOutput.fitter = LineFitter(width: context.errorStyle.width)
            }
            context.storeAccess = command.storeAccess
            defer { context.session.end(context) }
            let status = try command.run(in: context)
            context.observation.end(status, context.session.databases)
            return status
        } catch {
            let code = exitCode(for: error)
            if code.isSuccess {
                // The parser finds the -h of help in a word after one hyphen, such as -refresh-only.
                if !asksForHelp(arguments), let failure = CommandAdvice.failure(of: arguments) {
                    return FailureView(context).show(failure)
                }
                let text = fullMessage(for: error, columns: context.style.width)
                context.output.write(document: page(text, arguments, context).harmless + "\n")
                return .success
            }
            if code == .validationFailure {
                if let failure = CommandAdvice.failure(of: arguments) { return FailureView(context).show(failure) }
                var fitter = LineFitter(width: context.errorStyle.width)
                context.report?.note(message(for: error))
                let text = fullMessage(for: error, columns: context.errorStyle.width)
                context.errorOutput.line(fitter.fitted(HelpPage.pointingToAllOptions(text)))
                return .usage
            }
            let status = FailureView(context).show(RestoringAdvice(context).improved(error))
            context.observation.end(status, [])
            return status
        }
    }
}

/// A command that has all its effects through a context.
protocol ContextCommand: ParsableCommand {
    var writesJSON: Bool { get }
    /// How to reach and open databases.
    var storeAccess: StoreAccess { get }

    /// Carries out the command.
    ///
    /// - Returns: the exit status of the process.
    /// - Throws: any error that ``FailureView`` can explain.
    mutating func run(in context: Context) throws -> ExitStatus
}

extension ContextCommand {
    /// False, for commands without JSON.
    var writesJSON: Bool { false }
    /// Empty, so that the environment decides, for commands without such options.
    var storeAccess: StoreAccess { StoreAccess() }
}

/// A command about one network.
protocol NetworkCommand: ContextCommand {
    var networks: NetworkOptions { get }
    /// How databases are reached and opened.
    var store: StoreOptions { get }
}

extension NetworkCommand {
    var storeAccess: StoreAccess { store.access }
}
