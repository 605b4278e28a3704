import Basics
import Planning

extension FloorPicture {
    /// The floor as an SVG picture: a document of its own that loads nothing, light or dark as the viewer wishes.
    package func svg() -> String {
        var writer = FloorWriter(self)
        return writer.document()
    }
}

/// Writes the picture of a floor.
private struct FloorWriter {
    private static let width = 1040.0
    /// The room around the floor.
    private static let margin = 28.0
    /// The room above the floor.
    private static let top = 64.0
    private static let legendLine = 22.0
    private static let radius = 9.0

    let picture: FloorPicture
    /// The extent of the floor in millimetres.
    private let extent: (width: Double, height: Double)
    /// Pixels for each millimetre.
    private let scale: Double
    private var text = ""

    init(_ picture: FloorPicture) {
        self.picture = picture
        let right = Double(picture.markers.map(\.x).max() ?? 0)
        let bottom = Double(picture.markers.map(\.y).max() ?? 0)
        let width = picture.width.map(Double.init) ?? max(right * 1.1, 1_000)
        var height = picture.height.map(Double.init) ?? max(bottom * 1.1, width / 8)
        if let drawing = picture.drawing { height = width * drawing.height / drawing.width }
        // A tower on a plan of its own would not fit anywhere.
        extent = (width, min(max(height, width / 20), width * 4))
        scale = Self.width / width
    }

