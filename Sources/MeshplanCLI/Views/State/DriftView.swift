import MeshCore
import Planning

/// Shows drift: for each node, the declared, recorded and observed values.
struct DriftView {
    var report: DriftReport
    /// The network, which knows what could not be read.
    var network: MeshNetwork
    /// The ages of the observations behind the report.
    var observed: ObservationAges
    var name: String
    var hasDefinition: Bool
    /// The time zone of times, in steps of 15 minutes east of UTC.
    var zone = 0
    var style: Style

    func render() -> String {
        let drifted = report.nodes.filter { !$0.entries.isEmpty }
        guard !drifted.isEmpty else { return noDrift() + ages() + notes() }
        var text = "Drift in network \(style(.bold, name.printable))\n"
        for node in drifted { text += "\n" + self.text(node) }
        let values = count(report.count, "value")
        text += "\n" + style(.bold, "Drift: \(values) on \(count(drifted.count, "node")).") + "\n" + ages()
        text += notes()
        for line in advice(drifted) { text += "Next: \(line)\n" }
        return text
    }

    /// Nothing differs, as far as nodes have told their configuration.
    private func noDrift() -> String {
        let known = observed.nodes - observed.never
        guard observed.never > 0 else {
            return style(.good, "No drift.") + " " + style(.bold, "All observed values match the record.") + "\n"
        }
        let unknown = "Drift is not known of \(observed.never) of \(count(observed.nodes, "node"))"
        guard known > 0 else {
            return style(.warning, "Drift is not known.") + " No node has told its configuration in full.\n"
        }
        return style(.warning, unknown + ".") + " All values of the \(count(known, "node")) that were read back match "
            + "the record.\n"
    }

    private func text(_ node: DriftedNode) -> String {
        let read = node.readBackAt.map { "read back \(moment($0))" } ?? "never read back in full"
        let header = style(.bold, node.name.printable) + "  \(node.address)  \(read)\n"
        var table = Table(["RESOURCE", "DECLARED", "RECORDED", "OBSERVED", "SINCE"])
        for entry in node.entries {
            table.rows.append([
                entry.path.printable, declared(entry), entry.recorded?.printable ?? "none",
                entry.observed?.printable ?? "none", moment(entry.since),
            ])
        }
        if !hasDefinition {
            table.header?.remove(at: 1)
            for row in table.rows.indices { table.rows[row].remove(at: 1) }
        }
        let lines = table.render(style, indent: "  ")
        let plain = table.render(.plain, indent: "  ")
        if plain.split(separator: "\n").allSatisfy({ String($0).displayWidth <= style.width }) { return header + lines }
        return header + node.entries.map(stacked).joined()
    }

    /// An entry with its values below each other, because they are too long for a table.
    private func stacked(_ entry: DriftEntry) -> String {
        var facts = Table()
        if hasDefinition { facts.rows.append(["declared", declared(entry)]) }
        facts.rows.append(["recorded", entry.recorded?.printable ?? "none"])
        facts.rows.append(["observed", entry.observed?.printable ?? "none"])
        facts.rows.append(["since", moment(entry.since)])
        return "  \(entry.path.printable)\n" + facts.render(style, indent: "    ")
    }

    private func declared(_ entry: DriftEntry) -> String {
        switch entry.declared {
        case .unmanaged: "-"
        case .value(let value): value?.printable ?? "none"
        }
    }

    private func notes() -> String {
        (report.notes + UnreadText.notes(network)).map { "Note: \($0.printable)\n" }.joined()
    }

    private func moment(_ time: Timestamp) -> String { time.minute(inZone: zone) }

    /// The ages of the observations behind the report.
    private func ages() -> String {
        observed.text(moment).map { $0 + "\n" } ?? ""
    }

    private func advice(_ drifted: [DriftedNode]) -> [String] {
        var lines: [String] = []
        let entries = drifted.flatMap(\.entries)
        if entries.contains(where: { $0.declared != .unmanaged }) {
            lines.append(
                "meshplan apply restores what is declared; meshplan drift --adopt prints the lines that declare what is observed"
            )
        }
        if entries.contains(where: { $0.declared == .unmanaged }) {
            lines.append("meshplan drift --accept records observed values that are not declared")
        }
        return lines
    }
}
