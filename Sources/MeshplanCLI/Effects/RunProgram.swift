import SystemLayer

/// What another program has said and how it has ended.
struct ProgramResult: Hashable {
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
