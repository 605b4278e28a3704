import MeshCore
import Simulator
import Store
import SystemLayer

/// The simulator's state file. It is read at the start and appended to while the world runs. One process at a time uses
/// it.
final class SimulatorFile {
    /// The most octets of such a file.
    static let sizeLimit = 1 << 30

    /// The path, for people.
    let name: String
    /// Whether the file was missing or empty.
    let isNew: Bool
    /// The state that the file contained.
    let state: SimulatorState
    private let file: AppendFile
    private var hasFailed = false

    /// Opens the file, or creates it for its owner alone (0600).
    ///
    /// - Parameters:
    ///   - path: the path for the system.
    ///   - name: the path for people.
    /// - Throws: ``FileError``; ``Failure`` if another process uses the file, or if it contains something else.
    init(_ path: String, as name: String) throws {
        var file = try Self.openLocked(path, as: name)
        let bytes = try file.readAll(limit: Self.sizeLimit)
        let (state, whole) = try Self.decode(bytes, as: name)
        let compacted = state.compacted
        if whole == 0 {
            try file.replaceAll(with: compacted)
        } else if bytes.count > 1 << 20, bytes.count > 2 * compacted.count {
            try AtomicFile.write(path, as: name, compacted)
            file = try Self.openLocked(path, as: name)
        } else if whole < bytes.count {
            // The process that wrote the last record was killed in the middle.
            try file.cut(to: whole)
        }
        self.name = name
        self.state = state
        self.file = file
        isNew = bytes.isEmpty
    }

    /// The state in the octets of a file, and how many octets are complete records.
    static func decode(_ bytes: [UInt8], as name: String) throws(Failure) -> (state: SimulatorState, whole: Int) {
        do {
            let (state, whole) = try StateFile.decode(bytes)
            return (state, whole)
        } catch {
            let problem =
                switch error {
                case .damaged(let place):
                    "\(name.printable), the state of the simulator, is damaged at octet \(place) of \(bytes.count)"
                case .notAStateFile: "\(name.printable) is not the state of a simulator of this version"
                case .record(let place, let error):
                    "\(name.printable), the state of the simulator, contains what this version does not know, at octet "
                        + "\(place): \(error)"
                }
            throw Failure(
                .invalidInput,
                problem,
                hint:
                    "Start over with: meshplan sim reset. Nodes then have the state of the mesh database, and devices are "
                    + "unprovisioned."
            )
        }
    }

    /// Removes the file, whatever its contents, unless another process uses it.
    ///
    /// - Throws: ``FileError``; ``Failure`` if another process uses the file.
    static func remove(_ path: String, as name: String) throws {
        let file = try openLocked(path, as: name)
        try withExtendedLifetime(file) { try Files.remove(path, as: name) }
    }

    /// Appends a record. The first one that cannot be stored is told: simulated nodes send nothing that they cannot
    /// remember, and would look like silent ones.
    ///
    /// - Returns: false if it could not be stored.
    func record(_ record: StateRecord, _ context: Context) -> Bool {
        do throws(FileError) {
            try file.append(StateFile.encode(record))
            return true
        } catch {
            if !hasFailed {
                hasFailed = true
                FailureView(context).warn(
                    "\(error.message); simulated nodes keep silent until it can be written again",
                    hint: error.hint
                )
            }
            return false
        }
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