    private var identifier: String {
        "floor-" + String(picture.name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
    }

    mutating func document() -> String {
        let floor = extent.height * scale
        let legend = legendLines()
        let width = Int(Self.width + 2 * Self.margin)
        let height = Int(Self.top + floor + 62 + Double(max(legend.count - 1, 0)) * Self.legendLine + Self.margin)
        let id = identifier
        text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img" aria-labelledby="\(id)-title \(id)-desc" class="floor-plan">
            <title id="\(id)-title">\(MarkupText.escaped(picture.title))</title>
            <desc id="\(id)-desc">\(picture.markers.count) nodes in their places on a floor of \(metres(extent.width)) by \
            \(metres(extent.height)).</desc>
            <style>
            .floor-plan .paper { fill: #ffffff; }
            .floor-plan text { fill: #1f2328; font: 12px system-ui, sans-serif; }
            .floor-plan .head { font-size: 18px; font-weight: 600; }
            .floor-plan .soft { fill: #59636e; font-size: 11px; }
            .floor-plan .floor { fill: #f6f8fa; stroke: #818b98; }
            .floor-plan .grid { stroke: #d1d9e0; }
            .floor-plan .node { fill: #0072b2; stroke: #ffffff; stroke-width: 1.5; }
            .floor-plan .ring { fill: none; stroke: #0072b2; stroke-width: 2; }
            .floor-plan .name { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
            .floor-plan .inside { fill: #ffffff; font-size: 11px; font-weight: 700; }
            .floor-plan .way { stroke: #818b98; stroke-width: 1.5; stroke-opacity: 0.7; }
            @media (prefers-color-scheme: dark) {
            .floor-plan .paper { fill: #0d1117; }
            .floor-plan text { fill: #f0f6fc; }
            .floor-plan .soft { fill: #9198a1; }
            .floor-plan .floor { fill: #151b23; stroke: #656c76; }
            .floor-plan .grid { stroke: #2a313c; }
            .floor-plan .node { stroke: #0d1117; }
            .floor-plan .name { stroke: #0d1117; }
            .floor-plan .drawing { filter: invert(1) hue-rotate(180deg); }
            }
            </style>
            <rect class="paper" width="100%" height="100%"/>
            <text x="\(Self.margin)" y="38" class="head">\(MarkupText.escaped(MarkupText.shortened(picture.title, to: 96)))</text>

            """
        drawGround()
        for line in picture.lines { draw(line) }
        drawMarkers()
        drawScale(y: Self.top + floor + 22)
        for (number, line) in legend.enumerated() {
            draw(line, y: Self.top + floor + 52 + Double(number) * Self.legendLine)
        }
        text += "</svg>\n"
        return text
    }

    private mutating func draw(_ entries: [LegendEntry], y: Double) {
        var x = Self.margin
        for entry in entries {
            let outline = NodeSymbol.path(entry.kind ?? .light, x: x + 6, y: y - 4, radius: 6)
            text += "<path d=\"\(outline)\" fill=\"\(entry.colour)\"/>\n"
            text += "<text x=\"\(number(x + 18))\" y=\"\(number(y))\">\(MarkupText.escaped(entry.text))</text>\n"
            x += entry.width
        }
    }

    /// The drawing, or a grid of metres.
    private mutating func drawGround() {
        let (x, y) = (number(Self.margin), number(Self.top))
        let (width, height) = (number(Self.width), number(extent.height * scale))
        text += "<rect class=\"floor\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"/>\n"
        if let drawing = picture.drawing {
            let data = Base64.encoded(drawing.document)
            text += "<image class=\"drawing\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" "
            text += "preserveAspectRatio=\"none\" href=\"data:image/svg+xml;base64,\(data)\"/>\n"
            return
        }
        let step = scaleStep
        for index in stride(from: step, to: extent.width, by: step) {
            let line = number(Self.margin + index * scale)
            let end = number(Self.top + extent.height * scale)
            text += "<path class=\"grid\" d=\"M\(line) \(y)V\(end)\"/>\n"
        }
        for index in stride(from: step, to: extent.height, by: step) {
            let line = number(Self.top + index * scale)
            text += "<path class=\"grid\" d=\"M\(x) \(line)H\(number(Self.margin + Self.width))\"/>\n"
        }
    }

    /// 1, 2 or 5 times a power of ten, so that five to ten of them make the floor.
    private var scaleStep: Double {
        let most = extent.width / 5
        var power = 100.0
        while power * 10 <= most { power *= 10 }
        return [5, 2].map { power * $0 }.first { $0 <= most } ?? power
    }

    private mutating func drawScale(y: Double) {
        let step = scaleStep
        let end = Self.margin + step * scale
        text +=
            "<path class=\"way\" d=\"M\(number(Self.margin)) \(number(y - 4))v4H\(number(end))v-4\" fill=\"none\"/>\n"
        text += "<text class=\"soft\" x=\"\(number(end + 8))\" y=\"\(number(y))\">\(metres(step))</text>\n"
    }

    private func place(_ marker: FloorPicture.Marker) -> (x: Double, y: Double) {
        (Self.margin + Double(marker.x) * scale, Self.top + min(Double(marker.y), extent.height) * scale)
    }

    private mutating func draw(_ line: FloorPicture.Line) {
        let (from, to) = (place(picture.markers[line.from]), place(picture.markers[line.to]))
        text += "<path class=\"way\" d=\"M\(number(from.x)) \(number(from.y))L\(number(to.x)) \(number(to.y))\"/>\n"
    }

    private mutating func drawMarkers() {
        var labels = LabelGrid()
        for marker in picture.markers { labels.block(place(marker), Self.radius) }
        for marker in picture.markers {
            let (x, y) = place(marker)
            let roles = (marker.isRelay ? ["relay"] : []) + (marker.isProxy ? ["proxy"] : [])
            let meaning = marker.mark == .settled ? "" : marker.mark.meaning
            let called = marker.title.map { [$0] } ?? []
            let said =
                (called + [marker.name, marker.kind?.title ?? "", roles.joined(separator: ", "), meaning]
                + marker.details).filter { !$0.isEmpty }
            let colour = marker.colour.map { Palette.colour($0) } ?? Palette.colour(marker.mark)
            let style = colour.map { " style=\"fill:\($0)\"" } ?? ""
            let edge = colour.map { " style=\"stroke:\($0)\"" } ?? ""
            text += "<g><title>\(MarkupText.escaped(said.joined(separator: "\n")))</title>"
            if let kind = marker.kind, kind != .light {
                let outline = NodeSymbol.path(kind, x: x, y: y, radius: Self.radius)
                text += "<path class=\"node\"\(style) d=\"\(outline)\"/>"
            } else {
                text +=
                    "<circle class=\"node\"\(style) cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(number(Self.radius))\"/>"
            }
            if marker.isRelay {
                text +=
                    "<circle class=\"ring\"\(edge) cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(number(Self.radius + 4))\"/>"
            }
            let inside =
                marker.inscription ?? (marker.mark.sign.isEmpty ? (marker.isProxy ? "P" : "") : marker.mark.sign)
            if !inside.isEmpty {
                text += "<text class=\"inside\" x=\"\(number(x))\" y=\"\(number(y + 4))\" text-anchor=\"middle\">"
                text += "\(MarkupText.escaped(inside))</text>"
            }
            let name = MarkupText.shortened(marker.title ?? marker.name, to: 24)
            if let (middle, baseline) = labels.place(name, below: (x, y), within: Self.width + 2 * Self.margin) {
                text += "<text class=\"name\" x=\"\(number(middle))\" y=\"\(number(baseline))\" text-anchor=\"middle\">"
                text += "\(MarkupText.escaped(name))</text>"
            }
            text += "</g>\n"
        }
    }

    /// An entry of the legend.
    private struct LegendEntry {
        var colour: String
        /// The kind that the symbol stands for; nil if it is about the colour.
        var kind: NodeKind?
        var text: String

        /// How much room it takes, with the one to the next entry.
        var width: Double { 40 + Double(MarkupText.columns(text)) * 7 }
    }

    /// The lines of the legend, none wider than the floor.
    private func legendLines() -> [[LegendEntry]] {
        var lines: [[LegendEntry]] = []
        var room = 0.0
        for entry in legendEntries() {
            if room < entry.width {
                lines.append([])
                room = Self.width
            }
            lines[lines.count - 1].append(entry)
            room -= entry.width
        }
        return lines
    }

    /// What the symbols, colours and signs mean that occur.
    private func legendEntries() -> [LegendEntry] {
        let kinds = Set(picture.markers.compactMap(\.kind)).sorted()
            .map { LegendEntry(colour: "#7f7f7f", kind: $0, text: $0.title) }
        if !picture.legend.isEmpty {
            return kinds + picture.legend.map { LegendEntry(colour: Palette.colour($0.colour), text: $0.text) }
        }
        let marks = Set(picture.markers.map(\.mark)).sorted()
        var entries = kinds
        entries += marks.map { mark in
            LegendEntry(
                colour: Palette.colour(mark) ?? "#0072b2",
                text: mark.sign.isEmpty ? mark.meaning : "\(mark.sign) \(mark.meaning)"
            )
        }
        if picture.markers.contains(where: { $0.isRelay }) {
            entries.append(.init(colour: "none", text: "ring: relay"))
        }
        if picture.markers.contains(where: { $0.isProxy }) { entries.append(.init(colour: "none", text: "P: proxy")) }
        return entries
    }

    private func number(_ value: Double) -> String { NodeSymbol.number(value) }

    private func metres(_ millimetres: Double) -> String {
        let tenths = Int((millimetres / 100).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) m" : "\(tenths / 10).\(tenths % 10) m"
    }
}

/// Finds room for the names of nodes: a name that would cover another one, or a node, is left out.
private struct LabelGrid {
    /// A cell of the picture; names and nodes take whole ones.
    private struct Cell: Hashable {
        var column: Int
        var row: Int
    }

    private var taken: Set<Cell> = []

    private static let size = (width: 7.0, height: 7.0)

    /// Keeps names off a node.
    mutating func block(_ place: (x: Double, y: Double), _ radius: Double) {
        taken.formUnion(cells(place.x - radius / 2, place.y - radius / 2, radius, radius))
    }

    /// The middle and the baseline of a name: below its node, else above it, and nowhere cut by the edge of the
    /// picture; nil if there is no room.
    mutating func place(
        _ name: String,
        below node: (x: Double, y: Double),
        within picture: Double
    ) -> (middle: Double, baseline: Double)? {
        let width = Double(MarkupText.columns(name)) * 6.5
        // Letters differ in width, so some room stays.
        let half = width * 0.55 + 4
        let middle = min(max(node.x, half), max(picture - half, half))
        for baseline in [node.y + 26, node.y - 16] {
            let wanted = cells(middle - width / 2, baseline - 10, width, 11)
            guard taken.isDisjoint(with: wanted) else { continue }
            taken.formUnion(wanted)
            return (middle, baseline)
        }
        return nil
    }

    private func cells(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Set<Cell> {
        var cells: Set<Cell> = []
        for column in Int(x / Self.size.width)...Int((x + width) / Self.size.width) {
            for row in Int(y / Self.size.height)...Int((y + height) / Self.size.height) {
                cells.insert(Cell(column: column, row: row))
            }
        }
        return cells
    }
}
