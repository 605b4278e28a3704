import MeshCore

/// The messages of a plan by node, in the order of the nodes' first messages, divided by the plan's barriers.
struct PlanParts {
    /// One node's share of the steps between two barriers.
    struct Lane {
        let node: DeviceUUID
        var cost = MessageCost.zero
        var messages: [MessageCost] = []
        /// Whether it is a device that becomes a node first, and whether the client can link to it.
        var isDevice = false
        var isInReach = true
        /// The subnet that it joins as a device.
        var subnet: NetKeyIndex?
        /// Whether the plan sets the relay or the GATT proxy of a device, now or later. Stock firmware that has them
        /// has both on from the beginning. A device of which the plan says nothing may have neither.
        var isProxyFirst = false
        /// What its steps make of it: how it sends, whether it relays and is a proxy, and further subnets.
        var transmit: TransmitParameters?
        var retransmit: TransmitParameters?
        var relay: Bool?
        var proxy: Bool?
        var subnets: UInt64 = 0
        /// Whether its last step is a Node Reset.
        var leaves = false
        /// Whether its first request changes nothing, so that no read-back follows it.
        var beginsReading = false
        /// Whether its first request sets the Default TTL, with which a node's answers leave.
        var beginsWithTTL = false
        /// Whether all its requests only read. The executor gives such a node up sooner.
        var onlyReads = false
    }

    private(set) var lanes: [Lane] = []
    /// The position in `lanes` where each part between two barriers begins. There is at least one part.
    private(set) var starts = [0]
    private var places: [DeviceUUID: Int] = [:]
    /// The lanes of devices. They stay known after barriers.
    private var devices: [DeviceUUID: Int] = [:]

    var parts: [ArraySlice<Lane>] {
        zip(starts, starts.dropFirst() + [lanes.count]).map { lanes[$0..<$1] }
    }

    /// Adds a barrier: everything before it ends before anything after it begins.
    mutating func addBarrier() {
        starts.append(lanes.count)
        places = [:]
    }

    /// The lane of a node. Makes one if there is none.
    mutating func lane(of node: DeviceUUID) -> Int {
        if let place = places[node] { return place }
        places[node] = lanes.count
        lanes.append(Lane(node: node))
        return lanes.count - 1
    }

    mutating func add(_ added: MessageCost, to lane: Int) {
        lanes[lane].cost += added
        if added.messages == 1 { lanes[lane].messages.append(added) } else { lanes[lane].messages += added.divided }
    }

    mutating func change(_ lane: Int, _ change: (inout Lane) -> Void) { change(&lanes[lane]) }

    /// Notes that a node is provisioned first.
    mutating func addDevice(_ lane: Int) {
        lanes[lane].isDevice = true
        devices[lanes[lane].node] = lane
    }

    /// Notes that the plan sets a node's relay or GATT proxy. If the node is still a device, it has one.
    mutating func noteFeature(_ node: DeviceUUID) {
        if let lane = devices[node] { lanes[lane].isProxyFirst = true }
    }
}

extension MessageCost {
    /// The segments of the request and of its status, derived from the PDUs of one exchange.
    var segments: (request: Int, status: Int) {
        if pdusToNode <= 1 { return (1, max(pdusFromNode, 1)) }
        // Two PDUs to the node and many from it are a long status: one of the two is its acknowledgment.
        if pdusToNode == 2, pdusFromNode > 2 { return (1, pdusFromNode) }
        return (pdusFromNode > 2 ? pdusToNode - 1 : pdusToNode, max(pdusFromNode - 1, 1))
    }

    /// The single messages, each with its share of the PDUs.
    fileprivate var divided: [MessageCost] {
        (0..<messages).map { place in
            MessageCost(
                messages: 1,
                pdusToNode: pdusToNode * (place + 1) / messages - pdusToNode * place / messages,
                pdusFromNode: pdusFromNode * (place + 1) / messages - pdusFromNode * place / messages
            )
        }
    }
}
