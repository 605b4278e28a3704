import Definitions
import MeshCore
import Store

/// What one command remembers about the databases it has opened: secrets, to avoid fetching them again; and databases
/// that it may have changed, to bring the lock file up to date at the end.
final class StoreSession {
    /// The secrets that key commands have printed, by command.
    var printed: [String: DatabaseSecret] = [:]
    var typed: DatabaseSecret?
    private var shared: (url: String, store: SharedStore)?
    /// How often the command has read all rows of a database; known at its end.
    private(set) var completeReadings = 0
    private var opened: [(network: String, database: MeshDatabase)] = []
    private var changed: [(network: String, database: MeshDatabase)] = []

    /// The databases that the command has opened, with the names of their networks.
    var databases: [(network: String, database: MeshDatabase)] { opened }

    /// The shared database at an address. All parts of a command use one value, so that they share its connection.
    func store(at url: String, making make: () throws -> SharedStore) rethrows -> SharedStore {
        if let shared, shared.url == url { return shared.store }
        let store = try make()
        shared = (url, store)
        return store
    }

    /// Remembers the network of a database.
    func note(_ database: MeshDatabase, of network: String) {
        opened.append((network, database))
    }

    /// Marks a database as possibly changed, so that the lock file is brought up to date at the end.
    func follow(_ database: MeshDatabase) {
        guard !changed.contains(where: { $0.database === database }) else { return }
        changed += opened.filter { $0.database === database }.prefix(1)
    }

    /// Writes the lock file if a database has changed. A failure is only a warning, because the command has done its
    /// work: the database is then ahead of the file, and a later command updates the file.
    func end(_ context: Context) {
        defer { (opened, changed, shared) = ([], [], nil) }
        completeReadings = opened.reduce(0) { $0 + $1.database.completeReadings }
        guard !changed.isEmpty else { return }
        do {
            try LockFile(context).update(changed)
        } catch let error as StoreError where error.code == .unreachable {
            // The command has reported this already, unless it had finished its work.
        } catch {
            let failure = Failure(explaining: error)
            FailureView(context).warn(
                "\(StateLock.fileName) could not be updated: \(failure.message)",
                hint: failure.hint ?? "The next command that changes the database tries again."
            )
        }
    }
}
