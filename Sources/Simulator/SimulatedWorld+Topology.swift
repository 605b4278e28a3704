import MeshCore

extension SimulatedWorld {
    /// The node that the client stands beside: the one that hops are counted from, else the one that the settings name,
    /// else the first that is a proxy, or can be one.
    var rootNode: Int {
        radioRoot ?? settings.proxy.flatMap { positions[$0] }
            ?? nodes.firstIndex { $0.state.isProvisioned && $0.state.isGATTProxyOn }
            ?? nodes.firstIndex { $0.state.proxy == .enabled } ?? 0
    }

    /// Who hears whom: as an earlier run had it, so that a change of a relay's state moves no node, else by the settings.
    func neighbours(state: SimulatorState) -> RadioNeighbours {
        var radio: RadioNeighbours
        switch settings.topology {
        case .links(let links):
            radio = RadioNeighbours(nodeCount: nodes.count)
            connect(links, in: &radio)
            return radio
        case .hops(let hops):
            radioRoot = state.root.flatMap { positions[$0] }
            let root = rootNode
            if nodes.indices.contains(root) {
                radioRoot = root
                let uuid = nodes[root].state.uuid
                if uuid != state.root { _ = recorder(.root(uuid)) }
            }
            if let links = state.links {
                radio = RadioNeighbours(nodeCount: nodes.count)
                connect(links, in: &radio)
                // Nodes that came later stand beside the proxy.
                for node in nodes.indices where radio.neighbours[node].isEmpty { radio.connect(root, node) }
            } else {
                radio = RadioNeighbours(hops: hops, root: root, isRelay: nodes.map { $0.state.relay == .enabled })
            }
        }
        let links = radio.links.map {
            WorldSettings.RadioLink(nodes[$0.0].state.uuid, nodes[$0.1].state.uuid, copyLoss: $0.2)
        }
        if links != state.links { _ = recorder(.links(links)) }
        return radio
    }

    /// Who hears a node.
    ///
    /// Hops are counted from where the client is, and that is where the first proxy is, too: any other node that the
    /// client is connected to hears and is heard as if it stood there.
    func audience(of node: Int) -> [RadioNeighbours.Neighbour] {
        let own = radio.neighbours[node]
        guard let root = radioRoot else { return own }
        var guests: [Int] = []
        for end in links.values where end.provisioning == nil && end.node != root && !guests.contains(end.node) {
            guests.append(end.node)
        }
        guard !guests.isEmpty else { return own }
        guests.sort()
        var audience = own
        func add(_ neighbour: RadioNeighbours.Neighbour) {
            guard neighbour.node != node, !own.contains(where: { $0.node == neighbour.node }) else { return }
            audience.append(neighbour)
        }
        if guests.contains(node) {
            add(RadioNeighbours.Neighbour(node: root))
            for neighbour in radio.neighbours[root] { add(neighbour) }
            for guest in guests where !radio.neighbours[root].contains(where: { $0.node == guest }) {
                add(RadioNeighbours.Neighbour(node: guest))
            }
        } else if node == root || own.contains(where: { $0.node == root }) {
            for guest in guests { add(RadioNeighbours.Neighbour(node: guest)) }
        }
        return audience
    }

    private func connect(_ links: [WorldSettings.RadioLink], in radio: inout RadioNeighbours) {
        for link in links {
            guard let first = positions[link.first], let second = positions[link.second] else { continue }
            radio.connect(first, second, copyLoss: link.copyLoss)
        }
    }
}
