internal import MeshCore
internal import Store

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Why a file cannot be read or written, in the system's words.
struct FileError: Error, Hashable {
    /// The failed operation, such as `read`.
    var verb: String
    /// The path as the user knows it.
    var path: String
    /// The reason from the system, such as `No such file or directory`.
    var reason: String
    /// Whether there is no such file or folder.
    var isMissing = false

    /// The remedy.
    var hint: String?

    /// The message for people, without a full stop.
    var message: String { "cannot \(verb) \(path): \(reason)" }
}

/// Operations on files by path, with errors that name the path. Paths are passed to the system as they are, without
/// normalisation.
enum Files {
    /// The kind of thing at a path.
    enum Kind {
        case file
        case folder
        case other
    }

    /// The kind of thing at a path, after following links; nil if there is nothing.
    static func kind(_ path: String) -> Kind? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// A text that is equal for two paths exactly if they lead to the same file. The path itself if nothing is there.
    static func identity(_ path: String) -> String {
        var status = stat()
        return stat(path, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : path
    }

    /// The path without links and dots; nil if nothing is there.
    static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The permission bits of a file or folder, after following links; nil if there is nothing.
    static func permissions(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_mode & 0o7777) : nil
    }

    /// Whether anybody other than the owner can read a regular file.
    static func isReadableByOthers(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return status.st_mode & (S_IRGRP | S_IROTH) != 0
    }

    /// How long a pipe may be silent before reading gives up.
    static let patience = Duration.seconds(30)

    /// Reads a whole file. Pipes and `/dev/stdin` work, too, as long as somebody writes to them.
    ///
    /// - Parameters:
    ///   - path: the path for the system.
    ///   - name: the path for people.
    ///   - limit: the most octets; a larger file is an error.
    ///   - isSecret: whether to refuse a file that others than its owner can use.
    ///   - patience: how long a pipe may be silent.
    static func read(
        _ path: String,
        as name: String,
        limit: Int,
        isSecret: Bool = false,
        patience: Duration = Files.patience
    ) throws(FileError) -> [UInt8] {
        let (number, status) = try openForReading(path, as: name)
        defer { _ = close(number) }
        let permissions = status.st_mode & 0o777
        guard !isSecret || status.st_mode & S_IFMT != S_IFREG || permissions & 0o077 == 0 else {
            throw FileError(
                verb: "read",
                path: name,
                reason:
                    "it holds secrets, and others than its owner can use it (mode 0\(String(permissions, radix: 8)))",
                hint: "chmod 600 \(name.printable.shellWord), and replace the secrets if somebody may have read them."
            )
        }
        let bytes = try readRest(of: number, as: name, limit: limit, patience: patience)
        guard !bytes.isEmpty || status.st_mode & S_IFMT != S_IFIFO else {
            throw FileError(
                verb: "read",
                path: name,
                reason: "it is a pipe that nobody writes to",
                hint: "Say the path of a file, or start first what writes to the pipe."
            )
        }
        return bytes
    }

    /// Opens a file without blocking: opening a pipe that nobody writes to would otherwise block forever.
    private static func openForReading(_ path: String, as name: String) throws(FileError) -> (Int32, stat) {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else {
            let error = errno
            guard error == ENOENT else { throw Files.error(error, "read", name) }
            guard name == "-" else { throw missing(path, name) }
            throw FileError(
                verb: "read",
                path: name,
                reason: "there is no such file, and - does not stand for standard input yet",
                isMissing: true,
                hint: "Say /dev/stdin to have standard input read."
            )
        }
        var status = stat()
        guard fstat(number, &status) == 0 else {
            let error = errno
            _ = close(number)
            throw Files.error(error, "read", name)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            _ = close(number)
            throw FileError(verb: "read", path: name, reason: "it is a folder", hint: "Say the path of a file.")
        }
        return (number, status)
    }

    /// The error for a missing file, with what was probably meant.
    private static func missing(_ path: String, _ name: String) -> FileError {
        var error = Files.error(ENOENT, "read", name)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        guard kind(folder.isEmpty ? "/" : folder) == .folder else {
            error.hint = "There is no folder of that name either; check the path."
            return error
        }
        let names = (try? self.names(inFolder: folder.isEmpty ? "/" : folder, as: folder)) ?? []
        let last = parts.last.map(String.init) ?? ""
        error.hint =
            Suggestion.nearest(to: last, among: names).map { found in
                "Did you mean \((name.dropLast(last.count) + found).printable.shellWord)?"
            } ?? "Check the path."
        return error
    }

