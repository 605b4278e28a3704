import DefinitionModel
import MeshCore

// MARK: - What people call things

extension Field {
    /// `title` and `description` of a thing.
    static func wording(
        of noun: String,
        _ path: any WritableKeyPath<Owner, Wording> & Sendable
    ) -> [Field] {
        let fields: [Field<Wording>] = [
            .scalar(
                .title,
                \.title,
                Scalars.shownTitle,
                "What people call the \(noun), in any script; other programs show it in place of the name."
            ),
            .scalar(
                .description,
                \.description,
                Scalars.description,
                "What else there is to know of the \(noun); only in the definition."
            ),
        ]
        return fields.map { $0.lifted(path) }
    }
}

// MARK: - Keys

extension SubnetDefinition {
    /// A value of `subnets`.
    static let mapping = MappingType<SubnetDefinition>(
        "subnet",
        as: "a subnet",
        "A subnet.",
        isOptional: true,
        Field.wording(of: "subnet", \.wording),
        [
            .scalar(
                .index,
                \.index,
                Scalars.netKeyIndex,
                "The NetKey index. By default the smallest free one is assigned once and kept."
            ),
            .keySource(\.key),
            .scalar(
                .protect,
                \.isProtected,
                Scalars.onOff,
                "Refuses removal; kept in the mesh database even when the line is gone."
            ),
        ]
    )
}

extension ApplicationKeyDefinition {
    /// A value of `application_keys`.
    static let mapping = MappingType<ApplicationKeyDefinition>(
        "application_key",
        as: "an application key",
        "An application key.",
        Field.wording(of: "key", \.wording),
        [
            .required(.subnet, \.subnet, Scalars.name(of: "a subnet"), "The subnet it belongs to."),
            .scalar(
                .index,
                \.index,
                Scalars.appKeyIndex,
                "The AppKey index. By default the smallest free one is assigned once and kept."
            ),
            .keySource(\.key),
            .scalar(
                .protect,
                \.isProtected,
                Scalars.onOff,
                "Refuses removal; kept in the mesh database even when the line is gone."
            ),
        ]
    )
}

extension Field {
    /// Where the octets of a key come from. A key that was made, or existed before, has no source to write.
    fileprivate static func keySource(_ path: any WritableKeyPath<Owner, Located<KeySource>?> & Sendable) -> Field {
        .custom(.key, .ref("key_source")) { decoder, entry, owner in
            owner[keyPath: path] = decoder.decodeSource(entry, .key)?.keySource
        } written: { owner in
            switch owner[keyPath: path]?.value {
            case .generated, .formerNetKey, .formerAppKey, nil: nil
            case .file(let file): DefinitionValue.source(.file(file))
            case .environment(let name): DefinitionValue.source(.environment(name))
            }
        }
    }
}

extension Located where Value == SecretSource {
    fileprivate var keySource: Located<KeySource> {
        switch value {
        case .file(let path): Located<KeySource>(.file(path), at: location)
        case .environment(let name): Located<KeySource>(.environment(name), at: location)
        }
    }
}

// MARK: - Where secrets come from

extension Record {
    /// Where the octets of a key come from.
    static let keySource = Record(
        "key_source",
        as: "a source of a key",
        """
        Where the octets of a key come from: 32 hexadecimal digits in a file or an environment variable. Left \
        out, a key is made at apply. Keys never stand in definitions.
        """,
        where: ["minProperties": 1, "maxProperties": 1],
        [
            Property(.file, ["type": "string", "minLength": 1], "A file, relative to the definition file."),
            Property(
                .environment,
                ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"],
                "An environment variable."
            ),
        ]
    )
    /// Where the static value of a device comes from.
    static let staticSource = Record(
        "static_source",
        as: "a source of a static value",
        """
        Where the static value of the device comes from: up to 64 hexadecimal digits in a file or an environment \
        variable. Left out, it is looked for in the files given with --secrets. Static values never stand in \
        definitions.
        """,
        where: ["minProperties": 1, "maxProperties": 1],
        [
            Property(.file, ["type": "string", "minLength": 1], "A file, relative to the definition file."),
            Property(
                .environment,
                ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"],
                "An environment variable."
            ),
        ]
    )
    /// Where the public key of a device comes from.
    static let publicKeySource = Record(
        "public_key_source",
        as: "a source of a public key",
        """
        Where the public key of the device comes from: 128 hexadecimal digits in a file. Left out, it is looked \
        for in the files given with --secrets.
        """,
        where: ["minProperties": 1],
        [
            Property(.file, ["type": "string", "minLength": 1], "A file, relative to the definition file.")
        ]
    )
}

