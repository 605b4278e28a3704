import DefinitionModel
import MeshCore

/// Finds the index of each named key of a definition: the index that the definition gives, else that of the database's
/// key with the same or an earlier name, else the smallest free index.
struct KeyMatching<Index: KeyIndex> {
    /// A key of the definition.
    struct Wanted {
        var name: Located<String>
        var index: Located<Index>?
    }

    /// The index of a key of the definition.
    struct Match {
        var index: Index
        /// Its name in the database; nil if it does not exist there.
        var recordedName: String?
    }

    /// The kind of key in diagnostics: `subnet` or `application key`.
    let noun: String
    /// The names of the database's keys.
    let recorded: [Index: String]

    /// Indexes that are not free, because nodes have such keys although the database does not.
    let taken: () -> Set<Index>
    /// The previous name of each new name.
    let previousNames: [String: String]

    private let indexesByName: [String: [Index]]

    init(
        noun: String,
        recorded: [(index: Index, name: String)],
        previousNames: [String: String] = [:],
        taken: @escaping () -> Set<Index> = { [] }
    ) {
        self.noun = noun
        self.taken = taken
        self.previousNames = previousNames
        self.recorded = Dictionary(recorded.map { ($0.index, $0.name) }) { first, _ in first }
        indexesByName = Dictionary(grouping: recorded.map(\.index)) { [names = self.recorded] in names[$0] ?? "" }
    }

    /// The match of each wanted key, in order; nil if a diagnostic says why there is none.
    func matches(of wanted: [Wanted], diagnostics: inout CountedDiagnostics) -> [Match?] {
        var matches = [Match?](repeating: nil, count: wanted.count)
        var claims: [Index: Located<String>] = [:]
        for (position, key) in wanted.enumerated() {
            guard let index = key.index else { continue }
            if let other = claims[index.value] {
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "\(noun) `\(key.name.value)` has the index \(index.value) of \(noun) `\(other.value)`",
                        at: index.location,
                        resource: resource(key),
                        hint: "Each key has an index of its own",
                        related: [.init(message: "`\(other.value)` is here", location: other.location)]
                    )
                )
                continue
            }
            claims[index.value] = key.name
            matches[position] = Match(index: index.value, recordedName: recorded[index.value])
        }
        var unplaced: [Int] = []
        for (position, key) in wanted.enumerated() {
            let namesakes = namesakes(of: key.name.value, claims: claims)
            if let index = key.index {
                guard let match = matches[position], match.recordedName == nil, let namesake = namesakes.first else {
                    continue
                }
                matches[position] = nil
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "\(noun) `\(key.name.value)` has index \(namesake) in the database, not \(index.value)",
                        at: index.location,
                        resource: resource(key),
                        hint: "The index of a key cannot change; leave it out, or give the new key another name"
                    )
                )
            } else if namesakes.count > 1 {
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "the database has \(namesakes.count) keys with the name `\(recorded[namesakes[0]] ?? "")`",
                        at: key.name.location,
                        length: key.name.value.count,
                        resource: resource(key),
                        hint: "Say which with `index:`, one of \(namesakes.map(\.description).joined(separator: ", "))"
                    )
                )
            } else if let index = namesakes.first {
                claims[index] = key.name
                matches[position] = Match(index: index, recordedName: recorded[index])
            } else {
                unplaced.append(position)
            }
        }
        allocate(unplaced.map { ($0, wanted[$0]) }, matches: &matches, claims: claims, diagnostics: &diagnostics)
        return matches
    }

    /// The free indexes of the database's keys with that name, or else with the latest of its earlier names that the
    /// database knows.
    private func namesakes(of name: String, claims: [Index: Located<String>]) -> [Index] {
        previousNames.withEarlierNames(of: name) { (indexesByName[$0] ?? []).filter { claims[$0] == nil } }
    }

    private func allocate(
        _ keys: [(position: Int, key: Wanted)],
        matches: inout [Match?],
        claims: [Index: Located<String>],
        diagnostics: inout CountedDiagnostics
    ) {
        guard !keys.isEmpty else { return }
        let taken = taken()
        var candidates = (UInt16(0)...0x0FFF).lazy.compactMap { Index(rawValue: $0) }
            .filter { recorded[$0] == nil && claims[$0] == nil && !taken.contains($0) }.makeIterator()
        for (position, key) in keys {
            if let index = candidates.next() {
                matches[position] = Match(index: index, recordedName: nil)
            } else {
                diagnostics.report(
                    Diagnostic(
                        .error,
                        "there is no free index for \(noun) `\(key.name.value)`",
                        at: key.name.location,
                        length: key.name.value.count,
                        resource: resource(key),
                        hint: "A network has at most 4096 of them"
                    )
                )
            }
        }
    }

    private func resource(_ key: Wanted) -> String {
        noun.split(separator: " ").joined(separator: "_") + "." + key.name.value
    }
}

extension [String: String] {
    /// What is found under a name, or else under its earlier names, the latest first; empty if under none.
    func withEarlierNames<Found>(of name: String, _ find: (String) -> [Found]) -> [Found] {
        var name = name
        // A cycle of names is an error of the definition, and must not loop forever.
        for _ in 0...count {
            let found = find(name)
            if !found.isEmpty { return found }
            guard let earlier = self[name] else { break }
            name = earlier
        }
        return []
    }
}
