import MeshCore

extension DefinitionDecoder {
    /// An entry of `subnets`.
    mutating func decodeSubnet(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .subnet, "a subnet", blamed: entry.key) else { return false }
        var subnet = SubnetDefinition(name: entry.name)
        for field in fields {
            switch field.keyword {
            case .index: subnet.index = scalar(field.value, "a NetKey index", Self.netKeyIndex)
            case .key: subnet.key = decodeKeySource(field)
            default: break
            }
        }
        fragment.definition.subnets.append(subnet)
        return true
    }

    /// An entry of `application_keys`.
    mutating func decodeApplicationKey(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .applicationKey, "an application key", blamed: entry.key) else {
            return false
        }
        var subnet: Located<String>?
        var index: Located<AppKeyIndex>?
        var key: Located<KeySource>?
        for field in fields {
            switch field.keyword {
            case .subnet: subnet = scalar(field.value, "the name of a subnet", Words.name)
            case .index: index = scalar(field.value, "an AppKey index", Self.appKeyIndex)
            case .key: key = decodeKeySource(field)
            default: break
            }
        }
        guard let subnet else { return false }
        fragment.definition.applicationKeys.append(
            ApplicationKeyDefinition(name: entry.name, subnet: subnet, index: index, key: key)
        )
        return true
    }

    private static func netKeyIndex(_ text: String) throws(ScalarProblem) -> NetKeyIndex {
        try Numbers.keyIndex(text, "a NetKey index")
    }

    private static func appKeyIndex(_ text: String) throws(ScalarProblem) -> AppKeyIndex {
        try Numbers.keyIndex(text, "an AppKey index")
    }

    /// `{ file: … }` or `{ env: … }`. A text in its place is most likely the key itself, so it is never repeated.
    private mutating func decodeKeySource(_ field: Entry) -> Located<KeySource>? {
        let hint = "write `key: { file: PATH }` or `key: { env: NAME }`, or leave it out to have one made"
        guard tree.nodes[field.value].kind == .mapping else {
            if tree.nodes[field.value].kind == .unreadable { return nil }
            let message =
                isNull(field.value)
                ? "a source of a key is expected here, not nothing" : "a key never stands in a definition"
            report(message, at: field.value, hint: hint, concealsSource: !isNull(field.value))
            return nil
        }
        guard let entries = entries(field.value, "a source of a key") else { return nil }
        var sources: [Located<KeySource>] = []
        for entry in entries {
            switch Keyword(symbol: entry.symbol) {
            case .file:
                guard let path = text(entry.value, "the path of a file") else { return nil }
                sources.append(Located(.file(path), at: location(entry.value)))
            case .environment:
                guard let name = scalar(entry.value, "the name of an environment variable", Self.variable) else {
                    return nil
                }
                sources.append(Located(.environment(name.value), at: name.location))
            default:
                // The value may be a key, and even the key itself may be one.
                report("unknown source of a key", at: entry.key, hint: hint, concealsSource: true)
                return nil
            }
        }
        guard sources.count == 1 else {
            report("a key has exactly one source, not \(sources.count)", at: field.key, hint: hint)
            return nil
        }
        return sources[0]
    }

    private static func variable(_ text: String) throws(ScalarProblem) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            Numbers.isDigit(byte) || byte == UInt8(ascii: "_") || (0x61...0x7A).contains(byte | 0x20)
        }
        guard isWord, let first = text.utf8.first, !Numbers.isDigit(first) else {
            throw ScalarProblem(
                "this is not the name of an environment variable",
                hint: "names are letters, digits and `_`, such as MESH_BUILDING_KEY"
            )
        }
        return text
    }
}