extension DefinitionValue {
    /// `{ file: … }` or `{ env: … }`.
    static func source(_ source: SecretSource) -> DefinitionValue {
        switch source {
        case .file(let path): .fields([Field(Keyword.file.rawValue, .text(path))])
        case .environment(let name): .fields([Field(Keyword.environment.rawValue, .text(name))])
        }
    }
}

/// The words for a secret that is written where only its source may be.
struct SecretWords {
    /// The kind of secret, such as "a key".
    let title: String
    let hint: Advice
    let record: Record

    /// The octets of a NetKey or AppKey.
    static let key = SecretWords(
        title: "a key",
        hint: "write `key: { file: PATH }` or `key: { env: NAME }`, or leave it out to have one made",
        record: .keySource
    )
    static let staticValue = SecretWords(
        title: "a static value",
        hint:
            "write `static: { file: PATH }` or `static: { env: NAME }`, or keep it in a file for `\(command: .secretsFile)`",
        record: .staticSource
    )
    static let publicKey = SecretWords(
        title: "a public key",
        hint: "write `public_key: { file: PATH }`, or keep it in a file for `\(command: .secretsFile)`",
        record: .publicKeySource
    )
}

extension DocumentDecoder {
    /// `{ file: … }` or `{ env: … }`. A text in its place is most likely the secret itself, so no message repeats it.
    mutating func decodeSource(_ field: MappingEntry, _ words: SecretWords) -> Located<SecretSource>? {
        guard tree.nodes[field.value].kind == .mapping else {
            if tree.nodes[field.value].kind == .unreadable { return nil }
            let message =
                isNull(field.value)
                ? "a source of \(words.title) is expected here, not nothing"
                : "a definition must not contain \(words.title)"
            report(message, at: field.value, hint: words.hint, concealsSource: !isNull(field.value))
            return nil
        }
        guard let entries = entries(field.value, "a source of \(words.title)") else { return nil }
        var sources: [Located<SecretSource>] = []
        for entry in entries {
            switch Keyword(symbol: entry.symbol) {
            case .file where words.record.allows(entry.symbol):
                guard let path = text(entry.value, "the path of a file") else { return nil }
                sources.append(Located(.file(path), at: location(entry.value)))
            case .environment where words.record.allows(entry.symbol):
                guard let name = scalar(entry.value, "the name of an environment variable", Self.variable) else {
                    return nil
                }
                sources.append(Located(.environment(name.value), at: name.location))
            default:
                // The value may be a secret, and even the key itself may be one.
                report("unknown source of \(words.title)", at: entry.key, hint: words.hint, concealsSource: true)
                return nil
            }
        }
        guard sources.count == 1 else {
            report("\(words.title) has exactly one source, not \(sources.count)", at: field.key, hint: words.hint)
            return nil
        }
        return sources[0]
    }

    private static func variable(_ text: String) throws(ScalarProblem) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            Numbers.isDigit(byte) || byte == UInt8(ascii: "_") || (0x61...0x7A).contains(byte | 0x20)
        }
        // The user may have written the secret itself.
        let isSecret = text.utf8.count >= 32 && text.utf8.allSatisfy(Numbers.isHexadecimalDigit)
        guard isWord, !isSecret, let first = text.utf8.first, !Numbers.isDigit(first) else {
            throw ScalarProblem(
                "this is not the name of an environment variable",
                hint: "names are letters, digits and `_`, such as MESH_BUILDING_KEY"
            )
        }
        return text
    }
}
