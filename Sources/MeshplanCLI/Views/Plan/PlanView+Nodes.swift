internal import MeshCore
internal import Planning

/// The lines of nodes in a plan.
extension PlanView {
    /// A line of a node, without its name.
    private struct NodeLine {
        var node: NodeSummary
        var changes: ArraySlice<Change>
        /// How many changes of which kind.
        var digest: String
        /// What it costs on air.
        var cost: String

        /// Whether the same is to be said of another node.
        func isLike(_ other: NodeLine) -> Bool {
            node.action == other.node.action && digest == other.digest && cost == other.cost
        }
    }

    /// The least width for which lines of nodes are made, so that those that provision are no longer on narrow terminals.
    private static let nodeLineWidth = 100

    /// A line for each node, with its details or, where those are not shown, a line below for the kinds of its changes if
    /// they do not fit.
    func nodes(showsDetails: Bool) -> String {
        let openCosts = plan.nodesOfOpenCost
        let labelWidth = plan.nodes.map { Self.label(of: $0).displayWidth }.max() ?? 0
        let signWidth = plan.nodes.map { Self.sign(Self.action(of: $0.action)).count }.max() ?? 1
        let addressWidth = plan.nodes.map { Self.address(of: $0).count }.max() ?? 0
        let lines = plan.nodes.map { node in
            let changes = plan.changes[node.changes.clamped(to: plan.changes.indices)]
            let messages = (openCosts.contains(node.uuid) ? "at least " : "") + messages(node.cost.messages)
            var cost = node.cost.messages == 0 ? "" : "\(messages)  \(pdus(node.cost.pdus))"
            if isFull, let time = estimate?.nodes[node.uuid] { cost += "  \(PlanEstimate.text(time.median))" }
            return NodeLine(node: node, changes: changes, digest: digest(changes), cost: cost)
        }
        let digestWidth = lines.map(\.digest.displayWidth).max() ?? 0
        let costWidth = lines.map(\.cost.displayWidth).max() ?? 0
        let startWidth = signWidth + 1 + labelWidth + 2 + addressWidth
        let limit = max(style.width, Self.nodeLineWidth)
        // Where the kinds of changes do not fit, they stand below, once for those who have the same.
        let isWrapped = startWidth + 2 + digestWidth + 2 + costWidth > limit
        var text = ""
        var alike = 0
        var place = 0
        while place < lines.count {
            let line = lines[place]
            let run = showsDetails ? 1 : lines[place...].prefix { $0.isLike(line) }.count
            if run >= Self.shortestFold {
                text += folded(lines[place..<place + run], limit: limit)
                place += run
                continue
            }
            place += 1
            let action = Self.action(of: line.node.action)
            let label = Self.label(of: line.node)
            let address = Self.address(of: line.node)
            text += symbol(action) + String(repeating: " ", count: signWidth - Self.sign(action).count + 1)
            text += style(.bold, label) + String(repeating: " ", count: labelWidth - label.displayWidth) + "  "
            if isWrapped {
                text += line.cost.isEmpty ? address + "\n" : address.padded(to: addressWidth) + "  " + line.cost + "\n"
                alike += 1
                let isLast = showsDetails || place == lines.count || lines[place].digest != line.digest
                if isLast {
                    text += digestLines(line.digest, isOfEach: alike > 1, width: limit)
                    alike = 0
                }
            } else if line.digest.isEmpty, line.cost.isEmpty {
                text += address + "\n"
            } else {
                let digest = line.cost.isEmpty ? line.digest : line.digest.padded(to: digestWidth) + "  " + line.cost
                text += address.padded(to: addressWidth) + "  " + digest + "\n"
            }
            if showsDetails { text += details(Array(line.changes), under: "node.\(line.node.name).") + "\n" }
        }
        return showsDetails || plan.nodes.isEmpty ? text : text + "\n"
    }

    /// So many lines in a row that say the same are made one.
    private static let shortestFold = 4

    /// Nodes in a row of which the same is to be said: what it is, and who they are.
    private func folded(_ lines: ArraySlice<NodeLine>, limit: Int) -> String {
        guard let first = lines.first else { return "" }
        let action = Self.action(of: first.node.action)
        var text = symbol(action) + " " + style(.bold, "\(lines.count) nodes\(Self.fate(of: first.node.action))")
        let cost = first.cost.isEmpty ? "" : "each \(first.cost)"
        if !cost.isEmpty { text += ", \(cost)" }
        text += "\n" + digestLines(first.digest, isOfEach: true, width: limit)
        let names = lines.enumerated().map { $0.element.node.name.printable + ($0.offset + 1 < lines.count ? "," : "") }
        let indent = String(repeating: " ", count: 6)
        return text
            + wrap(names.joined(separator: " "), width: limit - indent.count).map { indent + $0 + "\n" }.joined()
    }

    /// The kinds of changes below the lines of the nodes that have them.
    private func digestLines(_ digest: String, isOfEach: Bool, width: Int) -> String {
        guard !digest.isEmpty else { return "" }
        let indent = String(repeating: " ", count: 6)
        // A number stays with its kind.
        let words = digest.replacing(" +", with: "\n+").replacing(" ~", with: "\n~").replacing(" -", with: "\n-")
            .replacing(" .", with: "\n.").split(separator: "\n").map { $0.replacing(" ", with: "\u{A0}") }
        let text = (isOfEach ? "each: " : "") + words.joined(separator: " ")
        return wrap(text, width: width - indent.count).map { line in
            indent + line.replacing("\u{A0}", with: " ") + "\n"
        }.joined()
    }

    /// What a line about a node begins with: its name, or what becomes of it as a whole.
    private static func label(of node: NodeSummary) -> String {
        let fate = fate(of: node.action)
        return fate.isEmpty ? node.name.printable : "node.\(node.name.printable)" + fate
    }

    /// What becomes of nodes as a whole, nothing where they stay what they are.
    private static func fate(of action: NodeSummary.Action) -> String {
        switch action {
        case .manage, .update, .forget: ""
        case .provision: " will be provisioned"
        case .replace: " will be provisioned again"
        case .reset: " will be reset"
        case .exclude: " will be excluded"
        }
    }

    /// Where a node is, or that its address is chosen later.
    private static func address(of node: NodeSummary) -> String { node.address?.description ?? "address at apply" }

    /// `+2 sub ~1 pub`: how many changes of which kind, in the order of the kinds.
    private func digest(_ changes: ArraySlice<Change>) -> String {
        var counts: [Int: Int] = [:]
        let actions = Change.Action.allCases
        for change in changes where change.kind != .node && change.kind != .provisioning && change.kind != .composition
        {
            guard let action = actions.firstIndex(of: change.action) else { continue }
            counts[Int(change.kind.rawValue) * actions.count + action, default: 0] += 1
        }
        var parts: [String] = []
        for change in changes where change.kind == .node && (change.action == .create || change.action == .update) {
            parts.append(management(change))
        }
        if changes.contains(where: { $0.kind == .composition }) { parts.append("reads composition") }
        for kind in Change.Kind.allCases {
            for (index, action) in actions.enumerated() {
                guard let count = counts[Int(kind.rawValue) * actions.count + index] else { continue }
                parts.append("\(Self.sign(action))\(count) \(Self.word(kind))")
            }
        }
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
