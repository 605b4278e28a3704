internal import Definitions
internal import MeshCore
internal import Store

/// What one command remembers of the databases it has opened: secrets that it would otherwise have to fetch again, and which
/// databases it may have changed, so that the lock file can follow them at the end.
final class StoreSession {
    /// What key commands have printed, by the command.
    var printed: [String: DatabaseKey] = [:]
    /// The passphrase that the user has typed.
    var typed: DatabaseKey?
    private var opened: [(network: String, database: MeshDatabase)] = []
    private var changed: [(network: String, database: MeshDatabase)] = []

    /// Remembers whose database this is.
    func note(_ database: MeshDatabase, of network: String) {
        opened.append((network, database))
    }

    /// Has the lock file follow a database, which this command may change, at the end of the command.
    func follow(_ database: MeshDatabase) {
        guard !changed.contains(where: { $0.database === database }) else { return }
        changed += opened.filter { $0.database === database }.prefix(1)
    }

    /// Writes the lock file if a database has moved on. Failing to do so is no error of a command that has done its work: the
    /// database is ahead of the file then, and a later command brings that up to date.
    func end(_ context: Context) {
        defer { (opened, changed) = ([], []) }
        guard !changed.isEmpty else { return }
        do {
            try LockFile(context).update(changed)
        } catch let error as StoreError where error.code == .unreachable {
            // The command has told that already, unless it had done all its work.
        } catch {
            let failure = Failure(explaining: error)
            FailureView(context).warn(
                "\(StateLock.fileName) could not be brought up to date: \(failure.message)",
                hint: failure.hint ?? "The next command that changes the database tries again."
            )
        }
    }
}
