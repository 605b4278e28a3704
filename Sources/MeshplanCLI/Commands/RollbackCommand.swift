import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan rollback`
struct RollbackCommand: GoingBackCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Plan a return to the definition applied before the last one, and carry it out with --via.",
        discussion: """
            The database keeps the texts of up to 20 applied definitions. Without --to, rollback goes back to the \
            latest one that differs from the last applied one; a second rollback goes forward again. Where a return \
            was cut short, rollback goes on with it. What nobody confirmed does not count as applied. The files in \
            your folder are not touched: --write-definition writes the old ones into a folder, so that you can compare \
            yours with them or replace yours.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Go back to the definition in force at this serial; meshplan state history shows the serials.",
            valueName: "serial"
        )
    )
    var to: UInt64?

    @Flag(help: "Undo the changes of apply --confirm-within that nobody has confirmed.")
    var unconfirmed = false

    @Option(
        help: ArgumentHelp("Write the definition into this folder and do nothing else.", valueName: "dir"),
        completion: Completion.folders
    )
    var writeDefinition: String?

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var planned: PlannedRunOptions

    @OptionGroup var adapter: AdapterOptions

    @OptionGroup var capture: CaptureOptions

    @OptionGroup var execution: RunOptions

    @OptionGroup var guards: GuardOptions

    @OptionGroup var radio: RadioOptions

    @OptionGroup(title: "With --via simulator")
    var devices: SimulatedDeviceOptions

    @OptionGroup(title: "With --via simulator")
    var models: VendorModelOptions

    @OptionGroup(title: "With --via simulator", visibility: .hidden)
    var simulator: SimulatorOptions

    @OptionGroup var goingBack: GoingBackOptions

    @OptionGroup var confirmation: ConfirmationOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        try checkRun()
        if unconfirmed {
            guard to == nil, writeDefinition == nil, planned.out == nil, confirmation.confirmWithin == nil
            else {
                throw ValidationError(
                    "--unconfirmed returns to the state before the unconfirmed changes, and cannot be combined with --to, "
                        + "--out, --write-definition or --confirm-within."
                )
            }
            if via.isEmpty { throw ValidationError("Name the route to the mesh with --via.") }
        }
        if writeDefinition != nil, !via.isEmpty || planned.out != nil {
            throw ValidationError("--write-definition only writes files, and cannot be combined with --via or --out.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let name = try workspace.only(networks.network)
        if unconfirmed {
            return try returnRun(as: "rollback", in: context).goBackUnconfirmed(name)
        }
        let database = try workspace.open(name)
        let history = try database.history()
        let unfinished = to == nil ? history.unfinishedReturn : nil
        if let words = unfinished?.words, context.json == nil, writeDefinition == nil {
            context.output.line("Going on with \(words) which was cut short.\n")
        }
        if case .state(let serial) = unfinished?.goal, writeDefinition == nil {
            let job = try RestoreJob(context, network: name, serial: serial, in: database)
            return try carryOut(job, as: "restore", in: context)
        }
        let (entry, text) = try definition(in: database, history, unfinished)
        if let folder = writeDefinition { return try write(text, of: entry, into: folder, context) }
        var prepared = try PlanningJob(context: context).prepare(
            SourceFiles(text),
            network: name,
            wasApplied: true
        )
        prepared.returnGoal = .definition
        if context.json == nil {
            context.output.line(
                "Definition \(entry.definition?.short ?? "") of \(entry.began.text) (serial \(entry.serialAfter))"
            )
            compare(text, context)
            context.output.line()
        }
        return try carryOut(prepared, as: "rollback", in: context)
    }

    /// Finds the definition to go back to.
    ///
    /// - Throws: ``Failure`` if there is none, or if its text is no longer kept.
    private func definition(
        in database: MeshDatabase,
        _ history: History,
        _ unfinished: HistoryEntry?
    ) throws -> (HistoryEntry, DefinitionText) {
        let found: HistoryEntry?
        if let to {
            let serial = try database.snapshot().serial
            guard to <= serial else {
                throw Failure(
                    .usage,
                    "serial \(to) does not exist yet: the database is at serial \(serial)",
                    hint: "meshplan state history shows which definition was applied when."
                )
            }
            found = history.definitionEntry(at: to)
            guard found != nil else {
                throw Failure(
                    .failure,
                    "the definition in force at serial \(to) is unknown",
                    hint: "meshplan state history shows which was applied when."
                )
            }
        } else {
            found = unfinished ?? history.previousDefinitionEntry
            guard found != nil else {
                throw Failure(
                    .failure,
                    "no other definition was applied before the last one",
                    hint: "meshplan state history shows what was; meshplan state restore SERIAL goes back to a state."
                )
            }
        }
        guard let found, let digest = found.definition, let text = try database.definition(digest) else {
            throw Failure(
                .failure,
                "the text of that definition is no longer kept",
                hint: "Go back to the state instead, with meshplan state restore SERIAL."
            )
        }
        return (found, text)
    }

    /// Reports how the stored files differ from the present ones at the same paths.
    private func compare(_ text: DefinitionText, _ context: Context) {
        // Values of variables are no files.
        for file in text.files where !file.path.hasPrefix("(") {
            let path = file.path.printable
            // Nobody can read it again: whoever waits at its other end would be waited for.
            guard !context.isStream(file.path) else {
                context.output.line("  \(path) was read to its end; its text is kept")
                continue
            }
            guard let present = try? context.read(file.path, limit: 16 << 20) else {
                context.output.line("  \(path) no longer exists")
                continue
            }
            if present == file.bytes {
                context.output.line("  \(path) is the same")
                continue
            }
            func lines(_ bytes: [UInt8]) -> [Substring] {
                String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            }
            let difference = lines(present).difference(from: lines(file.bytes))
            context.output.line(
                "  \(path) differs: \(count(difference.removals.count, "line")) removed or changed, "
                    + "\(count(difference.insertions.count, "line")) added or changed"
            )
        }
    }

    private func write(
        _ text: DefinitionText,
        of entry: HistoryEntry,
        into folder: String,
        _ context: Context
    ) throws -> ExitStatus {
        var written: Set<String> = []
        let names = text.files.map { file -> String in
            // Uses only the last part of each path: a former path must not make this write anywhere else. A stream has
            // no name of its own.
            let isUnnamed = context.isStream(file.path) || file.path == DefinitionFiles.standardInputTitle
            let ownName = isUnnamed ? nil : file.path.split(separator: "/").last.map(String.init)
            let last = ownName ?? "definition.yaml"
            var name = last
            var number = 2
            while !written.insert(name).inserted {
                name = "\(number)-\(last)"
                number += 1
            }
            return name
        }
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        for name in names where Files.kind(context.absolute(base + name)) != nil {
            throw Failure(.failure, "\(base)\(name) already exists", hint: "Choose another folder, or move it away.")
        }
        _ = try Files.createFolder(context.absolute(folder), as: folder, mode: 0o755)
        for (name, file) in zip(names, text.files) {
            let path = base + name
            try AtomicFile.create(context.absolute(path), as: path, file.bytes, mode: 0o644)
            if let lines = context.json {
                lines.write(["type": "wrote", "path": path.json])
            } else {
                context.output.line("Wrote \(path.printable)")
            }
        }
        return .success
    }
}
