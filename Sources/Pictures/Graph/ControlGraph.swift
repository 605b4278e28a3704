package import Planning

/// Who controls whom, as boxes and arrows: senders, the groups and nodes that they send to, and who listens. Nodes that
/// are alike share one box.
package struct ControlGraph: Hashable, Sendable {
    package var network: String
    /// What people call the network; nil if it has no title.
    package var title: String?
    /// What people call subnets, by name.
    package var subnetTitles: [String: String] = [:]
    /// What people call application keys, by name.
    package var keyTitles: [String: String] = [:]
    /// The boxes: nodes that send, then groups, then the other nodes; each of them in the order of the definition.
    package var boxes: [Box]
    /// The arrows, by the boxes that they connect.
    package var arrows: [Arrow]
    /// The names of the subnets, which give boxes their colours.
    package var subnets: [String]
    /// The names of the application keys, which give arrows their colours.
    package var keys: [String]
    package var folding: Folding

    /// How much is folded.
    package enum Folding: Int, CaseIterable, Sendable {
        /// Nothing: a box for each node and each group.
        case none
        /// Nodes of equal tags that send to and hear the same groups share a box.
        case likeNodes
        /// Places that are built alike share their boxes, too: equal rooms become one.
        case likePlaces
    }

    /// A number of nodes or groups that are alike.
    package struct Box: Hashable, Sendable {
        package var kind: Kind
        /// The names of its members in the order of people, at least one.
        package var names: [String]
        /// What people call its members, in the same order: their titles, or else their names.
        package var titles: [String]
        /// What its nodes are for; nil for groups.
        package var use: NodeKind?
        /// The tags that all members have in common.
        package var tags: [String: String]
        /// The names of its subnets; of a group those of the keys that are used in it.
        package var subnets: [String]
        /// Whether its nodes relay messages.
        package var isRelay: Bool
        /// Whether its nodes are GATT proxies.
        package var isProxy: Bool
        package var mark: NodeMark
    }

    /// What a box stands for.
    package enum Kind: String, Sendable {
        case node
        case group
    }

    /// What goes from one box to another one.
    package struct Arrow: Hashable, Sendable {
        /// The index of the box that it begins at.
        package var from: Int
        /// The index of the box that it ends at.
        package var to: Int
        /// The names of the models that send or listen, sorted.
        package var models: [String]
        /// The names of the application keys, sorted; empty where they are not known, and from groups to listeners.
        package var keys: [String]
    }
}

extension ControlGraph.Box {
    /// Its name, or the first and the last one of several: `lamp-1 … 4`.
    package var title: String { Self.span(names) }

    /// What people call it: the same of titles, which are names where there are none.
    package var heading: String { Self.span(titles) }

    private static func span(_ names: [String]) -> String {
        guard let first = names.first, let last = names.last, names.count > 1 else { return names.first ?? "" }
        let common = last.prefix(zip(first, last).prefix { $0 == $1 }.count)
        // What both begin with stands there once if only a number follows.
        let stem = common.lastIndex { !$0.isNumber }.map { common.index(after: $0) } ?? last.startIndex
        let end = last[stem...]
        let short = !end.isEmpty && end.allSatisfy(\.isNumber) ? String(end) : last
        return names.count == 2 ? "\(first), \(short)" : "\(first) … \(short)"
    }

    /// How many it stands for, if it is more than one, its name if it is called otherwise, and its tags in the order of
    /// their names: `6 nodes, floor 0, kind switch`.
    package var detail: String {
        let noun = kind == .node ? "nodes" : "groups"
        let count = names.count > 1 ? ["\(names.count) \(noun)"] : []
        let name = heading == title ? [] : [title]
        return (count + name + tags.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }).joined(separator: ", ")
    }
}

extension ControlGraph.Box {
    /// What people call it, and its name if that is another one.
    package var fullHeading: String { heading == title ? title : "\(heading) (\(title))" }
}

/// What should be seen of a node at once.
package enum NodeMark: String, CaseIterable, Comparable, Sendable {
    /// As the definition says.
    case settled
    /// As the definition says when it was recorded; it did not tell its configuration since, or not recently.
    case unread
    /// The definition does not mention it.
    case unmanaged
    /// It is no node of the network yet.
    case missing
    /// A plan makes a node of it, or manages it from now on.
    case added
    case changed
    case replaced
    /// A plan forgets, resets or excludes it.
    case removed
    /// It reported something other than what was recorded.
    case drifted
    /// A message to it may or may not have arrived, or it did not answer.
    case pending

    package static func < (left: NodeMark, right: NodeMark) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// A sign like those of plans; empty for nodes that need none.
    package var sign: String {
        switch self {
        case .settled, .unread, .unmanaged, .missing: ""
        case .added: "+"
        case .changed: "~"
        case .replaced: "-/+"
        case .removed: "-"
        case .drifted: "≠"
        case .pending: "?"
        }
    }

    /// What it means, for legends.
    package var meaning: String {
        switch self {
        case .settled: "as declared"
        case .unread: "recorded as declared, not read back"
        case .unmanaged: "not in the definition"
        case .missing: "not provisioned yet"
        case .added: "will be added"
        case .changed: "will be changed"
        case .replaced: "will be replaced"
        case .removed: "will be removed"
        case .drifted: "drifted"
        case .pending: "in doubt"
        }
    }
}

