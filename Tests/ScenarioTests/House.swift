import Foundation
import TestSupport

/// `examples/house` in a separate folder, with its database imported.
struct House: Sendable {
    /// The folder of the house.
    let folder: URL

    /// The folder in which the build places the test bundle, and beside it what it has built for the tests.
    static let products: URL = {
        let bundle = Bundle.main.bundleURL
        return bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    }()

    /// The executable: the one that `MESHPLAN_EXECUTABLE` names by its absolute path, such as that of a release build,
    /// which is many times faster; else the one beside the test bundle. Its name is `meshplan`, because the tests type
    /// the commands that it suggests.
    static let meshplan =
        ProcessInfo.processInfo.environment["MESHPLAN_EXECUTABLE"].map { URL(filePath: $0) }
        ?? products.appending(path: "meshplan")

    /// The folder with the examples.
    static let examples = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "examples")
    private static let example = examples.appending(path: "house")

    /// A new house in a new temporary folder.
    static func make() async throws -> House {
        let house = House(folder: try temporaryFolder())
        let definition = house.folder.appending(path: "house.yaml")
        try FileManager.default.copyItem(at: example.appending(path: "house.yaml"), to: definition)
        for arguments in [["init"], ["import", "--cdb", example.appending(path: "network.json").path]] {
            let result = try await house.meshplan(arguments)
            guard result.status == 0 else { throw ScenarioError(result.output) }
        }
        return house
    }

    /// A new temporary folder with nothing in it.
    static func empty() throws -> House { House(folder: try temporaryFolder()) }

    /// Writes a file in the folder that only its owner can read.
    func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try text.write(to: file, atomically: true, encoding: .utf8)
        // Commands refuse files with secrets that others can read.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// A copy of the database, keys and definition in another folder.
    func copy() throws -> House {
        let copy = House(folder: try House.temporaryFolder())
        for name in ["house.yaml", ".meshplan"] {
            try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.folder.appending(path: name))
        }
        return copy
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs the executable in the folder.
    func meshplan(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await run(House.meshplan, arguments)
    }

    /// Runs a program in the folder to its end. Returns output and errors together.
    func run(_ program: URL, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let ending = try await observe(program, arguments)
        return (ending.status, ending.output)
    }

    /// How a program ended.
    struct Ending: Sendable {
        /// The exit status, or the number of the signal.
        var status: Int32
        /// Whether a signal ended it.
        var wasKilled: Bool
        /// The output, including errors.
        var output: String
    }

    /// Runs a program in the folder to its end, with more environment variables.
    func observe(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) async throws -> Ending {
        // The output goes to a file, so that the program never waits for a reader. It is outside the folder, where no
        // faults are injected.
        let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".output")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let handle = try FileHandle(forWritingTo: output)
        defer { try? handle.close() }
        let process = try SpawnedProcess(
            [program.path] + arguments,
            in: folder.path,
            with: environment,
            output: handle.fileDescriptor
        )
        let ending = await process.end()
        return Ending(
            status: ending.status,
            wasKilled: ending.wasKilled,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self)
        )
    }

    /// Makes a folder directly below the system's temporary one, because the paths of sockets must be short.
    private static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "house-" + UUID().uuidString.prefix(8))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// Why a scenario could not continue.
struct ScenarioError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
