import Foundation
import Fuzzing

/// `meshplan-fuzz TARGET [--seconds S] [--executions N] [--seed N] [--corpus DIR] [FILE…]`.
struct FuzzCommand {
    private var targets: [FuzzTarget] = []
    private var seconds = 60.0
    private var executions = Int.max
    private var seed: UInt64 = 1
    private var corpus: [[UInt8]] = []
    private var files: [String] = []
    private var problem: String?

    private static let usage = """
        usage: meshplan-fuzz TARGET|all [--seconds S] [--executions N] [--seed N] [--corpus DIR] [FILE…]
          --seconds S     how long each target is run, 60 by default
          --executions N  how many inputs at most
          --seed N        the same seed gives the same inputs
          --corpus DIR    inputs to begin with, one in each file
          FILE…           runs these inputs and nothing else
        A violation, a trap and an input that takes longer than \(CrashRecord.patience) s end the run; the input is in
        fuzz-TARGET.input then.
        targets:
        """

    init(_ arguments: ArraySlice<String>) {
        var rest = arguments
        guard let name = rest.popFirst() else { return }
        targets = name == "all" ? FuzzTarget.all : FuzzTarget.named(name).map { [$0] } ?? []
        if targets.isEmpty { problem = "there is no target \(name)" }
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                files.append(argument)
                continue
            }
            guard let value = rest.popFirst(), accept(argument, value) else {
                problem = "\(argument) needs a valid value"
                return
            }
        }
    }

    private mutating func accept(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--seconds":
            guard let number = Double(value), number > 0 else { return false }
            seconds = number
        case "--executions":
            guard let number = Int(value), number > 0 else { return false }
            executions = number
        case "--seed":
            guard let number = UInt64(value) else { return false }
            seed = number
        case "--corpus":
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: value) else { return false }
            corpus = names.sorted().compactMap { FuzzCommand.read(value + "/" + $0) }
        default: return false
        }
        return true
    }

    private static func read(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }

    /// Does what the arguments ask for.
    ///
    /// - Returns: the exit status: 1 after a violation, 2 for wrong arguments.
    func run() -> Int32 {
        guard problem == nil, !targets.isEmpty else {
            print(problem.map { "meshplan-fuzz: \($0)\n" } ?? "", terminator: "")
            print(FuzzCommand.usage)
            for target in FuzzTarget.all { print("  \(target.name): \(target.summary)") }
            return 2
        }
        for target in targets {
            CrashRecord.install(path: "fuzz-\(target.name).input")
            guard files.isEmpty ? fuzz(target) : replay(target) else { return 1 }
        }
        return 0
    }

    private func fuzz(_ target: FuzzTarget) -> Bool {
        var fuzzer = Fuzzer(target, seed: seed, corpus: corpus.map { Array($0.prefix(target.maximumSize)) })
        let clock = ContinuousClock()
        let start = clock.now
        let end = start.advanced(by: .milliseconds(Int64(seconds * 1_000)))
        while fuzzer.executions < executions {
            if fuzzer.executions % 64 == 0, clock.now >= end { break }
            CrashRecord.note(fuzzer.prepare())
            do { try fuzzer.run() } catch {
                CrashRecord.write()
                CrashRecord.clear()
                print(
                    "\(target.name): \(error); see fuzz-\(target.name).input (\(fuzzer.input.count) octets, "
                        + "execution \(fuzzer.executions) of seed \(seed))"
                )
                return false
            }
        }
        CrashRecord.clear()
        let elapsed = start.duration(to: clock.now)
        let time = max(Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18, 1e-6)
        print(
            "\(target.name): \(fuzzer.executions) executions, \(Int(Double(fuzzer.executions) / time)) a second, "
                + "\(fuzzer.outcomes) outcomes, \(fuzzer.kept) inputs kept"
        )
        return true
    }

    private func replay(_ target: FuzzTarget) -> Bool {
        var isSound = true
        for file in files {
            guard let input = FuzzCommand.read(file) else {
                print("\(file): cannot be read")
                isSound = false
                continue
            }
            CrashRecord.note(input)
            var trace = FuzzTrace()
            do {
                try target.run(input, &trace)
                print("\(file): \(target.name) is sound, \(Set(trace.outcomes).count) outcomes")
            } catch {
                print("\(file): \(target.name): \(error)")
                isSound = false
            }
        }
        CrashRecord.clear()
        return isSound
    }
}
