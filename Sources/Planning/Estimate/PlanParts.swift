internal import MeshCore

/// What nodes are sent, in the order of their first messages.
struct PlanParts {
    /// One node's share of the steps between two barriers.
    struct Lane {
        let node: DeviceUUID
        var cost = MessageCost.zero
        /// Whether it is a device that becomes a node first, and whether a link of ours can reach it.
        var isDevice = false
        var isInReach = true
        /// The subnet that it joins as a device.
        var subnet: UInt16?
        /// How much of a relay it is as soon as it is a node, and how much of one its steps switch off.
        var relaysFirst = 0.0
        var relaysNoMore = 0.0
        /// Whether the first thing that it is asked changes nothing, so that nobody asks once more what became of it.
        var beginsReading = false
    }

    private(set) var lanes: [Lane] = []
    /// Where each part between two barriers begins in `lanes`; there is at least one.
    private(set) var starts = [0]
    /// What all nodes are sent.
    private(set) var cost = MessageCost.zero
    private var places: [DeviceUUID: Int] = [:]
    /// Messages that are no steps, by lane.
    private var messages: [(lane: Int, cost: MessageCost)] = []

    /// Everything before is over before what follows begins.
    mutating func addBarrier() {
        starts.append(lanes.count)
        places = [:]
    }

    /// The lane of a node, made if there is none yet.
    mutating func lane(of node: DeviceUUID) -> Int {
        if let place = places[node] { return place }
        places[node] = lanes.count
        lanes.append(Lane(node: node))
        return lanes.count - 1
    }

    /// Takes in what is sent to a lane.
    mutating func add(_ added: MessageCost, to lane: Int) {
        lanes[lane].cost += added
        cost += added
        messages.append((lane, added))
    }

    mutating func change(_ lane: Int, _ change: (inout Lane) -> Void) { change(&lanes[lane]) }

    /// The messages of some lanes, in the order of those.
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
