internal import Execution
internal import MeshCore

/// What the nodes of a network are called, by the addresses of their primary elements.
struct NodeNames {
    private let names: [UnicastAddress: String]

    /// Those of a network as the database has it.
    init(_ network: MeshNetwork) {
        names = Dictionary(network.nodes.map { ($0.unicastAddress, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// What a node is called, fit to be shown; its address if it has no name.
    subscript(node: UnicastAddress) -> String {
        names[node].flatMap { $0.isEmpty ? nil : $0.printable } ?? node.description
    }
}

/// Tells people what is being waited for, each thing once until there is a link or none any more.
struct LinkWaiting {
    private let names: NodeNames
    private var told: String?

    /// - Parameter network: names the proxies.
    init(_ network: MeshNetwork) {
        names = NodeNames(network)
    }

    /// What is to be said of an event; nil if nothing.
    mutating func line(_ event: ExecutionEvent) -> String? {
        guard let text = text(event), text != told else { return nil }
        told = text
        return text
    }

    /// There is a link, or the one that there was is gone.
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
