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
struct TestingSession {
    let context: Context
    /// The radio during the tests.
    let settings: WorldSettings
    /// The paths of files with devices.
    let devices: [String]
    /// Which tests, and where the report goes.
    let selection: TestSelection
    /// The first seed.
    let seed: UInt64
    /// How many seeds each test is played with.
    let seeds: Int

    /// Plays the tests of a definition.
    ///
    /// - Throws: ``InvalidDefinition`` if the definition has errors; ``Failure`` if it has no such tests, or cannot be
    ///   applied in the simulator; ``FileError`` if a file cannot be read or written.
    func test(_ paths: [String], network: String?) throws -> ExitStatus {
        let prepared = try PlanningJob(context: context).prepare(paths, network: network)
        guard let results = try results(of: prepared) else { return .interrupted }
        return results.allSatisfy(\.isPassed) ? .success : .failure
    }

    /// Plays the tests of a definition and shows each.
    ///
    /// - Returns: what came of each; nil if somebody interrupted.
    /// - Throws: what ``test(_:network:)`` throws.
    func results(of prepared: PlanningJob.Prepared) throws -> [TestResult]? {
        let tests = try selection.tests(of: prepared.definition)
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
            guard context.interrupts.count() == 0 else { break }
            let result = play(test, in: rehearsal)
            view.show(result)
            results.append(result)
        }
        guard context.interrupts.count() == 0 else {
            view.end(results, isWhole: false)
            return nil
        }
        view.end(results)
        try selection.report(results, prepared)
        return results
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
