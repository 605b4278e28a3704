import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// What the system does to a process: it asks it to end, or does not let a file grow.
@Suite("Signals", .timeLimit(.minutes(10)))
struct SignalTests {
    @Test(
        "The exit code tells which signal has stopped a command",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)]
    )
    func exitCodes(signal: Int32, status: Int32) async throws {
        let villa = try House.villa()
        defer { villa.remove() }
        try await villa.succeed([["init", "--network", "villa"]])
        let apply = try LiveProcess(
            House.meshplan,
            ["apply"] + House.villaRoute,
            in: villa.folder,
            through: .terminal
        )
        try apply.wait(for: "Do you want to perform these actions?")
        apply.signal(signal)
        #expect(try apply.finish() == status, "\(apply.transcript)")
        #expect(apply.transcript.contains("interrupted; nothing was done"), "\(apply.transcript)")
    }

    @Test("Where no file may grow, the command says which one could not be written, and nothing is harmed")
    func fileSize() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let before = try await house.meshplan(["show"])
        // In units of 512 octets: less than the log of the database needs, then less than an export takes.
        for (limit, arguments, named) in [
            ("8", "plan", ".meshplan/house.meshdb-shm: cannot be made"),
            ("70", "export --cdb out.json", "out.json: cannot be"),
        ] {
            let result = try await house.run(
                URL(filePath: "/bin/sh"),
                ["-c", "ulimit -f \(limit); exec \(House.meshplan.path) \(arguments) 2>&1 | cat"]
            )
            #expect(result.output.contains("Error: \(named)"), "\(result.output)")
            #expect(result.output.contains("ulimit -f"), "\(result.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: house.folder.appending(path: "out.json").path))
        #expect(try await house.meshplan(["show"]).output == before.output)
    }
}
