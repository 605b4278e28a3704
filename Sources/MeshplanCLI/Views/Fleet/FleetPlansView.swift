import DefinitionModel
import SystemLayer

/// Shows saved plans of a fleet.
struct FleetPlansView {
    var context: Context
    /// The folder, as the user knows it.
    var path: String

    /// Tells that they are saved, and how they are applied.
    func showSaved(_ plans: FleetPlans, _ digest: String) {
        guard context.json == nil else { return write(plans, digest) }
        let apply = "meshplan fleet apply --plan \(path.printable.shellWord)"
        context.output.line("\nSaved to \(path.printable). Apply exactly these plans with: \(apply)")
        if !plans.leftOut.isEmpty {
            let number = plans.leftOut.count
            context.output.line(
                "\(count(number, "network")) that cannot be planned \(number == 1 ? "is" : "are") left out."
            )
        }
        context.output.line("Digest: \(digest)")
    }

    func show(_ plans: FleetPlans, _ digest: String) {
        guard context.json == nil else { return write(plans, digest) }
        let width = min(plans.entries.map(\.network.name.displayWidth).max() ?? 0, 30)
        for entry in plans.entries {
            let lines = wrap(entry.changes.printable, width: max(78 - width, 30))
            for (number, line) in lines.enumerated() {
                let start = number == 0 ? entry.network.name.printable : ""
                context.output.line(start.padded(to: width) + "  " + line)
            }
        }
        if plans.entries.isEmpty { context.output.line("There is nothing to apply.") }
        func list(_ names: [String], _ what: String) {
            guard !names.isEmpty else { return }
            for line in wrap("\(what): \(names.map(\.printable).joined(separator: ", "))", width: 80) {
                context.output.line(line)
            }
        }
        context.output.line()
        list(plans.upToDate, "Up to date")
        list(plans.leftOut, "Left out, because they could not be planned")
        context.output.line("Saved by \(plans.user.printable)@\(plans.host.printable), \(plans.madeAt.printable).")
        context.output.line("Digest: \(digest)")
    }

    private func write(_ plans: FleetPlans, _ digest: String) {
        context.json?.write([
            "type": "fleet_plans", "path": path.json, "digest": digest.json, "made_at": plans.madeAt.json,
            "user": plans.user.json, "host": plans.host.json,
            "plans": .array(
                plans.entries.map { entry in
                    .object([
                        "network": entry.network.name.json, "digest": entry.digest.json,
                        "changes": entry.changes.json,
                    ])
                }
            ),
            "up_to_date": .array(plans.upToDate.map(\.json)), "left_out": .array(plans.leftOut.map(\.json)),
        ])
    }
}
