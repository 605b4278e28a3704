import Catalogue
import DefinitionModel
import Definitions
import Execution
import Foundation
import MeshCore
import Rehearsal
import Simulator
import Store
import TestSupport
import Testing

/// A definition that is rehearsed in a folder of its own.
final class RehearsedBuilding {
    let rehearsal: Rehearsal
    private let folder: String

    init(
        _ definition: Definition,
        _ devices: RehearsedDevices,
        _ models: KnownModels,
        isOverRadio: Bool = false
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var generator = SeededGenerator(seed: 1)
        let now = Timestamp(rawValue: 1_763_705_818)
        let database = try MeshDatabase.create(
            at: folder + "/building.meshdb",
            network: MeshNetwork.new(name: "building", at: now, using: &generator),
            key: DatabaseSecret.random(using: &generator),
            now: now,
            using: SeededGenerator(seed: 2)
        )
        let lease = try database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "test", since: now)
        )
        rehearsal = try Rehearsal(
            definition,
            devices: devices.devices,
            models: models,
            database: database,
            lease: lease,
            context: ExecutionContext(
                user: "anna",
                host: "desk",
                now: { now },
                key: { (_) throws(ExecutionContext.KeyError) in KeyMaterial.random(using: &generator) },
                provisioningSecrets: { .random(using: &generator) }
            ),
            isOverRadio: isOverRadio
        )
    }

    /// A definition without vendor models, whose devices are assumed.
    convenience init(_ text: String, isOverRadio: Bool = false) throws {
        let reading = DefinitionReader.reading(
            SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: Array(text.utf8))]),
            loading: { _ in [] }
        )
        let errors = reading.diagnostics.filter { $0.severity == .error }
        try #require(errors.isEmpty, "\(errors.map(\.message))")
        let definition = try #require(reading.definitions.first)
        try self.init(
            definition,
            RehearsedDevices(of: definition, known: [], recorded: nil),
            .sig,
            isOverRadio: isOverRadio
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// All runs of a test.
    func runs(_ name: String, seed: UInt64 = 1) throws -> [TestVariant] {
        let test = try #require(rehearsal.definition.tests.first { $0.name.value == name })
        return rehearsal.runs(of: test, seed: seed, count: 1)
    }

    /// The last failure of each test, by its name.
    func failures(_ settings: WorldSettings = .ideal, seed: UInt64 = 1) -> [String: TestFailure] {
        var failures: [String: TestFailure] = [:]
        for test in rehearsal.definition.tests {
            for run in rehearsal.runs(of: test, seed: seed, count: 1) {
                if let failure = rehearsal.play(run, settings).failure { failures[test.name.value] = failure }
            }
        }
        return failures
    }
}
