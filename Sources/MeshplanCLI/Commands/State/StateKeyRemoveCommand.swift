import ArgumentParser
import MeshCore
import Store

/// `meshplan state key remove`
struct StateKeyRemoveCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a key slot, so that its secret no longer opens the mesh database.",
        discussion: """
            Older copies of the database keep the slot. Anybody with such a copy and the secret can get the data key \
            from it, which also seals this database. Where that matters, run meshplan state key rotate afterwards.
            """
    )

    @Argument(help: ArgumentHelp("The slot, as meshplan state key list shows it.", valueName: "slot"))
    var slot: String

    @Flag(help: "Remove even the slot of the secret that was used to open the database.")
    var includingOwn = false

    @OptionGroup var change: ChangeOptions

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let (name, database, lease) = try workspace.openToChange(
            networks.network,
            for: "state key remove",
            isForNetwork: false
        )
        let slots = try database.keySlots()
        let identifier = slot.lowercased()
        guard let found = slots.first(where: { $0.identifier == identifier }) else {
            // Whoever was cut short repeats the command.
            let operation = "state key remove \(identifier)"
            if try database.history().entries.contains(where: { $0.operation == operation }) {
                if let lines = context.json {
                    lines.write(["type": "key_slot_removed", "id": identifier.json, "already": true])
                } else {
                    context.output.line("Slot \(identifier) was removed already.")
                }
                return .success
            }
            throw Failure(
                .usage,
                "there is no key slot `\(slot.printable)`",
                hint: "There is: \(DatabaseSecretSources.description(of: slots))."
            )
        }
        guard slots.count > 1 else {
            throw Failure(
                .refused,
                "slot \(found.identifier) is the last one; without it nobody could open the database",
                hint: "Add another one first, with meshplan state key add."
            )
        }
        guard found.identifier != database.openingSlot || includingOwn else {
            throw Failure(
                .refused,
                "slot \(found.identifier) has opened the database for this command, and you may not have another one",
                hint: "Open the database with another secret, to prove that you have one, or use --including-own."
            )
        }
        if !change.autoApprove {
            let rest = slots.filter { $0 != found }
            try Prompt(context: context).confirm(
                "Remove \(DatabaseSecretSources.description(of: [found])) from \(try workspace.databaseName(name))?",
                explanation: "After that it opens with \(DatabaseSecretSources.description(of: rest))."
            )
        }
        try database.removeKeySlot(found.identifier, with: lease)
        context.json?.write(["type": "key_slot_removed", "id": found.identifier.json])
        if context.json == nil {
            context.output.line("Removed slot \(found.identifier).")
            context.output.line("Older copies keep it; where that matters, run: meshplan state key rotate")
        }
        return .success
    }
}
