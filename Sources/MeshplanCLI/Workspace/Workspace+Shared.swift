import DefinitionModel
import MeshCore
import Store
import SystemLayer

/// The places of the databases of networks: files in the folder, or a database that a team shares.
extension Workspace {
    /// The shared database that the command line or the environment names; nil for files in the folder.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/usage`` if the address is not valid.
    func sharedStore() throws -> SharedStore? {
        guard let url = context.storeAccess.state ?? context.environment["MESHPLAN_STATE"], !url.isEmpty else {
            return nil
        }
        guard SharedStore.isAddress(url) else {
            throw Failure(
                .usage,
                "the address of a shared database begins with postgres://",
                hint: "Use --state postgres://USER@HOST/DATABASE, or omit it for files in \(Self.folderName)."
            )
        }
        return try context.session.store(at: url) {
            do throws(StoreError) {
                return try SharedStore(url, clock: storeClock)
            } catch {
                throw Failure(.usage, error.message, hint: error.hint?.worded)
            }
        }
    }

    /// The context's time. An interrupt ends waiting for the server.
    private var storeClock: StoreClock {
        let start = ContinuousClock.now
        // Not the context: its session holds databases, and these hold their clock.
        let (interrupts, sleep) = (context.interrupts, context.sleep)
        var slept = Duration.zero
        return StoreClock(
            now: { max(ContinuousClock.now - start, slept) },
            wait: { duration in
                var rest = duration
                while rest > .zero, interrupts.count() < 2 {
                    sleep(min(rest, .milliseconds(100)))
                    rest -= .milliseconds(100)
                }
                slept += duration
                return interrupts.count() < 2
            }
        )
    }

    /// The place of a network's database, whether or not it exists.
    func location(of network: String) throws -> DatabaseLocation {
        guard let store = try sharedStore() else { return .file(context.absolute(Self.databasePath(network))) }
        // The folder keeps what this machine must remember about a shared database.
        _ = try Files.createFolder(folder, as: Self.folderName)
        return .shared(store, network: network, localPath: context.absolute("\(Self.folderName)/\(network)"))
    }

    /// The option to add to a suggested command so that it means the same database: ` --state URL`, without a password,
    /// if the command line has it. Empty if the environment names the database.
    var stateOption: String {
        context.storeAccess.state.map { " --state " + RepeatedCommand.withoutPassword($0).shellWord } ?? ""
    }

    /// The name for people of the place of a network's database.
    func databaseName(_ network: String) throws -> String {
        guard let store = try sharedStore() else { return Self.databasePath(network) }
        return "\(store.name), network \(network)"
    }

    func isThere(_ network: String) throws -> Bool {
        guard let store = try sharedStore() else {
            return Files.kind(context.absolute(Self.databasePath(network))) != nil
        }
        return try store.contains(network)
    }

    /// Reports that the server was replaced by its standby.
    func tell(_ promotion: Promotion?) {
        switch promotion {
        case .before?:
            context.errorOutput.line(
                "The server of the database was replaced by its standby since it was last used. Changes that were stored "
                    + "shortly before may be lost, unless the standby is synchronous. Sequence numbers that they may have "
                    + "used are skipped. If nodes have what the database lacks, read them back with meshplan refresh."
            )
        case .during?:
            context.errorOutput.line(
                "The server of the database was replaced by its standby. Everything that this command has stored is there; "
                    + "it goes on. Sequence numbers that others may have used are skipped."
            )
        case .repaired(let count)?:
            context.errorOutput.line(
                "The server of the database was replaced by its standby, which lacked the last \(count) "
                    + "transaction\(count == 1 ? "" : "s") of this command. They are stored again, and it goes on. Sequence "
                    + "numbers that others may have used are skipped."
            )
        case nil: break
        }
    }

    /// Reports what happened to changes that an earlier run could not bring to the server.
    func tell(_ spill: SpillOutcome?) {
        func short(_ path: String) -> String {
            let start = context.workingDirectory + "/"
            return (path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path).printable
        }
        switch spill {
        case .stored?:
            context.errorOutput.line("The changes that the last run could not store are stored now.")
        case .wasStored?:
            context.errorOutput.line("The changes of the last run turned out to be stored.")
        case .outdated(let path)?:
            context.errorOutput.line(
                "The database has changed since, so the unsaved changes of the last run were not stored. They are kept in "
                    + "\(short(path)); apply reads back from the nodes what was in doubt."
            )
        case .unreadable(let path)?:
            context.errorOutput.line(
                "What the last run here could not store can no longer be read. The file is kept as \(short(path)); apply "
                    + "reads back from the nodes what was in doubt."
            )
        case nil: break
        }
    }
}
