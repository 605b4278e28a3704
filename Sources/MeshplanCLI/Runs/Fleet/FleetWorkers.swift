import SystemLayer

/// Runs the commands of a fleet, always in other processes (``FleetServing``). A command that sends or stores has a
/// process to itself, and one that fails harms no other. Those that only read and compute share a few processes, one
/// command at a time in each: what takes a quarter of such a command is the same for all networks.
struct FleetWorkers {
    /// Runs calls until there are no more: a limited number at a time, and passes on what they answer.
    var run:
        (
            _ workers: Int,
            _ context: Context,
            _ next: () -> (number: Int, call: FleetCall)?,
            _ tell: (Int, FleetAnswer) -> Void
        ) -> Void

    /// Runs them in processes of this program.
    static var processes: FleetWorkers {
        FleetWorkers { workers, context, next, tell in
            let program = [ThisProcess.program() ?? "meshplan"] + FleetServeCommand.words
            func server(_ isShared: Bool) -> ProgramPool.Program {
                ProgramPool.Program(
                    arguments: program + (isShared ? [] : [FleetServeCommand.once]),
                    folder: "/",
                    environment: context.environment
                )
            }
            var said: [Int: String] = [:]
            ProgramPool(workers: workers, interrupts: context.interrupts).run(
                { next().map { ($0.number, $0.call.line, server($0.call.isShared)) } },
                { number, event in
                    let answer: FleetAnswer?
                    switch event {
                    case .output(let line): answer = FleetAnswer(line)
                    // What a command has to say is in its answer. This is of a process that crashes.
                    case .errors(let line):
                        said[number] = line
                        answer = .line(line)
                    case .ended:
                        let reason = said[number].map { ": \($0.trimmed)" } ?? ""
                        answer = .ended(.ended(.failure, "the command has ended without an answer" + reason))
                    case .killed(let signal):
                        answer = .ended(.ended(.failure, "the command was ended by signal \(signal)"))
                    case .notStarted(let reason):
                        answer = .ended(.ended(.failure, "the command cannot be run: \(reason)"))
                    }
                    if let answer { tell(number, answer) }
                    guard case .ended(let result)? = answer else { return .goesOn }
                    return result.isLast ? .leaves : .answered
                }
            )
        }
    }
}
