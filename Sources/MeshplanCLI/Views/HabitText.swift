internal import MeshCore
internal import Planning

/// Known ways in which nodes depart from the specification, in words.
enum HabitText {
    /// The most nodes that are named for each.
    private static let limit = 3

    /// One line for each, with the nodes that were met.
    static func lines(_ habits: [KnownHabit: Set<DeviceUUID>], name: (DeviceUUID) -> String) -> [String] {
        habits.sorted { $0.key.rawValue < $1.key.rawValue }.map { habit, nodes in
            let names = nodes.map(name).sorted()
            let more = names.count > limit ? " and \(names.count - limit) more" : ""
            let who = names.prefix(limit).joined(separator: ", ") + more
            return "\(who): \(habit.text); \(habit.facts.remedy)."
        }
    }
}
