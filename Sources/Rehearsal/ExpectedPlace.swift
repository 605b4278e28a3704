import Catalogue
import DefinitionModel
import Execution
import MeshCore
import Simulator

/// A state of one element, and what it must be.
struct ExpectedPlace {
    let uuid: DeviceUUID
    let name: String
    private let element: Int
    private let state: StateDescription
    private let keys: FieldValues
    private let fields: FieldValues
    private let text: String

    /// The state of a node's element, or of its first element that has the model; nil if there is none.
    init?(
        _ node: NodeDefinition,
        _ element: Int?,
        _ expected: ExpectedState,
        _ models: KnownModels,
        in world: SimulatedWorld
    ) {
        guard let state = models.state(named: expected.name), let server = state.server,
            let (keys, fields) = try? state.expectation(reading: expected.words),
            let elements = world.node(node.uuid.value)?.elements
        else { return nil }
        let places = elements.indices.filter { place in elements[place].models.contains { $0.identifier == server } }
        guard let place = element.map({ wanted in places.first { $0 == wanted } }) ?? places.first else { return nil }
        uuid = node.uuid.value
        name = node.name.value
        self.element = place
        self.state = state
        self.keys = keys
        self.fields = fields
        text = expected.text
    }

    /// The models that hold the state.
    var servers: [ModelIdentifier] { [state.server, state.setServer].compactMap(\.self) }

    /// Whether the state is what it must be.
    func isTrue(in world: SimulatedWorld) -> Bool {
        guard let found = value(in: world) else { return false }
        return fields.items.allSatisfy { item in
            guard let value = found[item.name] else { return false }
            if state.agrees(item.name, value, with: item.value) { return true }
            // People write rounded values.
            guard let type = state.statusMessage.field(named: item.name)?.type else { return false }
            return type.text(ofValue: value) == type.text(ofValue: item.value)
        }
    }

    private func value(in world: SimulatedWorld) -> FieldValues? {
        world.reading(of: state, keys: keys, element: element, of: uuid).flatMap(state.value(in:))
    }

    /// What is wrong, as a clause.
    func problem(in world: SimulatedWorld, after time: Duration) -> String {
        let status = world.reading(of: state, keys: keys, element: element, of: uuid)
        let found = status.flatMap(state.texts(in:)).map { texts in
            texts.count == 1 ? texts[0].text : texts.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
        }
        let time = DurationText.text(milliseconds: Int(clamping: time.microseconds / 1_000))
        return "\(state.name) is \(found ?? "not known") after \(time), not \(text)" + (status.flatMap(future) ?? "")
    }

    /// Where a transition leads, and how long it still takes; nil if none runs.
    private func future(_ status: FieldValues) -> String? {
        guard let target = state.target(in: status), let remaining = status.integer("remaining"),
            let type = state.statusMessage.field(named: "remaining")?.type
        else { return nil }
        let texts = target.items.compactMap { item in
            state.statusMessage.field(named: item.name)?.type.text(ofValue: item.value)
        }
        return "; it goes on to \(texts.joined(separator: ", ")) for another \(type.text(ofValue: .integer(remaining)))"
    }
}
