import MeshCore

/// The messages of a plan by node, in the order of the nodes' first messages.
struct PlanParts {
    /// Subnets that a node joins after some of its messages.
    struct Gain {
        let messages: Int
        /// A bit each.
        let subnets: UInt64
    }

    /// One node's share of the steps between two barriers.
    struct Lane {
        let node: DeviceUUID
        var cost = MessageCost.zero
        /// Whether it is a device that becomes a node first, and whether the client can link to it.
        var isDevice = false
        var isInReach = true
        /// The subnet that it joins as a device.
        var subnet: NetKeyIndex?
        /// The probability that it relays as soon as it is a node.
        var relaysFirst = 0.0
        /// Whether the plan sets its GATT proxy. If the plan sets neither that nor its relay, the node counts as a
        /// proxy only if it counts as a relay.
        var isProxyTold = false
        /// Whether its steps switch its relay off.
        var relaysNoMore = false
        /// Whether its last step is a Node Reset.
        var leaves = false
        /// The number of its messages after which its GATT proxy is on, and off; nil if no message says so.
        var becomesProxyAfter: Int?
        var losesProxyAfter: Int?
        /// The subnets that its steps add it to.
        var gains: [Gain] = []
        /// Whether its first request changes nothing, so that no read-back follows it.
        var beginsReading = false
        /// Whether all its requests only read. The executor gives such a node up sooner.
        var onlyReads = false
    }

    private(set) var lanes: [Lane] = []
    /// The position in `lanes` where each part between two barriers begins. There is at least one part.
    private(set) var starts = [0]
    /// The messages of all nodes.
    private(set) var cost = MessageCost.zero
    private var places: [DeviceUUID: Int] = [:]
    /// The lanes of devices. They stay known after barriers.
    private var devices: [DeviceUUID: Int] = [:]
    /// The messages of each step, with their lanes.
    private var messages: [(lane: Int, cost: MessageCost)] = []

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

    /// Adds messages to a lane.
    mutating func add(_ added: MessageCost, to lane: Int) {
        lanes[lane].cost += added
        cost += added
        messages.append((lane, added))
    }

    mutating func change(_ lane: Int, _ change: (inout Lane) -> Void) { change(&lanes[lane]) }

    /// Notes that a node is provisioned first.
    mutating func addDevice(_ lane: Int) {
        lanes[lane].isDevice = true
        devices[lanes[lane].node] = lane
    }

    /// Notes that the plan sets a node's relay. If the node is still a device, it can relay: stock firmware then relays
    /// as soon as it is a node, even if a barrier comes in between.
    mutating func noteRelay(_ node: DeviceUUID) {
        if let lane = devices[node] { lanes[lane].relaysFirst = 1 }
    }

    /// Notes that the plan sets a node's GATT proxy. If the node is still a device, its proxy is on at first.
    mutating func noteProxy(_ node: DeviceUUID) {
        if let lane = devices[node] { lanes[lane].isProxyTold = true }
    }

    /// The messages of some lanes, in the order of the lanes.
    ///
    /// - Parameter chosen: positions of lanes, ascending.
    func messages(of chosen: [Int]) -> [[MessageCost]] {
        var places = [Int32](repeating: -1, count: lanes.count)
        for (place, lane) in chosen.enumerated() { places[lane] = Int32(place) }
        var found = [[MessageCost]](repeating: [], count: chosen.count)
        for (lane, cost) in messages where places[lane] >= 0 {
            let place = Int(places[lane])
            if cost.messages == 1 { found[place].append(cost) } else { found[place] += cost.divided }
        }
        return found
    }
}
