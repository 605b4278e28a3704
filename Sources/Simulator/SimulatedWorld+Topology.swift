import MeshCore

extension SimulatedWorld {
    /// The node that the client stands beside: the one that the settings name, else the first that is a proxy.
    var rootNode: Int {
        settings.proxy.flatMap { positions[$0] } ?? nodes.firstIndex { $0.state.proxy == .enabled } ?? 0
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
            let root = rootNode
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

    private func connect(_ links: [WorldSettings.RadioLink], in radio: inout RadioNeighbours) {
        for link in links {
            guard let first = positions[link.first], let second = positions[link.second] else { continue }
            radio.connect(first, second, copyLoss: link.copyLoss)
        }
    }
}
