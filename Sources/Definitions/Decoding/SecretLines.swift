import DefinitionModel

/// Finds the lines that hold a secret of a device, in a place where it must not be or where only simulations have it.
/// So a message about something else on the line does not show the secret.
enum SecretLines {
    /// The numbers of those lines, from 1.
    static func find(in tree: DocumentTree, symbols: SymbolTable) -> Set<UInt32> {
        var lines: Set<UInt32> = []
        for mapping in tree.nodes.indices where tree.nodes[mapping].kind == .mapping {
            for (key, value) in pairs(of: mapping, in: tree) {
                guard tree.nodes[key].kind.isText else { continue }
                switch Keyword(symbol: tree.nodes[key].value) {
                case .staticValue, .privateKey:
                    if !isSource(value, in: tree, symbols) { add(value, of: tree, to: &lines) }
                case .provisioning: addUnknown(in: value, of: tree, to: &lines)
                default: break
                }
            }
        }
        return lines
    }

    /// Adds what follows an unknown key in the `provisioning` of a node. The key may be a misspelt `static`, so its
    /// value may be a secret.
    private static func addUnknown(in mapping: Int, of tree: DocumentTree, to lines: inout Set<UInt32>) {
        guard tree.nodes[mapping].kind == .mapping else { return }
        let provisioning = ProvisioningSettings.mapping.record
        for (key, value) in pairs(of: mapping, in: tree) {
            let symbol = tree.nodes[key].value
            let isKnown = provisioning.allows(symbol) || Record.productProvisioning.allows(symbol)
            guard tree.nodes[key].kind.isText, !isKnown else { continue }
            add(value, of: tree, to: &lines)
        }
    }

    /// Whether a node is a mapping of `file` or `env` whose values do not look like secrets themselves. What an alias
    /// refers to is found in its own place.
    private static func isSource(_ node: Int, in tree: DocumentTree, _ symbols: SymbolTable) -> Bool {
        if tree.nodes[node].kind == .alias { return true }
        guard tree.nodes[node].kind == .mapping else { return false }
        return pairs(of: node, in: tree).allSatisfy { key, value in
            guard tree.nodes[key].kind.isText, let keyword = Keyword(symbol: tree.nodes[key].value),
                keyword == .file || keyword == .environment
            else { return false }
            if tree.nodes[value].kind == .alias { return true }
            guard tree.nodes[value].kind.isText else { return false }
            return symbols.octets(tree.nodes[value].value).count(where: Numbers.isHexadecimalDigit) < 32
        }
    }

    private static func add(_ node: Int, of tree: DocumentTree, to lines: inout Set<UInt32>) {
        for index in node..<tree.next(after: node) { lines.insert(tree.nodes[index].line) }
    }

    private static func pairs(of mapping: Int, in tree: DocumentTree) -> [(key: Int, value: Int)] {
        var pairs: [(key: Int, value: Int)] = []
        var child = mapping + 1
        let end = tree.next(after: mapping)
        while child < end {
            let value = tree.next(after: child)
            pairs.append((child, value))
            child = tree.next(after: value)
        }
        return pairs
    }
}
