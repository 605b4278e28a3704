import MeshCore

extension ShowView {
    /// Rows with the pages of a node and its known states, apart from those that nearly every node has.
    func stateRows(of node: Node) -> [[String]] {
        var rows = node.states.map { state in
            let subnet = state.kind.subnet.map { " in \(names.text($0))" } ?? ""
            return [state.kind.phrase + subnet, state.text(address: names.text, subnet: names.text)]
        }
        if let pages = node.compositionPages {
            rows.append(["composition pages", pages.isEmpty ? "0" : "0, \(PageText.pages(pages))"])
        }
        if let pages = node.modelsMetadata {
            rows.append(["models metadata", pages.isEmpty ? "none" : PageText.pages(pages)])
        }
        return rows
    }

    /// The bridging table of a node; empty if none is known.
    func bridgingTable(of node: Node) -> String {
        guard let entries = node.bridgingTable else { return "" }
        var table = Table(["SUBNET", "ADDRESS", "", "SUBNET", "ADDRESS"])
        for entry in entries {
            table.rows.append([
                names.text(entry.subnets.first), names.text(entry.addresses.first.address),
                entry.addresses.directions == .bothWays ? "<->" : "->", names.text(entry.subnets.second),
                names.text(entry.addresses.second),
            ])
        }
        return section("Bridging table", table, entries.count)
    }
}

/// Describes pages.
enum PageText {
    /// `1 (16 octets), 128 (300 octets)`; empty if there are none.
    static func pages(_ pages: [UInt8: [UInt8]]) -> String {
        pages.sorted { $0.key < $1.key }.map { "\($0) (\(count($1.count, "octet")))" }.joined(separator: ", ")
    }
}

extension FoundationState.Kind {
    /// The name in a table: `SAR transmitter`, `on demand private proxy`.
    fileprivate var phrase: String {
        word.split(separator: "_").map { ["sar", "gatt"].contains($0) ? $0.uppercased() : String($0) }
            .joined(separator: " ")
    }
}
