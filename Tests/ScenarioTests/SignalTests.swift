import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Tests what the system does to a process: it asks the process to end, or prevents a file from growing.
@Suite("Signals", .timeLimit(.minutes(45)))
struct SignalTests {
    @Test(
        "The exit code tells which signal has stopped a command",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)]
    )
    func exitCodes(signal: Int32, status: Int32) async throws {
        let uuid = "0d5c5a0e-6f5b-4f0e-a1a5-0b1f1c1f0009"
        let house = try House.empty()
        defer { house.remove() }
        try house.write(
            """
            products:
              lamp:
                elements: [{ models: [generic-onoff-server] }]
                provisioning: { output: { actions: [blink], size: 1 } }
            devices: { lamp: { uuid: \(uuid), product: lamp } }
            """,
            to: "sim/devices.yaml"
        )
        try house.write(
            "version: 1\nnetwork: villa\nsubnets: { home: { index: 0 } }\n"
                + "nodes: { lamp: { uuid: \(uuid), provisioning: { oob: output } } }\n",
            to: "villa.yaml"
        )
        _ = try await house.meshplan(["init", "--network", "villa"])
        let simulator = try LiveProcess(
            House.meshplan,
            ["sim", "--devices", "sim/devices.yaml", "--listen", "unix:s"],
            in: house.folder,
            through: .pipes
        )
        try simulator.wait(for: "listening on unix:s\n")
        let apply = try LiveProcess(
            House.meshplan,
            ["apply", "--via", "unix:s", "--auto-approve"],
            in: house.folder,
            through: .terminal
        )
        try apply.wait(for: "Type the number of times that lamp blinks:")
        apply.signal(signal)
        #expect(try apply.finish() == status, "\(apply.transcript)")
        #expect(apply.transcript.contains("Interrupted."), "\(apply.transcript)")
        simulator.interrupt()
        _ = try simulator.finish()
    }

    #if os(Linux)
    @Test(
        "A crash names the functions that were at work, and shows neither registers nor memory",
        arguments: [SIGSEGV, SIGILL, SIGABRT] as [Int32]
    )
    func crash(signal: Int32) async throws {
        let house = try House.empty()
        defer { house.remove() }
        try house.write("version: 1\nnetwork: villa\nsubnets: { home: { index: 0 } }\n", to: "villa.yaml")
        _ = try await house.meshplan(["init", "--network", "villa"])
        let simulator = try LiveProcess(
            House.meshplan,
            ["sim", "--listen", "unix:s"],
            in: house.folder,
            through: .pipes
        )
        try simulator.wait(for: "listening on unix:s\n")
        simulator.signal(signal)
        let status = try simulator.finish()
        let report = simulator.transcript
        #expect(status == signal || status == 128 + signal, "\(report)")
        #expect(report.contains("a defect of its own (signal \(signal))"), "\(report)")
        #expect(report.contains("main") && report.contains("MeshplanCLI"), "\(report)")
        #expect(!report.contains("0x") && !report.contains("rax"), "\(report)")
    }
    #endif

    @Test("Where no file may grow, the command says which one could not be written, and nothing is harmed")
    func fileSize() async throws {
        let house = try await House.make()
        defer { house.remove() }
        let before = try await house.meshplan(["show"])
        // The limit is in units of 1024 octets. It is too small for the file that writing the database needs beside it.
        let result = try await house.run(
            URL(filePath: "/bin/bash"),
            ["-c", "ulimit -f 4; exec \(House.meshplan.path) state rm --auto-approve node.Bell 2>&1 | cat"]
        )
        #expect(result.output.contains("Error: .meshplan/house.meshdb-shm: cannot be created"), "\(result.output)")
        #expect(result.output.contains("ulimit -f"), "\(result.output)")
        #expect(try await house.meshplan(["show"]).output == before.output)
    }
}
