/// The names of the files that are written first and renamed later, and the removal of those whose writer was killed.
///
/// The name holds the process identifier. So two writers never share a temporary file, and others can tell whether its
/// writer still lives. A writer on another host or in another container looks dead. If its file is removed, it ends
/// with an error, and nothing is lost.
package enum TemporaryFiles {
    private static let mark = ".meshplan-"
    /// The suffixes of the files that SQLite keeps beside a database.
    package static let companions = ["-journal", "-wal", "-shm"]

    /// The temporary file for `path`.
    package static func path(for path: String) -> String { "\(path)\(mark)\(ThisProcess.number)" }

    /// Removes what killed writers of `path` left behind.
    package static func removeLeftovers(of path: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        removeLeftovers(in: Files.folder(of: path), of: path[start...])
    }

    /// Removes what killed writers of any file left behind in a folder. What cannot be removed stays for the next call.
    package static func removeLeftovers(inFolder folder: String) {
        removeLeftovers(in: folder, of: nil)
    }

    /// The names of files in a folder that killed writers left behind. Whoever takes the lock of a database there
    /// removes them.
    package static func leftovers(inFolder folder: String) -> [String] {
        (FolderNames.all(in: folder) ?? []).filter { found in
            parse(found).map { !ThisProcess.isAlive($0.process) } ?? false
        }
    }

    private static func removeLeftovers(in folder: String, of name: Substring?) {
        for found in FolderNames.all(in: folder) ?? [] {
            guard let (original, process) = parse(found), name == nil || name == original, !ThisProcess.isAlive(process)
            else {
                continue
            }
            try? Files.remove("\(folder)/\(found)")
        }
    }

    /// The future name of a temporary file, and the process that writes it.
    private static func parse(_ name: String) -> (original: Substring, process: Int32)? {
        var name = name[...]
        for companion in companions where name.hasSuffix(companion) { name.removeLast(companion.count) }
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let start = name.dropLast(digits)
        guard start.hasSuffix(mark), start.count > mark.count, let process = Int32(name.suffix(digits)), process > 0
        else { return nil }
        return (start.dropLast(mark.count), process)
    }
}
