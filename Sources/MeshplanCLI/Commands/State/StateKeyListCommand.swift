import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// `meshplan state key list`
struct StateKeyListCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the key slots of the mesh database.",
        discussion: """
            Needs no secret, so you can look up which secret opens the database. A star marks the slot that an \
            available secret opens; no passphrase is asked for.
            """
    )

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let workspace = Workspace(context: context)
        let sealed = try workspace.sealed(try workspace.only(networks.network))
        let own = try own(sealed, context)
        for slot in sealed.slots {
            context.json?.write([
                "type": "key_slot", "id": slot.identifier.json, "kind": (slot.kind?.word ?? "unknown").json,
                "label": slot.label.json, "created": slot.created?.text.json, "opened": .bool(slot.identifier == own),
                "scrypt": slot.cost.map { cost in
                    .object([
                        "log_n": .integer(Int(cost.logN)), "r": .integer(Int(cost.r)), "p": .integer(Int(cost.p)),
                        "memory": cost.memory.flatMap { Int(exactly: $0) }.map { .integer($0) },
                        "is_weak": .bool(cost.isWeaker(than: context.scryptCost)),
                    ])
                },
            ])
        }
        guard context.json == nil else { return .success }
        var table = Table(["", "Slot", "Kind", "Strength", "Made", "Label"])
        for slot in sealed.slots {
            table.rows.append([
                slot.identifier == own ? "*" : "", slot.identifier, slot.kind?.title() ?? "unknown",
                strength(of: slot, context.scryptCost), slot.created?.text ?? "unknown", slot.label.printable,
            ])
        }
        context.output.write(table.render(context.style))
        return .success
    }

    /// The slot that an available secret opens; nil if there is none. Errors matter only for a secret that the command
    /// line names.
    private func own(_ sealed: SealedDatabase, _ context: Context) throws -> String? {
        let sources = DatabaseSecretSources(context)
        guard context.storeAccess.namesSecret else { return (try? sources.slot(of: sealed)) ?? nil }
        return try sources.slot(of: sealed)
    }

    private func strength(of slot: KeySlotDescription, _ standard: Scrypt.Cost) -> String {
        switch slot.kind {
        case .keyFile: return "256 random bits"
        case .passphrase:
            guard let cost = slot.cost else { return "unknown" }
            guard cost.isAcceptable else { return "scrypt, beyond what is allowed: cannot be opened" }
            let memory = (cost.memory ?? 0) >> 20
            let text = "scrypt 2^\(cost.logN), \(memory > 0 ? "\(memory) MiB" : "less than 1 MiB")"
            return cost.isWeaker(than: standard) ? text + " (weak)" : text
        case .command: return "what it prints"
        case nil: return "unknown"
        }
    }
}
