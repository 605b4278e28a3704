import MeshCore
import Pictures
import Planning
import Store

extension ReportMaking {
    private static let mostEntries = 50

    func testSection() -> HandoverReport.Section {
        guard let tests, !tests.isEmpty else {
            return HandoverReport.Section("tests", "Tests", [.text("No tests were played for this report.")])
        }
        let rows: [[HandoverReport.Cell]] = tests.map { test in
            let verdict: HandoverReport.Cell =
                switch test.verdict {
                case .passed: .init("passed", .good)
                case .failed: .init("failed", .bad)
                case .skipped: .init("skipped", .warning)
                }
            return [.init(test.name.printable), verdict, .init(lines: test.details.map(\.printable))]
        }
        let table = HandoverReport.Table(count(rows.count, "test"), ["Test", "Result", "Details"], rows)
        return HandoverReport.Section("tests", "Tests", [.table(table)])
    }

    /// Where nodes differ from what was recorded.
    func driftSection() -> HandoverReport.Section {
        guard source.snapshot != nil else { return HandoverReport.Section("drift", "Drift") }
        var blocks: [HandoverReport.Block] = []
        let rows: [[HandoverReport.Cell]] = drift.nodes.flatMap { node in
            node.entries.map { entry in
                let declared: String =
                    switch entry.declared {
                    case .unmanaged: "not declared"
                    case .value(let value): value?.printable ?? "none"
                    }
                return [
                    cell(node.name, title: source.nodeTitles[node.name]), .init(entry.path.printable), .init(declared),
                    .init(entry.recorded?.printable ?? "none"), .init(entry.observed?.printable ?? "none", .warning),
                    .init(moment(entry.since)),
                ]
            }
        }
        let ages = configuration
        if rows.isEmpty {
            let extent = extent(ages.known, of: ages.nodes, "read back", last: ages.newest)
            blocks.append(
                .text(
                    ages.known == 0
                        ? "Not known: no node was read back within \(period)."
                        : ages.isComplete
                            ? "What nodes reported agrees with what was recorded."
                            : "What \(count(ages.known, "node")) reported agrees with what was recorded. Of the others it "
                                + "is not known: \(extent)."
                )
            )
        } else {
            blocks.append(
                .table(
                    .init(
                        "\(count(rows.count, "value")) not as recorded",
                        ["Node", "What", "Declared", "Recorded", "Reported", "Since"],
                        rows
                    )
                )
            )
        }
        if let ages = ages.text(moment) { blocks.append(.text(ages)) }
        blocks += drift.notes.map { .text($0.printable) }
        return HandoverReport.Section("drift", "Drift", blocks)
    }

    func faultSection() -> HandoverReport.Section {
        guard let health else {
            return HandoverReport.Section(
                "faults",
                "Faults",
                [.text("Not known: nodes were not asked for faults for this report.")]
            )
        }
        let told = health.filter { !$0.faults.isEmpty || $0.reason != nil }
        let knowledge = faultKnowledge
        let faulty = Set(health.filter { !$0.faults.isEmpty }.map(\.node)).count
        var blocks: [HandoverReport.Block] = []
        if !told.isEmpty {
            let rows: [[HandoverReport.Cell]] = told.map { report in
                [
                    cell(report.node, title: source.nodeTitles[report.node]), .init("\(report.element)"),
                    .init(lines: report.faults.map(\.printable), .bad),
                    .init(report.reason?.printable ?? "", .warning),
                ]
            }
            blocks.append(
                .table(.init("Registered faults", ["Node", "Element", "Faults", "Why they are not known"], rows))
            )
        }
        let extent = extent(knowledge.known, of: knowledge.nodes, "answered within \(period)", last: knowledge.last)
        let verb = faulty == 1 ? "has" : "have"
        blocks.append(
            .text(
                knowledge.known == 0
                    ? "Not known: \(extent)."
                    : "\(extent); \(faulty == 0 ? "none has" : "\(faulty) \(verb)") a registered fault."
            )
        )
        return HandoverReport.Section("faults", "Faults", blocks)
    }

    /// What was done, newest first.
    func historySection() -> HandoverReport.Section {
        guard let history else { return HandoverReport.Section("history", "History") }
        let rows: [[HandoverReport.Cell]] = history.entries.prefix(Self.mostEntries).map { entry in
            let outcome = entry.runs.last?.outcome
            let tone: HandoverReport.Tone =
                switch outcome {
                case .completed: .good
                case .partial, .interrupted: .warning
                case .failed: .bad
                case nil: entry.runs.isEmpty ? .plain : .bad
                }
            return [
                .init(moment(entry.began)), .init("\(entry.user)@\(entry.host)".printable),
                .init(entry.operation.printable), .init(entry.result, tone), .init(entry.serials),
                .init(entry.definition?.short ?? ""),
            ]
        }
        var blocks: [HandoverReport.Block] = []
        if !rows.isEmpty {
            blocks.append(
                .table(
                    .init(
                        count(rows.count, "change"),
                        ["When", "Who", "What", "Result", "Serial", "Definition"],
                        rows
                    )
                )
            )
        }
        let rest = history.entries.count - rows.count
        if rest > 0 { blocks.append(.text("\(count(rest, "older change")) not shown.")) }
        if !history.isCut { blocks.append(.text("The mesh database was created at \(moment(history.created)).")) }
        return HandoverReport.Section("history", "History", blocks)
    }

    /// The words of a report for those who own a building and not a laboratory.
    func glossarySection() -> HandoverReport.Section {
        let words: [[HandoverReport.Cell]] = [
            ["Node", "A device of the network: a lamp, a switch, a sensor, a hub."],
            ["Group", "An address that several nodes listen to. A switch sends to a group, and its lamps follow."],
            ["Subnet", "A part of the network with a network key of its own. Who lacks the key hears nothing of it."],
            ["Application key", "What lets a node take part in one kind of work, such as lighting."],
            ["Relay", "A node that passes on what it hears, so that distant nodes hear it, too."],
            ["Proxy", "A node that telephones and computers connect to."],
            ["In doubt", "A message to the node may or may not have arrived; nobody knows until it is read back."],
            ["Drift", "The node reported something other than what was recorded for it."],
            ["Serial", "A number that rises with each change of the mesh database."],
        ]
        let table = HandoverReport.Table("What the words mean", ["Word", "Meaning"], words)
        return HandoverReport.Section("words", "Words", [.table(table)])
    }
}
