import Foundation
import MeshCore
import Store

/// A folder with a fleet: its list, the definition of all its networks, and the key of their databases.
struct FleetSite {
    /// The folder.
    let folder: String
    /// The address of the database that holds them all.
    let state: String

    /// The name of a network.
    static func name(_ index: Int) -> String { "site-\(index)" }

    /// Makes the folder, and the databases of networks in which all nodes are configured but one. The definition wants
    /// another TTL in corridors.
    func make(_ count: Int, nodes: Int, in store: SharedStore) throws {
        let databases = folder + "/.meshplan"
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(
            atPath: databases,
            withIntermediateDirectories: true,
            attributes: mode
        )
        let building = BuildingGenerator(nodeCount: nodes, changedEvery: nodes)
        let (definition, rows) = building.definitionOfFleet(corridorTTL: 4)
        try write(definition, "building.yaml")
        try write(rows, "luminaires.csv")
        var list = "version: 1\ndefaults: { definition: building.yaml, variables: { name: $(network) } }\nnetworks:\n"
        for index in 0..<count { list += "  \(Self.name(index)): {}\n" }
        try write(list, "fleet.yaml")
        guard var network = building.network() else { throw BenchmarkFailure("that many nodes have no addresses") }
        var generator = SystemRandomNumberGenerator()
        let key = try KeyFile.create(at: databases + "/key", using: &generator)
        for index in 0..<count {
            network.name = Self.name(index)
            _ = try MeshDatabase.create(
                at: .shared(store, network: network.name, localPath: "\(databases)/\(network.name)"),
                network: network,
                key: key,
                now: Timestamp(rawValue: 0),
                using: generator
            )
        }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    /// Runs the executable that was built beside this one, in the folder.
    ///
    /// - Returns: how long it took, and what it printed.
    /// - Throws: ``BenchmarkFailure`` if it is not there, or ends with another status.
    func run(_ arguments: [String], expecting status: Int32) throws -> (seconds: Double, lines: [Substring]) {
        guard let own = Bundle.main.executablePath else {
            throw BenchmarkFailure("the file of this process is not to be found, beside which meshplan is")
        }
        let executable = URL(filePath: own).deletingLastPathComponent().appending(path: "meshplan")
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw BenchmarkFailure("there is no \(executable.path); build it with: swift build -c release")
        }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MESHPLAN_") }
        process.environment?["MESHPLAN_STATE"] = state
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let start = ContinuousClock.now
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard process.terminationStatus == status else {
            throw BenchmarkFailure(
                "meshplan \(arguments.joined(separator: " ")) ended with \(process.terminationStatus): \(text.suffix(400))"
            )
        }
        return (seconds, text.split(separator: "\n"))
    }
}
