import MeshCore

/// The places of a definition to which no device is assigned yet. A plan sends nothing for them.
struct WaitingPlaces {
    /// Their names, in the order of the definition.
    var names: [String] = []
    /// How many publications of nodes have to wait for them.
    var publications = 0

    /// What to tell the user; empty if no place waits.
    var notes: [Advice] {
        guard let first = names.first else { return [] }
        let shown = names.count <= Self.namesShown ? names : Array(names.prefix(Self.namesShown))
        let list =
            shown.joined(separator: ", ")
            + (names.count > shown.count ? " and \(names.count - shown.count) more" : "")
        let waiting =
            publications == 0
            ? "" : publications == 1 ? "; 1 publication waits for that" : "; \(publications) publications wait for that"
        return names.count == 1
            ? ["1 place awaits a device: \(first)\(waiting). Assign one with: \(command: .assign)"]
            : ["\(names.count) places await devices: \(list)\(waiting). Assign them with: \(command: .assign)"]
    }

    private static let namesShown = 5
}
