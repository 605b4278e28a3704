import Foundation
import Testing

/// Tests damaged files: cut, emptied, removed, or full of rubbish.
@Suite("Torn and lost files", .timeLimit(.minutes(45)))
struct TornFileTests {
    /// The damage to a file.
    enum Damage: CustomStringConvertible, Sendable {
        /// Only this many octets are left.
        case cut(Int)
        /// This many octets are missing at the end.
        case shortened(Int)
        case rubbish
        case removed

        var description: String {
            switch self {
            case .cut(let count): "cut to \(count) octets"
            case .shortened(let count): "cut by \(count) octets"
            case .rubbish: "replaced by rubbish"
            case .removed: "removed"
            }
        }

        /// Damages a file.
        func inflict(on file: URL) throws {
            guard case .removed = self else {
                let bytes = try Data(contentsOf: file)
                let damaged =
                    switch self {
                    case .cut(let count): bytes.prefix(count)
                    case .shortened(let count): bytes.dropLast(count)
                    case .rubbish, .removed:
                        Data((0..<max(bytes.count, 100)).map { UInt8(truncatingIfNeeded: $0 &* 37) })
                    }
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: damaged)
                return try handle.close()
            }
            try FileManager.default.removeItem(at: file)
        }
    }

    private static let apply = ["apply", "--auto-approve"] + House.villaRoute
    private static let refresh = ["refresh"] + House.villaRoute

    /// A villa with its lamp, and a copy of its database in `backup`.
    private func villa() async throws -> House {
        let villa = try House.villa()
        try await villa.succeed([["init", "--network", "villa"], Self.apply, ["state", "pull", "backup"]])
        return villa
    }

    /// Runs all kinds of commands, and expects that none traps, that each explains its error, and that none breaks a
    /// rule on air.
    private func tryEverything(in house: House, _ story: Comment) async throws -> Bool {
        var isWhole = true
        for arguments in [
            ["state", "verify"], ["state", "list"], ["show"], ["plan"], Self.refresh, Self.apply,
            ["state", "mv", "group.spare", "group.spare2"], ["export", "--cdb", UUID().uuidString],
        ] {
            let ending = try await house.observe(House.meshplan, arguments)
            #expect(!ending.wasKilled, "\(arguments): \(ending.output)\n\(story)")
            #expect(!ending.output.contains("violation"), "\(arguments): \(ending.output)\n\(story)")
            if ending.status != 0 {
                isWhole = false
                #expect([1, 4, 7].contains(ending.status), "\(arguments): \(ending.output)\n\(story)")
                let isExplained = ending.isExplained(in: house.folder.path) || !ending.advised.isEmpty
                #expect(isExplained, "\(arguments): \(ending.output)\n\(story)")
            }
        }
        return isWhole
    }

    /// Expects that everything works after the repair, with new sequence numbers.
    private func expectWhole(_ house: House, _ story: Comment) async throws {
        for arguments in [["state", "verify"], Self.apply, Self.refresh, ["plan", "--detailed-exitcode"]] {
            let ending = try await house.observe(House.meshplan, arguments)
            #expect(ending.status == 0 && !ending.wasKilled, "\(arguments): \(ending.output)\n\(story)")
            #expect(!ending.output.contains("violation"), "\(arguments): \(ending.output)\n\(story)")
        }
    }

    // SQLite fills a page that was cut with zeros, and the end of the last page may be free, so that nothing would be
    // damaged if only a few octets were missing.
    @Test(
        "A damaged database is refused, and a copy in its place goes on",
        arguments: [
            .cut(0), .cut(1), .cut(99), .cut(100), .cut(512), .cut(8191), .cut(8192), .cut(8193), .cut(16_384),
            .shortened(8192), .shortened(8191), .rubbish, .removed,
        ] as [Damage]
    )
    func database(damage: Damage) async throws {
        let villa = try await villa()
        defer { villa.remove() }
        let database = villa.folder.appending(path: ".meshplan/villa.meshdb")
        try damage.inflict(on: database)
        let story = Comment(rawValue: "the database \(damage)")
        let witnesses = ["meshplan.lock.yaml", ".meshplan/villa.meshdb.newest"].map { villa.folder.appending(path: $0) }
        let before = try witnesses.map { try Data(contentsOf: $0) }
        #expect(try await !tryEverything(in: villa, story))
        try? FileManager.default.removeItem(at: database)
        try FileManager.default.copyItem(at: villa.folder.appending(path: "backup"), to: database)
        // Commands that do not need the missing pages still work, and the copy does not contain what they did.
        let after = try witnesses.map { try Data(contentsOf: $0) }
        if after != before { try await villa.succeed([Self.apply + ["--accept-older"]]) }
        try await expectWhole(villa, story)
    }

    @Test(
        "A log that a crash left and that was damaged since is never taken for more than it is",
        arguments: [.cut(0), .cut(1), .cut(32), .cut(5000), .shortened(1), .shortened(8216), .rubbish, .removed]
            as [Damage]
    )
    func log(damage: Damage) async throws {
        try #require(Fault.isPossible)
        let villa = try await villa()
        defer { villa.remove() }
        // The command is killed in the middle, so that only the log contains what was committed.
        let killed = try await villa.observe(
            House.meshplan,
            ["keys", "refresh", "home", "--auto-approve"] + House.villaRoute,
            environment: Fault(kind: .killAfter, call: 60).environment(in: villa.folder)
        )
        #expect(killed.wasKilled)
        try damage.inflict(on: villa.folder.appending(path: ".meshplan/villa.meshdb-wal"))
        // If the log is gone, so is everything that only the log contained. Nodes may then have keys that nobody knows.
        _ = try await tryEverything(in: villa, "the log \(damage)")
        let verified = try await villa.meshplan(["state", "verify"])
        #expect(verified.status == 0, "\(verified.output)")
    }

    @Test(
        "The second record of sequence numbers may be damaged in any way",
        arguments: [.cut(0), .cut(1), .cut(20), .cut(28), .shortened(1), .shortened(4), .rubbish, .removed] as [Damage]
    )
    func witness(damage: Damage) async throws {
        let villa = try await villa()
        defer { villa.remove() }
        // The worst case is an older database, without anything that remembers the later one.
        let database = villa.folder.appending(path: ".meshplan/villa.meshdb")
        for _ in 1...3 { try await villa.succeed([Self.refresh]) }
        try FileManager.default.removeItem(at: villa.folder.appending(path: "meshplan.lock.yaml"))
        try FileManager.default.removeItem(at: villa.folder.appending(path: ".meshplan/villa.meshdb.newest"))
        try damage.inflict(on: villa.folder.appending(path: ".meshplan/villa.meshdb.sequence"))
        try FileManager.default.removeItem(at: database)
        try FileManager.default.copyItem(at: villa.folder.appending(path: "backup"), to: database)
        #expect(try await tryEverything(in: villa, "the sequence numbers \(damage)"))
    }

    @Test(
        "A damaged key file is refused, and its copy goes on",
        arguments: [.cut(0), .cut(63), .rubbish, .removed] as [Damage]
    )
    func key(damage: Damage) async throws {
        let villa = try await villa()
        defer { villa.remove() }
        let key = villa.folder.appending(path: ".meshplan/key")
        let bytes = try Data(contentsOf: key)
        try damage.inflict(on: key)
        let story = Comment(rawValue: "the key file \(damage)")
        #expect(try await !tryEverything(in: villa, story))
        let again = try await villa.meshplan(["init"])
        // A new key would open nothing here.
        if case .removed = damage { #expect(again.status == 1 && again.output.contains("Restore .meshplan/key")) }
        try bytes.write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        try await expectWhole(villa, story)
    }

    @Test("What is in the lock file means nothing", arguments: [.cut(0), .rubbish, .removed] as [Damage])
    func lock(damage: Damage) async throws {
        let villa = try await villa()
        defer { villa.remove() }
        let lock = villa.folder.appending(path: ".meshplan/villa.meshdb.lock")
        try Data("user anna\nhost desk\nprocess 1\noperation apply\nsince 0\n".utf8).write(to: lock)
        try damage.inflict(on: lock)
        #expect(try await tryEverything(in: villa, "the lock file \(damage)"))
    }

    @Test(
        "The simulator's state may be cut, or there is a way out of it",
        arguments: [.cut(0), .cut(1), .cut(200), .shortened(1), .shortened(100), .rubbish, .removed] as [Damage]
    )
    func simulator(damage: Damage) async throws {
        let villa = try await villa()
        defer { villa.remove() }
        try damage.inflict(on: villa.folder.appending(path: ".meshplan/villa.simulator"))
        let refresh = try await villa.observe(House.meshplan, Self.refresh)
        #expect(!refresh.wasKilled && [0, 1, 4, 65].contains(refresh.status), "\(refresh.output)")
        guard refresh.output.contains("meshplan sim reset") else { return }
        let reset = try await villa.type("meshplan sim reset")
        #expect(reset.status == 0, "\(reset.output)")
        let again = try await villa.observe(House.meshplan, Self.refresh)
        #expect(!again.output.contains("not a simulator's state"), "\(again.output)")
    }
}
