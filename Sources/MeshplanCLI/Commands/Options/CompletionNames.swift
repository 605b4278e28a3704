import Catalogue
import DefinitionModel
import Definitions
import Execution
import MeshCore
import Store
import SystemLayer

/// The names for completion: of the database in the working folder and of the definition beside it.
///
/// Nothing asks or tells anything. What cannot be opened without a question has no names.
final class CompletionNames {
    private let context: Context
    private let line: CompletionLine

    init(_ place: CompletionPlace, _ line: CompletionLine) {
        context = .quiet(place)
        self.line = line
    }

    // MARK: Names of the network

    /// The names of nodes, sorted.
    var nodes: [String] {
        Set((network?.nodes.map(\.name) ?? []) + (definition?.nodes.map(\.name.value) ?? [])).sorted()
    }

    /// The names of places without a device, sorted.
    var places: [String] { (definition?.nodes ?? []).filter(\.awaitsDevice).map(\.name.value).sorted() }

    /// The names of application keys, sorted.
    var applicationKeys: [String] { Set(network?.appKeys.map(\.name) ?? []).sorted() }

    /// The names of subnets, sorted.
    var subnets: [String] {
        Set((network?.netKeys.map(\.name) ?? []) + (definition?.subnets.map(\.name.value) ?? [])).sorted()
    }

    var networks: [String] { (try? Workspace(context: context).networks()) ?? [] }

    /// The names of groups, sorted.
    var groups: [String] {
        Set((network?.groups.map(\.name) ?? []) + (definition?.groups.map(\.name.value) ?? [])).sorted()
    }

    /// The names of floors, sorted.
    var floors: [String] { Set(definition?.floors.map(\.name.value) ?? []).sorted() }

    /// The addresses of resources as in plans.
    var resources: [String] {
        nodes.map { "node." + $0 } + groups.map { "group." + $0 } + subnets.map { "subnet." + $0 }
            + applicationKeys.map { "application_key." + $0 }
    }

    /// The saved plans in the working folder, sorted.
    var plans: [String] {
        let names = (try? Files.names(inFolder: context.workingDirectory, as: ".")) ?? []
        return names.filter { $0.hasSuffix(".mplan") }.sorted()
    }

    /// The tags of nodes with their values, sorted.
    var tags: [String] {
        Set((definition?.nodes ?? []).flatMap { $0.tags.map { "\($0.key)=\($0.value.value)" } }).sorted()
    }

    /// What can be operated: nodes, groups and tags; the elements of a node if its name and `/` are there.
    func targets(beginning: String) -> [String] {
        if let slash = beginning.lastIndex(of: "/") {
            let name = beginning[..<slash]
            let node = network?.nodes.first { $0.name == name }
            return (node?.elements ?? []).indices.map { "\(name)/\($0)" }
        }
        let groups = Set(network?.groups.map(\.name) ?? []).sorted().map { OperatingTarget.groupPrefix + $0 }
        return nodes + groups + tags
    }

    /// The values of a tag, if its name and `=` are words of their own before the word, as bash splits them; nil if
    /// they are not.
    var tagValues: [String]? {
        guard line.words.last == "=", let name = line.words.dropLast().last else { return nil }
        return Set((definition?.nodes ?? []).compactMap { $0.tags[name]?.value }).sorted()
    }

    // MARK: Names of the catalogue

    /// The states of the target of the line, or all states if it has none that is known; sorted.
    func states(isSettable: Bool) -> [String] {
        let models = target().map { Set($0.elements.flatMap { $0.models.map(\.identifier) }) }
        let all = StateCatalogue.states + known.vendorModels.flatMap(\.states)
        let states = all.filter { state in
            guard let server = isSettable ? state.setServer : state.server else { return false }
            return models?.contains(server) ?? true
        }
        return states.map(\.name).sorted()
    }

