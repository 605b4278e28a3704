internal import MeshCore
internal import Simulator
internal import Store

/// The simulator's state file: read at the start, appended to while the world runs, used by one process at a time.
final class SimulatorFile {
    /// What the file held.
    let state: SimulatorState
    private let file: AppendFile

    /// Opens, or makes, the file for its owner alone (0600).
    ///
    /// - Parameters:
    ///   - path: for the system.
    ///   - name: for people.
    /// - Throws: ``FileError``, ``Failure`` if another process uses the file or it is something else.
    init(_ path: String, as name: String) throws {
        var file = try Self.openLocked(path, as: name)
        let bytes = try file.readAll(limit: 1 << 30)
        let state: SimulatorState
        let whole: Int
        do {
            (state, whole) = try StateFile.decode(bytes)
        } catch {
            throw Failure(
                .invalidInput,
                "\(name) is not a simulator's state of this version: \(error)",
                hint: "Remove it, or begin anew with: meshplan sim reset"
            )
        }
        let compacted = state.compacted
        if whole == 0 {
            try file.replaceAll(with: compacted)
        } else if bytes.count > 1 << 20, bytes.count > 2 * compacted.count {
            try AtomicFile.write(path, compacted)
            file = try Self.openLocked(path, as: name)
        } else if whole < bytes.count {
            // The last record was being written when its process was killed.
            try file.cut(to: whole)
        }
        self.state = state
        self.file = file
    }

    /// Removes the file, whatever it holds, unless another process uses it.
    ///
    /// - Throws: ``FileError``, ``Failure`` if another process uses the file.
    static func remove(_ path: String, as name: String) throws {
        let file = try openLocked(path, as: name)
        try withExtendedLifetime(file) { try Files.remove(path, as: name) }
    }

    /// Appends a record.
    ///
    /// - Returns: false if it could not be stored.
    func record(_ record: StateRecord) -> Bool {
        file.append(StateFile.encode(record))
    }

    private static func openLocked(_ path: String, as name: String) throws -> AppendFile {
        guard let file = try AppendFile(lockingPath: path, as: name) else {
            throw Failure(
                .locked,
                "another process simulates this network already (\(name) is locked)",
                hint: "Speak to it with --via unix:PATH or tcp:HOST:PORT, or end it."
            )
        }
        return file
    }
}
