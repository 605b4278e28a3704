/// The states of models as text of a definition.
extension DefinitionValue {
    /// `{ range: [5%, 100%], default: 80% }`, with what has keys nested: `{ properties: { … } }`.
    package static func modelStates(_ settings: [ModelStateSetting]) -> DefinitionValue {
        var tree = KeyTree()
        for setting in settings { tree.insert(modelStateValue(setting.value), at: setting.keys[...]) }
        return tree.value
    }

    private static func modelStateValue(_ value: ModelStateValue) -> DefinitionValue {
        switch value {
        case .word(let word): scalar(word)
        case .list(let items): .list(items.map(modelStateValue))
        case .fields(let fields):
            .fields(fields.map { Field(quotedIfNeeded($0.name), modelStateValue($0.value)) })
        }
    }

    /// A word, with quotes if a reader of YAML could take it for something that the language does not mean.
    private static func scalar(_ word: String) -> DefinitionValue {
        if word == "on" || word == "off" || word == "true" || word == "false" { return .word(word) }
        guard let first = word.utf8.first, isDigit(first) || first == UInt8(ascii: "-") else { return .text(word) }
        let rest = first == UInt8(ascii: "-") ? word.dropFirst() : word[...]
        let isQuantity =
            rest.utf8.first.map(isDigit) == true
            && rest.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || "0123456789.%°+-/·³²".unicodeScalars.contains($0)
            }
        return isQuantity ? .word(word) : .text(word)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Values under nested keys, which stay in the order in which they came.
private struct KeyTree {
    private var entries: [(key: String, node: Node)] = []

    private enum Node {
        case value(DefinitionValue)
        case tree(KeyTree)
    }

    mutating func insert(_ value: DefinitionValue, at keys: ArraySlice<String>) {
        guard let key = keys.first else { return }
        guard keys.count > 1 else {
            entries.append((key, .value(value)))
            return
        }
        let index = entries.lastIndex { entry in
            if entry.key == key, case .tree = entry.node { true } else { false }
        }
        var subtree = KeyTree()
        if let index, case .tree(let known) = entries[index].node { subtree = known }
        subtree.insert(value, at: keys.dropFirst())
        if let index { entries[index].node = .tree(subtree) } else { entries.append((key, .tree(subtree))) }
    }

    var value: DefinitionValue {
        .fields(
            entries.map { entry in
                let key = DefinitionValue.key(entry.key)
                return switch entry.node {
                case .value(let value): DefinitionValue.Field(key, value)
                case .tree(let tree): DefinitionValue.Field(key, tree.value)
                }
            }
        )
    }
}

extension DefinitionValue {
    /// A key of states: a name, a property such as `0x0012`, an index.
    fileprivate static func key(_ text: String) -> String { scalar(text).flow }
}
