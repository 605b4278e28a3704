import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// An entry of `groups`.
    mutating func decodeGroup(_ entry: NamedEntry) -> Bool {
        guard let fields = fields(entry.value, .group, "a group", blamed: entry.key) else { return false }
        var group = GroupDefinition(name: entry.name)
        var addressKey: Int?
        for field in fields {
            switch field.keyword {
            case .address, .label:
                if let addressKey {
                    let place = Diagnostic.Related(message: "the other", location: location(addressKey))
                    report("a group has an address or a label, not both", at: field.key, related: [place])
                    continue
                }
                addressKey = field.key
                group.address =
                    field.keyword == .address
                    ? scalar(field.value, "a group address", Self.groupAddress)
                    : scalar(field.value, "a label", Self.labelAddress)
            case .parent: group.parent = scalar(field.value, "the name of a group", Words.name)
            case .protect: group.isProtected = scalar(field.value, "on or off", Words.boolean)
            case .title, .description: decodeWording(field, into: &group.wording)
            case .repetition, .each: reportRepetition(field)
            default: break
            }
        }
        fragment.definition.groups.append(group)
        return true
    }

    private static func groupAddress(_ text: String) throws(ScalarProblem) -> SubscriptionAddress {
        .group(try Addresses.assignableGroup(text))
    }

    private static func labelAddress(_ text: String) throws(ScalarProblem) -> SubscriptionAddress {
        .virtual(try Addresses.label(text))
    }
}
