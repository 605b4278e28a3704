import MeshCore
import Planning

/// Carries out steps on the record of a network and refuses what a node would refuse.
struct StepSimulation {
    private(set) var network: MeshNetwork

    /// What a real node would have answered other than Success.
    struct Refusal: Error, CustomStringConvertible {
        var description: String
    }

    init(_ network: MeshNetwork) {
        self.network = network
    }

    /// Carries out one step.
    mutating func apply(_ step: Step) throws(Refusal) {
        switch step.work {
        case .edit(let edit):
            network.apply(edit) { _ in RandomCase.key() }
        case .configure(let uuid, let action):
            guard let place = network.nodes.firstIndex(where: { $0.uuid == uuid }) else {
                throw Refusal(description: "no node \(uuid)")
            }
            try check(action, node: network.nodes[place])
            network.nodes[place].apply(action, appKeys: network.appKeys)
        case .provision(let order):
            throw Refusal(description: "no device \(order.uuid)")
        case .configureWhenKnown(let configuration):
            throw Refusal(description: "the composition of \(configuration.name) is not known")
        }
    }

    /// The rules of Mesh Protocol 4.4.1 that an order of messages can break.
    private func check(_ action: ConfigurationAction, node: Node) throws(Refusal) {
        switch action {
        case .addNetKey(let index):
            try require(network.netKeys.contains { $0.index == index }, "NetKey \(index) has not been made")
        case .deleteNetKey(let index):
            try require(node.netKeys.count > 1, "Cannot Remove: the last NetKey")
            try require(index != node.transportNetKey, "the key secures the message itself")
        case .addAppKey(let index, boundTo: let netKey):
            try require(network.appKeys.contains { $0.index == index }, "AppKey \(index) has not been made")
            try require(node.knows(netKey), "Invalid NetKey Index")
        case .bind(let model, let index):
            try require(node.knows(index), "Invalid AppKey Index")
            try require(self.model(model, of: node) != nil, "Invalid Model")
        case .setPublication(let address, let publication?):
            let isBound = model(address, of: node)?.bindings.contains(publication.appKeyIndex)
            try require(isBound == true && node.knows(publication.appKeyIndex), "Invalid AppKey Index")
        default: break
        }
    }

    private func require(_ isMet: Bool, _ refusal: String) throws(Refusal) {
        if !isMet { throw Refusal(description: refusal) }
    }

    private func model(_ address: ModelAddress, of node: Node) -> Model? {
        guard Int(address.element) < node.elements.count else { return nil }
        return node.elements[Int(address.element)].models.first { $0.identifier == address.model }
    }
}
