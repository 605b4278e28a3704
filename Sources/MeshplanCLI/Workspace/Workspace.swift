import DefinitionModel
import Definitions
import MeshCore
import Store
import SystemLayer

/// The folder `.meshplan` of the working folder. It contains the key file, and for each network a database and the
/// simulator's state. If a team shares a database, that replaces the database files.
struct Workspace {
    var context: Context

    static let folderName = ".meshplan"

    /// The absolute path of the folder.
    var folder: String { context.absolute(Self.folderName) }

    /// The path of the key file, relative to the working folder; people see it in this form, too.
    static let keyPath = folderName + "/key"

    /// The path of a network's database, in the form of ``keyPath``.
    static func databasePath(_ network: String) -> String { "\(folderName)/\(network).meshdb" }

    /// The path of the simulator's state of a network, in the form of ``keyPath``.
    static func simulatorPath(_ network: String) -> String { "\(folderName)/\(network).simulator" }

    /// Whether databases open with the key file of the folder, because neither options nor environment name another
    /// secret.
    var usesOwnKeyFile: Bool { DatabaseSecretSources(context).chosen.isEmpty }

    /// Checks that there is a secret for a new database.
    ///
    /// - Throws: ``Failure`` if there is none; otherwise the errors of reading it.
    func checkKey() throws { _ = try newKey() }

    private func newKey() throws -> DatabaseSecret {
        let sources = DatabaseSecretSources(context)
        guard let source = sources.all.first else { throw try missingKey() }
        return try sources.key(source, isNew: true)
    }

    private func missingKey() throws -> Failure {
        if try networks().isEmpty {
            let hint = folderAbove().map {
                "There are databases in \($0): run the command there, or start with: meshplan init"
            }
            return Failure(.failure, "there is no \(Self.keyPath)", hint: hint ?? "Start with: meshplan init")
        }
        return Failure(
            .failure,
            "there is no \(Self.keyPath), which opens the databases here",
            hint: "Restore it from your copy; without it the databases cannot be read."
        )
    }

    /// Opens the database of a network.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/stale`` if the lock file knows a later state or another database, unless
    ///   that is accepted; ``Failure`` if there is no such database or no secret opens it.
    func open(_ network: String) throws -> MeshDatabase {
        try Self.check(network)
        let sealed = try sealed(network)
        let entry = try LockFile(context).read().networks[network]
        let database = try DatabaseSecretSources(context).open(sealed)
        context.session.note(database, of: network)
        // What this machine has written counts, whatever becomes of the lock file, which git may put back.
        let newest = try database.newestWritten().map(StateLock.Entry.init)
        let newestPath = try newestPath(network)
        let known = [(StateLock.fileName, entry), (newestPath, newest)]
            .compactMap { source, entry in entry.map { (source: source, entry: $0) } }
        if !known.isEmpty { try compare(database, with: known, of: network) }
        return database
    }

    /// Opens the database of a network to check whether it is intact, without comparing it with the lock file.
    func open(unchecked network: String) throws -> MeshDatabase {
        try DatabaseSecretSources(context).open(try sealed(network))
    }

    /// The database of a network without its secret: only what can be read unopened.
    ///
    /// - Throws: ``Failure`` with advice if there is no such database.
    func sealed(_ network: String) throws -> SealedDatabase {
        try Self.check(network)
        let location = try location(of: network)
        do throws(StoreError) {
            return try SealedDatabase(at: location)
        } catch {
            guard error.code == .missing else { throw error }
            // Throws if a shared database lacks its tables: then no network exists, and that error explains it better.
            let others = try networks()
            if case .file = location, Files.kind(context.absolute(Self.databasePath(network)) + ".sequence") != nil {
                throw Failure(
                    .failure,
                    "the database of the network `\(network)` is missing: there is no \(Self.databasePath(network))",
                    hint: RestoringAdvice(context).hint(for: network)
                        ?? "Restore a copy, as meshplan state pull makes them, or import the network again; "
                        + "sequence numbers continue where they were."
                )
            }
            if case .file = location, let hint = RestoringAdvice(context).hint(for: network) {
                throw Failure(
                    .failure,
                    "the database of the network `\(network)` is missing: there is no \(Self.databasePath(network))",
                    hint: hint
                )
            }
            if others.isEmpty, DatabaseSecretSources(context).all.isEmpty { throw try missingKey() }
            throw Failure(
                .failure,
                "there is no database of the network `\(network)`",
                hint: (others.isEmpty ? "" : "There are: \(others.joined(separator: ", ")). ")
                    + "Create one with: meshplan import --cdb FILE --network \(network)\(stateOption), or meshplan init "
                    + "--network \(network)\(stateOption)"
            )
        }
    }

    private func compare(
        _ database: MeshDatabase,
        with known: [(source: String, entry: StateLock.Entry)],
        of network: String
    ) throws {
        let version = try database.version()
        let unfit = known.filter { !LockFile.fits($0.entry, version) }.sorted { $0.entry.serial > $1.entry.serial }
        guard let worst = unfit.first else { return }
        guard context.storeAccess.acceptsOlder else {
            return try LockFile(context).check(worst.entry, version, of: network, in: worst.source)
        }
        try accept(database, of: network, after: worst.entry)
    }

