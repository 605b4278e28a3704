import MeshCore
import Planning

/// The part of a plan that shows nodes.
extension PlanView {
    /// The line of a node, without its name.
    private struct NodeLine {
        var node: NodeSummary
        var changes: ArraySlice<Change>
        /// The number of changes of each kind.
        var digest: String
        var cost: String

        /// Whether the other line says the same about its node.
        func isLike(_ other: NodeLine) -> Bool {
            node.action == other.node.action && digest == other.digest && cost == other.cost
        }
    }

    /// The least width that lines of nodes are made for. Narrower terminals get the same lines, so that plans with new
    /// devices do not become longer there.
    private static let nodeLineWidth = 100

    /// A line for each node, with its details. Without details, the kinds of its changes stand in a line below if they
    /// do not fit.
    func nodes(showsDetails: Bool) -> String {
        let openCosts = plan.nodesOfOpenCost
        let labels = NodeLabels(plan)
        let labelWidth = plan.nodes.map { labels.label(of: $0).displayWidth }.max() ?? 0
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
        // If the kinds of changes do not fit, they stand below, once for consecutive nodes with the same kinds.
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
            let label = labels.label(of: line.node)
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

    /// The least number of consecutive lines with the same text that are folded into one.
    static let shortestFold = 4

    /// Consecutive nodes with the same text, as one entry: the text, then their names.
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

    /// The kinds of changes, for the line below the nodes that have them.
    private func digestLines(_ digest: String, isOfEach: Bool, width: Int) -> String {
        guard !digest.isEmpty else { return "" }
        let indent = String(repeating: " ", count: 6)
        // Keeps each number on the same line as its kind.
        let words = digest.replacing(" +", with: "\n+").replacing(" ~", with: "\n~").replacing(" -", with: "\n-")
            .replacing(" .", with: "\n.").split(separator: "\n").map { $0.replacing(" ", with: "\u{A0}") }
        let text = (isOfEach ? "each: " : "") + words.joined(separator: " ")
        return wrap(text, width: width - indent.count).map { line in
            indent + line.replacing("\u{A0}", with: " ") + "\n"
        }.joined()
    }

    /// What happens to nodes as a whole; empty if they stay nodes.
    static func fate(of action: NodeSummary.Action) -> String {
        switch action {
        case .manage, .update, .forget: ""
        case .provision: " will be provisioned"
        case .replace: " will be provisioned again"
        case .reset: " will be reset"
        case .substitute: " replaced"
        case .exclude: " will be excluded"
        }
    }

    /// The beginnings of the lines of nodes: the name, with what happens to the node as a whole.
    private struct NodeLabels {
        /// The nodes that are excluded, by name.
        private let excluded: [String: DeviceUUID]

        init(_ plan: Plan) {
            excluded = Dictionary(firstOf: plan.nodes.filter { $0.action == .exclude }.map { ($0.name, $0.uuid) })
        }

        func label(of node: NodeSummary) -> String {
            let fate = PlanView.fate(of: node.action)
            let label = fate.isEmpty ? node.name.printable : "node.\(node.name.printable)" + fate
            guard node.action == .substitute, let former = excluded[node.name] else { return label }
            let (old, new) = (Array(former.description), Array(node.uuid.description))
            // As many digits as it takes to see the difference.
            var digits = 4
            while digits < old.count, old.suffix(digits) == new.suffix(digits) { digits += 1 }
            return label + " (…\(String(old.suffix(digits))) -> …\(String(new.suffix(digits))))"
        }
    }

    /// The node's address, or that it is chosen later.
    private static func address(of node: NodeSummary) -> String { node.address?.description ?? "address at apply" }

    /// `+2 sub ~1 pub`: the number of changes of each kind, in the order of the kinds.
    func digest(_ changes: ArraySlice<Change>) -> String {
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
