import MeshCore
import Planning

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
            Dictionary(firstOf: names.enumerated().map { ($1, Palette.colour($0 + first)) })
        }
        subnetColours = colours(graph.subnets, from: 0)
        keyColours = colours(graph.keys, from: graph.subnets.count)
    }

    mutating func document() -> String {
        let width = GraphLayout.left(.listener) + GraphLayout.width + GraphLayout.margin
        let legend = legendLines(width: width)
        let height = layout.bottom + 40 + legend.count * 22 + GraphLayout.margin
        let nodes = graph.boxes.lazy.filter { $0.kind == .node }.reduce(0) { $0 + $1.names.count }
        let title = "Who controls whom in \(graph.title ?? "network \(graph.network)")"
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
            .control-graph .use { fill: #59636e; }
            .control-graph .line { fill: none; stroke: #818b98; stroke-width: 1.5; stroke-opacity: 0.75; }
            .control-graph .tip { fill: #818b98; }
            @media (prefers-color-scheme: dark) {
            .control-graph .paper { fill: #0d1117; }
            .control-graph text { fill: #f0f6fc; }
            .control-graph .soft, .control-graph .use { fill: #9198a1; }
            .control-graph .box { fill: #151b23; stroke: #656c76; }
            .control-graph .line { stroke: #656c76; }
            .control-graph .tip { fill: #656c76; }
            }
            </style>
            <rect class="paper" width="100%" height="100%"/>

            """
        label(MarkupText.shortened(title, to: 96), x: GraphLayout.margin, y: 38, class: "head")
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
        let subnets = box.subnets.map { graph.subnetTitles[$0] ?? $0 }.joined(separator: ", ")
        let details = [
            box.use?.title ?? "", tags, subnets.isEmpty ? "" : "subnets: \(subnets)", roles.joined(separator: ", "),
            box.mark == .settled ? "" : box.mark.meaning,
        ]
        let called = box.heading == box.title ? "" : MarkupText.shortened(box.titles.joined(separator: ", "), to: 600)
        let said = ([called, MarkupText.shortened(box.names.joined(separator: ", "), to: 600)] + details)
            .filter { !$0.isEmpty }
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
        var indent = (box.kind == .group ? 18 : 6) + min(max(box.subnets.count, 1), 4) * 8 + 6
        if let use = box.use {
            let outline = NodeSymbol.path(use, x: Double(x + indent + 6), y: Double(y + height / 2), radius: 6)
            text += "<path class=\"use\" d=\"\(outline)\"/>\n"
            indent += 20
        }
        let sign = box.mark.sign
        let badges = (box.isRelay ? "R" : "") + (box.isProxy ? "P" : "")
        let room = (width - indent - 12 - badges.count * 12 - sign.count * 9) / 7
        let single = box.detail.isEmpty
        label(MarkupText.shortened(box.heading, to: room), x: x + indent, y: y + (single ? 27 : 19))
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
        let from = graph.boxes[arrow.from].fullHeading
        let to = graph.boxes[arrow.to].fullHeading
        let how = (arrow.models + arrow.keys.map { "key \(graph.keyTitles[$0] ?? $0)" }).joined(separator: ", ")
        text += """
            <path class="line"\(stroke) d="M\(startX) \(startY)C\(startX + half) \(startY) \
            \(endX - half) \(endY) \(endX - 6) \(endY)"><title>\(MarkupText.escaped("\(from) → \(to): \(how)"))</title></path>
            <path class="tip"\(fill) d="M\(endX) \(endY)l-7 -4v8z"/>

            """
    }

    /// An entry of the legend: a colour, if it is about one, and what it means.
    private struct LegendEntry {
        var colour: String?
        /// The symbol that it is about; nil for none.
        var use: NodeKind?
        var text: String

        var shown: String { MarkupText.shortened(text, to: 24) }
        /// How much room it takes, with the one to the next entry.
        var width: Int { 34 + MarkupText.columns(shown) * 7 }
    }

    /// The room that the heading of a line of the legend takes.
    private static let legendHeading = 80

    /// The lines of the legend, each with its heading first, none wider than the picture.
    private func legendLines(width: Int) -> [[LegendEntry]] {
        var lines: [[LegendEntry]] = []
        func add(_ title: String, _ entries: [LegendEntry]) {
            let heading = LegendEntry(colour: nil, text: title)
            var room = 0
            for entry in entries {
                if room < entry.width {
                    lines.append([heading])
                    room = width - 2 * GraphLayout.margin - Self.legendHeading
                }
                lines[lines.count - 1].append(entry)
                room -= entry.width
            }
        }
        let subnets = Set(graph.boxes.flatMap(\.subnets))
        add(
            "Subnets",
            graph.subnets.filter { subnets.contains($0) }
                .map { .init(colour: subnetColours[$0], text: graph.subnetTitles[$0] ?? $0) }
        )
        let keys = Set(graph.arrows.flatMap(\.keys))
        add(
            "Keys",
            graph.keys.filter { keys.contains($0) }
                .map { .init(colour: keyColours[$0], text: graph.keyTitles[$0] ?? $0) }
        )
        add("Symbols", Set(graph.boxes.compactMap(\.use)).sorted().map { .init(colour: nil, use: $0, text: $0.title) })
        let marks = Set(graph.boxes.map(\.mark)).sorted().filter { $0 != .settled }
        add(
            "Nodes",
            marks.map {
                .init(colour: Palette.colour($0), text: $0.sign.isEmpty ? $0.meaning : "\($0.sign) \($0.meaning)")
            }
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
            if let use = entry.use {
                let outline = NodeSymbol.path(use, x: Double(x + 6), y: Double(y - 4), radius: 6)
                text += "<path class=\"use\" d=\"\(outline)\"/>\n"
            }
            let isMarked = entry.colour != nil || entry.use != nil
            label(entry.shown, x: isMarked ? x + 18 : x, y: y, class: number == 0 ? "soft" : nil)
            x += number == 0 ? Self.legendHeading : entry.width
        }
    }
}