extension ControlGraph {
    /// The graph as a page of its own that loads nothing: the picture, and the same as a table.
    package func html() -> String {
        PicturePage.text(
            title: "Network \(title ?? network)",
            picture: svg(),
            heading: "Who sends to whom",
            table: """
                <thead><tr><th scope="col">Sends</th><th scope="col">To</th><th scope="col">Key</th><th scope="col">Who \
                listens</th></tr></thead>
                <tbody>
                \(markup())</tbody>

                """
        )
    }

    private func markup() -> String {
        rows.map { row in "<tr>" + row.map { "<td>\(MarkupText.escaped($0))</td>" }.joined() + "</tr>\n" }.joined()
    }

    /// The same as the picture, as the rows of a table: who sends, to what, with which key, and who listens.
    package var rows: [[String]] {
        var listeners: [Int: [String]] = [:]
        for arrow in arrows where boxes[arrow.from].kind == .group {
            listeners[arrow.from, default: []].append(boxes[arrow.to].fullHeading)
        }
        return arrows.filter { boxes[$0.from].kind == .node }.map { arrow in
            [
                boxes[arrow.from].fullHeading, boxes[arrow.to].fullHeading,
                arrow.keys.map { keyTitles[$0] ?? $0 }.joined(separator: ", "),
                (listeners[arrow.to] ?? []).joined(separator: ", "),
            ]
        }
    }
}

extension ControlGraph {
    /// The graph in Graphviz' DOT language.
    package func dot() -> String {
        var lines = [
            "digraph \(quoted(network)) {", "  rankdir=LR;",
            "  node [shape=box, style=rounded, fontname=\"sans-serif\"];",
        ]
        for (number, box) in boxes.enumerated() {
            var attributes = ["label=\(quoted(caption(box).joined(separator: "\n")))"]
            if box.kind == .group { attributes.append("shape=ellipse") }
            if let colour = Palette.colour(box.mark) { attributes.append("color=\(quoted(colour))") }
            if box.mark == .missing { attributes.append("style=\"rounded,dashed\"") }
            lines.append("  b\(number) [\(attributes.joined(separator: ", "))];")
        }
        for arrow in arrows {
            let label = (arrow.models + arrow.keys.map { "key \($0)" }).joined(separator: "\n")
            lines.append("  b\(arrow.from) -> b\(arrow.to) [label=\(quoted(label)), fontsize=9];")
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    /// The graph in Mermaid's language, which many hosts of git repositories draw in Markdown.
    package func mermaid() -> String {
        var lines = ["flowchart LR"]
        for (number, box) in boxes.enumerated() {
            let caption = caption(box).map { mermaidText($0) }.joined(separator: "<br/>")
            lines.append("  b\(number)" + (box.kind == .group ? "([\"\(caption)\"])" : "[\"\(caption)\"]"))
            if let colour = Palette.colour(box.mark) {
                let dashes = box.mark == .missing ? ",stroke-dasharray:5 3" : ""
                lines.append("  style b\(number) stroke:\(colour),stroke-width:2px\(dashes)")
            }
        }
        for arrow in arrows {
            let label = arrow.keys.map { mermaidText($0) }.joined(separator: ", ")
            lines.append("  b\(arrow.from) -->" + (label.isEmpty ? "" : "|\"\(label)\"|") + " b\(arrow.to)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What stands in a box, line by line.
    private func caption(_ box: Box) -> [String] {
        let roles = (box.isRelay ? ["relay"] : []) + (box.isProxy ? ["proxy"] : [])
        let title = box.mark.sign.isEmpty ? box.heading : "\(box.mark.sign) \(box.heading)"
        return [title, box.detail, roles.joined(separator: ", ")].filter { !$0.isEmpty }
    }

    /// A string of DOT: backslashes and quotes are escaped, and a line break is `\n`.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar.value < 0x20 ? "\u{FFFD}" : scalar)
            }
        }
        return result + "\""
    }

    /// Text between quotes in Mermaid, which knows no escapes but entities.
    private func mermaidText(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "#quot;"
            case "#": result += "#35;"
            case "&": result += "#amp;"
            case "<": result += "#lt;"
            case ">": result += "#gt;"
            default: result.unicodeScalars.append(scalar.value < 0x20 ? "\u{FFFD}" : scalar)
            }
        }
        return result
    }
}
