#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The advisory lock (`flock`) of the file `<database>.lock`.
///
/// The kernel takes it back when the process dies however it dies, and a lock file left behind means nothing. The lock
/// is on a file of its own because the database's file may be replaced by another one.
final class FileLock: StoreLock {
    /// The kernel takes it back, nobody else does.
    let identifier: String? = nil
    private var file: OpenFile?

    /// Takes the lock of the database at `path`.
    init(of path: String, _ holder: LockHolder) throws(StoreError) {
        let file = try OpenFile(
            path + ".lock",
            flags: O_RDWR | O_CREAT,
            mode: 0o600,
            doing: "the lock file cannot be opened"
        )
        guard try file.lockExclusively() else {
            let other = LockHolder(decoding: (try? file.readAll(limit: 4096)) ?? [])
            throw StoreError(
                .locked,
                "is being changed by \(other?.title ?? "another process")",
                hint: "wait until that has ended, or end it; the lock goes with the process",
                path: path,
                holder: other
            )
        }
        try file.overwrite(holder.encoded)
        self.file = file
    }

    func release() {
        // The content goes first, so that nobody reads it as that of the next holder.
        try? file?.overwrite([])
        file = nil
    }

    deinit {
        release()
    }
}
