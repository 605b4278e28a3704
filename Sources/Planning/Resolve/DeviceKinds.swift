package import DefinitionModel
package import MeshCore

/// How many elements devices have, by what they are made as. Nodes with one profile count as made alike where the
/// definition names no product.
struct DeviceKinds {
    private let definition: Definition
    private let profiles: [String: Int]
    private var counts: [String: Int] = [:]

    init(_ definition: Definition, _ network: MeshNetwork) {
        self.definition = definition
        profiles = definition.profilePlaces
        for place in network.nodes.indices {
            let elements = network.nodes[place].elements.count
            guard let product = network.nodes[place].product, elements > 0 else { continue }
            let kind = ProductIdentifier(company: product.company, product: product.product).description
            if counts[kind] == nil { counts[kind] = elements }
        }
        let places = network.nodePlaces
        let nodes = definition.nodes
        for number in nodes.indices {
            guard let position = places[nodes[number].uuid.value], !network.nodes[position].elements.isEmpty else {
                continue
            }
            let kind = kind(of: nodes[number])
            if counts[kind] == nil { counts[kind] = network.nodes[position].elements.count }
        }
        counts[""] = nil
    }

    /// The addresses to set aside for a node that does not exist yet.
    func reservation(
        for node: NodeDefinition,
        device: DesiredNode.Device,
        in network: MeshNetwork
    ) -> AddressReservation {
        let kind = kind(of: node)
        let count =
            device.pending.map { Int($0.elementCount) }
            ?? device.replaced.map { network.nodes[$0].elements.count } ?? counts[kind] ?? 0
        return AddressReservation(
            device: node.uuid.value,
            kind: kind,
            elementCount: UInt8(clamping: count),
            address: node.address?.value
        )
    }

    /// How many elements the device of a node has; nil if nobody knows.
    func elementCount(of node: NodeDefinition) -> Int? { counts[kind(of: node)] }

    private func kind(of node: NodeDefinition) -> String {
        definition.product(of: node, profiles: profiles)?.description
            ?? node.profile.map { "profile.\($0.value)" } ?? ""
    }
}

/// What is known about the devices that places wait for.
package enum ExpectedDevices {
    /// How many elements the device of each place has, by the name of the place, as far as it is known.
    package static func elementCounts(of definition: Definition, in network: MeshNetwork?) -> [String: Int] {
        guard let network else { return [:] }
        let kinds = DeviceKinds(definition, network)
        var counts: [String: Int] = [:]
        for node in definition.nodes where node.awaitsDevice { counts[node.name.value] = kinds.elementCount(of: node) }
        return counts
    }
}

extension AddressReservation {
    /// Whether it sets nothing aside, and never will.
    var isEmpty: Bool { kind.isEmpty && elementCount == 0 && address == nil }
}
