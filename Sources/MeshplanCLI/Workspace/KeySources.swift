internal import MeshCore
internal import Store

/// The secrets at hand that open databases.
///
/// Options count before the environment, and that before `.meshplan/key`; where one of them says anything, the ones behind
/// it are not looked at, so that an option that opens nothing is noticed. Where none does, and a database has a slot for a
/// passphrase, the user is asked for it.
struct KeySources {
    /// Where a secret is.
    enum Source: Hashable {
        /// In a key file, by its path for people.
        case keyFile(String)
        /// In a file with a passphrase.
        case passphraseFile(String)
        /// Where a shell command gets it from.
        case command(String)

        /// Whether it could open a slot of that kind.
        func fits(_ kind: KeySlotKind?) -> Bool {
            switch (self, kind) {
            case (.keyFile, .keyFile), (.passphraseFile, .passphrase), (.command, .command), (.command, .keyFile): true
            default: false
            }
        }

        /// What it is, at the beginning of a message; never the command itself.
        var title: String {
            switch self {
            case .keyFile(let path): "the key file \(path)"
            case .passphraseFile(let path): "the passphrase in \(path)"
            case .command: "the secret of the key command"
            }
        }
    }

    private let context: Context
    /// What the command line, or else the environment names.
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

    /// The chosen ones, or else the key file of the folder, if it is there.
    var all: [Source] {
        guard chosen.isEmpty else { return chosen }
        return Files.kind(context.absolute(Workspace.keyPath)) == nil ? [] : [.keyFile(Workspace.keyPath)]
    }

    /// The secret of a source. What a command has printed is remembered, so that it runs once in a process.
    ///
    /// - Parameter isNew: whether a passphrase has to be one that is good enough for a new slot.
    func key(_ source: Source, isNew: Bool = false) throws -> DatabaseKey {
        switch source {
        case .keyFile(let path):
            do {
                return try KeyFile.load(from: context.absolute(path))
            } catch {
                let hint = error.hint?.replacing(context.absolute(path), with: path.printable.shellWord)
                throw StoreError(error.code, error.message, hint: hint, path: path.printable)
            }
        case .passphraseFile(let path):
            if Files.isReadableByOthers(context.absolute(path)) {
                throw Failure(
                    .failure,
                    "others can read the passphrase in \(path.printable)",
                    hint: "chmod 600 \(path.printable), and choose another passphrase if somebody may have read it."
                )
            }
            let bytes = try Files.read(context.absolute(path), as: path.printable, limit: 64 * 1024)
            do {
                return try Passphrase.key(file: bytes, isNew: isNew)
            } catch {
                throw StoreError(error.code, error.message, hint: error.hint, path: path.printable)
            }
        case .command(let command):
            if let key = context.session.printed[command] { return key }
            let key = try KeyCommand(context: context).key(command)
            context.session.printed[command] = key
            return key
        }
    }

    /// Opens a database with what is at hand, or with a passphrase that the user is asked for.
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
                    "\(sources.first?.title ?? "nothing at hand") does not open \(Self.short(sealed.path))",
                    hint: "It opens with \(slots). Say where that is with --key-file or --key-command."
                )
            }
            throw Failure(
                .failure,
                "there is no \(Workspace.keyPath), which opens the databases here",
                hint: "Restore it from your copy, or say with --key-file where it is; it is \(slots). Without it the "
                    + "databases cannot be read."
            )
        }
        guard context.terminal.isInputTerminal else {
            throw Failure(
                .failure,
                "nothing at hand opens \(Self.short(sealed.path)), and nobody can be asked for the passphrase, because "
                    + "standard input is not a terminal",
                hint: "It opens with \(slots). Say where that is with --passphrase-file, --key-file or --key-command."
            )
        }
        return try ask(for: sealed)
    }

    /// The database, if a secret at hand opens it; nobody is asked for a passphrase.
    func openedUnasked(_ sealed: SealedDatabase) throws -> MeshDatabase? {
        for source in all where sealed.slots.contains(where: { source.fits($0.kind) }) {
            if let database = try sealed.opened(with: try key(source), using: context.randomNumbers) { return database }
        }
        return try context.session.typed.flatMap { try sealed.opened(with: $0, using: context.randomNumbers) }
    }

    /// The slot that a secret at hand opens, without asking anybody; nil if there is none.
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

    /// The slots in a sentence: `a key file (slot 1a2b3c4d) or a passphrase (slot 5e6f7a8b, Anna)`.
    static func description(of slots: [KeySlotDescription]) -> String {
        let texts = slots.filter { $0.kind != nil }.map { slot in
            let label = slot.label.isEmpty ? "" : ", \(slot.label.printable)"
            return "\(slot.kind?.title(article: true) ?? "?") (slot \(slot.identifier)\(label))"
        }
        guard let last = texts.last else { return "nothing that this version of meshplan knows" }
        return texts.count == 1 ? last : texts.dropLast().joined(separator: ", ") + " or " + last
    }

    /// A path below `.meshplan` as the user knows it.
    static func short(_ path: String) -> String {
        guard let range = path.firstRange(of: "/.meshplan/") else { return path.printable }
        return String(path[path.index(after: range.lowerBound)...]).printable
    }
}

extension KeySlotKind {
    /// What people call it.
    func title(article: Bool = false) -> String {
        switch self {
        case .keyFile: article ? "a key file" : "key file"
        case .passphrase: article ? "a passphrase" : "passphrase"
        case .command: article ? "a key command" : "key command"
        }
    }

    /// What JSON calls it.
    var word: String {
        switch self {
        case .keyFile: "key_file"
        case .passphrase: "passphrase"
        case .command: "key_command"
        }
    }
}

/// Asks for what must not be seen.
struct SecretPrompt {
    /// Where to ask.
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

    /// A new passphrase, typed twice.
    func newPassphrase() throws -> DatabaseKey {
        guard context.terminal.isInputTerminal else {
            throw Failure(
                .failure,
                "nobody can be asked for a passphrase, because standard input is not a terminal",
                hint: "Give a file with it: --new-passphrase-file FILE."
            )
        }
        let text = try ask("New passphrase: ")
        let key = try Passphrase.key(text, isNew: true)
        guard try ask("The same again: ") == text else {
            throw Failure(.failure, "the two passphrases differ; nothing was done")
        }
        return key
    }
}
