import Basics
import DefinitionModel
import MeshCore
import Pictures
import Planning
import Store

/// Makes the report of a network: finds what needs attention, and words everything.
struct ReportMaking {
    /// What the network is and should be.
    let source: PictureSource
    /// What a plan would do now; nil without a definition or a database.
    let plan: Plan?
    let drift: DriftReport
    /// What was done; nil if there is no database.
    let history: History?
    /// What came of tests; nil if none were played.
    let tests: [ReportedTest]?
    /// What nodes told of faults; nil if they were not asked.
    let health: [ReportedHealth]?
    let made: Timestamp
    /// For how long an answer of a node counts, in seconds.
    let freshWithin: Int64

    var overlay: ControlGraph.Overlay {
        var overlay = source.overlay
        for node in plan?.nodes ?? [] where overlay.actions[node.uuid] == nil {
            overlay.actions[node.uuid] = node.action
        }
        return overlay
    }

    /// The overlay with the nodes that were not read back, too. It is not for graphs: nodes would share a box for no
    /// other reason.
    var readOverlay: ControlGraph.Overlay {
        var overlay = overlay
        overlay.unread = configuration.unknown
        return overlay
    }

    /// A time as those read it who own the building: the date and the minute in the time zone of the definition, or in
    /// UTC where it has none.
    func moment(_ time: Timestamp) -> String {
        time.minute(inZone: source.planning?.definition.timeZone?.value ?? 0)
    }

    func report() -> HandoverReport {
        let serial =
            source.snapshot.map { ", from serial \($0.serial) of the mesh database" } ?? ", from the definition"
        var report = HandoverReport(
            network: source.name,
            made: made.text,
            moment: moment(made),
            source: "Made by meshplan \(programVersion)\(serial)."
        )
        report.title = source.relations.title
        report.findings = findings()
        report.unknowns = unknowns()
        report.assurances = assurances()
        report.figures = figures()
        report.sections = [
            floorSection(), pictureSection(), nodeSection(), groupSection(), keySection(), testSection(),
            driftSection(),
            faultSection(), historySection(), glossarySection(),
        ].filter { !$0.blocks.isEmpty }
        return report
    }

    // MARK: What needs attention

    func names(_ uuids: some Sequence<DeviceUUID>) -> String {
        let wanted = Set(uuids)
        let known = source.relations.nodes.filter { wanted.contains($0.uuid) }
        let seen = Set(known.map(\.uuid))
        let other = source.network.nodes.filter { wanted.contains($0.uuid) && !seen.contains($0.uuid) }
        return called(known.map(\.name) + other.map(\.name))
    }

    /// What people call nodes, by name: their titles, or else their names.
    func called(_ names: some Collection<String>) -> String {
        NameRuns.text(names.map { source.nodeTitles[$0] ?? $0 })
    }

    /// A name in the first cell of a row: the title, and below it the name, which commands take.
    func cell(_ name: String, title: String?) -> HandoverReport.Cell {
        guard let title, title != name else { return .init(name.printable) }
        return .init(lines: [title.printable, name.printable])
    }

