import DefinitionModel
import MeshCore

/// Floors and positions.
extension DefinitionWriter {
    func floor(_ floor: FloorDefinition) -> Field {
        var fields: [Field] = []
        if let title = floor.title { fields.append(Field("title", .text(title.value))) }
        if let plan = floor.plan { fields.append(Field("plan", .text(plan.value))) }
        if let positions = floor.positions { fields.append(Field("positions", .text(positions.value))) }
        if let width = floor.width { fields.append(Field("width", length(width.value))) }
        if let height = floor.height { fields.append(Field("height", length(height.value))) }
        return named(floor.name, .fields(fields))
    }

    /// What counts from a corner is written as counted from that of the floor.
    func position(_ position: NodePosition) -> Field {
        let fields = [
            Field("floor", .text(position.floor.value)), Field("x", length(position.x)), Field("y", length(position.y)),
        ]
        return Field("position", .fields(fields))
    }

    private func length(_ millimetres: Int) -> Value { .word(LengthText.text(millimetres: millimetres)) }
}
