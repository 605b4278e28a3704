import Synchronization
import SystemLayer

/// What another program has said and how it has ended.
struct ProgramResult: Hashable, Sendable {
    /// Its exit status; nil if it did not start, or was ended by a signal.
    var status: Int32?
    /// The lines of its standard output.
    var output: [String] = []
    /// The last lines of its standard error; why it did not start, otherwise.
    var errors: [String] = []

    /// How many lines of each are kept.
    static let mostLines = 1_000

    /// Whether it has ended well.
    var isDone: Bool { status == 0 }

    /// Runs a program to its end. Its output is of no use to others, so only a little is kept.
    static func of(_ program: ProgramPool.Program, _ interrupts: Interrupts) -> ProgramResult {
        var result = ProgramResult()
        var waiting: ProgramPool.Program? = program
        ProgramPool(workers: 1, interrupts: interrupts).run(
            {
                defer { waiting = nil }
                return waiting.map { (0, $0) }
            },
            { _, event in
                switch event {
                case .output(let line): if result.output.count < mostLines { result.output.append(line) }
                case .errors(let line): if result.errors.count < mostLines { result.errors.append(line) }
                case .ended(let status): result.status = status
                case .killed(let signal): result.errors.append("ended by signal \(signal)")
                case .notStarted(let reason): result.errors.append(reason)
                }
            }
        )
        return result
    }
}

/// Another program that runs meanwhile.
struct RunningProgram {
    /// What it came to; nil while it runs.
    var poll: () -> ProgramResult?
    /// Waits for its end. Called at most once.
    var wait: () -> ProgramResult

    /// One that has ended already.
    static func ended(_ result: ProgramResult) -> RunningProgram { RunningProgram(poll: { result }, wait: { result }) }

    /// Runs a program in the background. Signals to this process do not concern it.
    static func inBackground(_ program: ProgramPool.Program) -> RunningProgram {
        let place = Place()
        let thread = BackgroundThread {
            let result = ProgramResult.of(program, Interrupts(arm: {}, count: { 0 }))
            place.result.withLock { $0 = result }
        }
        guard let thread else { return .ended(ProgramResult(errors: ["the system has no room for a thread"])) }
        return RunningProgram(
            poll: { place.result.withLock { $0 } },
            wait: {
                thread.join()
                return place.result.withLock { $0 } ?? ProgramResult()
            }
        )
    }

    private final class Place: Sendable {
        let result = Mutex<ProgramResult?>(nil)
    }
}
