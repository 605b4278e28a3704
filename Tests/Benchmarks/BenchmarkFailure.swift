/// Why a benchmark ends without a result: a message for people, and the exit code.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    /// The exit code: 64 for wrong usage (`sysexits.h`), otherwise 1.
    let exitCode: Int32

    /// The benchmark failed.
    init(_ description: String) {
        self.description = description
        exitCode = 1
    }

    /// The arguments were wrong.
    static func usage(_ description: String) -> BenchmarkFailure {
        BenchmarkFailure("usage: meshplan-bench \(description)", exitCode: 64)
    }

    private init(_ description: String, exitCode: Int32) {
        self.description = description
        self.exitCode = exitCode
    }
}