    /// Reads the rest of an open file.
    static func readRest(
        of number: Int32,
        as name: String,
        limit: Int,
        patience: Duration = Files.patience
    ) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = systemRead(number, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                guard errno == EAGAIN || errno == EWOULDBLOCK else { throw last("read", name) }
                try wait(for: number, as: name, patience)
                continue
            }
            guard bytes.count + count <= limit else {
                throw FileError(
                    verb: "read",
                    path: name,
                    reason: "it is larger than \(limit >= 1_048_576 ? "\(limit >> 20) MiB" : "\(limit) octets")",
                    hint: "Check the path: no such file has to be that large."
                )
            }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// Waits until input is available. A person at a terminal may take any time.
    private static func wait(for number: Int32, as name: String, _ patience: Duration) throws(FileError) {
        let milliseconds = isatty(number) == 1 ? -1 : Int32(clamping: patience.microseconds / 1_000)
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) != 0 else {
            throw FileError(
                verb: "read",
                path: name,
                reason: "nothing has come out of it for \(patience.components.seconds) s",
                hint: "Say the path of a file, or see why nothing more is written to the pipe."
            )
        }
    }

    /// The first octets of a file; fewer if it is shorter. Reads nothing from a pipe or device, because that would
    /// consume the input.
    static func readStart(_ path: String, as name: String, count: Int) throws(FileError) -> [UInt8] {
        let (number, status) = try openForReading(path, as: name)
        defer { _ = close(number) }
        guard status.st_mode & S_IFMT == S_IFREG else { return [] }
        var buffer = [UInt8](repeating: 0, count: count)
        let octets = systemRead(number, &buffer, count)
        guard octets >= 0 else { throw last("read", name) }
        return Array(buffer[..<octets])
    }

    /// Creates a folder, by default for its owner alone. Its parent must exist.
    ///
    /// - Returns: false if it exists already.
    static func createFolder(_ path: String, as name: String, mode: mode_t = 0o700) throws(FileError) -> Bool {
        if mkdir(path, mode) == 0 { return true }
        let error = errno
        if error == EEXIST {
            guard kind(path) != .folder else { return false }
            throw FileError(
                verb: "create",
                path: name,
                reason: "there is something else of that name",
                hint: "Move it away, or choose another name."
            )
        }
        throw Files.error(error, "create", name)
    }

    /// Appends text to a file, which is created with mode 0644 if it is missing. If the text cannot be added
    /// completely, removes the written part again.
    static func append(_ text: String, to path: String, as name: String) throws(FileError) {
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw last("write", name) }
        defer { _ = close(number) }
        let end = lseek(number, 0, SEEK_END)
        let error = writeAll(Array(text.utf8), to: number)
        guard error != 0 else { return }
        if end >= 0 { _ = ftruncate(number, end) }
        throw Files.error(error, "write", name)
    }

    /// Removes a file. A missing file is no error.
    static func remove(_ path: String, as name: String) throws(FileError) {
        if unlink(path) != 0, errno != ENOENT { throw last("remove", name) }
    }

    /// The names in a folder, sorted, without hidden ones.
    static func names(inFolder path: String, as name: String) throws(FileError) -> [String] {
        guard let names = FolderNames.all(in: path) else { throw last("read", name) }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Writes to an open file until everything is written.
    ///
    /// - Returns: `errno` of the write that failed, or 0.
    static func writeAll(_ bytes: [UInt8], to number: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                // Somebody has made a terminal or pipe non-blocking, so this waits until it takes more.
                var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// The system's text for an error number.
    static func text(ofError number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "system error \(number)"
    }

    private static func last(_ verb: String, _ name: String) -> FileError { error(errno, verb, name) }

    private static func hint(_ number: Int32, _ name: String) -> String? {
        switch number {
        case ENOSPC, EDQUOT: "Free some space on the disk that holds \(name.printable) and run the command again."
        case EIO: "Check the disk, the file system and the kernel's messages, then run the command again."
        case EACCES, EPERM: "Check the owner and the permissions of the file and of its folder."
        case EFBIG:
            "A limit on the size of files is in force (ulimit -f), or the file system allows no more; raise it and run the "
                + "command again."
        case ELOOP: "Links lead in a circle there; see where with ls -l."
        case EROFS: "Work in a folder on a file system that can be written to."
        default: nil
        }
    }

    /// The error for a failed system call.
    static func error(_ number: Int32, _ verb: String, _ name: String) -> FileError {
        FileError(
            verb: verb,
            path: name,
            reason: text(ofError: number),
            isMissing: number == ENOENT,
            hint: hint(number, name)
        )
    }

    private static func systemRead(_ number: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
        #if canImport(Darwin)
        Darwin.read(number, &buffer, count)
        #else
        Glibc.read(number, &buffer, count)
        #endif
    }
}
