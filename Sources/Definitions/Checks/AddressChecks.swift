import DefinitionModel
import MeshCore

/// Checks that the elements of nodes with fixed addresses fit into the unicast range and do not overlap, as far as the
/// definition shows: a node takes at least the addresses up to its highest declared element.
enum AddressChecks {
    private struct Span {
        var first: Located<UnicastAddress>
        var last: UInt16
        var node: Int
    }

    static func run(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let spans = spans(of: network, into: &diagnostics).sorted { left, right in
            (left.first.value, left.node) < (right.first.value, right.node)
        }
        for (left, right) in zip(spans, spans.dropFirst()) where right.first.value.rawValue <= left.last {
            report(left, right, network, &diagnostics)
        }
        checkRoom(network, into: &diagnostics)
    }

    /// Checks that there are enough addresses: a network has 32,767 unicast addresses, and each element takes one.
    private static func checkRoom(_ network: CheckedNetwork, into diagnostics: inout DiagnosticCollector) {
        let room = Int(UnicastAddress.last.rawValue)
        let nodes = network.definition.nodes
        let highestOfProfile = network.definition.profiles.map { $0.settings.elements.keys.max() ?? 0 }
        var needed = 0
        for position in nodes.indices {
            let profile = nodes[position].profile.flatMap { network.profiles[$0.value] }
            let own = nodes[position].settings.elements.keys.max() ?? 0
            needed += Int(max(own, profile.map { highestOfProfile[$0] } ?? 0)) + 1
            guard needed > room else { continue }
            diagnostics.report(
                "with \(quoted(nodes[position].name.value)) the nodes need more than the \(room) unicast addresses that a "
                    + "network has",
                at: nodes[position].name.location,
                length: nodes[position].name.value.utf8.count,
                hint:
                    "split the definition into several networks; it has \(nodes.count) nodes, and each of their elements "
                    + "takes an address"
            )
            return
        }
    }

    private static func spans(
        of network: CheckedNetwork,
        into diagnostics: inout DiagnosticCollector
    ) -> [Span] {
        let highestOfProfile = network.definition.profiles.map { $0.settings.elements.keys.max() ?? 0 }
        var spans: [Span] = []
        let nodes = network.definition.nodes
        for position in nodes.indices {
            guard let address = nodes[position].address else { continue }
            let profile = nodes[position].profile.flatMap { network.profiles[$0.value] }
            let own = nodes[position].settings.elements.keys.max() ?? 0
            let highest = max(own, profile.map { highestOfProfile[$0] } ?? 0)
            guard let last = address.value.element(highest) else {
                let name = nodes[position].name.value
                diagnostics.report(
                    "the elements of \(quoted(name)) do not fit behind \(address.value)",
                    at: address.location,
                    resource: "node.\(name)",
                    hint: "element \(highest) would lie above 0x7FFF"
                )
                continue
            }
            spans.append(Span(first: address, last: last.rawValue, node: position))
        }
        return spans
    }

    /// Blames the one that comes later in the files.
    private static func report(
        _ left: Span,
        _ right: Span,
        _ network: CheckedNetwork,
        _ diagnostics: inout DiagnosticCollector
    ) {
        let (earlier, later) = left.node < right.node ? (left, right) : (right, left)
        let name = { (span: Span) in network.definition.nodes[span.node].name.value }
        let isSame = left.first.value == right.first.value
        diagnostics.report(
            isSame
                ? "the address \(later.first.value) is given twice"
                : "the addresses of \(quoted(name(later))) overlap those of \(quoted(name(earlier)))",
            at: later.first.location,
            resource: "node.\(name(later))",
            hint: isSame
                ? nil : "\(quoted(name(left))) takes \(left.first.value) to \(Address(rawValue: left.last))",
            related: [Diagnostic.Related(message: "the other node", location: earlier.first.location)]
        )
    }
}
