#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Operations on files by path, with errors that name the path. Paths are passed to the system as they are, without
/// normalisation.
package enum Files {
    // MARK: What there is

    /// The status of a path, after following links; nil if there is nothing, or it cannot be examined.
    private static func status(_ path: String) -> FileStatus? { (try? FileStatus.of(path)) ?? nil }

    /// The kind of thing at a path, after following links; nil if there is surely nothing. What cannot be examined is
    /// ``FileStatus/Kind/hidden``, so that nobody takes a folder without access for an empty one.
    package static func kind(_ path: String) -> FileStatus.Kind? {
        do throws(FileError) {
            return try FileStatus.of(path)?.kind
        } catch {
            return .hidden
        }
    }

    /// The same, for callers to whom what is hidden is an error.
    package static func kind(examining path: String, as name: String) throws(FileError) -> FileStatus.Kind? {
        do throws(FileError) {
            return try FileStatus.of(path)?.kind
        } catch {
            throw FileError(.examine, name, at: path, error.cause)
        }
    }

    /// A text that is equal for two paths exactly if they lead to the same file. The path itself if nothing is there.
    package static func identity(_ path: String) -> String {
        status(path).map { $0.identity.map { "\($0)" }.joined(separator: ":") } ?? path
    }

    /// The path without links and dots; nil if nothing is there.
    package static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The permission bits of a file or folder, after following links; nil if there is nothing.
    package static func permissions(_ path: String) -> Int? { status(path).map { Int($0.mode) } }

    /// Whether a file or folder is in the hands of others: it belongs to another user, or others may write to it. This
    /// user and the system's own (0) are no others; for the latter, neither is the owner of the folder `home`, who
    /// could replace everything in it. Nil if it is not, or there is nothing.
    package static func strangeHands(on path: String, in home: String) throws(FileError) -> StrangeHands? {
        guard let status = try FileStatus.of(path) else { return nil }
        let own = UInt32(geteuid())
        var trusted = [own, 0]
        if own == 0, let owner = try FileStatus.of(home)?.owner { trusted.append(owner) }
        if !trusted.contains(status.owner) { return .owner(status.owner) }
        return status.mode & 0o022 == 0 ? nil : .mode(status.permissions)
    }

    /// See ``strangeHands(on:in:)``.
    package enum StrangeHands: Hashable, Sendable {
        /// It belongs to the user with this number.
        case owner(UInt32)
        /// Others may write to it.
        case mode(UInt16)
    }

    /// Whether anybody other than the owner can read a regular file.
    package static func isReadableByOthers(_ path: String) -> Bool {
        status(path).map { $0.isRegular && $0.mode & 0o044 != 0 } ?? false
    }

    /// Whether this process may write to a file or folder.
    package static func checkWritable(_ path: String) throws(FileError) {
        guard access(path, W_OK) == 0 else { throw FileError(.write, path, .system(errno)) }
    }

    /// The folder that holds `path`; `.` for a bare name.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// An absolute path without `.`, `..` and empty parts, by its text alone: links are not followed.
    package static func withoutDots(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The names in a folder, sorted, without hidden ones.
    package static func names(inFolder path: String, as name: String) throws(FileError) -> [String] {
        guard let names = FolderNames.all(in: path) else { throw FileError(.list, name, at: path, .system(errno)) }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    // MARK: Reading

    /// Reads a stream to its end: `/dev/stdin`, or what a shell makes of `<(…)`, as long as it has a writer. Files are
    /// for ``read(_:as:inside:limit:isSecret:)``.
    ///
    /// - Parameters:
    ///   - path: for the system.
    ///   - name: for people; by default the same as the path.
    ///   - limit: the most octets to read; a larger file is an error.
    ///   - isSecret: whether to refuse a file that others than its owner may use.
    ///   - patience: how long a pipe may be silent.
    package static func read(
        _ path: String,
        as name: String? = nil,
        limit: Int,
        isSecret: Bool = false,
        patience: Duration = OpenFile.patience
    ) throws(FileError) -> [UInt8] {
        let (file, status) = try openForReading(path, as: name ?? path)
        guard !isSecret || !status.isRegular || status.permissions & 0o077 == 0 else {
            throw FileError(.read, name ?? path, at: path, .exposed(mode: status.permissions))
        }
        let bytes = try file.readAll(limit: limit, patience: patience)
        guard !bytes.isEmpty || status.kind != .pipe else {
            throw FileError(.read, name ?? path, at: path, .idlePipe)
        }
        return bytes
    }

    /// Reads a whole regular file. Everything else is refused, such as a pipe that waits for a writer or a device that
    /// never ends.
    ///
    /// The checks examine the open file, so nobody can put another file in its place in between.
    ///
    /// - Parameters:
    ///   - path: for the system; links are followed.
    ///   - limit: the most octets it may have.
    ///   - isSecret: whether to refuse a file that others than its owner may use.
    package static func readRegular(_ path: String, limit: Int, isSecret: Bool) throws(FileError) -> [UInt8] {
        // Opening a device or a pipe has effects of its own.
        try checkRegular(try? FileStatus.of(path), path)
        let file = try OpenFile(path, .reading)
        let status = try file.status()
        try checkRegular(status, path)
        guard !isSecret || status.permissions & 0o077 == 0 else {
            throw FileError(.read, path, .exposed(mode: status.permissions))
        }
        guard status.size <= Int64(limit) else { throw FileError(.read, path, .tooLarge(limit: limit)) }
        return try file.readAll(limit: limit)
    }

    private static func checkRegular(_ status: FileStatus?, _ path: String) throws(FileError) {
        guard let status, !status.isRegular else { return }
        throw FileError(.read, path, status.isFolder ? .folder : .special)
    }

    /// Reads the first octets of a regular file, fewer if it is shorter. What is none is refused, and not even opened.
    package static func readStart(_ path: String, as name: String, count: Int) throws(FileError) -> [UInt8] {
        try readStart(path, as: name, inside: ["/"], count: count)
    }

    private static func openForReading(
        _ path: String,
        as name: String
    ) throws(FileError) -> (OpenFile, FileStatus) {
        let file = try OpenFile(path, as: name, .reading, .read)
        let status: FileStatus
        do throws(FileError) {
            status = try file.status()
        } catch {
            throw FileError(.read, name, at: path, error.cause)
        }
        guard !status.isFolder else { throw FileError(.read, name, at: path, .folder) }
        return (file, status)
    }

    // MARK: Changing

    /// Creates a folder, by default for its owner alone, and makes its name durable. Its parent must exist.
    ///
    /// - Returns: false if it exists already.
    /// - Throws: ``FileError`` if it cannot be made, or the system cannot confirm that it is durable.
    package static func createFolder(
        _ path: String,
        as name: String,
        mode: UInt16 = 0o700
    ) throws(FileError) -> Bool {
        if uninterrupted({ mkdir(path, mode_t(mode)) }) == 0 {
            // What is durable in the folder is lost with the folder's name.
            do throws(FileError) {
                try synchronizeFolder(Self.folder(of: path))
            } catch {
                throw FileError(.create, name, at: path, error.cause)
            }
            return true
        }
        let number = errno
        guard number == EEXIST else { throw FileError(.create, name, at: path, .system(number)) }
        guard kind(path) == .folder else { throw FileError(.create, name, at: path, .occupied) }
        return false
    }

    /// Creates the folders that a path leads through and that are missing, for their owner alone.
    ///
    /// - Throws: ``FileError`` if one cannot be made.
    package static func createParents(of path: String, as name: String) throws(FileError) {
        let parent = folder(of: path)
        guard kind(parent) == nil, parent != path else { return }
        try createParents(of: parent, as: name)
        _ = try createFolder(parent, as: name)
    }

    /// Appends text to a file, which is created if it is missing, and makes the text durable. If the text cannot be
    /// added completely, removes the written part again.
    ///
    /// - Parameter isPrivate: whether a new file is for its owner alone (0600, else 0644), and a link is refused.
    package static func append(
        _ text: String,
        to path: String,
        as name: String,
        isPrivate: Bool = false
    ) throws(FileError) {
        let file = try OpenFile(
            path,
            as: name,
            isPrivate ? .appendingOwn : .appending,
            mode: isPrivate ? 0o600 : 0o644,
            .write
        )
        try file.append(Array(text.utf8))
        // A pipe keeps nothing.
        if try file.status().isRegular { try file.synchronize() }
    }

    /// Removes a file. A missing file is no error.
    package static func remove(_ path: String, as name: String? = nil) throws(FileError) {
        guard uninterrupted({ unlink(path) }) != 0, errno != ENOENT else { return }
        throw FileError(.remove, name ?? path, at: path, .system(errno))
    }

    /// Removes a folder with the files that are directly in it. A missing folder is no error.
    package static func removeFolder(_ path: String) throws(FileError) {
        guard kind(path) != nil else { return }
        for name in try names(inFolder: path, as: path) { try remove("\(path)/\(name)") }
        guard uninterrupted({ rmdir(path) }) != 0, errno != ENOENT else { return }
        throw FileError(.remove, path, at: path, .system(errno))
    }

    /// Renames a file within its file system and replaces what has the new name.
    ///
    /// - Throws: ``FileError`` that names the new path.
    package static func rename(_ old: String, to new: String) throws(FileError) {
        guard systemRename(old, new) == 0 else { throw FileError(.place, new, .system(errno)) }
    }

    /// Gives a file another name; unlike ``rename(_:to:)`` that never replaces.
    ///
    /// - Throws: ``FileError`` that names the new path.
    package static func link(_ old: String, to new: String) throws(FileError) {
        guard systemLink(old, new) == 0 else { throw FileError(.create, new, .system(errno)) }
    }

    /// Makes the entries of a folder durable: names created, renamed or removed in it.
    package static func synchronizeFolder(_ path: String) throws(FileError) {
        try OpenFile(path, .folder).synchronize()
    }
}

private func systemRename(_ old: String, _ new: String) -> Int32 { uninterrupted { rename(old, new) } }

private func systemLink(_ old: String, _ new: String) -> Int32 { uninterrupted { link(old, new) } }

/// Makes a system call, and makes it again as often as a signal interrupts it: on file systems of a network and of
/// other programs (FUSE), every call that touches a file may be.
func uninterrupted(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
