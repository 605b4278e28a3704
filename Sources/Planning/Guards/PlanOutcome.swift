import MeshCore

/// The network that steps lead to, as far as that is known before they are carried out.
///
/// A device that will be provisioned counts as a node about which little is known. Of a configuration that waits for
/// the composition, only the features that carry messages count. Takes time in proportion to the steps.
struct PlanOutcome {
    /// The network after the steps so far, without nodes that were reset or excluded.
    var network: MeshNetwork {
        guard !left.isEmpty else { return state }
        var network = state
        network.nodes.removeAll { left.contains($0.uuid) }
        return network
    }

    /// The index of each node in ``network``.
    var places: [DeviceUUID: Int] { left.isEmpty ? statePlaces : network.nodePlaces }

    private var state: MeshNetwork
    private let sharedLists: [Node.Product: SharedLists]
    /// The index of each node in ``state``.
    private var statePlaces: [DeviceUUID: Int] = [:]
    private var left: Set<DeviceUUID> = []
    /// The place that was looked for last: the steps of a node mostly follow one another.
    private var last: (uuid: DeviceUUID, place: Int?)?

    /// The outcome before the first step.
    ///
    /// - Parameter count: how many nodes there may be in the end.
    init(_ network: MeshNetwork, upTo count: Int) {
        state = network
        state.nodes.reserveCapacity(count)
        sharedLists = network.sharedListsByProduct
        statePlaces = network.nodePlaces
        statePlaces.reserveCapacity(count)
    }

    /// Where the node is; nil if it is none.
    private mutating func place(of uuid: DeviceUUID) -> Int? {
        if let last, last.uuid == uuid { return last.place }
        let place = statePlaces[uuid]
        last = (uuid, place)
        return place
    }

    /// Applies the work of a step. Inlined, so that it is not copied.
    @inline(__always)
    mutating func apply(_ work: Step.Work) {
        switch work {
        case .configure(let uuid, .resetNode): left.insert(uuid)
        case .readBack: break
        case .configure(let uuid, let action):
            guard let place = place(of: uuid) else { return }
            let sharing = state.nodes[place].product.flatMap { sharedLists[$0] } ?? .unknown
            state.nodes[place].apply(action, appKeys: state.appKeys, sharing: sharing)
        case .edit(.exclude(let uuid)): left.insert(uuid)
        // For guards, it does not matter which of two keys a node uses.
        case .edit(.refreshKeys): break
        case .edit(let edit):
            // Guards read edits of a single node from the plan.
            guard edit.node == nil else { return }
            state.apply(edit) { _ in KeyMaterial(Octets16(high: 0, low: 0)) }
        case .provision(let order):
            let node = Node(
                uuid: order.uuid,
                name: order.name,
                unicastAddress: order.address ?? .first,
                deviceKey: nil,
                netKeys: [NodeKey(index: order.netKeyIndex)]
            )
            if let index = statePlaces[order.uuid] {
                state.nodes[index] = node
            } else {
                statePlaces[order.uuid] = state.nodes.count
                state.nodes.append(node)
                last = nil
            }
        case .configureWhenKnown(let configuration):
            guard let index = place(of: configuration.node) else { return }
            if let isOn = configuration.proxy { state.nodes[index].features.proxy = isOn ? .enabled : .disabled }
            if let isOn = configuration.relay { state.nodes[index].features.relay = isOn ? .enabled : .disabled }
            if let isOn = configuration.friend { state.nodes[index].features.friend = isOn ? .enabled : .disabled }
        }
    }
}
