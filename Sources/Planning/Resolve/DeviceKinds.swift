package import DefinitionModel
package import MeshCore

/// How many elements devices have, by what they are made as: as files describe their product, or else as the first
/// device of that kind. Nodes with one profile count as made alike where the definition names no product.
struct DeviceKinds {
    private let definition: Definition
    private let profiles: [String: Int]
    private var counts: [String: Int] = [:]

    /// - Parameter nodes: what the database has.
    init(_ definition: Definition, _ nodes: [Node]) {
        self.definition = definition
        profiles = definition.profilePlaces
        // By index, because loops over the values would copy each node.
        var places: [DeviceUUID: Int] = [:]
        places.reserveCapacity(nodes.count)
        for index in nodes.indices where !nodes[index].elements.isEmpty {
            if places[nodes[index].uuid] == nil { places[nodes[index].uuid] = index }
            guard let product = nodes[index].product else { continue }
            let kind = ProductIdentifier(company: product.company, product: product.product).description
            if counts[kind] == nil { counts[kind] = nodes[index].elements.count }
        }
        for number in places.isEmpty ? 0..<0 : definition.nodes.indices {
            guard let index = places[definition.nodes[number].uuid.value] else { continue }
            let kind = kind(ofNodeAt: number)
            if counts[kind] == nil { counts[kind] = nodes[index].elements.count }
        }
        counts[""] = nil
        for (product, described) in definition.products {
            counts[product.description] = described.composition.elements.count
        }
    }

    /// The addresses to set aside for the node at that index of the definition, which does not exist yet.
    func reservation(
        forNodeAt number: Int,
        device: DesiredNode.Device,
        in network: MeshNetwork
    ) -> AddressReservation {
        let kind = kind(ofNodeAt: number)
        let count =
            device.pending.map { Int($0.elementCount) }
            ?? device.replaced.map { network.nodes[$0].elements.count } ?? counts[kind] ?? 0
        return AddressReservation(
            device: definition.nodes[number].uuid.value,
            kind: kind,
            elementCount: UInt8(clamping: count),
            address: definition.nodes[number].address?.value
        )
    }

    /// How many elements the device of the node at that index has; nil if nobody knows.
    func elementCount(ofNodeAt number: Int) -> Int? { counts[kind(ofNodeAt: number)] }

    private func kind(ofNodeAt number: Int) -> String {
        definition.product(ofNodeAt: number, profiles: profiles)?.description
            ?? definition.nodes[number].profile.map { "profile." + $0.value } ?? ""
    }
}

/// What is known about the devices that places wait for.
package enum ExpectedDevices {
    /// How many elements the device of each place has, by the name of the place, as far as it is known.
    package static func elementCounts(of definition: Definition, in network: MeshNetwork?) -> [String: Int] {
        let kinds = DeviceKinds(definition, network?.nodes ?? [])
        var counts: [String: Int] = [:]
        for number in definition.nodes.indices where definition.nodes[number].awaitsDevice {
            counts[definition.nodes[number].name.value] = kinds.elementCount(ofNodeAt: number)
        }
        return counts
    }
}

extension AddressReservation {
    /// Whether it sets nothing aside, and never will.
    var isEmpty: Bool { kind.isEmpty && elementCount == 0 && address == nil }
}
