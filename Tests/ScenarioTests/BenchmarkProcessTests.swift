import Foundation
import Testing

/// Tests calls of `meshplan-bench`, and how they end.
@Suite("Calls of meshplan-bench")
struct BenchmarkProcessTests {
    private static var bench: URL { House.products.appending(path: "meshplan-bench") }

    @Test("It finds itself for its child processes when the shell has found it by PATH")
    func foundByPath() async throws {
        let folder = Self.bench.deletingLastPathComponent().path
        let result = try await House.empty().observe(
            URL(filePath: "/bin/sh"),
            ["-c", "PATH='\(folder)':$PATH; exec meshplan-bench plan 20"]
        )
        #expect(result.status == 0 && !result.wasKilled, "\(result.output)")
        #expect(result.output.contains("ratio"))
    }

    @Test(
        "A call that makes no sense ends with a message and exit code 64, not with a trap",
        arguments: [
            ["plan", "-5"], ["plan", "100000"], ["plan", "--floor"], ["adoption", "x"], ["apply", "0"],
            ["links", "3", "0"], ["store", "10", "-1"], ["crypto", "1"], ["estimate", "0"],
            ["estimate", "1", "1", "a", "b"],
            ["nothing"], [],
        ]
    )
    func nonsense(arguments: [String]) async throws {
        let result = try await House.empty().observe(Self.bench, arguments)
        #expect(result.status == 64 && !result.wasKilled, "\(result.output)")
        #expect(result.output.contains("usage: meshplan-bench"), "\(result.output)")
    }

    @Test("What goes wrong inside ends with a message and exit code 1, not with a trap")
    func failure() async throws {
        let result = try await House.empty().observe(Self.bench, ["plan", "--plan", "/nonexistent"])
        #expect(result.status == 1 && !result.wasKilled, "\(result.output)")
        #expect(result.output.hasPrefix("meshplan-bench plan: "), "\(result.output)")
    }
}
