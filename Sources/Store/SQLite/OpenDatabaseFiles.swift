import Synchronization

/// The database files that this process has open.
///
/// The locks that SQLite puts on a file belong to the process and not to a descriptor. Closing *any* descriptor of the
/// file releases all of them (POSIX, fcntl), and SQLite would not notice. So nothing else may open and close a file
/// that is open here.
enum OpenDatabaseFiles {
    private static let counts = Mutex<[[UInt64]: Int]>([:])

    static func contains(_ identity: [UInt64]) -> Bool { counts.withLock { $0[identity] != nil } }

    /// Notes that the file is open once more.
    static func add(_ identity: [UInt64]) { counts.withLock { $0[identity, default: 0] += 1 } }

    /// Notes that the file is open once less.
    static func remove(_ identity: [UInt64]) {
        counts.withLock { counts in
            guard let count = counts[identity] else { return }
            counts[identity] = count > 1 ? count - 1 : nil
        }
    }
}
