/// The kinds of things that a database knows by their names, so that renaming one has to be said.
package enum NamedKind: String, CaseIterable, Sendable {
    /// A subnet.
    case subnet
    /// An application key.
    case applicationKey = "application_key"
    /// A group.
    case group

    /// What people call one: “application key”.
    package var title: String {
        switch self {
        case .subnet: "subnet"
        case .applicationKey: "application key"
        case .group: "group"
        }
    }
}

/// One entry of `moved`: what had one name has another now.
package struct MovedDefinition: Hashable, Sendable {
    /// What it is.
    package var kind: NamedKind
    /// The name it had.
    package var from: Located<String>
    /// The name it has.
    package var to: Located<String>

    /// An entry.
    package init(kind: NamedKind, from: Located<String>, to: Located<String>) {
        self.kind = kind
        self.from = from
        self.to = to
    }
}

extension Definition {
    /// For each new name of things of a kind the name they had before. What was renamed more than once has several
    /// entries, of which each leads to the next.
    package func previousNames(of kind: NamedKind) -> [String: String] {
        var previous: [String: String] = [:]
        for entry in moved where entry.kind == kind && entry.from.value != entry.to.value {
            previous[entry.to.value] = entry.from.value
        }
        return previous
    }
}
