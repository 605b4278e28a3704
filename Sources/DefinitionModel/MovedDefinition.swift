import MeshCore

/// The kinds of things that a database knows by name. A definition declares it when one of them gets another name.
package enum NamedKind: String, CaseIterable, Sendable {
    case subnet
    case applicationKey = "application_key"
    case group

    /// The word for people: “application key”.
    package var title: String {
        switch self {
        case .subnet: "subnet"
        case .applicationKey: "application key"
        case .group: "group"
        }
    }
}

/// One entry of `moved`: a thing that has a new name.
package struct MovedDefinition: Hashable, Sendable {
    package var kind: NamedKind
    /// The name it had.
    package var from: Located<String>
    /// The name it has.
    package var to: Located<String>

    package init(kind: NamedKind, from: Located<String>, to: Located<String>) {
        self.kind = kind
        self.from = from
        self.to = to
    }
}

extension Definition {
    /// The previous name of each renamed thing of a kind, by its new name. A thing that was renamed twice has two
    /// entries, and each leads to the next.
    package func previousNames(of kind: NamedKind) -> [String: String] {
        var previous: [String: String] = [:]
        for entry in moved where entry.kind == kind && entry.from.value != entry.to.value {
            previous[entry.to.value] = entry.from.value
        }
        return previous
    }
}
