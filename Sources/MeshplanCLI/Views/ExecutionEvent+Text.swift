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

extension ExecutionEvent {
    /// What is being waited for, for people; nil for events that are told otherwise.
    func text(_ names: NodeNames) -> String? {
        switch self {
        case .seekingProxy(forIVIndex: false): return "Listening for a proxy of the network …"
        case .seekingProxy(forIVIndex: true):
            return "Listening for a proxy that tells the network's IV index, which is not known …"
        case .connecting(let node?, _): return "Connecting to \(names[node]) …"
        case .connecting(nil, let signal):
            return "Connecting to a proxy of the network\(signal.map { " (\($0) dBm)" } ?? "") …"
        default: return nil
        }
    }
}
