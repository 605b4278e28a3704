import ArgumentParser
import DefinitionModel
import Definitions
import LanguageServer
import MeshCore
import SystemLayer

/// `meshplan lsp`
struct LanguageServerCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "lsp",
        abstract: "Serve an editor that shows mistakes, completes and explains definitions.",
        discussion: """
            An editor starts it and speaks the Language Server Protocol with it over standard input and output. It \
            checks the whole definition that a file belongs to, as validate does, with the texts as they are in the \
            editor. It reads files of definitions only, and neither databases nor keys.
            """
    )

    @Option(
        help: ArgumentHelp("Append what goes wrong to a file instead of standard error.", valueName: "file"),
        completion: Completion.files
    )
    var logFile: String?

    @OptionGroup var variables: VariableOptions

    func run(in context: Context) throws -> ExitStatus {
        let context = try variables.applied(to: context)
        if let logFile { try Files.append("", to: context.absolute(logFile), as: logFile, isPrivate: true) }
        let folders = ParsedFolders()
        let workshop = DefinitionWorkshop(
            name: "meshplan",
            examine: { folder, openFiles in
                var context = context
                context.parsedFiles = folders.files(in: folder)
                return Self.examine(folder, openFiles, in: context)
            },
            examineFile: { kind, path, openFiles in Self.examine(path, as: kind, openFiles, in: context) },
            word: { $0.worded.asSentence },
            markdown: MarkdownText.paragraphs
        )
        return LanguageServerSession(context, LanguageServer(workshop), logFile: logFile).run()
    }

    /// Checks the definition in a folder; nil if there is none.
    private static func examine(
        _ folder: String,
        _ openFiles: [String: [UInt8]],
        in context: Context
    ) -> DefinitionExamination? {
        var context = context
        context.openFiles = openFiles
        let open = openFiles.filter { Files.folder(of: $0.key) == folder }
        let names = (try? Files.names(inFolder: folder, as: folder)) ?? []
        let ofOpen = open.keys.map { String($0.split(separator: "/").last ?? "") }
        guard !DefinitionPaths.definitionFiles(among: names + ofOpen).isEmpty else { return nil }
        do {
            return try DefinitionExamination(of: [folder], in: context)
        } catch {
            // Shown where somebody looks.
            let failure = Failure(explaining: error)
            let files = open.sorted { $0.key < $1.key }.map { SourceFiles.File(path: $0.key, bytes: $0.value) }
            return DefinitionExamination(
                definitions: [],
                diagnostics: [Diagnostic(.error, failure.message, hint: failure.hint)],
                files: SourceFiles(files: files)
            )
        }
    }
}

/// What was parsed of the definitions that an editor has open.
private final class ParsedFolders {
    private var files: [String: ParsedFiles] = [:]

    /// The most folders of which something is kept. It takes about three times the memory of the texts.
    private static let most = 8

    /// What is known of the definition in a folder.
    func files(in folder: String) -> ParsedFiles {
        if let known = files[folder] { return known }
        if files.count >= Self.most { files = [:] }
        let new = ParsedFiles()
        files[folder] = new
        return new
    }
}

extension LanguageServerCommand {
    /// The problems of a file that is no part of a definition.
    private static func examine(
        _ path: String,
        as kind: FileKind,
        _ openFiles: [String: [UInt8]],
        in context: Context
    ) -> [Diagnostic] {
        func file(_ path: String) -> SourceFiles.File? {
            let bytes = openFiles[path] ?? (try? context.read(path))
            return bytes.map { SourceFiles.File(path: path, bytes: $0) }
        }
        guard let own = file(path) else { return [] }
        let files = SourceFiles(files: [own])
        switch kind {
        case .definition: return []
        case .settings: return SettingsFile.read(files: files, check: Settings.check).diagnostics
        case .fleet:
            let (fleet, diagnostics) = FleetFile.read(files: files)
            return diagnostics + Fleet.wrongWays(of: fleet)
        case .devices:
            let alone = DeviceFile.read(files: files).diagnostics
            guard alone.contains(where: { $0.severity == .error }) else { return alone }
            // A device may have a product from another file, which is given to the same command.
            let folder = Files.folder(of: path)
            let names = (try? Files.names(inFolder: folder, as: folder)) ?? []
            let others = DefinitionPaths.definitionFiles(among: names).map { "\(folder)/\($0)" }.filter { $0 != path }
                .compactMap(file).filter { FileKind(path: $0.path, $0.bytes) == .devices }
            let together = Set(DeviceFile.read(files: SourceFiles(files: [own] + others)).diagnostics.map(\.message))
            return alone.filter { together.contains($0.message) }
        }
    }
}

/// Carries octets between an editor and the server until the conversation is over.
struct LanguageServerSession {
    private let context: Context
    private var server: LanguageServer
    private let logFile: String?

    /// The most octets that are taken before a message is worked on, so that output does not wait for ever.
    private static let batch = 1 << 20

    init(_ context: Context, _ server: LanguageServer, logFile: String?) {
        self.context = context
        self.server = server
        self.logFile = logFile
    }

    /// Runs until the client says `exit`, closes the input or reads no more, or a signal arrives.
    ///
    /// - Returns: success only after `shutdown` and `exit`.
    consuming func run() -> ExitStatus {
        let before = context.interrupts.count()
        while server.ending == nil, context.interrupts.count() == before, context.output.error == nil {
            take()
            _ = server.next(at: context.milliseconds())
            flush()
        }
        flush()
        return server.ending == .proper ? .success : .failure
    }

    /// Takes everything that has arrived. Waits for it unless there is something to do.
    private mutating func take() {
        let wait = server.deadline.map { deadline in
            deadline == .min ? 0 : min(max(deadline - context.milliseconds(), 0), LanguageServerSession.longestWait)
        }
        var event = context.byteInput.read(wait.map { .milliseconds($0) })
        var taken = 0
        while case .bytes(let bytes) = event {
            server.receive(bytes)
            taken += bytes.count
            guard taken < Self.batch, server.ending == nil else { return }
            event = context.byteInput.read(.zero)
        }
        guard case .end = event else { return }
        // What was asked before the end is answered.
        while server.ending == nil, server.deadline == .min, server.next(at: context.milliseconds()) { flush() }
        server.endInput()
    }

    /// The longest wait for a definition whose time comes, in milliseconds. The calendar time may be set back.
    private static let longestWait: Int64 = 1_000

    private mutating func flush() {
        let output = server.takeOutput()
        if !output.isEmpty { context.output.write(document: String(decoding: output, as: UTF8.self)) }
        for note in server.takeNotes() {
            guard let logFile else {
                context.errorOutput.line("meshplan lsp: " + note.printable)
                continue
            }
            // The conversation matters more than its log.
            try? Files.append(note.printable + "\n", to: context.absolute(logFile), as: logFile, isPrivate: true)
        }
    }
}