    /// The path of the file with the latest state that was written, in the form of ``keyPath``.
    private func newestPath(_ network: String) throws -> String {
        (try sharedStore() == nil ? Self.databasePath(network) : "\(Self.folderName)/\(network)") + NewestState.suffix
    }

    /// Lets a database take the place of the one that the lock file knows.
    private func accept(_ database: MeshDatabase, of network: String, after entry: StateLock.Entry) throws {
        let lease = try lock(database, for: "--accept-older")
        defer { lease.release() }
        let before = lease.serial
        let serial = try database.goOn(after: entry.serial, with: lease)
        try LockFile(context).update([(network, database)], replacing: true)
        context.errorOutput.line(
            "Accepted \(try databaseName(network)) at serial \(before) instead of the known serial \(entry.serial). It continues "
                + "at serial \(serial), and skips sequence numbers that may have been used. Read the nodes back: meshplan refresh"
        )
    }

    /// Opens a copy of a database at another place.
    ///
    /// - Parameter file: its path, as the user knows it.
    /// - Throws: ``Failure`` if there is no such file or no secret opens it; ``StoreError`` if it is not an intact
    ///   database.
    func open(copy file: String) throws -> MeshDatabase {
        let path = context.absolute(file)
        guard try Files.kind(examining: path, as: file) == .file else {
            throw Failure(.usage, "there is no file \(file.printable)", hint: "Name a copy or backup.")
        }
        do {
            return try DatabaseSecretSources(context).open(try SealedDatabase(at: .file(path)))
        } catch let error as StoreError where error.path == path {
            // The file may be an export of another tool.
            let isForeign = error.code == .notADatabase
            throw StoreError(
                error.code,
                error.message,
                hint: isForeign
                    ? "name a copy of a mesh database; configuration databases are for import and db merge"
                    : "check the disk that it lies on, or take another copy",
                path: file.printable
            )
        }
    }

    /// Creates the database of a network that has none yet.
    ///
    /// - Parameters:
    ///   - name: the network's name here.
    ///   - network: the initial contents.
    ///   - extras: further contents of an imported file.
    func create(_ name: String, network: MeshNetwork, extras: CDBExtras = CDBExtras()) throws -> MeshDatabase {
        try Self.check(name)
        let entry = try checkNew(name)
        let database = try MeshDatabase.create(
            at: try location(of: name),
            network: network,
            extras: extras,
            key: try newKey(),
            cost: context.scryptCost,
            now: context.now(),
            using: context.randomNumbers
        )
        context.session.note(database, of: name)
        context.session.follow(database)
        if let entry { try accept(database, of: name, after: entry) }
        return database
    }

    /// Refuses to create the database of a network if the lock file already knows one.
    ///
    /// - Returns: the entry of the lock file, if it may be replaced; nil if there is none.
    /// - Throws: ``Failure`` with ``ExitStatus/stale`` if there is an entry and that is not accepted.
    @discardableResult
    func checkNew(_ network: String) throws -> StateLock.Entry? {
        guard let entry = try LockFile(context).read().networks[network] else { return nil }
        guard context.storeAccess.acceptsOlder else {
            throw Failure(
                .stale,
                "\(StateLock.fileName) knows a database of the network `\(network)` already, at serial \(entry.serial)",
                hint: (RestoringAdvice(context).hint(for: network).map { $0 + "\n" } ?? "")
                    + "Put that database into \(Self.folderName); it may be on another machine, or in a backup. If it is "
                    + "lost, make a new one with --accept-older, or choose another name."
            )
        }
        return entry
    }

    /// Takes the lock of a database, which allows writing. The first change makes a backup. At the end of the command
    /// the lock file is brought up to date. If a passphrase opened the database with less than the current derivation
    /// cost, its slot is strengthened.
    ///
    /// - Throws: ``StoreError`` if somebody else holds the lock, or if the database cannot be written.
    func lock(_ database: MeshDatabase, for operation: String) throws(StoreError) -> WriteLease {
        let backups = try Backups(context: context)
        if database.sharedNetwork == nil { try FolderExamination(context: context).check(database) }
        let holder = LockHolder(
            user: context.process.user,
            host: context.process.host,
            process: context.process.number,
            operation: operation,
            since: context.now()
        )
        let lease: WriteLease
        do throws(StoreError) {
            lease = try database.lock(holder: holder)
        } catch {
            var error = error
            let network = database.sharedNetwork.map { " --network " + $0.shellWord } ?? ""
            error.hint = error.hint.map { hint in
                Advice(hint.text { $0.words + ($0.isUnlocking ? network + stateOption : "") })
            }
            throw error
        }
        context.session.follow(database)
        try database.strengthenOpeningSlot(to: context.scryptCost, with: lease)
        let serial = lease.serial
        lease.beforeFirstChange { () throws(StoreError) in try backups.make(of: database, at: serial) }
        tell(lease.spill)
        tell(lease.promotion)
        lease.onPromotion = { tell($0) }
        lease.onUnsettled = { error in
            let failure = Failure(explaining: error)
            FailureView(context).warn(failure.message, hint: failure.hint)
        }
        return lease
    }

