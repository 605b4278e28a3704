import MeshCore
import Pictures
import Planning
import Store
import SystemLayer

/// A plan as Markdown for the conversation of a pull request: figures, refusals, what happens to nodes with like ones
/// in one line, notes, a picture, and the digest to approve. It holds no key material.
struct PlanMarkdown {
    var plan: Plan
    /// The estimated time; nil to leave it out.
    var estimate: PlanEstimate?
    /// Who controls whom, with what the plan does to each node; nil to leave the picture out.
    var graph: ControlGraph?

    /// How every file begins, so that a program finds its comment again and no other file is written over.
    static let mark = "<!-- meshplan plan"
    /// The most changes that are listed; a comment may have 65,536 characters.
    private static let mostChanges = 150
    /// The most characters of a picture that hosts draw.
    private static let largestPicture = 20_000
    /// The most names of like nodes in a line.
    private static let mostNames = 12

    func render() -> String {
        let isNothing = plan.isEmpty && plan.changes.isEmpty
        var parts = ["\(Self.mark): \(plan.network.printable) -->", "### Plan for network \(code(plan.network))"]
        parts.append(isNothing ? "**No changes.** The network matches the definition." : figures)
        if !plan.refusals.isEmpty { parts.append(refusals) }
        if let time = estimate?.text { parts.append(time.split(separator: "\n").map(prose).joined(separator: " ")) }
        if let scope = plan.scope { parts.append("Limited by \(scope.options.map(code).joined(separator: ", ")).") }
        parts += allowances
        if !isNothing { parts += [own, nodes, details].compactMap(\.self) }
        if !plan.notes.isEmpty { parts.append(plan.notes.map { "- " + prose($0.worded) }.joined(separator: "\n")) }
        if !isNothing, let picture { parts.append(picture) }
        if let approval { parts.append(approval) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Writes the text to a file.
    ///
    /// - Throws: ``Failure`` or ``FileError`` if it cannot be written, or something else stands there.
    func write(to path: String, in context: Context) throws {
        try Self.check(target: path, in: context)
        try AtomicFile.write(context.absolute(path), as: path, Array(render().utf8), mode: 0o644)
    }

    /// Refuses to write over anything but an earlier file of this kind.
    static func check(target path: String, in context: Context) throws {
        try OutputTarget.check(path, is: "a plan in Markdown", ending: ".md", in: context) {
            $0.starts(with: mark.utf8)
        }
    }

    // MARK: Figures

    private var figures: String {
        let summary = PlanSummary(plan)
        let optional = [
            ("to provision", summary.provisioned), ("to reset", summary.reset), ("to exclude", summary.excluded),
        ].filter { $0.1 > 0 }
        let columns =
            optional
            + [
                ("to add", summary.added), ("to change", summary.changed), ("to remove", summary.removed),
                ("to forget", summary.forgotten), ("messages", summary.messages), ("nodes asked", summary.nodes),
            ]
        let atLeast = summary.isCostExact ? "" : "\n\nMore messages may turn out to be needed."
        return table(columns.map(\.0), [columns.map { "\($0.1)" }], isRight: true) + atLeast
    }

    /// What refuses the plan, and how to let it pass.
    private var refusals: String {
        let lines = plan.findings.filter { !$0.isAllowed }.map { finding in
            let name = finding.planGuard.rawValue
            let way =
                finding.planGuard.isAllowable
                ? " If it is meant: \(code("--allow \(name)"))." : " It cannot be allowed."
            return "> - \(code(name)): \(prose(finding.message.asSentence))\(way)"
        }
        return "> **Refused.** The plan cannot be applied as it is.\n>\n" + lines.joined(separator: "\n")
    }

    private var allowances: [String] {
        plan.findings.filter(\.isAllowed).map { finding in
            "Allowed (\(code(finding.planGuard.rawValue))): \(prose(finding.message.asSentence))"
        }
    }

    // MARK: Changes

    private var own: String? {
        let changes = plan.changes.filter { $0.node == nil }
        guard !changes.isEmpty else { return nil }
        return folded("Network: \(count(changes.count, "change"))", list(changes), isOpen: changes.count <= 12)
    }

    /// The nodes: a line for all to which the same happens.
    private var nodes: String? {
        guard !plan.nodes.isEmpty else { return nil }
        struct Likeness: Hashable {
            var action: NodeSummary.Action
            var digest: String
            var messages: Int
        }
        let view = PlanView(plan: plan, style: .plain)
        let open = plan.nodesOfOpenCost
        var order: [Likeness] = []
        var groups: [Likeness: [NodeSummary]] = [:]
        for node in plan.nodes {
            let digest = view.digest(plan.changes[node.changes.clamped(to: plan.changes.indices)])
            let likeness = Likeness(action: node.action, digest: digest, messages: node.cost.messages)
            if groups[likeness] == nil { order.append(likeness) }
            groups[likeness, default: []].append(node)
        }
        let rows = order.map { likeness in
            let alike = groups[likeness] ?? []
            let names = alike.prefix(Self.mostNames).map { code($0.name) }.joined(separator: ", ")
            let rest = alike.count - Self.mostNames
            let fate = PlanView.fate(of: likeness.action)
            let isOpen = alike.contains { open.contains($0.uuid) }
            return [
                code(PlanView.sign(PlanView.action(of: likeness.action))), "\(alike.count)",
                names + (rest > 0 ? " and \(rest) more" : "") + fate, code(likeness.digest),
                (isOpen ? "at least " : "") + "\(likeness.messages)",
            ]
        }
        return table(["", "nodes", "names", "changes of each", "messages to each"], rows)
    }

    /// Every change, folded away.
    private var details: String? {
        let changes = plan.changes.filter { $0.node != nil }
        guard !changes.isEmpty else { return nil }
        return folded("Nodes: \(count(changes.count, "change"))", list(changes), isOpen: false)
    }

    private func list(_ changes: [Change]) -> String {
        var blocked: [String: PlanGuard] = [:]
        for finding in plan.findings where !finding.isAllowed {
            for resource in finding.resources { blocked[resource] = finding.planGuard }
        }
        let rows = changes.prefix(Self.mostChanges).map { change in
            let note =
                if let planGuard = blocked[change.address] {
                    "blocked by \(code(planGuard.rawValue))"
                } else if let drift = change.drift {
                    "changed outside of meshplan; recorded: " + (drift.recorded.map(code) ?? "none")
                } else if let previous = change.previousAddress {
                    "formerly \(code(previous))"
                } else {
                    ""
                }
            return [
                code(PlanView.sign(change.action)), code(change.address), code(change.before ?? ""),
                code(change.after ?? ""), note,
            ]
        }
        let rest = changes.count - Self.mostChanges
        let more = rest > 0 ? "\n\n\(count(rest, "more change", plural: "more changes")): `meshplan plan --full`" : ""
        return table(["", "resource", "now", "then", ""], rows) + more
    }

    // MARK: Picture and approval

    private var picture: String? {
        guard let graph, !graph.boxes.isEmpty else { return nil }
        let text = graph.mermaid()
        guard text.utf8.count <= Self.largestPicture else { return nil }
        return folded("Picture: who controls whom", "```mermaid\n\(text)```", isOpen: false)
    }

    private var approval: String? {
        guard !plan.isEmpty, plan.refusals.isEmpty, let digest = plan.digest else { return nil }
        return """
            To approve exactly this plan, put this line into the file with approvals of an agent:

            ```text
            \(plan.network.printable) \(digest)
            ```

            By hand: `meshplan apply --expect-digest \(digest) --via BEARER`
            """ + (plan.dependenciesLine.map { "\n\n" + code($0) } ?? "")
    }

    // MARK: Markup

    private func folded(_ title: String, _ text: String, isOpen: Bool) -> String {
        "<details\(isOpen ? " open" : "")><summary>\(title)</summary>\n\n\(text)\n\n</details>"
    }

    private func table(_ header: [String], _ rows: [[String]], isRight: Bool = false) -> String {
        let rule = header.map { _ in isRight ? "---:" : "---" }
        return ([header, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private func code(_ text: String) -> String { MarkdownText.code(text) }

    private func prose(_ text: some StringProtocol) -> String { MarkdownText.prose(String(text)) }
}

extension PlanMarkdown {
    /// The Markdown of a plan for a definition.
    ///
    /// - Parameters:
    ///   - snapshot: what the database knows, from which the plan was made.
    ///   - estimator: estimates the time.
    init(_ plan: Plan, of planning: PlanningJob.Prepared, _ snapshot: Snapshot, _ estimator: PlanEstimator) {
        self.plan = plan
        estimate = estimator.estimate(plan)
        let (relations, _) = NetworkRelations.make(of: snapshot.network, definition: planning.definition)
        let overlay = ControlGraph.Overlay(
            actions: Dictionary(firstOf: plan.nodes.map { ($0.uuid, $0.action) }),
            drifted: Set(snapshot.network.drifts.keys),
            pending: Set(snapshot.unresolved.map(\.node))
        )
        graph = ControlGraph(relations, network: planning.network, overlay: overlay)
    }
}
