/// Why a benchmark ends without a result: a message for people, and how the process ends.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    /// What the process ends with, as `sysexits.h` has it: 64 where it was called wrongly, else 1.
    let exitCode: Int32

    /// Something went wrong.
    init(_ description: String) {
        self.description = description
        exitCode = 1
    }

    /// It was called wrongly.
    static func usage(_ description: String) -> BenchmarkFailure {
        BenchmarkFailure("usage: meshplan-bench \(description)", exitCode: 64)
    }

    private init(_ description: String, exitCode: Int32) {
        self.description = description
        self.exitCode = exitCode
    }
}
