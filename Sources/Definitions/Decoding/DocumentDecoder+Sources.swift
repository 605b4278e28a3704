import DefinitionModel
import MeshCore

/// The words for a secret that is written where only its source may be.
struct SecretWords {
    /// The kind of secret, such as "a key".
    let title: String
    /// How to give it.
    let hint: Advice
    /// The sources that it may come from.
    let record: Record

    /// The octets of a NetKey or AppKey.
    static let key = SecretWords(
        title: "a key",
        hint: "write `key: { file: PATH }` or `key: { env: NAME }`, or leave it out to have one made",
        record: .keySource
    )
    /// The static value of a device.
    static let staticValue = SecretWords(
        title: "a static value",
        hint:
            "write `static: { file: PATH }` or `static: { env: NAME }`, or keep it in a file for `\(command: .secretsFile)`",
        record: .staticSource
    )
    /// The public key of a device.
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
