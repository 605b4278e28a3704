import Foundation
import TestSupport

/// `examples/house` in a folder of its own, with its database imported.
struct House: Sendable {
    /// Where it lies.
    let folder: URL

    /// The executable, which the build puts beside the test bundle.
    static let meshplan: URL = {
        let bundle = Bundle.main.bundleURL
        let products = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return products.appending(path: "meshplan")
    }()

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

    /// Writes a file in the folder, for its owner alone.
    func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try text.write(to: file, atomically: true, encoding: .utf8)
        // Files with secrets are refused otherwise.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// The same database, keys and definition in another folder.
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

    /// Runs a program in the folder to its end; its output and errors come together.
    func run(_ program: URL, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let ending = try await observe(program, arguments)
        return (ending.status, ending.output)
    }

    /// How a program came to its end.
    struct Ending: Sendable {
        /// The exit status, or the number of the signal.
        var status: Int32
        /// Whether a signal has ended it.
        var wasKilled: Bool
        /// What it wrote, errors among it.
        var output: String
    }

    /// Runs a program in the folder to its end, with more in its environment.
    func observe(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) async throws -> Ending {
        // A file, which takes all that is written while nobody reads. Beside the folder, where no fault is injected.
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

    /// The path of a socket must be short, so the folder lies right below the system's temporary one.
    private static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "house-" + UUID().uuidString.prefix(8))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// Why a scenario could not go on.
struct ScenarioError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
