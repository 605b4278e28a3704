internal import MeshCore
internal import Store

/// The folder `.meshplan` of the working folder: the key file, and for each network a database and the simulator's state.
struct Workspace {
    /// The effects.
    var context: Context

    /// The folder's name.
    static let folderName = ".meshplan"

    /// The folder, for the system.
    var folder: String { context.absolute(Self.folderName) }

    /// The key file, for people and, from the working folder, for the system.
    static let keyPath = folderName + "/key"

    /// The database of a network, as ``keyPath``.
    static func databasePath(_ network: String) -> String { "\(folderName)/\(network).meshdb" }

    /// The simulator's state of a network, as ``keyPath``.
    static func simulatorPath(_ network: String) -> String { "\(folderName)/\(network).simulator" }

    /// Whether the key file is the one of the folder, and no other was asked for.
    var usesOwnKeyFile: Bool { chosenKeyFile == nil }

    /// The key file that the command line or the environment names.
    private var chosenKeyFile: String? {
        context.storeAccess.keyFile ?? context.environment["MESHPLAN_KEY_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Ends the command if there is nothing to open or make a database with.
    func checkKey() throws { _ = try key() }

    /// The key that opens all databases of the folder.
    private func key() throws -> DatabaseKey {
        let path = context.absolute(chosenKeyFile ?? Self.keyPath)
        if usesOwnKeyFile, Files.kind(path) == nil {
            if try networks().isEmpty {
                throw Failure(.failure, "there is no \(Self.keyPath)", hint: "Begin with: meshplan init")
            }
            throw Failure(
                .failure,
                "there is no \(Self.keyPath), which opens the databases here",
                hint: "Restore it from your copy; without it the databases cannot be read."
            )
        }
        return try KeyFile.load(from: path)
    }

    /// Opens the database of a network.
    func open(_ network: String) throws -> MeshDatabase {
        try Self.check(network)
        let key = try key()
        let path = context.absolute(Self.databasePath(network))
        guard Files.kind(path) != nil else {
            let others = try networks()
            if Files.kind(path + ".sequence") != nil {
                throw Failure(
                    .failure,
                    "the database of the network `\(network)` is missing: there is no \(Self.databasePath(network))",
                    hint: "Put a copy in its place, as meshplan state pull makes them, or import the network again; "
                        + "sequence numbers go on where they were."
                )
            }
            throw Failure(
                .failure,
                "there is no database of the network `\(network)`",
                hint: (others.isEmpty ? "" : "There are: \(others.joined(separator: ", ")). ")
                    + "Make one with: meshplan import --cdb FILE --network \(network), or meshplan init --network \(network)"
            )
        }
        return try MeshDatabase.open(at: path, key: key, using: context.randomNumbers)
    }

    /// Opens a copy of a database that lies somewhere else.
    ///
    /// - Parameter file: its path, as the user knows it.
    func open(copy file: String) throws -> MeshDatabase {
        let path = context.absolute(file)
        guard Files.kind(path) == .file else {
            throw Failure(.usage, "there is no file \(file.printable)", hint: "Say the path of a copy or backup.")
        }
        return try MeshDatabase.open(at: path, key: try key(), using: context.randomNumbers)
    }

    /// Makes the database of a network, where there is none yet.
    ///
    /// - Parameters:
    ///   - name: the network's name here.
    ///   - network: what is known of it.
    ///   - extras: what an import brought along beside it.
    func create(_ name: String, network: MeshNetwork, extras: CDBExtras = CDBExtras()) throws -> MeshDatabase {
        try Self.check(name)
        return try MeshDatabase.create(
            at: context.absolute(Self.databasePath(name)),
            network: network,
            extras: extras,
            key: try key(),
            now: context.now(),
            using: context.randomNumbers
        )
    }

    /// Takes the right to write to a database.
    func lock(_ database: MeshDatabase, for operation: String) throws(StoreError) -> WriteLease {
        try database.lock(
            holder: LockHolder(
                user: context.process.user,
                host: context.process.host,
                process: context.process.number,
                operation: operation,
                since: context.now()
            )
        )
    }

    /// The networks that have a database, sorted.
    func networks() throws(FileError) -> [String] {
        guard Files.kind(folder) == .folder else { return [] }
        return try Files.names(inFolder: folder, as: Self.folderName)
            .filter { $0.hasSuffix(".meshdb") }
            .map { String($0.dropLast(".meshdb".count)) }
            .filter { Name.isValid($0) }
    }

    /// The network that is meant when the user names none and there is no definition: the only one there is.
    func only(_ network: String?) throws -> String {
        if let network { return network }
        let all = try networks()
        guard let only = all.first else {
            throw Failure(
                .failure,
                "there is no database in \(Self.folderName)",
                hint: "Begin with: meshplan init, then meshplan import --cdb FILE"
            )
        }
        guard all.count == 1 else {
            throw Failure(
                .usage,
                "there are several networks: \(all.joined(separator: ", "))",
                hint: "Choose one with --network NAME."
            )
        }
        return only
    }

    /// Refuses names of networks that no definition could have; they also become names of files.
    static func check(_ network: String) throws(Failure) {
        guard Name.isValid(network), network.utf8.count <= 64 else {
            throw Failure(
                .usage,
                "`\(network)` cannot be the name of a network",
                hint: "A name begins with a letter or digit and goes on with letters, digits, dots, hyphens and "
                    + "underscores, 64 at most."
            )
        }
    }
}
