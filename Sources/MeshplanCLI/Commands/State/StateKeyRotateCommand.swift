import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// `meshplan state key rotate`
struct StateKeyRotateCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Seal the mesh database under a new data key.",
        discussion: """
            Anybody who knew the old data key, from a slot that was removed or a copy that got lost, cannot read what \
            is stored from then on. The new data key can only be wrapped for available secrets: the secret that opens \
            the database, those named with --key-file, --passphrase-file and --key-command beside it, and passphrases \
            typed on the terminal. All other slots are removed; add their owners again with meshplan state key add. \
            Saved plans become unreadable and have to be made again. Keys of the mesh itself stay; if somebody may \
            know those, refresh them with meshplan keys.
            """
    )

    @Flag(help: "Ask neither for passphrases nor for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let (name, database, lease) = try workspace.openToChange(
            networks.network,
            for: "state key rotate",
            isForNetwork: false
        )
        let sources = DatabaseSecretSources(context)
        var keys: [DatabaseSecret] = []
        let slots = try database.keySlots()
        for source in sources.all where slots.contains(where: { source.fits($0.kind) }) {
            keys.append(try sources.key(source))
        }
        var lost = try database.keySlots(closedTo: keys)
        if !autoApprove {
            keys += try askForPassphrases(of: lost, database, context)
            lost = try database.keySlots(closedTo: keys)
            try confirm(lost, of: try workspace.databaseName(name), context)
        }
        let removed = try database.rotate(keeping: keys, cost: context.scryptCost, with: lease)
        let kept = try database.keySlots()
        context.json?.write([
            "type": "data_key_rotated", "kept": .array(kept.map(\.identifier.json)),
            "removed": .array(removed.map(\.identifier.json)),
        ])
        if context.json == nil {
            context.output.line("\(try workspace.databaseName(name)) is sealed under a new data key.")
            context.output.line("It opens with \(DatabaseSecretSources.description(of: kept)).")
            if !removed.isEmpty {
                context.output.line("No longer: \(DatabaseSecretSources.description(of: removed)).")
            }
            context.output.line(
                "Save your plans again. Older copies of the database keep the old key."
            )
        }
        return .success
    }

    /// Asks for the passphrases of the slots. An empty answer leaves a slot out.
    ///
    /// - Throws: ``Failure`` if a passphrase does not open its slot, or at Ctrl-C.
    private func askForPassphrases(
        of slots: [KeySlotDescription],
        _ database: MeshDatabase,
        _ context: Context
    ) throws -> [DatabaseSecret] {
        guard context.terminal.isInputTerminal else { return [] }
        var keys: [DatabaseSecret] = []
        for slot in slots where slot.kind == .passphrase {
            let label = slot.label.isEmpty ? "" : " (\(slot.label.printable))"
            let question = "Passphrase of slot \(slot.identifier)\(label), empty to remove the slot: "
            let text = try SecretPrompt(context: context).ask(question)
            guard !text.isEmpty else { continue }
            let key = try Passphrase.key(text, isNew: false)
            guard try !database.keySlots(closedTo: [key]).contains(slot) else {
                throw Failure(.failure, "that passphrase does not open slot \(slot.identifier); nothing was done")
            }
            keys.append(key)
        }
        return keys
    }

    private func confirm(_ lost: [KeySlotDescription], of name: String, _ context: Context) throws(Failure) {
        let loss =
            lost.isEmpty ? "all slots stay" : "\(DatabaseSecretSources.description(of: lost)) will no longer open it"
        try Prompt(context: context).confirm(
            "Seal \(name) under a new data key?",
            explanation: "Saved plans become unreadable; \(loss)."
        )
    }
}
