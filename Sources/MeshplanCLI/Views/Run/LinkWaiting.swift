internal import Execution
internal import MeshCore

/// The names of a network's nodes, by the address of the primary element.
struct NodeNames {
    private let names: [UnicastAddress: String]

    /// Collects the names from the database's network.
    init(_ network: MeshNetwork) {
        names = Dictionary(network.nodes.map { ($0.unicastAddress, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// The printable name of a node; its address if it has none.
    subscript(node: UnicastAddress) -> String {
        names[node].flatMap { $0.isEmpty ? nil : $0.printable } ?? node.description
    }
}

/// Tells people what the run is waiting for. Says each thing only once until a link comes up or goes down.
struct LinkWaiting {
    private let names: NodeNames
    private var told: String?

    /// - Parameter network: the source of names for proxies.
    init(_ network: MeshNetwork) {
        names = NodeNames(network)
    }

    /// The line for an event; nil if there is nothing to say.
    mutating func line(_ event: ExecutionEvent) -> String? {
        guard let text = text(event), text != told else { return nil }
        told = text
        return text
    }

    /// Call when a link has come up or gone down.
    mutating func isOver() {
        told = nil
    }

    private func text(_ event: ExecutionEvent) -> String? {
        switch event {
        case .seekingProxy(forIVIndex: false): "Listening for a proxy of the network …"
        case .seekingProxy(forIVIndex: true):
            "Listening for a proxy that tells the network's IV index, which is not known …"
        case .connecting(let node?, _): "Connecting to \(names[node]) …"
        case .connecting(nil, let signal):
            "Connecting to a proxy of the network\(signal.map { " (\($0) dBm)" } ?? "") …"
        default: nil
        }
    }
}
