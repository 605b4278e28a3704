import ArgumentParser
import SystemLayer

/// What stands behind `--`: options for the command of every network. Runs keep them in a table that others can write,
/// so nothing gets in that runs a program, opens another database, or writes a file.
struct FleetExtra {
    /// The options, in their order.
    var words: [ChildWord] = []
    /// The same, as they were written.
    private(set) var texts: [String] = []

    /// Options that give values to variables, which every command takes that reads a definition.
    private static let variableOptions: [StaticString] = ["--var", "--var-file"]
    /// Further options that choose what is planned, so that the plan before an apply needs them, too.
    private static let choosingOptions: [StaticString] = [
        "--node", "--group", "--subnet", "--tag", "--exclude", "--allow", "--remove",
    ]
    private static let otherOptions: [StaticString] = [
        "--adapter", "--confirm-within", "--connections", "--deaf", "--devices", "--fail", "--hops", "--iv-index",
        "--junit", "--listen", "--log-level", "--loss", "--models", "--off", "--older-than", "--only", "--proxy",
        "--radio", "--refresh", "--secrets", "--seed", "--seeds", "--ttl", "--via", "--window",
    ]
    private static let choosingFlags: [StaticString] = ["--destroy", "--reset", "--addresses-as-heard"]
    private static let otherFlags: [StaticString] = [
        "--accept", "--adopt", "--aggregate", "--all", "--auto-approve", "--detailed-exitcode", "--full", "--pages",
        "--verbose",
    ]

    init() {}

    /// Reads words.
    ///
    /// - Throws: ``Failure`` that names a word that cannot stand there.
    init(_ texts: [String]) throws(Failure) {
        self.texts = texts
        var rest = texts[...]
        while let text = rest.popFirst() {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            func known(_ names: [StaticString]) -> StaticString? { names.first { $0.description == parts[0] } }
            if let name = known(Self.variableOptions + Self.choosingOptions + Self.otherOptions) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw Failure(.usage, "\(name) behind -- has no value", hint: "Write \(name)=VALUE.")
                }
                words.append(.option(name, value))
            } else if parts.count == 1, let name = known(Self.choosingFlags + Self.otherFlags) {
                words.append(.flag(name))
            } else {
                throw Failure(
                    .usage,
                    "\(parts[0].printable) cannot stand behind --",
                    hint: "Behind -- are options for the command of every network, such as --node=NAME. Those for "
                        + "databases, keys and files to write are none of them."
                )
            }
        }
    }

    /// Refuses options that a command does not take.
    func check(for verb: FleetVerb) throws(Failure) {
        guard !words.isEmpty else { return }
        var line: [ChildWord] = [.command(verb)] + words
        // Some commands need a way, which every network has of its own. Options belong to one kind of way or the other.
        if [.apply, .refresh, .rollback].contains(verb), words(among: ["--via"]).isEmpty {
            line.append(.option("--via", words(among: ["--adapter"]).isEmpty ? "simulator" : "gatt"))
        }
        do {
            _ = try Meshplan.parseAsRoot(line.commandLine)
        } catch {
            let reason = Meshplan.message(for: error).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            throw Failure(
                .usage,
                "what stands behind -- is nothing for meshplan \(verb.rawValue): \(reason.printable)",
                hint: "See what it takes with: meshplan \(verb.rawValue) --help-all"
            )
        }
    }

    var choosing: [ChildWord] { words(among: Self.variableOptions + Self.choosingOptions + Self.choosingFlags) }

    /// Those that give values to variables.
    var variables: [ChildWord] { words(among: Self.variableOptions) }

    /// Whether nodes are read back before a plan.
    var readsBack: Bool { !words(among: ["--refresh"]).isEmpty }

    private func words(among names: [StaticString]) -> [ChildWord] {
        let names = Set(names.map(\.description))
        return words.filter { word in
            switch word {
            case .flag(let name), .option(let name, _): names.contains(name.description)
            default: false
            }
        }
    }
}
