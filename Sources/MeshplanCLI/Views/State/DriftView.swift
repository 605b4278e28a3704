import MeshCore
import Planning

/// Shows drift: for each node, the declared, recorded and observed values.
struct DriftView {
    /// The drift to show.
    var report: DriftReport
    /// The network, which knows the age of the observations.
    var network: MeshNetwork
    /// The network's name.
    var name: String
    /// Whether there is a definition to compare with.
    var hasDefinition: Bool
    /// The style of the text.
    var style: Style

    /// The whole text.
    func render() -> String {
        let drifted = report.nodes.filter { !$0.entries.isEmpty }
        guard !drifted.isEmpty else {
            return style(.good, "No drift.") + " " + style(.bold, "All observed values match the record.") + "\n"
                + ages()
                + notes()
        }
        var text = "Drift in network \(style(.bold, name.printable))\n"
        for node in drifted { text += "\n" + self.text(node) }
        let values = count(report.count, "value")
        text += "\n" + style(.bold, "Drift: \(values) on \(count(drifted.count, "node")).") + "\n" + ages()
        text += notes()
        for line in advice(drifted) { text += "Next: \(line)\n" }
        return text
    }

    private func text(_ node: DriftedNode) -> String {
        let read = node.readBackAt.map { "read back \($0.text)" } ?? "never read back in full"
        let header = style(.bold, node.name.printable) + "  \(node.address)  \(read)\n"
        var table = Table(["RESOURCE", "DECLARED", "RECORDED", "OBSERVED", "SINCE"])
        for entry in node.entries {
            table.rows.append([
                entry.path.printable, declared(entry), entry.recorded?.printable ?? "none",
                entry.observed?.printable ?? "none", entry.since.text,
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
        facts.rows.append(["since", entry.since.text])
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

    /// The ages of the observations behind the report.
    private func ages() -> String {
        let ages = ObservationAges(network)
        return ages.text(\.text).map { $0 + "\n" } ?? ""
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

/// The ages of the observations of a network's nodes.
struct ObservationAges: Hashable {
    /// The number of nodes that can be read back.
    private(set) var nodes = 0
    /// The number of nodes never read back in full.
    private(set) var never = 0
    /// The oldest time at which a node was last read back.
    private(set) var oldest: Timestamp?
    /// The newest time at which a node was last read back.
    private(set) var newest: Timestamp?

    /// The ages of a network's managed nodes.
    init(_ network: MeshNetwork) {
        for node in network.nodes where node.isManaged && RefreshSession.isReadable(node, in: network) {
            nodes += 1
            guard let time = node.readBackAt else {
                never += 1
                continue
            }
            oldest = oldest.map { min($0, time) } ?? time
            newest = newest.map { max($0, time) } ?? time
        }
    }

    /// One line for people; nil if there are no nodes.
    ///
    /// - Parameter words: writes a time.
    func text(_ words: (Timestamp) -> String) -> String? {
        guard nodes > 0 else { return nil }
        guard let oldest, let newest else { return "No node has been read back yet; run meshplan refresh." }
        let span = oldest == newest ? "at \(words(oldest))" : "from \(words(oldest)) to \(words(newest))"
        return "Read back: \(nodes - never) of \(count(nodes, "node")), \(span)."
    }
}
