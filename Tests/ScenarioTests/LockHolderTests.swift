import Foundation
import Testing

/// Tests two processes and one lock, which ends only with its holder.
@Suite("Holders of the lock", .timeLimit(.minutes(45)))
struct LockHolderTests {
    private static let apply = ["apply"] + House.villaRoute
    private static let change = ["state", "mv", "group.spare", "group.other"]

    /// A villa whose next apply asks a question.
    private func villa() async throws -> House {
        let villa = try House.villa()
        try await villa.succeed([
            ["init", "--network", "villa"], Self.apply + ["--auto-approve"],
            ["state", "mv", "group.spare", "group.former"], ["state", "pull", "backup"],
        ])
        return villa
    }

    /// Starts an apply that holds the lock and waits for an answer.
    private func holder(in house: House) throws -> LiveProcess {
        let holder = try LiveProcess(House.meshplan, Self.apply, in: house.folder, through: .terminal)
        try holder.wait(for: "Do you want to perform these actions?")
        return holder
    }

    private func expectRefusal(of house: House, because holder: LiveProcess) async throws {
        for arguments in [Self.change, Self.apply + ["--auto-approve"], ["state", "unlock"]] {
            let refused = try await house.meshplan(arguments)
            #expect(refused.status == 6, "\(refused.output)")
            #expect(refused.output.contains("process \(holder.number), apply"), "\(refused.output)")
            #expect(refused.output.contains("end it"), "\(refused.output)")
        }
        // Reading needs no lock.
        try await house.succeed([["state", "list"], ["plan"], ["state", "verify"]])
    }

    @Test("A second writer is told who the first one is, also while that one is stopped")
    func stopped() async throws {
        let villa = try await villa()
        defer { villa.remove() }
        let holder = try holder(in: villa)
        try await expectRefusal(of: villa, because: holder)
        // The holder keeps the lock however long it is stopped: if the lock expired, two processes could write.
        holder.signal(SIGSTOP)
        try await expectRefusal(of: villa, because: holder)
        holder.signal(SIGCONT)
        holder.type("yes")
        #expect(try holder.finish() == 0, "\(holder.transcript)")
        try await villa.succeed([["plan", "--detailed-exitcode"], Self.change])
    }

    @Test("After the holder was killed the next writer goes on, and nothing has to be unlocked")
    func killed() async throws {
        let villa = try await villa()
        defer { villa.remove() }
        let holder = try holder(in: villa)
        holder.signal(SIGKILL)
        _ = try holder.finish()
        try await villa.succeed([
            ["state", "unlock"], Self.apply + ["--auto-approve"], ["plan", "--detailed-exitcode"],
        ])
    }

    @Test(
        "A database that was replaced or removed under a run is not written to, nor is the lost one",
        arguments: [true, false]
    )
    func replaced(isThere: Bool) async throws {
        let villa = try await villa()
        defer { villa.remove() }
        let holder = try holder(in: villa)
        let database = villa.folder.appending(path: ".meshplan/villa.meshdb")
        let backup = villa.folder.appending(path: "backup")
        try FileManager.default.removeItem(at: database)
        if isThere { try FileManager.default.copyItem(at: backup, to: database) }
        holder.type("yes")
        #expect(try holder.finish() == 1, "\(holder.transcript)")
        #expect(
            holder.transcript.contains(".meshplan/villa.meshdb: the file was replaced or removed"),
            "\(holder.transcript)"
        )
        if isThere { #expect(FileManager.default.contentsEqual(atPath: database.path, andPath: backup.path)) }
        for companion in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: database.path + companion)
        }
        try FileManager.default.copyItem(at: backup, to: database)
        for arguments in [["state", "verify"], Self.apply + ["--auto-approve"], ["plan", "--detailed-exitcode"]] {
            let result = try await villa.meshplan(arguments)
            #expect(result.status == 0 && !result.output.contains("violation"), "\(result.output)")
        }
    }
}
