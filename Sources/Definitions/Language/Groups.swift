import DefinitionModel
import MeshCore

extension GroupDefinition {
    /// A value of `groups`.
    static let mapping = MappingType<GroupDefinition>(
        "group",
        as: "a group",
        """
        A group: with a fixed address, with the label of a virtual address, or with an address that is allocated \
        once and kept.
        """,
        isOptional: true,
        where: ["not": ["type": "object", "required": ["address", "label"]]],
        Field.wording(of: "group", \.wording),
        [
            .scalar(.address, \.address, Scalars.groupAddress),
            .scalar(.label, \.address, Scalars.label, "The label of a virtual address."),
            .scalar(.parent, \.parent, Scalars.name(of: "a group"), "The group it lies in."),
            .scalar(
                .protect,
                \.isProtected,
                Scalars.onOff,
                "Refuses removal; kept in the mesh database even when the line is gone."
            ),
        ],
        Field.repetition(byTags: true)
    )
}

extension DocumentDecoder {
    /// An entry of `groups`.
    mutating func decodeGroup(_ entry: NamedEntry) -> Bool {
        guard var entries = fields(entry.value, GroupDefinition.mapping.record, blamed: entry.key) else { return false }
        let addresses = entries.filter { $0.keyword == .address || $0.keyword == .label }
        if addresses.count > 1 {
            let other = Diagnostic.Related(message: "the other", location: location(addresses[0].key))
            report("a group has an address or a label, not both", at: addresses[1].key, related: [other])
            entries = MappingEntries(listed: entries.filter { $0.key != addresses[1].key })
        }
        var group = GroupDefinition(name: entry.name)
        guard decode(entries, GroupDefinition.mapping, into: &group) else { return false }
        fragment.definition.groups.append(group)
        return true
    }
}

// MARK: - Repetition

extension Field {
    /// `for`, and where tags can repeat the entry, too, `each`. They are carried out before anything is read.
    static func repetition(byTags: Bool) -> [Field] {
        let decode: @Sendable (inout DocumentDecoder, MappingEntry, inout Owner) -> Void = { decoder, entry, _ in
            decoder.reportRepetition(entry)
        }
        let loop = Field.custom(.repetition, .ref("repetition"), decode: decode, written: { _ in nil })
        guard byTags else { return [loop] }
        let documentation =
            """
            The name of a tag: the entry occurs once for every value that nodes have for it, and $(tag) stands \
            for the value.
            """
        return [loop, .custom(.each, .ref("name"), documentation, decode: decode, written: { _ in nil })]
    }
}
