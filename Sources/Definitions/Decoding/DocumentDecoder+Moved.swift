import DefinitionModel
import MeshCore

extension DocumentDecoder {
    /// An entry of `moved`: two resource addresses as plans show them, `{ from: group.kitchen, to: group.galley }`.
    mutating func decodeMoved(_ node: Int) {
        guard let fields = fields(node, .moved, "a moved name", blamed: node) else { return }
        var from: Located<MovedName>?
        var to: Located<MovedName>?
        for field in fields {
            switch field.keyword {
            case .from: from = scalar(field.value, "the address of something renamed", Self.movedName)
            case .to: to = scalar(field.value, "the address of something renamed", Self.movedName)
            default: break
            }
        }
        guard let from, let to else { return }
        guard from.value.kind == to.value.kind else {
            diagnostics.report(
                "a \(from.value.kind.title) cannot become a \(to.value.kind.title)",
                at: to.location,
                length: to.value.text.utf8.count,
                hint: "both addresses name the same kind of thing"
            )
            return
        }
        fragment.definition.moved.append(
            MovedDefinition(
                kind: from.value.kind,
                from: Located(from.value.name, at: from.location),
                to: Located(to.value.name, at: to.location)
            )
        )
    }

    /// A kind and a name.
    private struct MovedName {
        var kind: NamedKind
        var name: String

        var text: String { "\(kind.rawValue).\(name)" }
    }

    private static func movedName(_ text: String) throws(ScalarProblem) -> MovedName {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = parts.first, parts.count == 2, Name.isValid(parts[1]) else {
            throw ScalarProblem(
                "\(quoted(text)) is not the address of something renamed",
                hint: "write it as plans do: `group.NAME`, `application_key.NAME` or `subnet.NAME`"
            )
        }
        guard let kind = NamedKind(rawValue: String(word)) else {
            let isFree = word == "node" || word == "profile"
            let kinds = NamedKind.allCases.map(\.rawValue)
            throw ScalarProblem(
                "\(quoted(text)) cannot be moved",
                hint: isFree
                    ? "a renamed \(word) needs no entry"
                        + (word == "node" ? ": its UUID identifies it" : "")
                    : Suggestion.hint(for: String(word), among: kinds, are: "write one of")
            )
        }
        return MovedName(kind: kind, name: String(parts[1]))
    }
}