    private func findings() -> [HandoverReport.Finding] {
        var findings: [HandoverReport.Finding] = []
        func add(_ tone: HandoverReport.Tone, _ text: String, _ section: String) {
            findings.append(HandoverReport.Finding(tone, text.printable, section: section))
        }
        if let unresolved = source.snapshot?.unresolved, !unresolved.isEmpty {
            let nodes = Set(unresolved.map(\.node))
            let what = "\(count(unresolved.count, "message")) to \(count(nodes.count, "node"))"
            add(.bad, "In doubt: \(what) may or may not have arrived (\(names(nodes))).", "nodes")
        }
        for device in source.network.pendingProvisionings {
            add(.bad, "\(device.name) may or may not have become a node.", "nodes")
        }
        for node in source.network.nodes where !node.isExcluded {
            guard let seen = node.unprovisionedSeenAt else { continue }
            add(.bad, "\(called([node.name])) was reset: it was seen as a new device at \(moment(seen)).", "nodes")
        }
        let missing = source.relations.nodes.filter { $0.standing == .missing }
        if !missing.isEmpty {
            let nodes = count(missing.count, "node")
            add(.warning, "Not commissioned yet: \(nodes) (\(called(missing.map(\.name)))).", "nodes")
        }
        let waiting = Set(missing.map(\.uuid))
        let outstanding = (plan?.nodes ?? []).filter { !$0.changes.isEmpty && !waiting.contains($0.uuid) }
        if !outstanding.isEmpty {
            let changes = count(outstanding.reduce(0) { $0 + $1.changes.count }, "change")
            let nodes = count(outstanding.count, "node")
            add(
                .warning,
                "The definition has \(changes) for \(nodes) that were not applied (\(called(outstanding.map(\.name)))).",
                "nodes"
            )
        }
        if !drift.isEmpty {
            let nodes = drift.nodes.filter { !$0.entries.isEmpty }
            let values = count(drift.count, "value")
            let verb = drift.count == 1 ? "is" : "are"
            add(.warning, "Drift: \(values) on \(called(nodes.map(\.name))) \(verb) not as recorded.", "drift")
        }
        for key in source.network.netKeys where key.phase != .normal {
            add(
                .warning,
                "The keys of subnet \(source.relations.subnetTitles[key.name] ?? key.name) are being replaced; not all nodes are done.",
                "keys"
            )
        }
        let faulty = (health ?? []).filter { !$0.faults.isEmpty }
        if !faulty.isEmpty { add(.bad, "Faults: \(called(Set(faulty.map(\.node)))).", "faults") }
        // Nodes that were never set up to tell are another matter than nodes that do not answer.
        let silent = Dictionary(grouping: (health ?? []).filter { $0.reason != nil }) { $0.reason ?? "" }
        for (reason, nodes) in silent.sorted(by: { $0.key < $1.key }) {
            add(.warning, "Did not tell of faults (\(reason)): \(called(Set(nodes.map(\.node)))).", "faults")
        }
        let failed = (tests ?? []).filter { $0.verdict == .failed }
        if !failed.isEmpty { add(.bad, "\(count(failed.count, "test")) failed.", "tests") }
        let skipped = (tests ?? []).filter { $0.verdict == .skipped }
        if !skipped.isEmpty { add(.warning, "\(count(skipped.count, "test")) skipped.", "tests") }
        return findings
    }

    private func assurances() -> [String] {
        var texts: [String] = []
        // What was recorded some time ago is no assurance.
        if configuration.isComplete, let configured { texts.append(configured.asSentence) }
        if let tests, !tests.isEmpty, tests.allSatisfy({ $0.verdict == .passed }) {
            texts.append(tests.count == 1 ? "The test passed." : "All \(count(tests.count, "test")) passed.")
        }
        if faultKnowledge.isComplete, (health ?? []).allSatisfy(\.faults.isEmpty) {
            texts.append("No node has a registered fault.")
        }
        let ages = configuration
        if drift.isEmpty, ages.isComplete, partlyRead.isEmpty, let oldest = ages.oldest {
            texts.append("No drift: every node was read back since \(moment(oldest)).")
        }
        return texts
    }

    /// How many nodes are configured as the definition says, as far as is recorded, as a clause; nil if none is.
    var configured: String? {
        let overlay = overlay
        let settled = source.relations.nodes.count { $0.standing == .managed && overlay.mark(of: $0) == .settled }
        let all = source.relations.nodes.count
        guard settled > 0 else { return nil }
        let verb = settled == 1 ? "is" : "are"
        let nodes = settled == all && all > 1 ? "all \(count(all, "node"))" : "\(settled) of \(count(all, "node"))"
        return "\(nodes) \(verb) configured as the definition says"
    }

