import ArgumentParser
import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// `meshplan state key add`
struct StateKeyAddCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a key slot: another secret that opens the mesh database.",
        discussion: """
            Choose the secret: --new-passphrase asks for one twice, --new-passphrase-file reads it, --new-key-file \
            creates a key file (or uses an existing one), --new-key-command runs a command that prints at least 32 \
            characters that nobody can guess, from a password manager for instance. The command is not stored: give it \
            again each time this slot is to open the database, by --key-command or $MESHPLAN_KEY_COMMAND. /bin/sh runs \
            it without standard input; its standard error is shown.
            """
    )

    @Flag(help: "Ask for the new passphrase.")
    var newPassphrase = false

    @Option(
        help: ArgumentHelp("A file with the new passphrase.", valueName: "file"),
        completion: Completion.files
    )
    var newPassphraseFile: String?

    @Option(
        help: ArgumentHelp("The new key file, created if it is missing.", valueName: "file"),
        completion: Completion.files
    )
    var newKeyFile: String?

    @Option(help: ArgumentHelp("A shell command that prints the new secret.", valueName: "command"))
    var newKeyCommand: String?

    @Option(help: ArgumentHelp("A label for the slot, such as its owner.", valueName: "text"))
    var label = ""

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        let count = [newPassphraseFile, newKeyFile, newKeyCommand].count { $0 != nil } + (newPassphrase ? 1 : 0)
        guard count == 1 else {
            throw ValidationError(
                "Give one new secret: --new-passphrase, --new-passphrase-file, --new-key-file or --new-key-command."
            )
        }
        // Labels appear in lines of text for people.
        guard label.printable == label, label.utf8.count <= 100 else {
            throw ValidationError("--label takes at most 100 octets of printable text.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let (name, database, lease) = try workspace.openToChange(
            networks.network,
            for: "state key add",
            isForNetwork: false
        )
        let key = try newKey(context)
        let former = try database.keySlots()
        let slot = try database.addKeySlot(
            for: key,
            label: label,
            cost: context.scryptCost,
            now: context.now(),
            with: lease
        )
        let isNew = !former.contains(slot)
        context.json?.write([
            "type": "key_slot", "id": slot.identifier.json, "kind": (slot.kind?.word ?? "unknown").json,
            "label": slot.label.json, "created": slot.created?.text.json, "new": .bool(isNew),
        ])
        if context.json == nil {
            let kind = slot.kind?.title(article: true) ?? "a secret"
            let opening = "\(kind) opens \(try workspace.databaseName(name))"
            context.output.line(
                isNew
                    ? "Added slot \(slot.identifier): \(opening), too."
                    : "Slot \(slot.identifier) is there: \(opening)."
            )
        }
        return .success
    }

    private func newKey(_ context: Context) throws -> DatabaseSecret {
        let sources = DatabaseSecretSources(context)
        func ignored(_ file: String, _ key: DatabaseSecret) -> DatabaseSecret {
            FailureView(context).show(GitIgnore.keepOut(file, context))
            return key
        }
        if let newPassphraseFile {
            return ignored(newPassphraseFile, try sources.key(.passphraseFile(newPassphraseFile), isNew: true))
        }
        if let newKeyCommand { return try sources.key(.command(newKeyCommand), isNew: true) }
        guard let newKeyFile else { return try SecretPrompt(context: context).newPassphrase() }
        let path = context.absolute(newKeyFile)
        guard Files.kind(path) == nil else { return ignored(newKeyFile, try KeyFile.load(from: path)) }
        var generator = context.randomNumbers
        // Git must ignore the file before there is anything in it that somebody can commit.
        let cover = try GitIgnore.cover(newKeyFile, in: context)
        let key = try KeyFile.create(at: path, using: &generator)
        if context.json == nil {
            context.output.line("Made \(newKeyFile.printable): keep a copy in a safe place")
            if let pattern = cover.pattern {
                context.output.line("Added \(pattern.printable) to \(cover.place.printable)")
            }
        }
        return key
    }
}
