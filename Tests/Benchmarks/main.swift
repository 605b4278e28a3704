import Foundation

/// Benchmarks print ratios to a bare floor that is measured in the same run, because absolute figures depend on the
/// machine. Build them with `swift build -c release --product meshplan-bench`.
let benchmarks: [(name: String, summary: String, run: ([String]) throws -> Void)] = [
    (
        "crypto", "network PDU encryption beside bare libcrypto calls",
        { arguments in
            try BenchmarkArguments("crypto", arguments).end()
            CryptoBenchmark.run()
        }
    ),
    (
        "gatt", "packets through the GATT client beside bare copies and bare encryption",
        { arguments in
            try BenchmarkArguments("gatt", arguments).end()
            GATTBenchmark.run()
        }
    ),
    (
        "provision", "provisioning sessions beside bare P-256 operations",
        { arguments in
            try BenchmarkArguments("provision", arguments).end()
            ProvisioningBenchmark.run()
        }
    ),
    ("plan", "the plan of a large building beside libyaml's events and SQLite's rows", PlanBenchmark.run),
    (
        "adoption", "a large building written down as a definition beside libyaml's events and SQLite's rows",
        AdoptionBenchmark.run
    ),
    ("apply", "devices provisioned and configured in the simulator beside bare cryptography", ApplyBenchmark.run),
    (
        "bearer", "packets over a socket and through a gateway, beside those in one process",
        { arguments in
            try BenchmarkArguments("bearer", arguments).end()
            try BearerBenchmark.run()
        }
    ),
    ("hub", "a hub with hundreds of gateways: memory, packets beside one gateway, and a restart", HubBenchmark.run),
    ("links", "the same nodes configured one message at a time and over 1, 4 and 8 links", LinksBenchmark.run),
    ("air", "nodes configured over one link beside the time that the proxy is on air", AirBenchmark.run),
    ("group", "a group of lamps set beside the same message sent five times, unacknowledged", GroupBenchmark.run),
    ("store", "a large building's database, its journal and history beside bare SQLite inserts", StoreBenchmark.run),
    ("fleet", "plans of many networks in PostgreSQL by one worker and by two, and their status", FleetBenchmark.run),
    ("simulate", "configured networks of several sizes in the simulator beside bare crypto", SimulateBenchmark.run),
    ("estimate", "estimated and actual durations of plans in the simulator", EstimateBenchmark.run),
]

let usage =
    "usage: meshplan-bench BENCHMARK\n" + benchmarks.map { "  \($0.name): \($0.summary)\n" }.joined()

/// Ends the process with a message on standard error.
func end(_ message: String, _ code: Int32) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    exit(code)
}

let arguments = Array(CommandLine.arguments.dropFirst())
if ["--help", "-h", "help"].contains(arguments.first) {
    print(usage, terminator: "")
} else if let benchmark = benchmarks.first(where: { $0.name == arguments.first }) {
    do {
        try benchmark.run(Array(arguments.dropFirst()))
    } catch let failure as BenchmarkFailure {
        end("meshplan-bench \(benchmark.name): \(failure)\n", failure.exitCode)
    } catch {
        end("meshplan-bench \(benchmark.name): \(error)\n", 1)
    }
} else {
    end((arguments.first.map { "meshplan-bench: there is no benchmark `\($0)`\n" } ?? "") + usage, 64)
}
