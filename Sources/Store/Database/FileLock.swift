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
        if let other = try FileLock.waitForName(file) {
            throw StoreError(
                .locked,
                "is being changed by \(other.holder?.title ?? "another process")",
                hint: "wait until that process has ended, or end it; its lock ends with it",
                path: path,
                holder: other.holder
            )
        }
        try? file.rewind()
        let before = String(decoding: (try? file.readAll(limit: 4096)) ?? [], as: UTF8.self)
        abandoned = before.split(separator: "\n").first { $0.hasPrefix(FileLock.mark) }
            .map { String($0.dropFirst(FileLock.mark.count)) }
        try storing { () throws(FileError) in try file.overwrite(holder.encoded) }
        self.file = file
        self.holder = holder
    }

    /// Takes the lock, or tells who has it. There is a moment between taking it and writing the name, so a file without
    /// a name is looked at again: either the name comes, or the lock is free.
    private static func waitForName(_ file: OpenFile) throws(StoreError) -> (holder: LockHolder?, Void)? {
        var attempts = 0
        while true {
            if try storing({ () throws(FileError) in try file.lockExclusively() }) { return nil }
            try? file.rewind()
            let holder = LockHolder(decoding: (try? file.readAll(limit: 4096)) ?? [])
            if holder != nil || attempts == 100 { return (holder, ()) }
            attempts += 1
            ThisProcess.sleep(.milliseconds(5))
        }
    }

    /// Whether it was not released yet.
    var isHeld: Bool { file != nil }

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

extension MeshDatabase {
    /// Who changes the database in that file at this moment; nil if nobody does.
    package static func writer(at path: String) -> LockHolder? {
        guard let file = try? OpenFile(path + ".lock", .reading), (try? file.lockExclusively()) == false else {
            return nil
        }
        return LockHolder(decoding: (try? file.readAll(limit: 4096)) ?? [])
    }
}
