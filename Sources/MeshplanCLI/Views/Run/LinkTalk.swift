import Execution
import MeshCore

/// The names of the nodes of a network, by the addresses of their primary elements.
struct NodeNames {
    private var names: [UnicastAddress: String]

    init(_ network: MeshNetwork) {
        names = Dictionary(firstOf: network.nodes.map { ($0.unicastAddress, $0.name) })
    }

    /// The name of a node, fit for output; its address if it has no name.
    subscript(node: UnicastAddress) -> String { name(of: node) ?? node.description }

    /// The name of a node, fit for output; nil if it has no name.
    func name(of node: UnicastAddress) -> String? { names[node].flatMap { $0.isEmpty ? nil : $0.printable } }

    /// Adds the name of a device that has become a node.
    mutating func learn(_ name: String, at address: UnicastAddress) { names[address] = name }
}

/// Reports the links of a run to a person: what it waits for (each thing once, until a link comes up or goes down),
/// which proxies it uses, and interrupts.
struct LinkTalk {
    private var names: NodeNames
    private var told: String?

    /// - Parameter network: the source of the names of proxies.
    init(_ network: MeshNetwork) {
        names = NodeNames(network)
    }

    /// Adds the name of a device that has become a node, and so perhaps a proxy.
    mutating func learn(_ name: String, at address: UnicastAddress) { names.learn(name, at: address) }

    /// The line for an event; nil if there is nothing to report, or if the event is not about links.
    mutating func line(_ event: ExecutionEvent) -> String? {
        switch event {
        case .seekingProxy(forIVIndex: false): return once("Listening for a proxy of the network …")
        case .seekingProxy(forIVIndex: true):
            return once("Listening for a proxy that reports the network's IV index, which is unknown …")
        case .connecting(let node?, _): return once("Connecting to \(names[node]) …")
        case .connecting(nil, let signal):
            return once("Connecting to a proxy of the network\(signal.map { " (\($0) dBm)" } ?? "") …")
        case .linkUp(let proxy, isDirect: false, _):
            told = nil
            return "Connected" + (proxy.map { " through \(self.proxy($0))" } ?? "") + "."
        case .linkDown(let reason, let delay):
            told = nil
            let next = delay.map { "trying again in \(DurationText.text($0))" } ?? "giving up"
            return "The proxy link is down (\(reason.printable)); \(next)."
        case .interrupted(let immediately):
            return immediately
                ? "Interrupted again: stopping at once."
                : "Interrupted: waiting for the answers to what was sent. Once more stops at once."
        default: return nil
        }
    }

    /// A proxy by its name, with the address that other tools use.
    private func proxy(_ address: UnicastAddress) -> String {
        names.name(of: address).map { "\($0) (\(address))" } ?? "the proxy at \(address)"
    }

    private mutating func once(_ text: String) -> String? {
        guard text != told else { return nil }
        told = text
        return text
    }
}
