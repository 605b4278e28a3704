import ArgumentParser
import Store
import SystemLayer

/// `meshplan confirm`
struct ConfirmCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Keep the changes of apply --confirm-within."
    )

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func run(in context: Context) throws -> ExitStatus {
        let (_, database, lease) = try Workspace(context: context).openToChange(
            networks.network,
            for: "confirm",
            isForNetwork: false
        )
        guard let pending = try database.pendingConfirmation() else {
            // Whoever was cut short repeats the command.
            if let note = try database.confirmationNote(), note.decision == .confirmed {
                if let lines = context.json {
                    lines.write(["type": "confirmed", "serial": .integer(Int(clamping: lease.serial))])
                } else {
                    context.output.line("The changes from \(note.began.text) are confirmed already; no others wait.")
                }
                return .success
            }
            throw Failure(
                .failure,
                "no changes are waiting for confirmation",
                hint: "See: meshplan state history"
            )
        }
        try database.confirm(with: lease)
        if let lines = context.json {
            lines.write(["type": "confirmed", "serial": .integer(Int(clamping: lease.serial))])
        } else {
            context.output.line(
                "Confirmed: the network stays as it is at serial \(lease.serial), and does not go back to "
                    + "serial \(pending.serial)."
            )
        }
        return .success
    }
}