    /// The networks that have a database, sorted.
    func networks() throws -> [String] {
        if let store = try sharedStore() { return try store.networks().filter { Name.isValid($0) } }
        guard try Files.kind(examining: folder, as: Self.folderName) == .folder else { return [] }
        return try Files.names(inFolder: folder, as: Self.folderName)
            .filter { $0.hasSuffix(".meshdb") }
            .map { String($0.dropLast(".meshdb".count)) }
            .filter { Name.isValid($0) }
    }

    /// The given network, or else the only one with a database; for commands without a definition.
    ///
    /// - Throws: ``Failure`` if there is none, or more than one.
    func only(_ network: String?) throws -> String {
        if let network { return network }
        let all = try networks()
        guard let only = all.first else {
            throw nothingThere()
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

    /// The error for a missing database. If there was one, the user should restore it, because device keys exist
    /// nowhere else.
    func nothingThere() -> Failure {
        let place = (try? sharedStore())?.name ?? Self.folderName
        let backups = (try? Files.names(inFolder: context.absolute(Backups.folderName), as: Backups.folderName)) ?? []
        let known = (try? LockFile(context).read().networks.keys.sorted()) ?? []
        guard !known.isEmpty || !backups.isEmpty else {
            if let above = folderAbove() {
                return Failure(
                    .failure,
                    "there is no database in \(place); there is one in \(above)",
                    hint: "Run the command there: cd \(above.shellWord)"
                )
            }
            return Failure(
                .failure,
                "there is no database in \(place)",
                hint: "Start with: meshplan init\(stateOption), then meshplan import --cdb FILE\(stateOption)"
            )
        }
        let networks = known + Set(backups.compactMap { Backup($0)?.network }).subtracting(known).sorted()
        return Failure(
            .failure,
            "the database in \(place) is missing",
            hint: networks.lazy.compactMap { RestoringAdvice(context).hint(for: $0) }.first
                ?? "Restore it" + (backups.isEmpty ? "" : ", or the newest backup in \(Backups.folderName)")
                + ": a new one would not know the device keys of the nodes."
        )
    }

    /// The relative path of the nearest folder above the working folder with databases; nil if there is none.
    func folderAbove() -> String? {
        var parts = context.workingDirectory.split(separator: "/")
        var way: [String] = []
        while parts.popLast() != nil {
            way.append("..")
            let folder = "/" + parts.joined(separator: "/") + "/" + Self.folderName
            guard Files.kind(folder) == .folder else { continue }
            let names = (try? Files.names(inFolder: folder, as: folder)) ?? []
            if names.contains(where: { $0.hasSuffix(".meshdb") }) { return way.joined(separator: "/") }
        }
        return nil
    }

    /// Refuses names that a definition could not give a network. The name also becomes part of file names.
    static func check(_ network: String) throws(Failure) {
        guard Name.isValid(network), network.utf8.count <= 64 else {
            throw Failure(
                .usage,
                "`\(network)` cannot be the name of a network",
                hint: "A name begins with a letter or digit and continues with letters, digits, dots, hyphens and "
                    + "underscores, 64 at most."
            )
        }
    }
}

extension Workspace {
    /// Opens and locks the database of a network for a command that changes it.
    ///
    /// - Parameters:
    ///   - network: the name of the network; nil for the only one.
    ///   - operation: the name of the command, for others who want the lock.
    ///   - isForNetwork: whether the command changes the network and not only the database. Then it is refused while
    ///     earlier changes wait for confirmation.
    /// - Throws: ``Failure`` if no such network exists or changes wait for confirmation, and errors of the database.
    func openToChange(
        _ network: String?,
        for operation: String,
        isForNetwork: Bool = true
    ) throws -> (name: String, database: MeshDatabase, lease: WriteLease) {
        let name = try only(network)
        let database = try open(name)
        let lease = try lock(database, for: operation)
        if isForNetwork { try Confirmation(context: context, network: name).check(database) }
        return (name, database, lease)
    }

    /// Opens the database of a network for a command that changes it, or only shows what it would change.
    ///
    /// - Parameter isOnlyLooking: whether nothing changes, so that no lock is needed.
    /// - Returns: the lease is nil without a lock.
    /// - Throws: as ``openToChange(_:for:isForNetwork:)``.
    func open(
        _ network: String?,
        toChangeUnless isOnlyLooking: Bool,
        for operation: String
    ) throws -> (name: String, database: MeshDatabase, lease: WriteLease?) {
        guard isOnlyLooking else { return try openToChange(network, for: operation) }
        let name = try only(network)
        let database = try open(name)
        try Confirmation(context: context, network: name).check(database)
        return (name, database, nil)
    }
}
