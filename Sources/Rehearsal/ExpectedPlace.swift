import Catalogue
import DefinitionModel
import MeshCore
import Simulator

/// A state of one element of a simulated node, and what it must be.
struct ExpectedPlace {
    let uuid: DeviceUUID
    let name: String
    private let element: Int
    private let value: ExpectedValue

    /// The state of a node's element, or of its first element that has the model; nil if there is none.
    init?(
        _ node: NodeDefinition,
        _ element: Int?,
        _ expected: ExpectedState,
        _ models: KnownModels,
        in world: SimulatedWorld
    ) {
        guard let value = ExpectedValue(expected, models), let server = value.state.server,
            let elements = world.node(node.uuid.value)?.elements
        else { return nil }
        let places = elements.indices.filter { index in elements[index].models.contains { $0.identifier == server } }
        guard let place = element.map({ wanted in places.first { $0 == wanted } }) ?? places.first else { return nil }
        uuid = node.uuid.value
        name = node.name.value
        self.element = place
        self.value = value
    }

    var servers: [ModelIdentifier] { [value.state.server, value.state.setServer].compactMap(\.self) }

    /// Whether the state is what it must be.
    func isTrue(in world: SimulatedWorld) -> Bool { value.isTrue(status(in: world)) }

    /// What is wrong, as a clause.
    func problem(in world: SimulatedWorld, after time: Duration) -> String {
        value.problem(status(in: world), after: time)
    }

    private func status(in world: SimulatedWorld) -> FieldValues? {
        world.reading(of: value.state, keys: value.keys, element: element, of: uuid)
    }
}