    /// The words for values of the last state in the line, sorted.
    var values: [String] {
        guard let state = line.words.lazy.reversed().compactMap({ self.known.state(named: $0) }).first else {
            return []
        }
        let words = state.fields.flatMap { field in
            field.type.notation == .boolean
                ? [field.type.text(of: 0), field.type.text(of: 1)] : Array(field.type.words.values)
        }
        return Set(words).sorted()
    }

    /// The models of the target of the line, or all models if it has none that is known; sorted.
    var models: [String] {
        guard let target = target() else { return known.names.all.sorted() }
        return Set(target.elements.flatMap { $0.models.map { known.names.name(of: $0.identifier) } }).sorted()
    }

    /// The messages that the last model in the line receives, sorted.
    var messages: [String] {
        guard let model = line.words.lazy.reversed().compactMap({ self.known.names.model(named: $0) }).first else {
            return []
        }
        return known.messages.messages(of: model).filter { $0.servers.contains(model) && !$0.isStatus }
            .map(\.name).sorted()
    }

    /// What the first word that is a target stands for; nil if none is.
    private func target() -> ResolvedTarget? {
        guard let network else { return nil }
        let tags = definition.map { definition in
            Dictionary(firstOf: definition.nodes.map { ($0.uuid.value, $0.tags.mapValues(\.value)) })
        }
        let resolver = TargetResolver(network, tags: tags)
        // The first word is the program.
        for word in line.words.dropFirst() where !word.hasPrefix("-") {
            if let target = try? OperatingTarget(word), let resolved = try? resolver.resolve(target) { return resolved }
        }
        return nil
    }

    // MARK: Sources

    /// The network of the line in the database of the folder; nil if it cannot be opened without a question.
    private lazy var network: MeshNetwork? = {
        let workspace = Workspace(context: context)
        guard let name = line.value(of: "--network") ?? definition?.network.value ?? (try? workspace.only(nil)),
            let sealed = try? workspace.sealed(name),
            let database = try? DatabaseSecretSources(context).openedUnasked(sealed)
        else { return nil }
        return try? database.snapshot().network
    }()

    /// What the definition in the folder says; nil if there is none, or if it is not valid.
    private lazy var reading: DefinitionReading? = {
        let paths = line.value(of: "--definition").map { [$0] } ?? []
        return try? DefinitionFiles(context: context).reading(paths)
    }()

    /// The models of the Bluetooth SIG, and the vendor models of the definition.
    private lazy var known: KnownModels = {
        KnownModels(reading?.vendorModels ?? [])
    }()

    /// The definition of the network in the folder; nil if there is none, or if it is not valid.
    private lazy var definition: Definition? = {
        let named = line.value(of: "--network")
        guard let definitions = reading?.definitions else { return nil }
        return named == nil && definitions.count == 1
            ? definitions.first : definitions.first { $0.network.value == named }
    }()
}

extension Context {
    /// Effects that show and ask nothing. Databases are opened with files alone: a key command may want a token to be
    /// touched, and a shared database may be out of reach.
    fileprivate static func quiet(_ place: CompletionPlace) -> Context {
        let silent = Output { _ in nil }
        let refused: Set = ["MESHPLAN_KEY_COMMAND", "MESHPLAN_STATE"]
        return Context(
            Effects(
                workingDirectory: place.workingDirectory,
                environment: place.environment.filter { !refused.contains($0.key) },
                output: silent,
                errorOutput: silent,
                terminal: Terminal(
                    isInputTerminal: false,
                    isOutputTerminal: false,
                    isErrorTerminal: false,
                    width: 80
                ),
                readLine: { nil },
                lineInput: LineInput(poll: { .end }, discard: {}),
                now: { Timestamp(rawValue: ThisProcess.secondsSince1970()) },
                randomBits: {
                    var generator = SystemRandomNumberGenerator()
                    return generator.next()
                },
                interrupts: Interrupts(arm: {}, count: { 0 }),
                process: ProcessIdentity(number: ThisProcess.number, user: "", host: ""),
                pause: { _ in }
            )
        )
    }
}
