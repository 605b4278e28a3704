import DefinitionModel
import MeshCore
import Planning
import TestSupport

/// Carries out steps on the record of a network and refuses what a node would refuse.
struct StepSimulation {
    private(set) var network: MeshNetwork

    /// What a real node would have answered other than Success.
    struct Refusal: Error, CustomStringConvertible {
        var description: String
    }

    /// What the devices are made of, and the nodes whose composition the network does not know.
    private let compositions: [DeviceUUID: Composition]
    /// What lowering found wrong.
    private(set) var problems: [Diagnostic] = []
    /// How many messages each node was sent.
    private(set) var messages: [DeviceUUID: Int] = [:]
    /// Nodes as they were when the plan began, or when they had just become nodes, with the models of their composition.
    private(set) var beginnings: [DeviceUUID: Node] = [:]
    /// The addresses that devices get.
    private var pool: UnicastAddressPool

    init(_ network: MeshNetwork, compositions: [DeviceUUID: Composition] = [:]) {
        self.network = network
        self.compositions = compositions
        pool = UnicastAddressPool(network)
        for node in network.nodes { beginnings[node.uuid] = node }
    }

    /// Records claims.
    mutating func apply(_ claims: Claims) {
        network.apply(claims)
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
            messages[uuid, default: 0] += 1
            switch action {
            case .readComposition:
                if let composition = compositions[uuid] {
                    network.nodes[place].record(composition)
                    beginnings[uuid]?.record(composition)
                }
            case .resetNode: network.retire(uuid, reason: .reset, at: Timestamp(rawValue: 9))
            default:
                let sharing = network.sharedLists(of: network.nodes[place])
                network.nodes[place].apply(action, appKeys: network.appKeys, sharing: sharing)
            }
        case .readBack: throw Refusal(description: "a plan that reads back")
        case .provision(let order): try provision(order)
        case .configureWhenKnown(let configuration):
            let lowered = configuration.lowered(in: network)
            problems += lowered.problems
            for (position, step) in lowered.steps.enumerated() {
                let before = network
                try require(step.dependencies.allSatisfy { $0 < position }, "a dependency that comes later")
                try require(step.node == configuration.node, "a step for another node")
                try require(lowered.changes.indices.contains(step.change), "a step without a change")
                try apply(step)
                // A state that is held or set on the way to a scene goes back to what was.
                switch step.work {
                case .configure(_, .holdState), .configure(_, .setBriefly), .configure(_, .restoreState): continue
                default: break
                }
                try require(network != before, "a lowered step that changes nothing: \(step.work)")
            }
        }
    }

    /// Makes a device a node: with the address that is fixed, else with the lowest that is free.
    private mutating func provision(_ order: ProvisioningOrder) throws(Refusal) {
        guard let composition = compositions[order.uuid] else {
            throw Refusal(description: "no device \(order.uuid)")
        }
        try require(network.netKeys.contains { $0.index == order.netKeyIndex }, "NetKey has not been made")
        let old = network.nodes.first { $0.uuid == order.uuid }
        try require((old != nil) == order.isReplacement, "whether it replaces a node")
        let count = composition.elements.count
        var address = order.address
        if let address {
            do throws(AddressConflict) {
                try pool.reserve(address, count: count, for: order.uuid)
            } catch {
                throw Refusal(description: "\(error)")
            }
        } else {
            address = pool.reserveBlock(of: count, for: order.uuid)
        }
        guard let address else { throw Refusal(description: "no address") }
        network.recordAttempt(
            PendingProvisioning(
                uuid: order.uuid,
                name: order.name,
                address: address,
                elementCount: UInt8(count),
                deviceKeys: [RandomCase.key()],
                netKeyIndex: order.netKeyIndex,
                isSecurelyProvisioned: false,
                attemptedAt: Timestamp(rawValue: 1)
            )
        )
        let promoted = network.promote(
            order.uuid,
            name: order.name,
            deviceKey: RandomCase.key(),
            isProtected: order.isProtected,
            removalPolicy: order.removalPolicy,
            at: Timestamp(rawValue: 2)
        )
        try require(promoted?.node.unicastAddress == address, "the node has another address")
        beginnings[order.uuid] = promoted?.node
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
