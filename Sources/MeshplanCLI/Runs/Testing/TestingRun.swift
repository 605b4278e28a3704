import Catalogue
import DefinitionModel
import Definitions
import Execution
import MeshCore
import Rehearsal
import Simulator
import Store
import SystemLayer

/// One `test`: rehearses a definition and plays its tests.
struct TestingRun {
    let context: Context
    /// The radio during the tests.
    let settings: WorldSettings
    /// The paths of files with devices.
    let devices: [String]
    /// The patterns of the names of tests to play; empty for all.
    let only: [String]
    /// The first seed.
    let seed: UInt64
    /// How many seeds each test is played with.
    let seeds: Int
    /// The path of the report for other programs; nil for none.
    let junit: String?

    /// Plays the tests of a definition.
    ///
    /// - Throws: ``InvalidDefinition`` if the definition has errors; ``Failure`` if it has no such tests, or cannot be
    ///   applied in the simulator; ``FileError`` if a file cannot be read or written.
    func test(_ paths: [String], network: String?) throws -> ExitStatus {
        let prepared = try PlanningJob(context: context).prepare(paths, network: network)
        let tests = try chosen(of: prepared.definition)
        let models = KnownModels(prepared.vendorModels)
        let devices = RehearsedDevices(
            of: prepared.definition,
            known: try DeviceFiles(context: context).load(devices),
            recorded: recorded(prepared.network)
        )
        let view = TestView(context: context, files: prepared.files)
        view.begin(prepared.network, tests.count, devices)
        let folder = temporaryFolder
        _ = try Files.createFolder(folder, as: folder)
        defer { try? Files.removeFolder(folder) }
        let rehearsal = try rehearse(prepared, devices.devices, models, in: folder)
        var results: [TestResult] = []
        for test in tests {
            guard context.interrupts.count() == 0 else { return .interrupted }
            let result = play(test, in: rehearsal)
            view.show(result)
            results.append(result)
        }
        view.end(results)
        if let junit {
            let report = JUnitReport(network: prepared.network, results: results, files: prepared.files)
            try AtomicFile.write(context.absolute(junit), as: junit, Array(report.text.utf8), mode: 0o644)
        }
        return results.allSatisfy(\.isPassed) ? .success : .failure
    }

    private func play(_ test: TestDefinition, in rehearsal: Rehearsal) -> TestResult {
        let start = ContinuousClock.now
        var result = TestResult(test: test)
        for run in rehearsal.runs(of: test, seed: seed, count: seeds) {
            guard context.interrupts.count() == 0 else { break }
            result.outcomes.append(rehearsal.play(run, settings))
        }
        result.elapsed = ContinuousClock.now - start
        return result
    }

    private func chosen(of definition: Definition) throws(Failure) -> [TestDefinition] {
        guard !definition.tests.isEmpty else {
            throw Failure(
                .failure,
                "the definition of \(definition.network.value) has no tests",
                hint: "Write them under `tests:`; the manual's page on tests shows how."
            )
        }
        guard !only.isEmpty else { return definition.tests }
        let globs = only.map { Glob($0) }
        let chosen = definition.tests.filter { test in globs.contains { $0.matches(test.name.value) } }
        guard !chosen.isEmpty else {
            let names = definition.tests.map { "`\($0.name.value)`" }.joined(separator: ", ")
            throw Failure(.usage, "no test is called \(only.joined(separator: " or "))", hint: "There are \(names).")
        }
        return chosen
    }

    /// The network as the database knows it; nil if there is none that can be opened.
    private func recorded(_ name: String) -> MeshNetwork? {
        let workspace = Workspace(context: context)
        guard let names = try? workspace.networks(), names.contains(name) else { return nil }
        return try? workspace.open(name).snapshot().network
    }

    private func rehearse(
        _ prepared: PlanningJob.Prepared,
        _ devices: [DeviceDescription],
        _ models: KnownModels,
        in folder: String
    ) throws -> Rehearsal {
        // The keys secure nothing but a simulation, so they come from the seed like everything else.
        var generator = SeededGenerator(seed: seed)
        let database = try MeshDatabase.create(
            at: folder + "/rehearsal.meshdb",
            network: MeshNetwork.new(name: prepared.network, at: context.now(), using: &generator),
            key: DatabaseSecret.random(using: &generator),
            now: context.now(),
            using: SeededGenerator(seed: seed)
        )
        let holder = LockHolder(
            user: context.process.user,
            host: context.process.host,
            process: context.process.number,
            operation: "test",
            since: context.now()
        )
        let lease = try database.lock(holder: holder)
        let (now, interrupts) = (context.now, context.interrupts)
        let execution = ExecutionContext(
            user: context.process.user,
            host: context.process.host,
            now: now,
            interrupts: interrupts.count,
            key: { (_) throws(ExecutionContext.KeyError) in KeyMaterial.random(using: &generator) },
            provisioningSecrets: { .random(using: &generator) }
        )
        do throws(RehearsalError) {
            return try Rehearsal(
                prepared.definition,
                devices: devices,
                models: models,
                database: database,
                lease: lease,
                context: execution
            )
        } catch {
            switch error {
            case .diagnostics(let diagnostics): throw InvalidDefinition(diagnostics: diagnostics, files: prepared.files)
            case .store(let error): throw error
            case .incomplete(let clauses):
                throw Failure(
                    context.interrupts.count() == 0 ? .failure : .interrupted,
                    "the definition cannot be applied completely in the simulator: \(clauses.joined(separator: "; "))",
                    hint: "Tests need a network that is configured as the definition says."
                )
            }
        }
    }

    private var temporaryFolder: String {
        let parent = context.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        return "\(parent)/meshplan-test-\(context.process.number)-\(String(context.randomBits(), radix: 16))"
    }
}

/// What came of all runs of a test.
struct TestResult {
    /// The test.
    let test: TestDefinition
    /// Each run, in order.
    var outcomes: [TestOutcome] = []
    /// How long they took on this machine.
    var elapsed = Duration.zero

    /// Whether it held in all runs.
    var isPassed: Bool { outcomes.allSatisfy(\.isPassed) }
    /// In how many runs it held.
    var held: Int { outcomes.count(where: \.isPassed) }
    /// The first run in which it did not hold.
    var firstFailure: TestOutcome? { outcomes.first { !$0.isPassed } }
    /// How long the slowest expectation took to come true.
    var slowest: Duration? { outcomes.compactMap(\.slowest).max() }
}
