internal import Store

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Why a file cannot be read or written, in the system's words.
struct FileError: Error, Hashable {
    /// What was tried, such as `read`.
    var verb: String
    /// The path as the user knows it.
    var path: String
    /// What the system says, such as `No such file or directory`.
    var reason: String
    /// Whether there is no such file or folder.
    var isMissing = false

    /// What to do about it.
    var hint: String?

    /// For people, without a full stop.
    var message: String { "cannot \(verb) \(path): \(reason)" }
}

/// Files by path, with errors that name the path. Names of files stay texts of the system: paths are not normalised.
enum Files {
    /// What a path leads to.
    enum Kind {
        case file
        case folder
        case other
    }

    /// What is at the path, links followed; nil if nothing is.
    static func kind(_ path: String) -> Kind? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// What two paths have in common exactly if they lead to the same file; the path itself where nothing is.
    static func identity(_ path: String) -> String {
        var status = stat()
        return stat(path, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : path
    }

    /// Whether somebody other than the owner may read a regular file.
    static func isReadableByOthers(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return status.st_mode & (S_IRGRP | S_IROTH) != 0
    }

    /// The whole file; pipes and `/dev/stdin` work too.
    ///
    /// - Parameters:
    ///   - path: for the system.
    ///   - name: for people.
    ///   - limit: octets that are read at most; a larger file is an error.
    static func read(_ path: String, as name: String, limit: Int) throws(FileError) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw last("read", name) }
        defer { _ = close(number) }
        var status = stat()
        guard fstat(number, &status) == 0 else { throw last("read", name) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw FileError(verb: "read", path: name, reason: "it is a folder")
        }
        return try readRest(of: number, as: name, limit: limit)
    }

    /// What is left of an open file.
    static func readRest(of number: Int32, as name: String, limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = systemRead(number, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw last("read", name)
            }
            guard bytes.count + count <= limit else {
                throw FileError(verb: "read", path: name, reason: "it is larger than \(limit / 1_048_576) MiB")
            }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// The first octets of a file, fewer if it is shorter.
    static func readStart(_ path: String, as name: String, count: Int) throws(FileError) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw last("read", name) }
        defer { _ = close(number) }
        var buffer = [UInt8](repeating: 0, count: count)
        let octets = systemRead(number, &buffer, count)
        guard octets >= 0 else { throw last("read", name) }
        return Array(buffer[..<octets])
    }

    /// Makes a folder, for its owner alone unless said; its parent must exist.
    ///
    /// - Returns: false if it exists.
    static func createFolder(_ path: String, as name: String, mode: mode_t = 0o700) throws(FileError) -> Bool {
        if mkdir(path, mode) == 0 { return true }
        if errno == EEXIST, kind(path) == .folder { return false }
        throw last("create", name)
    }

    /// Adds text to the end of a file, which is made with mode 0644 if there is none. What cannot be added whole is taken
    /// back.
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

    /// Removes a file; one that does not exist is no error.
    static func remove(_ path: String, as name: String) throws(FileError) {
        if unlink(path) != 0, errno != ENOENT { throw last("remove", name) }
    }

    /// The names in a folder, sorted, hidden ones left out.
    static func names(inFolder path: String, as name: String) throws(FileError) -> [String] {
        guard let names = FolderNames.all(in: path) else { throw last("read", name) }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Writes to an open file until all is written.
    ///
    /// - Returns: `errno` of the write that failed, or 0.
    static func writeAll(_ bytes: [UInt8], to number: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                // Somebody has made a terminal or pipe non-blocking; wait until it takes more.
                var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// What the system calls an error.
    static func text(ofError number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "system error \(number)"
    }

    private static func last(_ verb: String, _ name: String) -> FileError { error(errno, verb, name) }

    private static func hint(_ number: Int32) -> String? {
        switch number {
        case ENOSPC, EDQUOT: "Free some space and run the command again."
        case EIO: "Check the disk, the file system and the kernel's messages, then run the command again."
        case EACCES, EPERM: "Check the owner and the permissions of the file and of its folder."
        case EROFS: "Work in a folder on a file system that can be written to."
        default: nil
        }
    }

    /// The error of a failed system call.
    static func error(_ number: Int32, _ verb: String, _ name: String) -> FileError {
        FileError(
            verb: verb,
            path: name,
            reason: text(ofError: number),
            isMissing: number == ENOENT,
            hint: hint(number)
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
