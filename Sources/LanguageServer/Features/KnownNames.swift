import Catalogue
import DefinitionModel
import MeshCore

/// The names that a definition may use at the moment: what its files declare, and what comes of that once modules and
/// repetitions are expanded.
struct KnownNames {
    let declarations: DeclarationIndex
    /// The definitions of all networks; empty where none could be read.
    let definitions: [Definition]

    /// The models, those of the Bluetooth SIG and those that the definition describes.
    let models: KnownModels

    /// Where the names stand of what modules and repetitions have become.
    private let locations: [DeclarationIndex.Key: SourceLocation]

    init(declarations: DeclarationIndex, definitions: [Definition] = []) {
        self.declarations = declarations
        locations = Self.locations(in: definitions)
        self.definitions = definitions
        let described = definitions.flatMap(\.vendorModels)
        models = described.isEmpty ? .sig : KnownModels(described)
    }

    /// The most names that are offered at once.
    private static let limit = 2_000

    /// The names of all things of a kind, in reading order, without templates.
    func names(of thing: NamedThing) -> [String] {
        var names: [String] = []
        for definition in definitions {
            switch thing {
            case .subnet: names += definition.subnets.map(\.name.value)
            case .applicationKey: names += definition.applicationKeys.map(\.name.value)
            case .group: names += definition.groups.map(\.name.value)
            case .profile: names += definition.profiles.map(\.name.value)
            case .node: names += definition.nodes.map(\.name.value)
            case .scene: names += definition.scenes.map(\.name.value)
            case .floor: names += definition.floors.map(\.name.value)
            case .product: names += definition.products.values.map(\.name.value).sorted()
            case .module, .variable: break
            }
        }
        names += declarations.declarations.filter { $0.thing == thing }.map(\.name)
        var seen: Set<String> = []
        return Array(names.filter { !$0.contains("$(") && seen.insert($0).inserted }.prefix(Self.limit))
    }

    /// The names of the tags of nodes, sorted.
    var tags: [String] { Set(definitions.flatMap(\.nodes).flatMap(\.tags.keys)).sorted() }

    /// The values that nodes have for a tag, sorted.
    func values(ofTag tag: String) -> [String] {
        Set(definitions.flatMap(\.nodes).compactMap { $0.tags[tag]?.value }).sorted()
    }

    /// The place of the name of a thing, of one from a module or a repetition in the text that it is made of.
    func location(of name: String, _ thing: NamedThing) -> SourceLocation? {
        locations[DeclarationIndex.Key(thing: thing, name: name)]
    }

    /// Where the names of all things stand. If several have the same name, the first counts.
    private static func locations(in definitions: [Definition]) -> [DeclarationIndex.Key: SourceLocation] {
        var locations: [DeclarationIndex.Key: SourceLocation] = [:]
        func add(_ names: some Sequence<Located<String>>, _ thing: NamedThing) {
            for name in names {
                let key = DeclarationIndex.Key(thing: thing, name: name.value)
                if locations[key] == nil { locations[key] = name.location }
            }
        }
        for definition in definitions {
            add(definition.subnets.lazy.map(\.name), .subnet)
            add(definition.applicationKeys.lazy.map(\.name), .applicationKey)
            add(definition.groups.lazy.map(\.name), .group)
            add(definition.profiles.lazy.map(\.name), .profile)
            // A node is large, and copies cost more than all else.
            add(definition.nodes.indices.lazy.map { definition.nodes[$0].name }, .node)
            add(definition.scenes.lazy.map(\.name), .scene)
            add(definition.floors.lazy.map(\.name), .floor)
            add(definition.products.values.lazy.map(\.name), .product)
        }
        return locations
    }
}

extension DefinitionOutline {
    /// The modules around an entry, the outermost first.
    func modules(around node: Int) -> [String] {
        let keys = line(to: node).compactMap { nodes[$0].key?.text }
        var modules: [String] = []
        var index = 0
        while index + 1 < keys.count, keys[index] == "modules" {
            modules.append(keys[index + 1])
            index += 2
        }
        // The name of a module does not stand in the module.
        return index == keys.count ? Array(modules.dropLast()) : modules
    }

    /// The module that the instance around an entry is of; nil outside of `use`.
    func usedModule(around node: Int) -> String? {
        for ancestor in line(to: node).reversed() {
            if let module = child("module", of: ancestor) { return nodes[module].value?.text }
        }
        return nil
    }

    /// What a reference may stand for at an entry: variables of repetitions and parameters, the nearest first.
    func parameters(around node: Int) -> [(name: String, range: Range<Int>)] {
        var found: [(name: String, range: Range<Int>)] = []
        for ancestor in line(to: node).reversed() {
            for section in ["for", "parameters"] {
                guard let section = child(section, of: ancestor) else { continue }
                found += nodes[section].children.compactMap { nodes[$0].key.map { ($0.text, $0.range) } }
            }
            if let each = child("each", of: ancestor), let value = nodes[each].value {
                found.append((value.text, value.range))
            }
        }
        return found
    }
}
