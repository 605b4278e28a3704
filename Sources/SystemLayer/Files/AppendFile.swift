/// A file that one process at a time appends to, readable by its owner alone (0600).
package final class AppendFile {
    private let file: OpenFile
    private let name: String

    /// Opens or creates a file, and locks it.
    ///
    /// - Parameters:
    ///   - path: for the system.
    ///   - name: for people.
    /// - Returns: nil if another process holds the lock.
    /// - Throws: ``FileError`` if it cannot be opened or locked, or is no regular file.
    package init?(lockingPath path: String, as name: String) throws(FileError) {
        // A device may have no end, and a pipe keeps nothing. Opening them has effects of its own.
        if let status = try? FileStatus.of(path), !status.isRegular, !status.isFolder {
            throw FileError(.open, name, at: path, .special)
        }
        file = try OpenFile(path, as: name, .appendingOwn)
        guard try file.status().isRegular else { throw FileError(.open, name, at: path, .special) }
        self.name = name
        guard try file.lockExclusively() else { return nil }
    }

    /// Reads the whole file.
    ///
    /// - Throws: ``FileError`` if it cannot be read, or has more octets than the limit.
    package func readAll(limit: Int) throws(FileError) -> [UInt8] {
        guard try file.status().size <= Int64(limit) else { throw FileError(.read, name, .tooLarge(limit: limit)) }
        try file.rewind()
        return try file.readAll(limit: limit)
    }

    /// Appends octets. If they cannot be written completely, removes the written part again.
    package func append(_ bytes: [UInt8]) throws(FileError) { try file.append(bytes) }

    /// Keeps only the first `count` octets.
    package func cut(to count: Int) throws(FileError) { try file.cut(to: count) }

    /// Replaces the contents.
    package func replaceAll(with bytes: [UInt8]) throws(FileError) {
        try file.cut(to: 0)
        try file.writeAll(bytes)
    }
}
