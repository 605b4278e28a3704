import MeshCore

extension SimulatedWorld {
    /// The node beside the client: the one that hops are counted from, else the one that the settings name, else the
    /// first that is a proxy or can be one.
    var rootNode: Int {
        radioRoot ?? settings.proxy.flatMap { positions[$0] }
            ?? nodes.firstIndex { $0.state.isProvisioned && $0.state.isGATTProxyOn }
            ?? nodes.firstIndex { $0.state.proxy == .enabled } ?? 0
    }

    /// Sets up the radio: the links that the settings name, or places for all nodes. Links and places of earlier runs
    /// stay.
    func makeRadio(state: SimulatorState) {
        switch settings.topology {
        case .links(let links):
            radio = RadioNeighbours(nodeCount: nodes.count)
            for link in links {
                guard let first = positions[link.first], let second = positions[link.second] else { continue }
                radio.connect(first, second, copyLoss: link.copyLoss)
            }
        case .hops(let hops):
            isRadioStale = true
            radioRoot = state.root.flatMap { positions[$0] }
            let root = rootNode
            guard nodes.indices.contains(root) else { return }
            radioRoot = root
            let uuid = nodes[root].state.uuid
            if uuid != state.root { _ = recorder(.root(uuid)) }
            if state.hops == nil { _ = recorder(.hops(UInt8(clamping: hops))) }
            places = RadioPlace.spread(
                hops: state.hops.map(Int.init) ?? hops,
                root: root,
                canRelay: nodes.map { $0.state.relay != .notSupported },
                bearings: nodes.map { UInt16(truncatingIfNeeded: surroundings(of: $0.state.uuid)) },
                kept: nodes.map { state.places[$0.state.uuid] }
            )
            for node in nodes.indices where state.places[nodes[node].state.uuid] == nil {
                _ = recorder(.place(nodes[node].state.uuid, places[node]))
            }
        }
    }

    /// So many nodes may change before all neighbours are worked out anew. Each relay among them costs as much as that.
    private static let mostUpdates = 4

    /// Works out who hears whom, if nodes have places and something has changed since the last time. It depends on
    /// which nodes relay in which subnet.
    private func updateRadio() {
        if isRadioStale || changedStations.count > Self.mostUpdates {
            isRadioStale = false
            changedStations = []
            radio = RadioNeighbours(
                nodes.indices.map { station(of: $0) },
                root: radioRoot ?? 0,
                copyLoss: settings.copyLoss
            )
            audiences = [:]
        } else if !changedStations.isEmpty {
            for node in changedStations { radio.update(node, station(of: node)) }
            changedStations = []
            audiences = [:]
        }
    }

    private func station(of node: Int) -> RadioStation {
        RadioStation(
            place: places[node],
            subnets: nodes[node].isAlive ? nodes[node].state.netKeys.map(\.index) : [],
            isRelay: nodes[node].isRelay
        )
    }

    /// A node has started or stopped relaying, has changed its subnets, or has gained or lost power.
    func radioChanges(of node: Int) {
        if places.indices.contains(node) { changedStations.insert(node) }
    }

    /// The nodes that hear a node. The answer is kept until somebody's radio or the client's links change.
    func audience(of node: Int) -> [RadioNeighbours.Neighbour] {
        updateRadio()
        if areGuestsStale {
            areGuestsStale = false
            let guests = self.guests
            if guests != audienceGuests {
                audienceGuests = guests
                audiences = [:]
            }
        }
        if let known = audiences[node] { return known }
        let audience = audience(of: node, with: audienceGuests)
        audiences[node] = audience
        return audience
    }

    /// The nodes that the client is connected to, except the one that hops are counted from.
    private var guests: [Int] {
        guard !links.isEmpty, let root = radioRoot else { return [] }
        var guests: [Int] = []
        for end in links.values where end.provisioning == nil && end.node != root && !guests.contains(end.node) {
            guests.append(end.node)
        }
        return guests.sorted()
    }

    /// The nodes that hear a node.
    ///
    /// Hops are counted from the client's position, which is also that of the first proxy. Any other node that the
    /// client is connected to hears and is heard as if it stood there.
    private func audience(of node: Int, with guests: [Int]) -> [RadioNeighbours.Neighbour] {
        let own = radio.neighbours[node]
        guard let root = radioRoot, !guests.isEmpty else { return own }
        if guests.contains(node) {
            let heardAsRoot =
                [RadioNeighbours.Neighbour(node: root)]
                + radio.neighbours[root].filter { $0.node != node && !guests.contains($0.node) }
                + guests.filter { $0 != node }.map { RadioNeighbours.Neighbour(node: $0) }
            // It also hears its neighbours from its own place.
            let isHeard = Set(heardAsRoot.map(\.node))
            return heardAsRoot + own.filter { !isHeard.contains($0.node) }
        }
        if node == root {
            return own.filter { !guests.contains($0.node) } + guests.map { RadioNeighbours.Neighbour(node: $0) }
        }
        guard let link = own.first(where: { $0.node == root }) else { return own }
        let added = guests.filter { guest in !own.contains { $0.node == guest } }
        return own + added.map { RadioNeighbours.Neighbour(node: $0, copyLoss: link.copyLoss) }
    }

    /// The nodes and devices that a node can reach directly, whether they are in its network or not: those at its own
    /// level and at the levels next to it.
    func inRange(of node: Int) -> [RadioNeighbours.Neighbour] {
        guard !places.isEmpty else { return radio.neighbours[node] }
        return nodes.indices.filter { $0 != node && isNear(node, $0) }.map { RadioNeighbours.Neighbour(node: $0) }
    }

    /// The path from one node or device to another; nil if it is out of reach.
    func way(from sender: Int, to receiver: Int) -> RadioNeighbours.Neighbour? {
        guard !places.isEmpty else { return radio.neighbours[sender].first { $0.node == receiver } }
        return isNear(sender, receiver) ? RadioNeighbours.Neighbour(node: receiver) : nil
    }

    private func isNear(_ first: Int, _ second: Int) -> Bool {
        abs(Int(places[first].level) - Int(places[second].level)) <= 1
    }

    /// The hops to each node from the one beside the client; nil if there is no path.
    var hopsFromRoot: [Int?] {
        places.isEmpty ? radio.hops(from: rootNode) : places.map { Int($0.level) }
    }
}
