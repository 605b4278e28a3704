import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// The available secrets that open databases.
///
/// Options come before environment variables, and those before `.meshplan/key`. Only the first of these levels that has
/// anything is used, so that an option that opens nothing is noticed. If no level has anything and the database has a
/// slot for a passphrase, the user is asked for it.
struct DatabaseSecretSources {
    /// The place of a secret.
    enum Source: Hashable {
        /// A key file, by its path for people.
        case keyFile(String)
        /// A file with a passphrase, by its path for people.
        case passphraseFile(String)
        case command(String)

        /// Whether a secret of this source could open a slot of a kind.
        func fits(_ kind: KeySlotKind?) -> Bool {
            switch (self, kind) {
            case (.keyFile, .keyFile), (.passphraseFile, .passphrase), (.command, .command), (.command, .keyFile): true
            default: false
            }
        }

        /// The source, as the beginning of a message. Never contains the command itself.
        var title: String {
            switch self {
            case .keyFile(let path): "the key file \(path)"
            case .passphraseFile(let path): "the passphrase in \(path)"
            case .command: "the secret of the key command"
            }
        }
    }

    private let context: Context
    /// The sources that the command line names, or else the environment.
    let chosen: [Source]

    init(_ context: Context) {
        self.context = context
        let access = context.storeAccess
        let options = Self.sources(access.keyFile, access.passphraseFile, access.keyCommand)
        func variable(_ name: String) -> String? { context.environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        chosen =
            options.isEmpty
            ? Self.sources(
                variable("MESHPLAN_KEY_FILE"),
                variable("MESHPLAN_PASSPHRASE_FILE"),
                variable("MESHPLAN_KEY_COMMAND")
            ) : options
    }

    private static func sources(_ keyFile: String?, _ passphraseFile: String?, _ command: String?) -> [Source] {
        [keyFile.map(Source.keyFile), passphraseFile.map(Source.passphraseFile), command.map(Source.command)]
            .compactMap { $0 }
    }

    /// The chosen sources, or else the key file of the folder, if it exists.
    var all: [Source] {
        guard chosen.isEmpty else { return chosen }
        return Files.kind(context.absolute(Workspace.keyPath)) == nil ? [] : [.keyFile(Workspace.keyPath)]
    }

    /// The secret of a source. The output of a command is remembered, so that it runs once per process.
    ///
    /// - Parameter isNew: whether the secret is for a new slot, so that a passphrase must be good enough.
    /// - Throws: ``StoreError``, ``FileError`` or ``Failure`` that says why the source has no usable secret.
    func key(_ source: Source, isNew: Bool = false) throws -> DatabaseSecret {
        switch source {
        case .keyFile(let path):
            do {
                return try KeyFile.load(from: context.absolute(path))
            } catch {
                let hint = error.hint?.changingWords {
                    $0.replacing(context.absolute(path), with: path.printable.shellWord)
                }
                throw StoreError(error.code, error.message, hint: hint, path: path.printable)
            }
        case .passphraseFile(let path):
            if Files.isReadableByOthers(context.absolute(path)) {
                throw Failure(
                    .failure,
                    "other users can read the passphrase in \(path.printable)",
                    hint: "chmod 600 \(path.printable), and choose another passphrase if somebody may have read it."
                )
            }
            let bytes = try context.readOwn(path, limit: 64 * 1024)
            do {
                return try Passphrase.key(file: bytes, isNew: isNew)
            } catch {
                throw StoreError(error.code, error.message, hint: error.hint, path: path.printable)
            }
        case .command(let command):
            if let key = context.session.printed[command] { return key }
            let key = try SecretCommand(context: context).key(command)
            context.session.printed[command] = key
            return key
        }
    }

    /// Opens a database with an available secret, or asks the user for a passphrase.
    ///
    /// - Throws: ``Failure`` if nothing opens it and no passphrase can be asked for, or if three passphrases were
    ///   wrong; ``StoreError`` if a secret or the database cannot be read.
    func open(_ sealed: SealedDatabase) throws -> MeshDatabase {
        let sources = all
        if let database = try openedUnasked(sealed) { return database }
        let slots = Self.description(of: sealed.slots)
        guard chosen.isEmpty else {
            let titles = sources.map(\.title).joined(separator: " and ")
            throw Failure(
                .failure,
                "\(titles) \(sources.count > 1 ? "do" : "does") not open \(Self.short(sealed.path))",
                hint: "It opens with \(slots)."
            )
        }
        guard sealed.slots.contains(where: { $0.kind == .passphrase }) else {
            guard sources.isEmpty, sealed.slots.allSatisfy({ $0.kind == .keyFile }) else {
                throw Failure(
                    .failure,
                    sources.first.map { "\($0.title) does not open \(Self.short(sealed.path))" }
                        ?? "no available secret opens \(Self.short(sealed.path))",
                    hint: "It opens with \(slots). Name it with --key-file or --key-command."
                )
            }
            throw Failure(
                .failure,
                "there is no \(Workspace.keyPath), which opens the databases here",
                hint: "Restore it from your copy, or name it with --key-file; it is \(slots). Without it the "
                    + "databases cannot be read."
            )
        }
        guard context.terminal.isInputTerminal else {
            throw Failure(
                .failure,
                "no available secret opens \(Self.short(sealed.path)); meshplan cannot ask for the passphrase, because "
                    + "standard input is not a terminal",
                hint: "It opens with \(slots). Name it with --passphrase-file, --key-file or --key-command."
            )
        }
        return try ask(for: sealed)
    }

    /// The database, opened with an available secret; nil if none opens it. Does not ask for a passphrase.
    func openedUnasked(_ sealed: SealedDatabase) throws -> MeshDatabase? {
        for source in all where sealed.slots.contains(where: { source.fits($0.kind) }) {
            if let database = try sealed.opened(with: try key(source), using: context.randomNumbers) { return database }
        }
        return try context.session.typed.flatMap { try sealed.opened(with: $0, using: context.randomNumbers) }
    }

    /// The slot that an available secret opens; nil if there is none. Does not ask for a passphrase.
    func slot(of sealed: SealedDatabase) throws -> String? {
        for source in all where sealed.slots.contains(where: { source.fits($0.kind) }) {
            if let database = try sealed.opened(with: try key(source)) { return database.openingSlot }
        }
        return nil
    }

    private func ask(for sealed: SealedDatabase) throws -> MeshDatabase {
        for attempt in 1...3 {
            let text = try SecretPrompt(context: context).ask("Passphrase of \(Self.short(sealed.path)): ")
            if let key = try? Passphrase.key(text, isNew: false),
                let database = try sealed.opened(with: key, using: context.randomNumbers)
            {
                context.session.typed = key
                return database
            }
            if attempt < 3 { context.errorOutput.line("That passphrase does not open it.") }
        }
        throw Failure(
            .failure,
            "that passphrase does not open \(Self.short(sealed.path))",
            hint: "It opens with \(Self.description(of: sealed.slots))."
        )
    }

    /// The slots as part of a sentence: `a key file (slot 1a2b3c4d) or a passphrase (slot 5e6f7a8b, Anna)`.
    static func description(of slots: [KeySlotDescription]) -> String {
        let texts = slots.filter { $0.kind != nil }.map { slot in
            let label = slot.label.isEmpty ? "" : ", \(slot.label.printable)"
            return "\(slot.kind?.title(article: true) ?? "?") (slot \(slot.identifier)\(label))"
        }
        guard let last = texts.last else { return "nothing that this version of meshplan knows" }
        return texts.count == 1 ? last : texts.dropLast().joined(separator: ", ") + " or " + last
    }

    /// The form in which the user knows a path below `.meshplan`.
    static func short(_ path: String) -> String {
        guard let range = path.firstRange(of: "/.meshplan/") else { return path.printable }
        return String(path[path.index(after: range.lowerBound)...]).printable
    }
}

extension KeySlotKind {
    /// The name for people.
    func title(article: Bool = false) -> String {
        switch self {
        case .keyFile: article ? "a key file" : "key file"
        case .passphrase: article ? "a passphrase" : "passphrase"
        case .command: article ? "a key command" : "key command"
        }
    }

