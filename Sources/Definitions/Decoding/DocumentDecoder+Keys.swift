import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// An entry of `subnets`.
    mutating func decodeSubnet(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .subnet, "a subnet", blamed: entry.key) else { return false }
        var subnet = SubnetDefinition(name: entry.name)
        for field in fields {
            switch field.keyword {
            case .index: subnet.index = scalar(field.value, "a NetKey index", Self.netKeyIndex)
            case .key: subnet.key = decodeSource(field, .key)?.keySource
            case .protect: subnet.isProtected = scalar(field.value, "on or off", Words.boolean)
            case .title, .description: decodeWording(field, into: &subnet.wording)
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
        var isProtected: Located<Bool>?
        var wording = Wording()
        for field in fields {
            switch field.keyword {
            case .subnet: subnet = scalar(field.value, "the name of a subnet", Words.name)
            case .index: index = scalar(field.value, "an AppKey index", Self.appKeyIndex)
            case .key: key = decodeSource(field, .key)?.keySource
            case .protect: isProtected = scalar(field.value, "on or off", Words.boolean)
            case .title, .description: decodeWording(field, into: &wording)
            default: break
            }
        }
        guard let subnet else { return false }
        var definition = ApplicationKeyDefinition(name: entry.name, subnet: subnet, index: index, key: key)
        definition.isProtected = isProtected
        definition.wording = wording
        fragment.definition.applicationKeys.append(definition)
        return true
    }

    private static func netKeyIndex(_ text: String) throws(ScalarProblem) -> NetKeyIndex {
        try Numbers.keyIndex(text, "a NetKey index")
    }

    private static func appKeyIndex(_ text: String) throws(ScalarProblem) -> AppKeyIndex {
        try Numbers.keyIndex(text, "an AppKey index")
    }

}

extension Located where Value == SecretSource {
    /// The secret source as the source of a key.
    fileprivate var keySource: Located<KeySource> {
        switch value {
        case .file(let path): Located<KeySource>(.file(path), at: location)
        case .environment(let name): Located<KeySource>(.environment(name), at: location)
        }
    }
}
