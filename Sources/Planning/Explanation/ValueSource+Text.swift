extension ValueSource.Way {
    /// The text for people: `profile lamp`.
    package var text: String {
        switch self {
        case .node: "the node"
        case .profile(let name): "profile \(name)"
        case .defaults(_, nodes: nil): "defaults for all"
        case .defaults(_, nodes: let nodes?): "defaults for \(nodes)"
        case .subscriptions(let number): "subscriptions, entry \(number)"
        case .publications(let number): "publications, entry \(number)"
        case .schedules(let name): "schedule \(name)"
        case .network: "its declaration"
        case .builtIn: "built in"
        case .database: "the database"
        case .plan: "the next plan"
        }
    }
}
