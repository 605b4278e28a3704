extension ControlGraph {
    /// The graph as an SVG picture: a document of its own that loads nothing, light or dark as the viewer wishes.
    package func svg() -> String {
        let layout = GraphLayout(self, top: 92)
        var writer = SVGWriter(graph: self, layout: layout)
        return writer.document()
    }
}

/// Writes the picture of a graph.
private struct SVGWriter {
    let graph: ControlGraph
    let layout: GraphLayout
    private let subnetColours: [String: String]
    private let keyColours: [String: String]
    private var text = ""

    init(graph: ControlGraph, layout: GraphLayout) {
        self.graph = graph
        self.layout = layout
        func colours(_ names: [String], from first: Int) -> [String: String] {
            Dictionary(
                names.enumerated().map { ($1, Palette.colour($0 + first)) },
                uniquingKeysWith: { first, _ in first }
            )
        }
        subnetColours = colours(graph.subnets, from: 0)
        keyColours = colours(graph.keys, from: graph.subnets.count)
    }

    mutating func document() -> String {
        let width = GraphLayout.left(.listener) + GraphLayout.width + GraphLayout.margin
        let legend = legendLines()
        let height = layout.bottom + 40 + legend.count * 22 + GraphLayout.margin
        let nodes = graph.boxes.lazy.filter { $0.kind == .node }.reduce(0) { $0 + $1.names.count }
        let title = "Who controls whom in network \(graph.network)"
        text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img" aria-labelledby="graph-title graph-desc" class="control-graph">
            <title id="graph-title">\(MarkupText.escaped(title))</title>
            <desc id="graph-desc">\(nodes) nodes in \(graph.boxes.count) boxes. Senders stand on the left, groups in the \
            middle, listeners on the right.</desc>
            <style>
            .control-graph .paper { fill: #ffffff; }
            .control-graph text { fill: #1f2328; font: 13px system-ui, sans-serif; }
            .control-graph .head { font-size: 18px; font-weight: 600; }
            .control-graph .soft { fill: #59636e; font-size: 11px; }
            .control-graph .box { fill: #f6f8fa; stroke: #818b98; }
            .control-graph .sign { font-weight: 700; }
            .control-graph .line { fill: none; stroke: #818b98; stroke-width: 1.5; stroke-opacity: 0.75; }
            .control-graph .tip { fill: #818b98; }
            @media (prefers-color-scheme: dark) {
            .control-graph .paper { fill: #0d1117; }
            .control-graph text { fill: #f0f6fc; }
            .control-graph .soft { fill: #9198a1; }
            .control-graph .box { fill: #151b23; stroke: #656c76; }
            .control-graph .line { stroke: #656c76; }
            .control-graph .tip { fill: #656c76; }
            }
            </style>
            <rect class="paper" width="100%" height="100%"/>

            """
        label(title, x: GraphLayout.margin, y: 38, class: "head")
        for (column, name) in zip(GraphLayout.Column.allCases, ["Sends", "Is sent to", "Listens"]) {
            label(name, x: GraphLayout.left(column), y: 74, class: "soft")
        }
        for line in layout.lines { draw(line) }
        for place in layout.places { draw(place) }
        for (number, line) in legend.enumerated() { draw(line, y: layout.bottom + 44 + number * 22) }
        text += "</svg>\n"
        return text
    }

    private mutating func label(_ string: String, x: Int, y: Int, class style: String? = nil) {
        let style = style.map { " class=\"\($0)\"" } ?? ""
        text += "<text x=\"\(x)\" y=\"\(y)\"\(style)>\(MarkupText.escaped(string))</text>\n"
    }

    private mutating func draw(_ place: GraphLayout.Place) {
        let box = graph.boxes[place.box]
        let x = GraphLayout.left(place.column)
        let y = layout.tops[place] ?? 0
        let width = GraphLayout.width
        let height = GraphLayout.height
        let mark = Palette.colour(box.mark)
        let roles = (box.isRelay ? ["relay"] : []) + (box.isProxy ? ["proxy"] : [])
        let tags = box.tags.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let details = [tags, roles.joined(separator: ", "), box.mark == .settled ? "" : box.mark.meaning]
        let said = ([MarkupText.shortened(box.names.joined(separator: ", "), to: 600)] + details).filter { !$0.isEmpty }
        text += "<g><title>\(MarkupText.escaped(said.joined(separator: "\n")))</title>\n"
        let radius = box.kind == .group ? height / 2 : 6
        let edge = mark.map { " style=\"stroke:\($0);stroke-width:2\"" } ?? ""
        let dashes = box.mark == .missing ? " stroke-dasharray=\"5 3\"" : ""
        text += """
            <rect class="box" x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="\(radius)"\(edge)\(dashes)/>

            """
        // A stripe for each subnet.
        for (number, subnet) in box.subnets.prefix(4).enumerated() {
            guard let colour = subnetColours[subnet] else { continue }
            let left = box.kind == .group ? x + 18 + number * 8 : x + 6 + number * 8
            text += """
                <rect x="\(left)" y="\(y + 6)" width="5" height="\(height - 12)" rx="2" fill="\(colour)"/>

                """
        }
        let indent = (box.kind == .group ? 18 : 6) + min(max(box.subnets.count, 1), 4) * 8 + 6
        let sign = box.mark.sign
        let badges = (box.isRelay ? "R" : "") + (box.isProxy ? "P" : "")
        let room = (width - indent - 12 - badges.count * 12 - sign.count * 9) / 7
        let single = box.detail.isEmpty
        label(MarkupText.shortened(box.title, to: room), x: x + indent, y: y + (single ? 27 : 19))
        if !single {
            label(
                MarkupText.shortened(box.detail, to: (width - indent - 12) / 6),
                x: x + indent,
                y: y + 35,
                class: "soft"
            )
        }
        if !badges.isEmpty {
            text += "<text x=\"\(x + width - 10 - sign.count * 9)\" y=\"\(y + 19)\" text-anchor=\"end\" "
            text += "class=\"soft\">\(badges)</text>\n"
        }
        if !sign.isEmpty, let mark {
            text += "<text x=\"\(x + width - 8)\" y=\"\(y + 19)\" text-anchor=\"end\" class=\"sign\" "
            text += "style=\"fill:\(mark)\">\(MarkupText.escaped(sign))</text>\n"
        }
        text += "</g>\n"
    }

    private mutating func draw(_ line: GraphLayout.Line) {
        let arrow = graph.arrows[line.arrow]
        let startX = GraphLayout.left(line.from.column) + GraphLayout.width
        let endX = GraphLayout.left(line.to.column)
        let startY = (layout.tops[line.from] ?? 0) + GraphLayout.height / 2
        let endY = (layout.tops[line.to] ?? 0) + GraphLayout.height / 2
        let half = (endX - startX) / 2
        let colour = arrow.keys.first.flatMap { keyColours[$0] }
        let (stroke, fill) = (
            colour.map { " style=\"stroke:\($0)\"" } ?? "", colour.map { " style=\"fill:\($0)\"" } ?? ""
        )
        let from = graph.boxes[arrow.from].title
        let to = graph.boxes[arrow.to].title
        let how = (arrow.models + arrow.keys.map { "key \($0)" }).joined(separator: ", ")
        text += """
            <path class="line"\(stroke) d="M\(startX) \(startY)C\(startX + half) \(startY) \
            \(endX - half) \(endY) \(endX - 6) \(endY)"><title>\(MarkupText.escaped("\(from) → \(to): \(how)"))</title></path>
            <path class="tip"\(fill) d="M\(endX) \(endY)l-7 -4v8z"/>

            """
    }

    /// An entry of the legend: a colour, if it is about one, and what it means.
    private struct LegendEntry {
        var colour: String?
        var text: String
    }

    /// The lines of the legend, each with its heading first.
    private func legendLines() -> [[LegendEntry]] {
        var lines: [[LegendEntry]] = []
        func add(_ title: String, _ entries: [LegendEntry]) {
            let heading = LegendEntry(colour: nil, text: title)
            // So many fit beside each other.
            for start in stride(from: 0, to: entries.count, by: 6) {
                lines.append([heading] + entries[start..<min(start + 6, entries.count)])
            }
        }
        let subnets = Set(graph.boxes.flatMap(\.subnets))
        add(
            "Subnets",
            graph.subnets.filter { subnets.contains($0) }.map { .init(colour: subnetColours[$0], text: $0) }
        )
        let keys = Set(graph.arrows.flatMap(\.keys))
        add("Keys", graph.keys.filter { keys.contains($0) }.map { .init(colour: keyColours[$0], text: $0) })
        let marks = Set(graph.boxes.map(\.mark)).sorted().filter { $0 != .settled }
        add(
            "Nodes",
            marks.map { .init(colour: Palette.colour($0), text: "\($0.sign) \($0.meaning)") }
                + (graph.boxes.contains { $0.isRelay } ? [.init(colour: nil, text: "R relay")] : [])
                + (graph.boxes.contains { $0.isProxy } ? [.init(colour: nil, text: "P proxy")] : [])
        )
        return lines
    }

    private mutating func draw(_ entries: [LegendEntry], y: Int) {
        var x = GraphLayout.margin
        for (number, entry) in entries.enumerated() {
            if let colour = entry.colour {
                text += "<rect x=\"\(x)\" y=\"\(y - 10)\" width=\"12\" height=\"12\" rx=\"2\" fill=\"\(colour)\"/>\n"
            }
            let shown = MarkupText.shortened(entry.text, to: 20)
            label(shown, x: entry.colour == nil ? x : x + 18, y: y, class: number == 0 ? "soft" : nil)
            x += number == 0 ? 80 : 34 + shown.count * 7
        }
    }
}
