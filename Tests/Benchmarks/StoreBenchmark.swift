import Foundation
import MeshCore
import Store

/// `meshplan-bench store [NODES] [MESSAGES]`: the cost of a large building's database: its size on disk, the time to
/// open and read it, and the time to journal a message, beside a bare durable insert of SQLite. Then the same with a
/// history in which all nodes were changed once, and the cost of reading the history and of a backup.
///
/// Elapsed times depend on the disk. Both sides wait for the same disk, so the ratios to the bare insert say more.
enum StoreBenchmark {
    static func run(_ arguments: [String]) throws {
        var arguments = BenchmarkArguments("store [NODES] [MESSAGES]", arguments)
        let count = try arguments.number(or: 10_000, in: 1...32_000)
        let messages = try arguments.number(or: 2_000, in: 1...1_000_000)
        try arguments.end()
        let folder = try FileManager.default.url(
            for: .itemReplacementDirectory,
            in: .userDomainMask,
            appropriateFor: FileManager.default.temporaryDirectory,
            create: true
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard let network = BuildingGenerator(nodeCount: count, changedEvery: 100).network() else {
            throw BenchmarkFailure("that many nodes have no addresses")
        }
        var generator = SystemRandomNumberGenerator()
        let key = DatabaseSecret.random(using: &generator)
        let path = folder + "/building.meshdb"
        let before = ProcessUsage.peakMebibytes
        _ = try MeshDatabase.create(
            at: path,
            network: network,
            key: key,
            now: Timestamp(rawValue: 0),
            using: generator
        )
        print("\(count) nodes")
        try look(at: path, key, "")
        print(
            "  memory                 \(text(ProcessUsage.peakMebibytes - before, 0)) MiB at most beside the network itself"
        )
        try journal(network, path, key, messages: messages, folder)
        try history(network, path, key, folder)
    }

    /// Opens the database and takes a snapshot, a few times.
    private static func look(at path: String, _ key: DatabaseSecret, _ remark: String) throws {
        var best = Double.infinity
        for _ in 0..<3 {
            let seconds = try elapsed { _ = try MeshDatabase.open(at: path, key: key).snapshot() }
            best = min(best, seconds)
        }
        print("  size on disk           \(text(try megabytes(path), 1)) MB\(remark)")
        print("  open and snapshot      \(text(best, 3)) s\(remark)")
    }

    /// Journals messages as a run does: an intent before each message, and its outcome with the node's new state after
    /// it.
    private static func journal(
        _ network: MeshNetwork,
        _ path: String,
        _ key: DatabaseSecret,
        messages: Int,
        _ folder: String
    ) throws {
        let database = try MeshDatabase.open(at: path, key: key)
        let lease = try database.lock(holder: holder)
        defer { lease.release() }
        let run = try database.begin(
            plan: Octets16(high: 1, low: 1),
            user: "bench",
            host: "bench",
            at: Timestamp(rawValue: 0),
            with: lease
        )
        let nodes = network.nodes.filter { $0.uuid != network.ownProvisioner }.prefix(messages)
        guard let floor = BareInsert(at: folder + "/bare.sqlite", octets: 700) else {
            throw BenchmarkFailure("SQLite refuses the bare database")
        }
        /// Sets a TTL on all nodes. Makes two bare inserts beside each message, because the speed of a disk varies.
        func pass(_ ttl: UInt8) throws -> (journal: Cost, bare: Cost) {
            var (journal, bare) = (Cost(), Cost())
            for (number, node) in nodes.enumerated() {
                try bare.add {
                    guard floor.insert(), floor.insert() else {
                        throw BenchmarkFailure("SQLite refuses the bare insert")
                    }
                }
                var intent = StoreChanges()
                let subject = JournalSubject.step(UInt32(number))
                intent.run = run
                intent.intents = [JournalIntent(run: run, subject: subject, node: node.uuid, action: [13, ttl])]
                var outcome = StoreChanges()
                var node = node
                node.defaultTTL = ttl
                outcome.run = run
                outcome.nodes = [node]
                outcome.outcomes = [JournalOutcome(run: run, subject: subject, result: .succeeded)]
                try journal.add {
                    try database.commit(intent, with: lease)
                    try database.commit(outcome, with: lease)
                }
            }
            return (journal, bare)
        }
        print("one message, two commits, \(nodes.count) times")
        for (name, ttl) in [("with its former state  ", UInt8(9)), ("without, kept already  ", 10)] {
            let (journal, bare) = try pass(ttl)
            print(
                """
                  \(name)\(journal.text(nodes.count)); two bare inserts \(bare.text(nodes.count)); \
                ratio \(text(journal.elapsed / bare.elapsed, 2))
                """
            )
        }
    }

    /// The sum of what an operation took.
    private struct Cost {
        var elapsed = 0.0
        var cpu = 0.0

        mutating func add(_ work: () throws -> Void) rethrows {
            let (seconds, cpu) = try ProcessUsage.measure { try StoreBenchmark.elapsed(work) }
            elapsed += seconds
            self.cpu += cpu
        }

        func text(_ count: Int) -> String {
            let each = 1e6 / Double(count)
            return "\(StoreBenchmark.text(elapsed * each, 0)) us, \(StoreBenchmark.text(cpu * each, 0)) us CPU"
        }
    }

    /// The cost of a history with one change of all nodes.
    private static func history(
        _ network: MeshNetwork,
        _ path: String,
        _ key: DatabaseSecret,
        _ folder: String
    ) throws {
        let database = try MeshDatabase.open(at: path, key: key)
        let lease = try database.lock(holder: holder)
        let serial = lease.serial
        var changes = StoreChanges()
        changes.nodes = network.nodes.map { node in
            var node = node
            node.defaultTTL = 11
            return node
        }
        try database.commit(changes, with: lease)
        lease.release()
        print("with a history of a change of all nodes")
        try look(at: path, key, "")
        let back = try elapsed { _ = try database.snapshot(at: serial) }
        print("  snapshot of before     \(text(back, 3)) s")
        let copy = try elapsed { _ = try database.copy(to: folder + "/copy.meshdb") }
        print("  backup                 \(text(copy, 3)) s, \(text(try megabytes(folder + "/copy.meshdb"), 1)) MB")
    }

    private static let holder = LockHolder(
        user: "bench",
        host: "bench",
        process: 1,
        operation: "apply",
        since: Timestamp(rawValue: 0)
    )

    fileprivate static func elapsed(_ work: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try work()
        return Double((ContinuousClock.now - start).microseconds) / 1e6
    }

    /// The size of the file and its write-ahead log.
    private static func megabytes(_ path: String) throws -> Double {
        let sizes = [path, path + "-wal"].map { file in
            (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
        }
        return Double(sizes.reduce(0, +)) / 1e6
    }

    fileprivate static func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
