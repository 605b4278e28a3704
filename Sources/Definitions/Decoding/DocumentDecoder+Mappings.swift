import DefinitionModel
import MeshCore

/// Mappings: with free keys, with fixed ones, and those merged by `<<`.
extension DocumentDecoder {
    /// The entries of a mapping in reading order; those merged by `<<` follow its own. A value that is no mapping, and
    /// keys that occur twice, are reported. An empty value counts as an empty mapping.
    mutating func entries(_ node: Int, _ expected: String) -> MappingEntries? {
        guard tree.nodes[node].kind == .mapping else {
            if isNull(node) { return [] }
            if tree.nodes[node].kind != .unreadable {
                let title = kindTitle(node)
                report("\(expected) is expected here, not \(title)", at: node)
            }
            return nil
        }
        if let entries = plainEntries(node) { return entries }
        mappingCount += 1
        var entries: [MappingEntry] = []
        collect(node, isMerged: false, into: &entries)
        return MappingEntries(listed: entries)
    }

    /// The entries if every key is a text in the mapping itself that occurs once, and nothing is merged, as in most
    /// mappings.
    private mutating func plainEntries(_ node: Int) -> MappingEntries? {
        mappingCount += 1
        var keywords = KeywordSet()
        var count = 0
        var key = node + 1
        let end = tree.next(after: node)
        while key < end {
            let (kind, symbol) = (tree.nodes[key].kind, tree.nodes[key].value)
            guard kind.isText, symbol != mergeKey, keyUses[Int(symbol)].mapping != mappingCount else { return nil }
            keyUses[Int(symbol)] = (mappingCount, UInt32(key))
            keywords.insert(symbol)
            count += 1
            key = tree.next(after: key + 1)
        }
        return MappingEntries(of: node, in: tree, count: count, keywords: keywords)
    }

    private mutating func collect(_ mapping: Int, isMerged: Bool, into entries: inout [MappingEntry]) {
        var merge: (key: Int, value: Int)?
        var child = mapping + 1
        let end = tree.next(after: mapping)
        while child < end {
            let key = tree.resolved(child)
            let valueNode = tree.next(after: child)
            child = tree.next(after: valueNode)
            let value = tree.resolved(valueNode)
            switch tree.nodes[key].kind {
            case .plain, .quoted: break
            case .alias, .unreadable: continue
            case .sequence, .mapping:
                let title = kindTitle(key)
                if !isMerged { report("a key is expected here, not \(title)", at: key) }
                continue
            }
            let symbol = tree.nodes[key].value
            if symbol == mergeKey, tree.nodes[key].kind == .plain {
                if let merge, !isMerged { reportDuplicate(of: merge.key, at: key) } else { merge = (key, value) }
                continue
            }
            let use = keyUses[Int(symbol)]
            if use.mapping == mappingCount {
                if !isMerged { reportDuplicate(of: Int(use.key), at: key) }
                continue
            }
            keyUses[Int(symbol)] = (mappingCount, UInt32(key))
            entries.append(MappingEntry(key: key, symbol: symbol, value: value))
        }
        if let merge { collectMerged(merge.value, into: &entries, isMerged: isMerged) }
    }

    /// Collects `<<: *one` or `<<: [*one, *two]`. The first of several mappings wins.
    private mutating func collectMerged(_ node: Int, into entries: inout [MappingEntry], isMerged: Bool) {
        switch tree.nodes[node].kind {
        case .mapping: collect(node, isMerged: true, into: &entries)
        case .sequence:
            for entry in list(node, "") ?? ListEntries() {
                if tree.nodes[entry].kind == .mapping {
                    collect(entry, isMerged: true, into: &entries)
                } else if !isMerged {
                    reportMerge(of: entry)
                }
            }
        case .unreadable, .alias: break
        case .plain, .quoted: if !isMerged { reportMerge(of: node) }
        }
    }

    private mutating func reportMerge(of node: Int) {
        let title = kindTitle(node)
        report("`<<` merges mappings, not \(title)", at: node)
    }

    private mutating func reportDuplicate(of first: Int, at key: Int) {
        let text = quoted(symbols.text(tree.nodes[key].value))
        let place = Diagnostic.Related(message: "first here", location: location(first))
        report("the key \(text) occurs twice in this mapping", at: key, related: [place])
    }

    /// The entries of a mapping with fixed keys. Unknown and missing keys are reported, missing ones at `blamed`.
    mutating func fields(_ node: Int, _ record: Record, _ expected: String, blamed: Int) -> MappingEntries? {
        guard var fields = entries(node, expected) else { return nil }
        if !fields.keywords.isSubset(of: record.allowed) {
            for entry in fields where !record.allows(entry.symbol) {
                if record.holdsAnchors, symbols.octets(entry.symbol).starts(with: Record.anchorPrefix) { continue }
                reportUnknown(entry, in: record)
            }
            fields = MappingEntries(listed: fields.filter { record.allows($0.symbol) })
        }
        guard !record.needed.isSubset(of: fields.keywords) else { return fields }
        for keyword in record.required where !fields.contains(where: { $0.keyword == keyword }) {
            report("`\(keyword.rawValue)` is missing", at: blamed, hint: "\(expected) needs it")
        }
        return fields
    }

    /// Words of other tools, and words that omit what distinguishes two keys, each with the key that users mostly mean.
    private static let otherWords: [String: Keyword] = [
        "beacon": .secureNetworkBeacon, "snb": .secureNetworkBeacon, "default_ttl": .ttl, "transmit": .networkTransmit,
        "app_keys": .applicationKeys, "appkeys": .applicationKeys, "net_keys": .subnets, "netkeys": .subnets,
        "bind": .keys, "bindings": .keys, "subscriptions": .subscribe, "publication": .publish, "target": .to,
    ]

    private static let definitionHint =
        "a definition has sections such as `nodes:` and `groups:`; values of variables stand under `values:`"

    private func hint(for word: String, in record: Record) -> String? {
        let keys = record.keys.map(\.rawValue)
        guard let meant = Self.otherWords[word.lowercased()], record.keys.contains(meant) else {
            let hint = Suggestion.hint(for: word, among: keys, are: "allowed here")
            return hint ?? (record == .definition ? Self.definitionHint : nil)
        }
        return "did you mean `\(meant.rawValue)`? allowed here: \(keys.sorted().joined(separator: ", "))"
    }

    private mutating func reportUnknown(_ entry: MappingEntry, in record: Record) {
        // A search for each key would cost too much in a file of unknown keys.
        guard diagnostics.wants(.error) else { return diagnostics.drop(.error) }
        let word = symbols.text(entry.symbol)
        let hint: Advice? =
            record == .definition && Record.deviceFile.allows(entry.symbol)
            ? """
            Devices and their secrets belong in files of their own, for `\(command: .devicesFile)` and \
            `\(command: .secretsFile)`; if such a file is in the folder of the definition, name the definition's files
            """
            : record == DefaultsDefinition.mapping.record && entry.keyword == .elements
                ? """
                Nodes have different elements: models belong to profiles, and to `subscriptions` and `publications` \
                that select nodes
                """
                : hint(for: word, in: record).map { Advice($0) }
        report("unknown key \(quoted(word))", at: entry.key, hint: hint)
    }
}
