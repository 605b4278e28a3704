import DefinitionModel
import Definitions
import Foundation
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan-bench plan [NODES]`: the CPU time and memory of a plan, beside the bare floor.
///
/// A separate process measures each figure; all of them read the same two files. One does what `meshplan plan` does,
/// including its start and its end, up to the finished plan. The other lets libyaml count the events and SQLite return
/// the rows. They alternate, and the best of seven runs counts, because other work on the machine can only add time.
///
/// There are two buildings. In one, the database knows the nodes, and a few of them differ. In the other, all nodes are
/// devices to provision; its database is almost empty, so its floor is libyaml's only.
enum PlanBenchmark {
    private static let rounds = 7

    static func run(_ arguments: [String]) throws {
        // What a child process measures, and in which folder.
        let (mode, folder) = (arguments.first, arguments.count == 2 ? arguments[1] : "")
        switch (mode, folder.isEmpty) {
        case ("--floor", false): try report { _ = try floor(in: folder) }
        case ("--plan", false): try reportOurs { try plan(in: folder, isLast: true) }
        case ("--read", false): try reportOurs { try definition(in: folder) }
        case ("--plan-modules", false): try reportOurs { try plan(in: folder, byModules: true, isLast: true) }
        case ("--read-modules", false): try reportOurs { try definition(in: folder, byModules: true) }
        case ("--snapshot", false): try reportOurs { try snapshot(in: folder) }
        case ("--estimate", false): try reportEstimate(in: folder)
        default:
            var arguments = BenchmarkArguments("plan [NODES]", arguments)
            let count = try arguments.number(or: 10_000, in: 1...32_000)
            try arguments.end()
            try compare(BuildingGenerator(nodeCount: count, changedEvery: 100), "nodes")
            print("")
            try compare(
                BuildingGenerator(nodeCount: count, changedEvery: 100, isNew: true),
                "devices to be provisioned"
            )
        }
    }

    private static func compare(_ building: BuildingGenerator, _ what: String) throws {
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (definitionSize, databaseSize) = try prepare(building, in: folder)
        let (plan, events) = (try plan(in: folder), try floor(in: folder))
        guard try self.plan(in: folder, byModules: true).steps == plan.steps else {
            throw BenchmarkFailure("the plan by modules differs")
        }
        print(
            """
            \(building.nodeCount) \(what): \(definitionSize / 1000) kB of YAML, \(events) events, \(databaseSize / 1000) kB of \
            database; the plan has \(plan.steps.count) steps
            """
        )
        var best = (floor: Double.infinity, plan: Double.infinity, read: Double.infinity, snapshot: Double.infinity)
        var (estimate, planByModules, readByModules) = (Double.infinity, Double.infinity, Double.infinity)
        var peak = 0.0
        for _ in 0..<rounds {
            best.floor = min(best.floor, try child("--floor", folder).seconds)
            let planned = try child("--plan", folder)
            best.plan = min(best.plan, planned.seconds)
            peak = max(peak, planned.mebibytes)
            best.read = min(best.read, try child("--read", folder).seconds)
            best.snapshot = min(best.snapshot, try child("--snapshot", folder).seconds)
            estimate = min(estimate, try child("--estimate", folder).seconds)
            planByModules = min(planByModules, try child("--plan-modules", folder).seconds)
            readByModules = min(readByModules, try child("--read-modules", folder).seconds)
        }
        print("bare libyaml and SQLite  \(text(best.floor)) s CPU")
        print("plan                     \(text(best.plan)) s CPU, \(text(peak, digits: 0)) MiB")
        print("  reading the definition \(text(best.read)) s CPU alone")
        print("  reading the database   \(text(best.snapshot)) s CPU alone")
        print("ratio                    \(text(best.plan / best.floor, digits: 2))")
        print("plan by modules          \(text(planByModules)) s CPU")
        print("  reading the definition \(text(readByModules)) s CPU alone")
        print("an estimate of its time  \(text(estimate)) s CPU on top")
    }

    private static func prepare(
        _ building: BuildingGenerator,
        in folder: String
    ) throws -> (definition: Int, database: Int) {
        guard let network = building.network() else { throw BenchmarkFailure("that many nodes have no addresses") }
        let text = Data(building.definition().utf8)
        try text.write(to: URL(filePath: definitionPath(folder)))
        let (byModules, rows) = building.definitionByModules()
        try Data(byModules.utf8).write(to: URL(filePath: modulesPath(folder)))
        try Data(rows.utf8).write(to: URL(filePath: rowsPath(folder)))
        var generator = SystemRandomNumberGenerator()
        _ = try MeshDatabase.create(
            at: databasePath(folder),
            network: network,
            key: try KeyFile.create(at: keyPath(folder), using: &generator),
            now: Timestamp(rawValue: 0),
            using: generator
        )
        let attributes = try FileManager.default.attributesOfItem(atPath: databasePath(folder))
        return (text.count, (attributes[.size] as? Int) ?? 0)
    }

    private static func floor(in folder: String) throws -> Int {
        let text = Array(try Data(contentsOf: URL(filePath: definitionPath(folder))))
        let events = BareFloor.countEvents(of: text)
        guard BareFloor.readRows(ofDatabaseAt: databasePath(folder)) > 0 else {
            throw BenchmarkFailure("no rows were read")
        }
        return events
    }

    /// Makes the plan.
    ///
    /// - Parameters:
    ///   - byModules: whether from the definition by modules.
    ///   - isLast: whether the process ends with it, as `meshplan plan` does.
    private static func plan(in folder: String, byModules: Bool = false, isLast: Bool = false) throws -> Plan {
        let definition = try definition(in: folder, byModules: byModules)
        let snapshot = try snapshot(in: folder)
        if isLast { ProcessMemory.keepUntilExit((definition, snapshot)) }
        let result = Planner.plan(
            definition: definition,
            network: snapshot.network,
            base: (snapshot.lineage, snapshot.serial),
            identifier: Octets16(high: 0, low: 1)
        )
        guard let plan = result.plan else {
            throw BenchmarkFailure("\(result.diagnostics.first?.message ?? "no plan")")
        }
        return plan
    }

    private static func definition(in folder: String, byModules: Bool = false) throws -> Definition {
        let path = byModules ? modulesPath(folder) : definitionPath(folder)
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let files = SourceFiles(files: [SourceFiles.File(path: "building.yaml", bytes: bytes)])
        let rows = rowsPath(folder)
        let reading = try DefinitionReader.reading(files) { path throws -> [SourceFiles.File] in
            [SourceFiles.File(path: path, bytes: Array(try Data(contentsOf: URL(filePath: rows))))]
        }
        let (definitions, diagnostics) = (reading.definitions, reading.diagnostics)
        guard let definition = definitions.first else {
            throw BenchmarkFailure("\(diagnostics.first?.message ?? "no definition")")
        }
        return definition
    }

    private static func snapshot(in folder: String) throws -> Snapshot {
        try MeshDatabase.open(at: databasePath(folder), key: try KeyFile.load(from: keyPath(folder))).snapshot()
    }

    private static func definitionPath(_ folder: String) -> String { folder + "/building.yaml" }
    private static func modulesPath(_ folder: String) -> String { folder + "/modules.yaml" }
    private static func rowsPath(_ folder: String) -> String { folder + "/luminaires.csv" }
    private static func databasePath(_ folder: String) -> String { folder + "/building.meshdb" }
    private static func keyPath(_ folder: String) -> String { folder + "/key" }

    /// In the child process: does what the executable does, and reports what the whole process used.
    private static func reportOurs<Result>(_ work: () throws -> Result) throws {
        ProcessMemory.prepareForLargeValues()
        try report { ProcessMemory.keepUntilExit(try work()) }
    }

    /// In the child process: does the work, and reports what the whole process used.
    private static func report(_ work: () throws -> Void) throws {
        try work()
        print(ProcessUsage.cpuSeconds, ProcessUsage.peakMebibytes)
    }

    /// In the child: says what the estimate of the plan's time used alone.
    private static func reportEstimate(in folder: String) throws {
        let network = try snapshot(in: folder).network
        let plan = try plan(in: folder)
        let before = ProcessUsage.cpuSeconds
        let estimate = PlanEstimator(profile: .office, connections: 4).relaying(in: network).estimate(plan)
        guard estimate.total.median > 0 else { throw BenchmarkFailure("the plan is said to take no time") }
        print(ProcessUsage.cpuSeconds - before, ProcessUsage.peakMebibytes)
    }

    private static func child(_ mode: String, _ folder: String) throws -> (seconds: Double, mebibytes: Double) {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = ["plan", mode, folder]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        process.waitUntilExit()
        guard words.count == 2, let seconds = Double(words[0]), let mebibytes = Double(words[1]) else {
            throw BenchmarkFailure("a child process did not report")
        }
        return (seconds, mebibytes)
    }

    /// The executable file of this process. The name it was started with need not be a path.
    private static func executable() throws -> URL {
        guard let path = Bundle.main.executablePath else {
            throw BenchmarkFailure("the file of this process is not to be found, which its child processes need")
        }
        return URL(filePath: path)
    }

    private static func text(_ value: Double, digits: Int = 3) -> String {
        String(format: "%.\(digits)f", value)
    }
}
