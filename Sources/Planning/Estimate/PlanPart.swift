internal import MeshCore

/// The steps between two barriers.
struct PlanPart {
    /// What nodes are sent, in the order of their first messages, so that sums come out the same each time.
    struct CostsByNode {
        private(set) var order: [DeviceUUID] = []
        private(set) var costs: [MessageCost] = []
        private var places: [DeviceUUID: Int] = [:]

        mutating func add(_ cost: MessageCost, _ node: DeviceUUID) {
            if let place = places[node] {
                costs[place] += cost
            } else {
                places[node] = costs.count
                order.append(node)
                costs.append(cost)
            }
        }
    }

    /// What each node is sent.
    var nodes = CostsByNode()
    /// What all are sent.
    var cost = MessageCost.zero
    /// Devices that become nodes in it.
    var newNodes: Set<DeviceUUID> = []
    /// Devices that are provisioned.
    var devices = 0
    /// Nodes whose relay is switched off, devices that become nodes included, for stock firmware has it on.
    var relaysOff = 0
    /// How many of the devices relay from the beginning.
    var newRelays = 0.0

    /// The same without the messages to some nodes, each of which is asked something instead.
    ///
    /// - Parameter costs: those of the nodes, of which there are as many here.
    func without(_ costs: ArraySlice<MessageCost>, asking question: MessageCost) -> PlanPart {
        var part = self
        var removed: [MessageCost: Int] = [:]
        for cost in costs { removed[cost, default: 0] += 1 }
        part.nodes = CostsByNode()
        part.cost = .zero
        for (node, cost) in zip(nodes.order, nodes.costs) {
            var rest = cost
            if let count = removed[cost], count > 0 {
                removed[cost] = count - 1
                rest = question
            }
            guard rest.messages > 0 else { continue }
            part.nodes.add(rest, node)
            part.cost += rest
        }
        return part
    }

    /// Whether anything is sent.
    var sends: Bool { cost.messages > 0 || devices > 0 }

    /// The mean number of relays while nodes are configured.
    ///
    /// Devices become nodes at an even rate, and so do nodes get configured; where that takes longer, nodes that relay
    /// have to wait for it.
    ///
    /// - Parameters:
    ///   - before: relays at the beginning.
    ///   - share: what provisioning takes of the time for configuration, 0...1.
    func relays(before: Double, provisioningShare share: Double) -> Double {
        max(before + newRelays * (1 - share / 2) - Double(relaysOff) / 2, 0)
    }

    /// How many relays there are at its end.
    func relaysAfter(_ before: Double) -> Double { max(before + newRelays - Double(relaysOff), 0) }
}

/// Mean and variance of a time in seconds.
struct Moments: Hashable {
    var mean: Double
    var variance: Double

    mutating func add(_ other: Moments) {
        mean += other.mean
        variance += other.variance
    }
}
