import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// A network of a fleet, and how commands for it are run.
struct FleetNetwork: Hashable {
    var name: String
    /// The absolute path of the folder in which its commands work.
    var folder: String
    /// Where its definition is, for a command in that folder; empty for the definition in the folder.
    var definition: [String]
    var tags: [String: String] = [:]
    var variables: [String: String] = [:]
    var via: [String] = []
    /// Where its database is; nil for what the command line or the environment says.
    var state: String?
    /// The absolute path of its key file; nil for what the command line or the environment says.
    var keyFile: String?
}

/// The folder that the definitions of a fleet may not leave.
struct FleetBorder {
    private let folder: String
    private let resolved: String

    /// - Parameter folder: its absolute path.
    init(_ folder: String) {
        self.folder = Files.withoutDots(folder)
        resolved = Files.resolved(folder) ?? folder
    }

    /// Refuses a path that leads out of the folder, by itself or by links.
    func check(_ path: String) throws(Failure) {
        // What is not there is told by whoever reads it, if it could be there.
        let (place, end) = Files.resolved(path).map { ($0, resolved) } ?? (Files.withoutDots(path), folder)
        guard place == end || place.hasPrefix(end.hasSuffix("/") ? end : end + "/") else {
            throw Failure(
                .invalidInput,
                "the path \(path.printable) leads out of the folder with the definitions",
                hint: "An agent reads nothing that is elsewhere."
            )
        }
    }
}

/// The networks of a fleet.
struct Fleet {
    var networks: [FleetNetwork]
    /// The absolute path of its folder.
    var folder: String

    /// A fleet of these networks.
    ///
    /// - Parameter folder: the absolute path of its folder.
    init(networks: [FleetNetwork], folder: String) {
        self.networks = networks
        self.folder = folder
    }

    /// Finds the networks of a fleet: those that its `fleet.yaml` lists, or else those of the definitions in the folder
    /// and in the folders directly in it.
    ///
    /// - Parameters:
    ///   - path: the folder, or the file.
    ///   - isConfined: whether definitions elsewhere are refused, also behind links.
    /// - Throws: ``InvalidDefinition`` if the file has errors, ``Failure`` if there is no network.
    init(at path: String, in context: Context, isConfined: Bool = false) throws {
        let isFile = Files.kind(context.absolute(path)) == .file
        let file = isFile ? path : path == "." ? FleetFile.fileName : "\(path)/\(FleetFile.fileName)"
        folder =
            isFile
            ? Files.folder(of: context.absolute(path)) : path == "." ? context.workingDirectory : context.absolute(path)
        let border = isConfined ? FleetBorder(folder) : nil
        if Files.kind(context.absolute(file)) != nil {
            try border?.check(context.absolute(file))
            networks = try Self.listed(in: file, context)
            for network in networks {
                for path in network.definition.isEmpty ? [network.folder] : network.definition {
                    try border?.check(path)
                }
            }
        } else {
            networks = try Self.found(in: path, context, border)
        }
        guard !networks.isEmpty else {
            throw Failure(
                .invalidInput,
                "there is no network in \(path == "." ? "the current folder" : path.printable)",
                hint: "A fleet is a folder with a folder or file for each network's definition, or with a "
                    + "\(FleetFile.fileName) that lists them."
            )
        }
    }

    // MARK: fleet.yaml

    private static func listed(in file: String, _ context: Context) throws -> [FleetNetwork] {
        let bytes = try context.read(file)
        let files = SourceFiles(files: [.init(path: file, bytes: bytes)])
        let (fleet, diagnostics) = FleetFile.read(files: files)
        guard !diagnostics.contains(where: { $0.severity == .error }) else {
            throw InvalidDefinition(diagnostics: diagnostics, files: files)
        }
        let base = Files.folder(of: context.absolute(file))
        let problems = wrongWays(of: fleet)
        guard problems.isEmpty else { throw InvalidDefinition(diagnostics: problems, files: files) }
        return fleet.networks.map { FleetNetwork($0, base: base) }
    }

    /// The ways of networks that are none.
    static func wrongWays(of fleet: FleetFile) -> [Diagnostic] {
        var problems: [Diagnostic] = []
        for network in fleet.networks {
            for via in network.via {
                do {
                    _ = try BearerChoice(via)
                } catch {
                    problems.append(Diagnostic(.error, "\(error)", at: network.name.location))
                }
            }
        }
        return problems
    }

