import DefinitionModel
import MeshCore

/// Floors, and where nodes are on them.
extension FloorDefinition {
    /// A value of `floors`: `2: { plan: floor-2.svg, width: 30m }`.
    static let mapping = MappingType<FloorDefinition>(
        "floor",
        as: "a floor",
        "A floor of the building.",
        [
            .scalar(.title, \.title, Scalars.plainTitle, "Its title for people."),
            .scalar(
                .plan,
                \.plan,
                Scalars.path(ending: ".svg", "a drawing in SVG"),
                """
                The path of its drawing in SVG, relative to this file. Shapes whose id, or data-node, is the name of \
                a node show where the node is.
                """
            ),
            .scalar(
                .positions,
                \.positions,
                Scalars.path(ending: RowsTable.ending, "a table in CSV"),
                "The path of a table in CSV with the columns node, x and y, relative to this file."
            ),
            .scalar(
                .width,
                \.width,
                Scalars.extent,
                "The width of the floor, which is also that of the whole drawing."
            ),
            .scalar(
                .height,
                \.height,
                Scalars.extent,
                "The height of the floor as it is drawn. A drawing tells it by itself."
            ),
        ]
    )
}

extension NodePosition {
    /// `{ floor: 2, x: 3.5m, y: 7m }`; with `from`, the lengths count from there.
    static let mapping = MappingType<NodePosition>(
        "position",
        as: "a position",
        "Where the node is, for pictures and reports; nothing of it goes on the air.",
        [
            .required(.floor, \.floor, Scalars.name(of: "a floor"), "The name of the floor."),
            .length(.x, \.x, "To the right of the upper left corner."),
            .length(.y, \.y, "Below the upper left corner."),
            .custom(.from, .ref("corner")) { decoder, entry, position in
                _ = decoder.decode(entry.value, corner, blamed: entry.key, into: &position)
            } written: { _ in
                // What counts from a corner is written as counted from that of the floor.
                nil
            },
        ]
    )

    static let corner = MappingType<NodePosition>(
        "corner",
        as: "a corner",
        """
        The place that `x` and `y` count from instead of the corner of the floor, such as the corner of a room.
        """,
        [.length(.x, \.x), .length(.y, \.y)]
    )
}

extension Field where Owner == NodePosition {
    /// A length that is added to what is there, so that the position and its corner can stand in any order.
    fileprivate static func length(
        _ keyword: Keyword,
        _ path: any WritableKeyPath<NodePosition, Int> & Sendable,
        _ documentation: String? = nil
    ) -> Field {
        .vital(keyword, Scalars.length.schema, documentation, isRequired: true) { decoder, entry, position in
            guard let length = decoder.scalar(entry.value, Scalars.length) else { return false }
            position[keyPath: path] += length.value
            return true
        } written: { position in
            Scalars.length.spell(position[keyPath: path])
        }
    }
}

extension DocumentDecoder {
    /// An entry of `floors`.
    mutating func decodeFloor(_ entry: NamedEntry) -> Bool {
        var floor = FloorDefinition(name: entry.name)
        guard decode(entry.value, FloorDefinition.mapping, blamed: entry.key, into: &floor) else { return false }
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

    /// The `position` of a node.
    mutating func decodePosition(_ entry: MappingEntry) -> Located<NodePosition>? {
        let place = location(entry.key)
        var position = NodePosition(floor: Located("", at: place), x: 0, y: 0)
        guard decode(entry.value, NodePosition.mapping, blamed: entry.key, into: &position) else { return nil }
        guard position.x <= NodePosition.farthest, position.y <= NodePosition.farthest else {
            report(
                "the position is more than \(LengthText.text(millimetres: NodePosition.farthest)) from the corner",
                at: entry.key
            )
            return nil
        }
        return Located(position, at: place)
    }
}
