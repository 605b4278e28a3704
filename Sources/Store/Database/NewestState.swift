import MeshCore
import SystemLayer

/// The text file `<database>.newest`: the latest state of the database that this machine has written. It shows that a
/// database was put back, even if a lock file in git was put back together with it.
///
/// A change reaches the database first and this file later, still under the lock. So a database is never older than
/// this file says, unless an older copy has taken its place.
package enum NewestState {
    private static let firstLine: Substring = "meshplan newest state 1"
    private static let lastLine: Substring = "end"
    /// What the file's name has behind that of the database.
    package static let suffix = ".newest"

    /// The state in the file beside the database at `path`; nil if there is none.
    ///
    /// - Throws: ``StoreError/Code/damaged`` if it holds something else, and other codes if it cannot be read.
    package static func read(beside path: String) throws(StoreError) -> StateVersion? {
        let file = path + suffix
        guard try storing({ () throws(FileError) in try FileStatus.of(file) }) != nil else { return nil }
        let bytes = try storing { () throws(FileError) in try Files.readRegular(file, limit: 4096, isSecret: false) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let words = lines.count == 3 ? lines[1].split(separator: " ") : []
        guard lines.first == firstLine, lines.last == lastLine, words.count == 3,
            let lineage = Hexadecimal.decode(words[0]).flatMap({ Octets16($0) }), let serial = UInt64(words[1]),
            let digest = Hexadecimal.decode(words[2]), digest.count == SHA256.length
        else {
            throw StoreError(
                .damaged,
                "does not hold what meshplan wrote into it",
                hint: "if the database is the latest one, remove this file; the next change makes it again",
                path: file
            )
        }
        return StateVersion(lineage: lineage, serial: serial, digest: digest)
    }

    /// Replaces the file, if it says something else.
    static func write(_ version: StateVersion, beside path: String) throws(StoreError) {
        if (try? read(beside: path)) == version { return }
        let words = "\(version.lineage.hexadecimal) \(version.serial) \(Hexadecimal.encode(version.digest))"
        let text = "\(firstLine)\n\(words)\n\(lastLine)\n"
        try storing { () throws(FileError) in try AtomicFile.write(path + suffix, Array(text.utf8)) }
    }
}

extension MeshDatabase {
    /// The latest state that this machine has written, whatever the database holds now; nil if it has written none.
    package func newestWritten() throws(StoreError) -> StateVersion? {
        try NewestState.read(beside: location.localPath)
    }
}
