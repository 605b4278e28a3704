import DefinitionModel
import MeshCore

/// Scalars that are words: booleans, names, and the parts of references.
enum Words {
    /// A boolean: a word for on or off.
    static func boolean(_ text: String) throws(ScalarProblem) -> Bool {
        switch text {
        case "on", "true", "yes": return true
        case "off", "false", "no": return false
        default:
            throw ScalarProblem(
                "\(quoted(text)) is neither on nor off",
                hint: "write on or off (also true, yes, false, no)"
            )
        }
    }

    static func name(_ text: String) throws(ScalarProblem) -> String {
        guard Name.isValid(text) else {
            throw ScalarProblem(
                "\(quoted(text)) is not a name",
                hint: "names are letters, digits, `.`, `_` and `-`, and start with a letter or digit"
            )
        }
        return text
    }

    /// The name of a test or a check: any text on one line.
    static func title(_ text: String) throws(ScalarProblem) -> String {
        let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPrintable, !text.isEmpty, text.unicodeScalars.count <= longestTitle else {
            throw ScalarProblem(
                "\(quoted(text)) cannot be a name",
                hint: "a name is one line of at most \(longestTitle) characters"
            )
        }
        return text
    }

    /// The most characters of such a name.
    static let longestTitle = 120

    /// A name that may contain `*`.
    static func pattern(_ text: String) throws(ScalarProblem) -> String {
        guard Name.isValidPattern(text) else {
            throw ScalarProblem(
                "\(quoted(text)) is neither a name nor a pattern",
                hint: "names are letters, digits, `.`, `_` and `-`; in patterns `*` stands for anything"
            )
        }
        return text
    }

    /// What happens to a node that is no longer in the definition.
    static func removalPolicy(_ text: String) throws(ScalarProblem) -> RemovalPolicy {
        if let policy = RemovalPolicy(rawValue: text) { return policy }
        let words = RemovalPolicy.allCases.map(\.rawValue)
        throw ScalarProblem(
            "\(quoted(text)) is not a removal policy",
            hint: Suggestion.hint(for: text, among: words, are: "write one of")
        )
    }

    /// The destination of a publication: an address, a name, or `node/element`.
    static func publishTarget(_ text: String) throws(ScalarProblem) -> PublishTarget {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let address = try Addresses.address(text)
            switch address.kind {
            case .unicast, .group: return .address(address)
            case .virtual:
                throw ScalarProblem(
                    "\(address) is a virtual address",
                    hint: "declare a group with the `label:` it stands for, and write the group's name"
                )
            case .unassigned:
                throw ScalarProblem("nothing has the address 0x0000", hint: "write `publish: none` to publish nothing")
            }
        }
        if Name.isValid(text) { return .name(text) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, Name.isValid(parts[0]) else {
            throw ScalarProblem(
                "\(quoted(text)) is not a publish target",
                hint: "write a group, a node, `node/1` for its element 1, `provisioner`, or an address such as 0xC000"
            )
        }
        let index = try Numbers.decimal(String(parts[1]), in: 0...254, "an element index")
        return .element(node: String(parts[0]), index: UInt8(index))
    }
}

// MARK: - What people call things

extension Words {
    /// What people call something: any text on one line.
    static func shownTitle(_ text: String) throws(ScalarProblem) -> String {
        try checkVisible(text, "a title")
        guard WordingText.isTitle(text) else {
            throw ScalarProblem(
                "\(quoted(text)) cannot be a title",
                hint: "a title is one line of 1 to \(WordingText.longestTitle) characters, not only spaces"
            )
        }
        return text
    }

    /// What else there is to know: any text.
    static func description(_ text: String) throws(ScalarProblem) -> String {
        try checkVisible(text.split(separator: "\n").joined(), "a description")
        guard text.unicodeScalars.count <= WordingText.longestDescription else {
            throw ScalarProblem(
                "the description is longer than \(WordingText.longestDescription) characters",
                hint: "keep the rest in a comment"
            )
        }
        return text
    }

    private static func checkVisible(_ text: String, _ noun: String) throws(ScalarProblem) {
        guard let scalar = WordingText.problem(in: text) else { return }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        throw ScalarProblem(
            "\(noun) cannot hold the character U+\(String(repeating: "0", count: max(0, 4 - digits.count)) + digits)",
            hint: "take it out: it is invisible, breaks the line, or changes the writing direction"
        )
    }
}
