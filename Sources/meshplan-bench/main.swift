/// Benchmarks print ratios to a bare floor that is measured in the same run, for the absolute figures depend on the
/// machine. Build them with `swift build -c release --product meshplan-bench`.
let benchmarks: [(name: String, summary: String, run: ([String]) throws -> Void)] = [
    ("crypto", "network PDU encryption beside bare libcrypto calls", { _ in CryptoBenchmark.run() }),
    ("gatt", "packets through the GATT client beside bare copies and bare encryption", { _ in GATTBenchmark.run() }),
    ("provision", "provisioning sessions beside bare P-256 operations", { _ in ProvisioningBenchmark.run() }),
    ("plan", "the plan of a large building beside libyaml's events and SQLite's rows", PlanBenchmark.run),
    (
        "adoption", "a large building written down as a definition beside libyaml's events and SQLite's rows",
        AdoptionBenchmark.run
    ),
    ("apply", "devices provisioned and configured in the simulator beside bare cryptography", ApplyBenchmark.run),
    (
        "bearer", "packets over a socket and through a gateway, beside those in one process",
        { _ in try BearerBenchmark.run() }
    ),
    ("links", "the same nodes configured one message at a time and over 1, 4 and 8 links", LinksBenchmark.run),
    ("store", "a large building's database, its journal and history beside bare SQLite inserts", StoreBenchmark.run),
]

let arguments = Array(CommandLine.arguments.dropFirst())
if let benchmark = benchmarks.first(where: { $0.name == arguments.first }) {
    do {
        try benchmark.run(Array(arguments.dropFirst()))
    } catch {
        print("\(benchmark.name): \(error)")
        throw error
    }
} else {
    print("usage: meshplan-bench BENCHMARK")
    for benchmark in benchmarks { print("  \(benchmark.name): \(benchmark.summary)") }
}
