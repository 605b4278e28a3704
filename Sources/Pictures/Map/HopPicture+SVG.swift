extension HopPicture.Box {
    /// What people call its nodes, and their names if those are others.
    fileprivate var called: String {
        let names = NameRuns.text(names)
        return titles == self.names ? names : "\(NameRuns.text(titles)) (\(names))"
    }
}

extension HopPicture {
    /// The map as an SVG picture: a document of its own that loads nothing, light or dark as the viewer wishes.
    package func svg() -> String {
        var writer = HopWriter(self)
        return writer.document()
    }

    /// The map as a page of its own that loads nothing: the picture, and the same as a table.
    package func html() -> String {
        var rows = ""
        for (number, box) in boxes.enumerated() {
            let before = ways.filter { $0.to == number }.flatMap { boxes[$0.from].titles }
            let cells = [
                box.hops.map { "\($0)" } ?? "not heard", box.called, box.isRelay ? "yes" : "",
                NameRuns.text(before), box.alone > 0 ? "\(box.alone)" : "",
            ]
            rows += "<tr>" + cells.map { "<td>\(MarkupText.escaped($0))</td>" }.joined() + "</tr>\n"
        }
        return PicturePage.text(
            title: "Network \(network): hops",
            picture: svg(),
            heading: "Who is how far away",
            table: """
                <thead><tr><th scope="col">Hops</th><th scope="col">Nodes</th><th scope="col">Relay</th>\
                <th scope="col">Comes over one of</th><th scope="col">Nodes that hang on it alone</th></tr></thead>
                <tbody>
                \(rows)</tbody>

                """
        )
    }
}

/// Writes the picture of a map.
private struct HopWriter {
    private static let width = 230
    private static let height = 44
    private static let gap = 12
    private static let aisle = 90
    private static let margin = 24
    private static let top = 92

    let picture: HopPicture
    /// The column of each box, and its place in it.
    private let places: [(column: Int, row: Int)]
    private let columns: [Int?]
    private let rows: Int
    private var text = ""

    init(_ picture: HopPicture) {
        self.picture = picture
        var columns: [Int?] = []
        var counts: [Int] = []
        var places: [(Int, Int)] = []
        for box in picture.boxes {
            if columns.last != .some(box.hops) || columns.isEmpty {
                columns.append(box.hops)
                counts.append(0)
            }
            places.append((columns.count - 1, counts[counts.count - 1]))
            counts[counts.count - 1] += 1
        }
        self.columns = columns
        self.places = places
        rows = counts.max() ?? 0
    }

    private func x(_ box: Int) -> Int { Self.margin + places[box].column * (Self.width + Self.aisle) }
    private func y(_ box: Int) -> Int { Self.top + places[box].row * (Self.height + Self.gap) }

    mutating func document() -> String {
        let width = max(2 * Self.margin + columns.count * (Self.width + Self.aisle) - Self.aisle, 560)
        let height = Self.top + max(rows, 1) * (Self.height + Self.gap) + 60
        let nodes = picture.boxes.reduce(0) { $0 + $1.names.count }
        let title = "How far away nodes are in network \(picture.network)"
        text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img" aria-labelledby="hops-title hops-desc" class="hop-map">
            <title id="hops-title">\(MarkupText.escaped(title))</title>
            <desc id="hops-desc">\(nodes) nodes in \(picture.boxes.count) boxes. The proxy stands on the left; each column \
            is one hop farther away.</desc>
            <style>
            .hop-map .paper { fill: #ffffff; }
            .hop-map text { fill: #1f2328; font: 13px system-ui, sans-serif; }
            .hop-map .head { font-size: 18px; font-weight: 600; }
            .hop-map .soft { fill: #59636e; font-size: 11px; }
            .hop-map .box { fill: #f6f8fa; stroke: #818b98; }
            .hop-map .relay { stroke: #0072b2; stroke-width: 2; }
            .hop-map .sole { stroke: #d55e00; stroke-width: 3; }
            .hop-map .lost { stroke-dasharray: 5 3; }
            .hop-map .way { fill: none; stroke: #818b98; stroke-width: 1.5; }
            .hop-map .maybe { stroke-dasharray: 4 4; stroke-opacity: 0.6; }
            @media (prefers-color-scheme: dark) {
            .hop-map .paper { fill: #0d1117; }
            .hop-map text { fill: #f0f6fc; }
            .hop-map .soft { fill: #9198a1; }
            .hop-map .box { fill: #151b23; stroke: #656c76; }
            .hop-map .relay { stroke: #56b4e9; }
            .hop-map .sole { stroke: #e69f00; }
            .hop-map .way { stroke: #656c76; }
            }
            </style>
            <rect class="paper" width="100%" height="100%"/>

            """
        label(title, x: Self.margin, y: 38, "head")
        for (number, hops) in columns.enumerated() {
            let caption =
                switch hops {
                case nil: "not heard"
                case 1: "the proxy"
                case let hops?: "\(hops) hops"
                }
            label(caption, x: Self.margin + number * (Self.width + Self.aisle), y: 74, "soft")
        }
        for way in picture.ways { draw(way) }
        for box in picture.boxes.indices { draw(box) }
        label(
            "Blue: relays. Orange: relays without which nodes are not reached. Dashed ways: one of several relays.",
            x: Self.margin,
            y: height - 24,
            "soft"
        )
        text += "</svg>\n"
        return text
    }

    private mutating func label(_ string: String, x: Int, y: Int, _ style: String? = nil) {
        let style = style.map { " class=\"\($0)\"" } ?? ""
        text += "<text x=\"\(x)\" y=\"\(y)\"\(style)>\(MarkupText.escaped(string))</text>\n"
    }

    private mutating func draw(_ way: HopPicture.Way) {
        let (startX, startY) = (x(way.from) + Self.width, y(way.from) + Self.height / 2)
        let (endX, endY) = (x(way.to), y(way.to) + Self.height / 2)
        let half = (endX - startX) / 2
        text += """
            <path class="way\(way.isOnly ? "" : " maybe")" d="M\(startX) \(startY)C\(startX + half) \(startY) \
            \(endX - half) \(endY) \(endX) \(endY)"/>

            """
    }

    private mutating func draw(_ number: Int) {
        let box = picture.boxes[number]
        let (x, y) = (x(number), y(number))
        let style = (box.alone > 0 ? " sole" : box.isRelay ? " relay" : "") + (box.hops == nil ? " lost" : "")
        var details: [String] = []
        if box.names.count > 1 { details.append("\(box.names.count) nodes") }
        if box.hops == 1 { details.append("proxy") } else if box.isRelay { details.append("relay") }
        if box.alone > 0 { details.append("\(box.alone) \(box.alone == 1 ? "hangs" : "hang") on it alone") }
        let names = NameRuns.text(box.titles)
        let said = box.titles == box.names ? names : names + "\n" + NameRuns.text(box.names)
        text += "<g><title>\(MarkupText.escaped(MarkupText.shortened(said, to: 600)))</title>\n"
        text += """
            <rect class="box\(style)" x="\(x)" y="\(y)" width="\(Self.width)" height="\(Self.height)" rx="6"/>

            """
        label(MarkupText.shortened(names, to: 29), x: x + 12, y: y + (details.isEmpty ? 27 : 19))
        if !details.isEmpty { label(details.joined(separator: ", "), x: x + 12, y: y + 35, "soft") }
        text += "</g>\n"
    }
}
