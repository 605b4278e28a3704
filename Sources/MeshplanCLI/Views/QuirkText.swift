import MeshCore
import Planning

/// Describes known ways in which nodes deviate from the specification.
enum QuirkText {
    /// The most nodes named for each.
    private static let limit = 3

    /// One line for each deviation, with the nodes that have it.
    static func lines(_ quirks: [KnownQuirk: Set<DeviceUUID>], name: (DeviceUUID) -> String) -> [String] {
        quirks.sorted { $0.key.rawValue < $1.key.rawValue }.map { quirk, nodes in
            let names = nodes.map(name).sorted()
            let more = names.count > limit ? " and \(names.count - limit) more" : ""
            let who = names.prefix(limit).joined(separator: ", ") + more
            return "\(who): \(quirk.text); \(quirk.facts.remedy)."
        }
    }
}
