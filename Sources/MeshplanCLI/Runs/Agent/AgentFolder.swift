import DefinitionModel
import Definitions
import MeshCore
import SystemLayer

/// Sees what has changed in a folder of definitions: by the contents of files, whoever wrote them and whenever.
struct AgentFolder {
    let context: Context
    /// The folder, or its `fleet.yaml`, as the user named it.
    let path: String
    /// What `--select` says.
    let selection: [String]
    /// The agent's own folder, in which the commands for all networks work.
    let place: AgentPlace
    /// The absolute path of the folder.
    let folder: String
    /// What of the folder has no effect on an agent, as paths and keys.
    private(set) var ignored: [String] = []

    /// What all files contained at the last look.
    private var seen: [UInt8]?
    private var fleet: Fleet?
    private var definitions: [String: String] = [:]
    /// Every file that a plan has read, wherever it lies and however it is called.
    private var others: Set<String> = []

    /// The most files, and the most folders inside each other, that are looked at.
    private static let limits = (files: 50_000, depth: 12)

    init(_ context: Context, path: String, selection: [String], place: AgentPlace) {
        (self.context, self.path, self.selection, self.place) = (context, path, selection, place)
        folder = Self.place(path, in: context)
    }

    /// The absolute path of the folder that a user names, or in which the file is that is named.
    static func place(_ path: String, in context: Context) -> String {
        let absolute = Files.withoutDots(context.absolute(path))
        return Files.kind(absolute) == .file ? Files.folder(of: absolute) : absolute
    }

    /// The networks as the agent's commands get them: from the folder they have their definition, tags and variables,
    /// and nothing else.
    private mutating func owned(_ fleet: Fleet) -> Fleet {
        var ignored: Set<String> = []
        func note(_ name: String, in folder: String) {
            let path = "\(folder)/\(name)"
            guard Files.kind(path) != nil else { return }
            ignored.insert(path.hasPrefix(self.folder + "/") ? String(path.dropFirst(self.folder.count + 1)) : path)
        }
        var owned = fleet
        owned.folder = place.folder
        owned.networks = fleet.networks.map { network in
            for folder in [self.folder, network.folder] {
                note(Workspace.folderName, in: folder)
                note(SettingsFile.fileName, in: folder)
            }
            let file = FleetFile.fileName + ": "
            if !network.via.isEmpty { ignored.insert(file + "via") }
            if network.state != nil { ignored.insert(file + "state") }
            if network.keyFile != nil { ignored.insert(file + "key_file") }
            let definition = network.definition.isEmpty ? [network.folder] : network.definition
            return FleetNetwork(
                name: network.name,
                folder: place.folder,
                definition: definition.map { $0.hasPrefix("/") ? $0 : "\(network.folder)/\($0)" },
                tags: network.tags,
                variables: network.variables
            )
        }
        self.ignored = ignored.sorted()
        return owned
    }

    /// The networks, each with a digest of everything that its plan depends on: its definition, and the version of its
    /// database as the lock file tells it. Definitions are read only if some file has changed.
    ///
    /// - Throws: ``InvalidDefinition`` or ``Failure`` if the fleet cannot be found; ``FileError`` if a folder cannot be
    ///   read.
    mutating func look() throws -> (fleet: Fleet, fingerprints: [String: String]) {
        let now = contents()
        let fleet: Fleet
        if let known = self.fleet, now == seen {
            fleet = known
        } else {
            var found = try Fleet(at: path, in: context, isConfined: true)
            try found.select(selection)
            found = owned(found)
            (definitions, others) = ([:], [])
            for network in found.networks { definitions[network.name] = definition(of: network) }
            fleet = found
            self.fleet = found
            // What definitions name is known only now.
            seen = contents()
        }
        var locks: [String: StateLock] = [:]
        var fingerprints: [String: String] = [:]
        for network in fleet.networks {
            if locks[network.folder] == nil {
                locks[network.folder] = (try? LockFile(elsewhere(network)).read()) ?? StateLock()
            }
            let entry = locks[network.folder]?.networks[network.name]
            let version = entry.map { "\($0.lineage) \($0.serial) \($0.digest)" }
            fingerprints[network.name] = Self.digest(Array("\(definitions[network.name] ?? "") \(version ?? "")".utf8))
        }
        return (fleet, fingerprints)
    }

    /// The effects of a command for a network.
    func elsewhere(_ network: FleetNetwork) -> Context {
        var own = context
        own.environment = context.environmentElsewhere
        for (name, value) in network.variables { own.environment[DefinitionFiles.variablePrefix + name] = value }
        own.workingDirectory = network.folder
        own.session = StoreSession()
        own.storeAccess = context.storeAccessElsewhere(of: network)
        return own
    }

    /// A digest of all files that a network's definition consists of.
    private mutating func definition(of network: FleetNetwork) -> String {
        let own = elsewhere(network)
        var files: SourceFiles
        var problem = ""
        do {
            files = try DefinitionFiles(context: own).reading(network.definition).files
        } catch let invalid as InvalidDefinition {
            files = invalid.files
        } catch {
            files = (try? DefinitionFiles(context: own).read(network.definition)) ?? SourceFiles()
            problem = Failure(explaining: error).message
        }
        var bytes = Array("\(network.definition) \(network.folder) \(problem)".utf8)
        for file in files.files {
            bytes += Array("\(file.path)\0\(file.bytes.count)\0".utf8)
            bytes += file.bytes
            others.insert(own.absolute(file.path))
        }
        return Self.digest(bytes)
    }

    /// A digest of everything below the folder that definitions can consist of, and of what they name elsewhere.
    private func contents() -> [UInt8] {
        var bytes: [UInt8] = []
        var left = Self.limits.files
        var folders: Set<String> = []
        func add(_ path: String) {
            guard left > 0 else { return }
            left -= 1
            let file = (try? Files.readRegular(path, limit: DefinitionFiles.sizeLimit, isSecret: false)) ?? []
            bytes += Array("\(path)\0".utf8)
            bytes += SHA256.hash(file) ?? file
        }
        func walk(_ folder: String, _ depth: Int) {
            guard depth > 0, folders.insert(Files.identity(folder)).inserted,
                let names = try? Files.names(inFolder: folder, as: folder)
            else { return }
            for name in names {
                let path = "\(folder)/\(name)"
                switch Files.kind(path) {
                case .folder: walk(path, depth - 1)
                case .file where Self.isOfDefinitions(name): add(path)
                default: break
                }
            }
        }
        walk(folder, Self.limits.depth)
        for path in others.sorted() { add(path) }
        return SHA256.hash(bytes) ?? bytes
    }

    /// The lock file changes with each database, and is looked at for each network.
    private static func isOfDefinitions(_ name: String) -> Bool {
        guard name != StateLock.fileName else { return false }
        return [".yaml", ".yml", ".csv"].contains { name.hasSuffix($0) } || AssignmentsFile.network(ofFile: name) != nil
    }

    static func digest(_ bytes: [UInt8]) -> String {
        SHA256.hash(bytes).map { Hexadecimal.encode($0) } ?? ""
    }
}
