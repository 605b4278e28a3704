import DefinitionModel
import MeshCore

/// Floors, and where nodes are on them.
extension DocumentDecoder {
    /// An entry of `floors`: `2: { plan: floor-2.svg, width: 30m }`.
    mutating func decodeFloor(_ entry: NamedEntry) -> Bool {
        var floor = FloorDefinition(name: entry.name)
        if !isNull(entry.value) {
            guard let fields = fields(entry.value, .floor, "a floor", blamed: entry.key) else { return false }
            for field in fields {
                switch field.keyword {
                case .title: floor.title = scalar(field.value, "a title", Words.title)
                case .plan: floor.plan = path(field.value, ending: ".svg", "a drawing in SVG")
                case .positions: floor.positions = path(field.value, ending: RowsTable.ending, "a table in CSV")
                case .width: floor.width = scalar(field.value, "a length", Lengths.extent)
                case .height: floor.height = scalar(field.value, "a length", Lengths.extent)
                default: break
                }
            }
        }
        if floor.plan != nil {
            if floor.width == nil {
                report(
                    "the floor \(quoted(entry.name.value)) has a drawing, but no width",
                    at: entry.key,
                    hint: "say how wide the whole drawing is in the building: `width: 30m`"
                )
            }
            if floor.height != nil {
                report(
                    "the drawing tells the height of the floor",
                    at: entry.key,
                    hint: "leave `height` out, or the drawing"
                )
            }
        }
        fragment.definition.floors.append(floor)
        return true
    }

    /// `{ floor: 2, x: 3.5m, y: 7m }`; with `from`, the lengths count from there.
    mutating func decodePosition(_ field: MappingEntry) -> Located<NodePosition>? {
        guard let fields = fields(field.value, .position, "a position", blamed: field.key) else { return nil }
        var floor: Located<String>?
        var place: (x: Int?, y: Int?) = (nil, nil)
        var corner: (x: Int, y: Int) = (0, 0)
        for field in fields {
            switch field.keyword {
            case .floor: floor = scalar(field.value, "the name of a floor", Words.name)
            case .x: place.x = scalar(field.value, "a length", Lengths.millimetres)?.value
            case .y: place.y = scalar(field.value, "a length", Lengths.millimetres)?.value
            case .from:
                for part in self.fields(field.value, .corner, "a corner", blamed: field.key) ?? [] {
                    guard let length = scalar(part.value, "a length", Lengths.millimetres)?.value else { continue }
                    if part.keyword == .x { corner.x = length } else { corner.y = length }
                }
            default: break
            }
        }
        guard let floor, let x = place.x, let y = place.y else { return nil }
        guard corner.x + x <= NodePosition.farthest, corner.y + y <= NodePosition.farthest else {
            report(
                "the position is more than \(LengthText.text(millimetres: NodePosition.farthest)) from the corner",
                at: field.key
            )
            return nil
        }
        return Located(NodePosition(floor: floor, x: corner.x + x, y: corner.y + y), at: location(field.key))
    }

    private mutating func path(_ node: Int, ending: String, _ title: String) -> Located<String>? {
        let parse = { (text: String) throws(ScalarProblem) in
            guard text.hasSuffix(ending), text.utf8.count > ending.utf8.count else {
                throw ScalarProblem("\(quoted(text)) is not the path of \(title)", hint: "its name ends in \(ending)")
            }
            return text
        }
        return scalar(node, "the path of \(title)", parse)
    }
}