    // MARK: Without fleet.yaml

    private static func found(in path: String, _ context: Context, _ border: FleetBorder?) throws -> [FleetNetwork] {
        let base = context.absolute(path)
        let names = try Files.names(inFolder: base, as: path)
        var networks: [FleetNetwork] = []
        for file in DefinitionPaths.definitionFiles(among: names) {
            guard try Files.kind(examining: "\(base)/\(file)", as: file) == .file else { continue }
            try border?.check("\(base)/\(file)")
            for name in try self.names(in: "\(base)/\(file)") {
                if let known = networks.firstIndex(where: { $0.name == name && $0.folder == base }) {
                    networks[known].definition.append(file)
                } else {
                    networks.append(FleetNetwork(name: name, folder: base, definition: [file]))
                }
            }
        }
        // Other files of the folder, such as tests, belong to its only network.
        if networks.count == 1 { networks[0].definition = [] }
        for name in names.sorted() where !name.hasPrefix(".") && Files.kind("\(base)/\(name)") == .folder {
            let folder = "\(base)/\(name)"
            try border?.check(folder)
            let files = DefinitionPaths.definitionFiles(among: try Files.names(inFolder: folder, as: name))
            var inFolder: [String] = []
            for file in files {
                guard try Files.kind(examining: "\(folder)/\(file)", as: "\(name)/\(file)") == .file else { continue }
                try border?.check("\(folder)/\(file)")
                for network in try self.names(in: "\(folder)/\(file)") where !inFolder.contains(network) {
                    inFolder.append(network)
                }
            }
            networks += inFolder.map { FleetNetwork(name: $0, folder: folder, definition: []) }
        }
        let twice = Dictionary(grouping: networks, by: \.name).filter { $1.count > 1 }.keys.sorted()
        guard twice.isEmpty else {
            throw Failure(
                .invalidInput,
                "several places define the network \(twice[0])",
                hint: "The networks of a fleet have names of their own."
            )
        }
        return networks
    }

    /// The networks that a file declares. A name with a reference belongs to a `fleet.yaml`.
    private static func names(in file: String) throws -> [String] {
        let bytes = try Files.readRegular(file, limit: DefinitionFiles.sizeLimit, isSecret: false)
        return DeclaredNetworks(bytes).names.filter { Name.isValid($0) }
    }

    /// Keeps the networks that have all of the tags.
    ///
    /// - Parameter conditions: texts `TAG=VALUE,…`; `network` counts as a tag. In values, `*` stands for anything.
    /// - Throws: ``Failure`` if a text cannot be read, or nothing is left.
    mutating func select(_ conditions: [String]) throws(Failure) {
        for condition in conditions.flatMap({ $0.split(separator: ",") }) {
            let parts = condition.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard parts.count == 2 else {
                throw Failure(
                    .usage,
                    "--select \(String(condition).printable) is not a tag with a value",
                    hint: "Write for example --select city=Graz, or --select network=graz-*."
                )
            }
            networks.removeAll { network in
                guard let value = parts[0] == "network" ? network.name : network.tags[parts[0]] else { return true }
                return !Glob(parts[1]).matches(value)
            }
        }
        guard !networks.isEmpty else {
            throw Failure(
                .usage,
                "no network of the fleet has these tags",
                hint: "See them with meshplan fleet status."
            )
        }
    }
}

extension FleetNetwork {
    /// A network as a file lists it. Paths start from the folder of the file.
    fileprivate init(_ network: FleetFile.Network, base: String) {
        func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(base)/\(path)" }
        name = network.name.value
        tags = network.tags
        variables = network.variables
        via = network.via
        state = network.state
        keyFile = network.keyFile.map(absolute)
        var paths = network.definition.map(absolute)
        if paths.isEmpty {
            // The usual places: a folder or a file with the network's name.
            let usual = ["\(base)/\(name)", "\(base)/\(name).yaml", "\(base)/\(name).yml"]
            paths = [usual.first { Files.kind($0) != nil } ?? usual[0]]
        }
        let only = paths.count == 1 && Files.kind(paths[0]) == .folder ? paths[0] : nil
        folder = network.folder.map(absolute) ?? only ?? base
        definition = only == folder ? [] : paths
    }
}
