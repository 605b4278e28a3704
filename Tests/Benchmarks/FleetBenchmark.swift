import Foundation
import MeshCore
import Store

/// `meshplan-bench fleet [NETWORKS] [NODES] [SMALL]`: the time of `meshplan fleet plan` for networks in PostgreSQL after
/// a change of one profile, by one worker and by two, the memory of a worker, and the time of `meshplan fleet status`
/// of many small networks.
///
/// All networks have one definition with a module, and differ in a variable. Their databases are made directly: all
/// nodes are configured but one, so plans are small. The executable beside this one does the work. The server runs on
/// the same cores.
enum FleetBenchmark {
    private static let smallNodes = 3

    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("fleet [NETWORKS] [NODES] [SMALL]", arguments)
        let networks = try arguments.number(or: 500, in: 1...10_000)
        let nodes = try arguments.number(or: 1_000, in: 1...32_000)
        let small = try arguments.number(or: 10_000, in: 1...100_000)
        try arguments.end()
        let server = try BenchServer()
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try withExtendedLifetime(server) {
            let fleet = FleetSite(folder: folder + "/fleet", state: server.address("postgres"))
            let made = try elapsed { try fleet.make(networks, nodes: nodes, in: try server.store("postgres")) }
            print("\(networks) networks of \(nodes) nodes in PostgreSQL, made in \(text(made)) s")
            try plans(fleet, networks)
            try server.make("small")
            let many = FleetSite(folder: folder + "/small", state: server.address("small"))
            _ = try many.make(small, nodes: smallNodes, in: try server.store("small"))
            try status(fleet, "\(networks) networks of \(nodes) nodes")
            try status(many, "\(small) networks of \(smallNodes) nodes")
        }
    }

    private static func plans(_ fleet: FleetSite, _ networks: Int) throws {
        let before = ProcessUsage.peakMebibytesOfChildren
        let plan = ["plan", "building.yaml", "--var", "name=\(FleetSite.name(0))", "--detailed-exitcode"]
        let (_, lines) = try fleet.run(plan, expecting: 2)
        print("after a change of one profile: \(lines.last { $0.hasPrefix("Plan: ") } ?? "")")
        let alone = try (0..<3).map { _ in try fleet.run(plan, expecting: 2).seconds }.min() ?? 0
        let worker = ProcessUsage.peakMebibytesOfChildren
        print(
            "one plan                 \(text(alone, 3)) s, \(worker > before ? "" : "at most ")\(text(worker, 0)) MiB"
        )
        let one = try fleet.run(["fleet", "plan", "--workers", "1", "--detailed-exitcode"], expecting: 2)
        print("fleet plan, 1 worker     \(text(one.seconds)) s, \(text(one.seconds / Double(networks), 3)) s each")
        let two = try fleet.run(["fleet", "plan", "--workers", "2", "--detailed-exitcode"], expecting: 2)
        print("fleet plan, 2 workers    \(text(two.seconds)) s, \(text(two.seconds / Double(networks), 3)) s each")
        print("ratio                    \(text(one.seconds / two.seconds, 2))")
        print("largest process          \(text(ProcessUsage.peakMebibytesOfChildren, 0)) MiB")
        guard one.lines.last == two.lines.last, one.lines.last?.contains("\(networks) with changes") == true else {
            throw BenchmarkFailure("not all networks have changes: \(one.lines.last ?? "")")
        }
    }

    private static func status(_ fleet: FleetSite, _ what: String) throws {
        let seconds = try (0..<3).map { _ in try fleet.run(["fleet", "status"], expecting: 0).seconds }.min() ?? 0
        print("fleet status             \(text(seconds, 2)) s for \(what)")
    }

    private static func elapsed(_ work: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(work) / .seconds(1)
    }

    private static func text(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }
}
