import MeshCore
import SystemLayer

/// The advisory lock (`flock`) of the file `<database>.lock`.
///
/// The kernel releases the lock when the process dies, however it dies. A lock file left behind means nothing. The lock
/// is on a file of its own because another file may replace the database's file.
final class FileLock: StoreLock {
    private var file: OpenFile?
    private let holder: LockHolder
    /// The number of another lock that the last process noted beside this one, and that may still be held.
    let abandoned: String?
    private var noted: [UInt8] = []

    /// Takes the lock of the database at `path`.
    init(of path: String, _ holder: LockHolder) throws(StoreError) {
        let file = try storing(subject: "the lock file") { () throws(FileError) in
            try OpenFile(path + ".lock", .making, mode: 0o600)
        }
        guard try storing({ () throws(FileError) in try file.lockExclusively() }) else {
            let other = LockHolder(decoding: (try? file.readAll(limit: 4096)) ?? [])
            throw StoreError(
                .locked,
                "is being changed by \(other?.title ?? "another process")",
                hint: "wait until that process has ended, or end it; its lock ends with it",
                path: path,
                holder: other
            )
        }
        let before = String(decoding: (try? file.readAll(limit: 4096)) ?? [], as: UTF8.self)
        abandoned = before.split(separator: "\n").first { $0.hasPrefix(FileLock.mark) }
            .map { String($0.dropFirst(FileLock.mark.count)) }
        try storing { () throws(FileError) in try file.overwrite(holder.encoded) }
        self.file = file
        self.holder = holder
    }

    private static let mark = "lock "

    /// Notes the number of another lock that belongs to this one.
    func note(_ number: String) throws(StoreError) {
        noted = Array("\(FileLock.mark)\(number)\n".utf8)
        try storing { () throws(FileError) in try file?.overwrite(holder.encoded + noted) }
    }

    /// Releases the lock and leaves the note, because the other lock was not released.
    func abandon() {
        file?.unlock()
        file = nil
    }

    /// Releases the lock and leaves the note alone: the other lock was released, but whoever takes over from its server
    /// may not have heard of that.
    func releaseNoted() {
        // The holder goes first, so that nobody takes it for the next one.
        try? file?.overwrite(noted)
        abandon()
    }

    func release() {
        try? file?.overwrite([])
        abandon()
    }

    deinit {
        release()
    }
}
