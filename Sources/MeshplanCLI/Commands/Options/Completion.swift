import ArgumentParser

/// What the shell offers when somebody presses Tab: names that the working folder knows.
enum Completion {
    /// Nodes, groups and tags, for commands that operate them. After `NODE/` its elements.
    static let targets = kind { $0.targets(beginning: $1) }
    static let nodes = kind { names, _ in names.nodes }
    static let groups = kind { names, _ in names.groups }
    static let tags = kind { names, _ in names.tags }
    static let files = CompletionKind.file()
    static let folders = CompletionKind.directory
    static let floors = kind { names, _ in names.floors }
    /// Nodes and tags, which may leave the definition.
    static let leaving = kind { names, _ in names.nodes + names.tags }
    /// The addresses of resources as in plans, such as `node.lamp-1`.
    static let resources = kind { names, _ in names.resources }
    /// What `show` shows: resources, and saved plans in the working folder.
    static let shown = kind { names, _ in names.resources + names.plans }
    static let places = kind { names, _ in names.places }
    static let applicationKeys = kind { names, _ in names.applicationKeys }
    static let subnets = kind { names, _ in names.subnets }
    static let networks = kind { names, _ in names.networks }
    /// The states that the target before them has, or all states if it is not known.
    static let states = kind { names, _ in names.states(isSettable: false) }
    /// The same, of which only those that can be set.
    static let settableStates = kind { names, _ in names.states(isSettable: true) }
    /// The words for values of the state before them.
    static let values = kind { names, _ in names.values }
    /// The models that the target before them has, or all models if it is not known.
    static let models = kind { names, _ in names.models }
    /// The messages of the model before them.
    static let messages = kind { names, _ in names.messages }

    /// The place for the closures of this thread: the parser of command lines calls them without one.
    @TaskLocal static var place = CompletionPlace(workingDirectory: ".", environment: [:])

    private static func kind(
        _ offer: @escaping @Sendable (CompletionNames, String) -> [String]
    ) -> CompletionKind {
        .custom { words, index, _ in
            let line = CompletionLine(words, index: index)
            let names = CompletionNames(place, line)
            return CompletionLine.harmless(names.tagValues ?? offer(names, line.word))
        }
    }
}

/// Where names are looked for.
struct CompletionPlace: Sendable {
    /// The absolute path of the working folder.
    let workingDirectory: String
    let environment: [String: String]
}

extension CompletionPlace {
    init(_ context: Context) {
        self.init(workingDirectory: context.workingDirectory, environment: context.environment)
    }
}

/// The command line in which somebody presses Tab.
struct CompletionLine {
    /// The words before the one that is completed, without quotes.
    let words: [String]
    /// The word that is completed, as far as it is there.
    let word: String

    /// A line of words, of which the one with this index is completed.
    init(_ words: [String], index: Int) {
        self.words = words.prefix(max(index, 0)).map(Self.unquoted)
        word = words.indices.contains(index) ? Self.unquoted(words[index]) : ""
    }

    private static func unquoted(_ word: String) -> String {
        guard word.count > 1, let quote = word.first, quote == "'" || quote == "\"", word.last == quote else {
            return word.replacing("\\ ", with: " ")
        }
        return String(word.dropFirst().dropLast())
    }

    /// The value of an option before the word; nil if it has none.
    func value(of option: String) -> String? {
        if let index = words.lastIndex(of: option), words.indices.contains(index + 1) { return words[index + 1] }
        return words.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
    }

    /// Texts that a shell takes as they are. bash expands what it is offered, so that a name with `$(…)` would be
    /// carried out; names come from imported files, too.
    static func harmless(_ texts: [String]) -> [String] {
        texts.filter { text in
            !text.isEmpty && !text.hasPrefix("-")
                && text.allSatisfy { $0.isLetter || $0.isNumber || " .-_/:=+,@%".contains($0) }
        }
    }
}
