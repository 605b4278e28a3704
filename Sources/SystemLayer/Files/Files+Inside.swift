#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Files {
    /// Reads a regular file that others may have written, named or put in place: a file of a definition, or one that it
    /// names.
    ///
    /// The path is walked part by part, and each link in it is followed here, so that the file that was judged is the
    /// one that is read. What lies outside of the folders, or is no regular file, is not even opened: opening a device
    /// or a pipe has effects, and either may never end.
    ///
    /// - Parameters:
    ///   - path: an absolute path, for the system.
    ///   - name: for people.
    ///   - folders: absolute paths of the folders in one of which the file must lie, wherever links lead.
    ///   - limit: the most octets it may have.
    ///   - isSecret: whether to refuse a file that others than its owner may use.
    package static func read(
        _ path: String,
        as name: String,
        inside folders: [String],
        limit: Int,
        isSecret: Bool = false
    ) throws(FileError) -> [UInt8] {
        let (file, status) = try open(path, as: name, inside: folders, isSecret: isSecret)
        guard status.size <= Int64(limit) else { throw FileError(.read, name, at: path, .tooLarge(limit: limit)) }
        return try file.readAll(limit: limit)
    }

    /// The first octets of such a file, fewer if it is shorter.
    static func readStart(
        _ path: String,
        as name: String,
        inside folders: [String],
        count: Int
    ) throws(FileError) -> [UInt8] {
        try open(path, as: name, inside: folders, isSecret: false).0.readStart(count)
    }

    /// Checks what ``read(_:as:inside:limit:isSecret:)`` does, without reading.
    package static func checkReadable(
        _ path: String,
        as name: String,
        inside folders: [String],
        isSecret: Bool
    ) throws(FileError) {
        _ = try open(path, as: name, inside: folders, isSecret: isSecret)
    }

    private static func open(
        _ path: String,
        as name: String,
        inside folders: [String],
        isSecret: Bool
    ) throws(FileError) -> (OpenFile, FileStatus) {
        var walk = PathWalk(path: path, name: name, folders: folders.map { resolved($0) ?? $0 })
        let file = try walk.open()
        let status = try file.status()
        guard status.isRegular else { throw walk.error(.special) }
        guard !isSecret || status.permissions & 0o077 == 0 else {
            throw walk.error(.exposed(mode: status.permissions))
        }
        return (file, status)
    }
}

/// The way to a file, from the root, through folders that stay open.
private struct PathWalk {
    let path: String
    let name: String
    /// Where the way may end; without links.
    let folders: [String]

    /// As many links as systems follow in one path.
    private static let mostLinks = 40
    private static let mostFolders = 256

    private var passed: [(name: String, folder: OpenFile)] = []
    private var pending: [String] = []
    private var links = 0

    init(path: String, name: String, folders: [String]) {
        (self.path, self.name, self.folders) = (path, name, folders)
    }

    func error(_ cause: FileError.Cause) -> FileError { FileError(.read, name, at: path, cause) }

    mutating func open() throws(FileError) -> OpenFile {
        let root = try OpenFile("/", .passing)
        enqueue(path)
        while let part = pending.popLast() {
            if part == ".." {
                _ = passed.popLast()
                continue
            }
            let folder = passed.last?.folder ?? root
            switch try kind(of: part, in: folder) {
            case S_IFLNK: try follow(part, in: folder)
            case S_IFDIR:
                guard passed.count < Self.mostFolders else { throw error(.system(ENAMETOOLONG)) }
                passed.append((part, try openPart(part, in: folder, .passing)))
            case let kind:
                guard pending.isEmpty else { throw error(.system(ENOTDIR)) }
                guard lies("/" + (passed.map(\.name) + [part]).joined(separator: "/")) else { throw error(.outside) }
                guard kind == S_IFREG else { throw error(.special) }
                return try openPart(part, in: folder, .unlinked)
            }
        }
        throw error(.folder)
    }

    private mutating func enqueue(_ path: String) {
        if path.hasPrefix("/") { passed = [] }
        pending += path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }

    private func kind(of part: String, in folder: OpenFile) throws(FileError) -> mode_t {
        var status = stat()
        guard fstatat(folder.number, part, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw error(.system(errno)) }
        return status.st_mode & mode_t(S_IFMT)
    }

    private mutating func follow(_ link: String, in folder: OpenFile) throws(FileError) {
        links += 1
        guard links <= Self.mostLinks else { throw error(.system(ELOOP)) }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(folder.number, link, &buffer, buffer.count)
        guard count >= 0 else { throw error(.system(errno)) }
        enqueue(String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    private func openPart(_ part: String, in folder: OpenFile, _ access: OpenFile.Access) throws(FileError) -> OpenFile
    {
        do throws(FileError) {
            return try OpenFile(part, in: folder, access)
        } catch {
            throw self.error(error.cause)
        }
    }

    private func lies(_ place: String) -> Bool {
        folders.contains { place.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
    }
}
