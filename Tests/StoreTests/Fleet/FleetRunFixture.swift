import Foundation
import MeshCore
import TestSupport

@testable import Store

/// Where the runs of a test are.
enum FleetRunKind: String, CaseIterable {
    case file
    case server
    case pooler

    /// Those that this machine has.
    static let installed = allCases.filter { kind in
        switch kind {
        case .file: true
        case .server: PostgreSQLServer.isInstalled
        case .pooler: PostgreSQLServer.isInstalled && PostgreSQLPooler.program != nil
        }
    }
}

/// A place for runs that several workers open.
final class FleetRunFixture: Sendable {
    let kind: FleetRunKind
    let folder: String
    private let database: PostgreSQLServer.Database?

    init(_ kind: FleetRunKind) throws {
        self.kind = kind
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("meshplan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
        database = kind == .file ? nil : try PostgreSQLServer.shared.newDatabase()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    var path: String { folder + "/fleet.runs" }

    /// The store as another process opens it.
    func open(creating: Bool = true) throws -> FleetRunStore? {
        guard let database else { return try FleetRunStore.file(path, creating: creating) }
        let pooler = kind == .pooler ? try PostgreSQLPooler.shared.folder : nil
        let address = try PostgreSQLServer.shared.address(database.name, through: pooler)
        return try FleetRunStore.shared(SharedStore(address, clock: ManualClock().clock), creating: creating)
    }

    func store() throws -> FleetRunStore { try required(open()) }

    /// Runs a statement independently of the tested code.
    func sql(_ text: String) throws {
        if let database {
            _ = try PostgreSQLServer.shared.sql(text, in: database.name)
        } else {
            try SQLiteConnection(path, patience: .seconds(5)).run(text)
        }
    }

    /// Lets a worker have been silent for too long.
    func silence(_ worker: String) throws {
        try sql("UPDATE meshplan_fleet_workers SET expires = 0 WHERE id = '\(worker)'")
    }

    /// A run over networks in waves, in the store.
    @discardableResult
    func run(_ waves: [[String]], most: Int? = 0, id: String = "5eed0001") throws -> FleetRunRecord {
        var request = FleetRunRecord.Request()
        (request.user, request.host, request.began) = ("anna", "desk", now)
        request.words = ["fleet", "apply"]
        request.gates = ["drift"]
        let run = FleetRunRecord(id: id, waves: waves.count, mostFailures: most, request: request)
        var jobs: [FleetJob] = []
        for (index, wave) in waves.enumerated() {
            for network in wave + [""] {
                var job = FleetJob(number: jobs.count + 1, wave: index + 1, network: network)
                if !network.isEmpty { job.notes.digest = "d-" + network }
                jobs.append(job)
            }
        }
        try store().add(run, jobs)
        return run
    }
}