    /// The name in JSON.
    var word: String {
        switch self {
        case .keyFile: "key_file"
        case .passphrase: "passphrase"
        case .command: "key_command"
        }
    }
}

/// Asks for input that the terminal must not show.
struct SecretPrompt {
    var context: Context

    /// The line that was typed.
    ///
    /// - Throws: ``Failure`` at Ctrl-C and at the end of input.
    func ask(_ question: String) throws(Failure) -> String {
        context.errorOutput.write(question)
        let line = context.readSecret()
        context.errorOutput.line()
        guard let line else { throw Failure(.interrupted, "interrupted; nothing was done") }
        return line
    }

    /// Asks for a new passphrase, which has to be typed twice.
    ///
    /// - Throws: ``Failure`` if nobody can be asked, at Ctrl-C, or if the two differ; ``StoreError`` if it is too weak.
    func newPassphrase() throws -> DatabaseSecret {
        guard context.terminal.isInputTerminal else {
            throw Failure(
                .failure,
                "cannot ask for a passphrase: standard input is not a terminal",
                hint: "Give a file with it: --new-passphrase-file FILE."
            )
        }
        let text = try ask("New passphrase: ")
        let key = try Passphrase.key(text, isNew: true)
        guard try ask("Repeat the passphrase: ") == text else {
            throw Failure(.failure, "the two passphrases differ; nothing was done")
        }
        return key
    }
}