    private func figures() -> [HandoverReport.Figure] {
        let nodes = source.relations.nodes
        let missing = nodes.count { $0.standing == .missing }
        var figures: [HandoverReport.Figure] = [
            .init("Nodes", "\(nodes.count)", detail: missing == 0 ? "" : "\(missing) not commissioned yet"),
            .init("Groups", "\(source.relations.groups.count)"),
            .init("Subnets", "\(source.relations.subnets.count)"),
            .init("Application keys", "\(source.relations.applicationKeys.count)"),
            testFigure(),
        ]
        if source.snapshot != nil {
            let pending = source.overlay.pending.count + source.network.pendingProvisionings.count
            figures.append(.init("In doubt", pending == 0 ? "none" : "\(pending)", pending == 0 ? .good : .bad))
            figures += [driftFigure(), faultFigure()].compactMap(\.self)
        }
        return figures
    }

    private func testFigure() -> HandoverReport.Figure {
        guard let tests, !tests.isEmpty else {
            let declared = source.planning?.definition.tests.count ?? 0
            return declared == 0
                ? .init("Tests", "none") : .init("Tests", "not known", .unknown, detail: "none of \(declared) played")
        }
        let passed = tests.count { $0.verdict == .passed }
        let hasFailed = tests.contains { $0.verdict == .failed }
        let tone: HandoverReport.Tone = passed == tests.count ? .good : hasFailed ? .bad : .unknown
        return .init("Tests passed", "\(passed) of \(tests.count)", tone)
    }

    /// Nil if there is no node that could drift.
    private func driftFigure() -> HandoverReport.Figure? {
        let read = configuration
        guard read.nodes > 0 || !drift.isEmpty else { return nil }
        let detail = extent(read.known, of: read.nodes, "read back", last: read.newest)
        if !drift.isEmpty { return .init("Drift", count(drift.count, "value"), .warning, detail: detail) }
        let isKnown = read.isComplete && partlyRead.isEmpty
        return .init("Drift", isKnown ? "none" : "not known", isKnown ? .good : .unknown, detail: detail)
    }

    /// Nil if there is no node that could have faults.
    private func faultFigure() -> HandoverReport.Figure? {
        let known = faultKnowledge
        let faults = (health ?? []).reduce(0) { $0 + $1.faults.count }
        guard known.nodes > 0 || faults > 0 else { return nil }
        let detail = extent(known.known, of: known.nodes, "answered", last: known.last)
        if faults > 0 { return .init("Faults", "\(faults)", .bad, detail: detail) }
        return known.isComplete
            ? .init("Faults", "none", .good, detail: detail) : .init("Faults", "not known", .unknown, detail: detail)
    }

    // MARK: Pictures

    private func floorSection() -> HandoverReport.Section {
        let overlay = readOverlay
        var blocks: [HandoverReport.Block] = []
        for floor in source.placement.floors {
            guard let picture = source.picture(of: floor, overlay: overlay) else { continue }
            blocks.append(
                .picture(
                    svg: picture.svg(),
                    caption: "\(floor.title.printable): \(count(picture.markers.count, "node"))"
                )
            )
        }
        let others = source.relations.nodes.filter { source.placement.positions[$0.name] == nil }
        if !blocks.isEmpty, !others.isEmpty {
            blocks.append(.text("On no plan: \(called(others.map(\.name)))."))
        }
        return HandoverReport.Section("floors", "Floor plans", blocks)
    }

    private func pictureSection() -> HandoverReport.Section {
        guard !source.relations.nodes.isEmpty else { return HandoverReport.Section("control", "Who controls whom") }
        let graph = ControlGraph(source.relations, network: source.name, overlay: overlay)
        var blocks: [HandoverReport.Block] = [
            .text(
                "Who sends stands on the left, groups in the middle, and who listens on the right. The table below says "
                    + "the same."
            ),
            .picture(svg: graph.svg(), caption: "Who controls whom in \(source.title)"),
        ]
        let rows = graph.rows.map { row in row.map { HandoverReport.Cell($0.printable) } }
        if !rows.isEmpty {
            blocks.append(.table(.init("Who sends to whom", ["Sends", "To", "Key", "Who listens"], rows)))
        }
        return HandoverReport.Section("control", "Who controls whom", blocks)
    }
}
