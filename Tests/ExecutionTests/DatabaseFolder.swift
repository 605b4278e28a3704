import Foundation
import Store

/// A folder with the files of a database, which is removed with the last reference to it.
final class DatabaseFolder {
    private let url: URL

    /// A new, empty one, in memory if possible: what is tested here is the order of writes, not the disk.
    init() throws {
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        url = parent.appending(path: "meshplan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The database's path.
    var path: String { url.appending(path: "house.meshdb").path }

    /// A copy of the files as they are now.
    func copy() throws -> DatabaseFolder {
        let copy = try DatabaseFolder()
        for file in try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil) {
            try FileManager.default.copyItem(at: file, to: copy.url.appending(path: file.lastPathComponent))
        }
        return copy
    }
}
