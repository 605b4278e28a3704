import Planning

/// What a run is called where it is told how it went.
enum RunTitle {
    case apply
    case keyRefresh
    case rollback
    case restore

    /// That of a run.
    ///
    /// - Parameters:
    ///   - plan: what it carries out; one that refreshes keys is a key refresh, whichever command carries it out.
    ///   - operation: what the history calls it.
    init(_ plan: Plan?, _ operation: String) {
        if plan?.refreshedSubnet != nil {
            self = .keyRefresh
            return
        }
        switch operation {
        case "keys refresh": self = .keyRefresh
        case "rollback": self = .rollback
        case "restore": self = .restore
        default: self = .apply
        }
    }

    /// At the beginning of a sentence.
    var text: String { noun.prefix(1).uppercased() + noun.dropFirst() }

    /// Within a sentence.
    var noun: String {
        switch self {
        case .apply: "apply"
        case .keyRefresh: "key refresh"
        case .rollback: "rollback"
        case .restore: "restore"
        }
    }
}

extension Plan {
    /// The name of the subnet whose keys it refreshes, nil if it is no key refresh.
    var refreshedSubnet: String? {
        let step = steps.first { if case .edit(.refreshKeys) = $0.work { true } else { false } }
        guard let step, changes.indices.contains(step.change) else { return nil }
        return String(changes[step.change].address.dropFirst("subnet.".count))
    }
}
