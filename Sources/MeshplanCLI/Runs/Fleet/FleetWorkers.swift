import SystemLayer

/// A command for one network of a fleet.
struct FleetCall {
    /// The network.
    var network: FleetNetwork
    /// The command line, without the program's name.
    var arguments: [String]
    /// The environment variables.
    var environment: [String: String]
}

/// Runs the commands of a fleet. In the real process each is a process of its own: a command keeps what it has read
/// until it ends, and one that fails harms no other.
struct FleetWorkers {
    /// Runs calls until there are no more: a limited number at a time, and passes on what they print.
    var run:
        (
            _ workers: Int,
            _ context: Context,
            _ next: () -> (number: Int, call: FleetCall)?,
            _ tell: (Int, ProgramPool.Event) -> Void
        ) -> Void

    /// A process for each call.
    static var processes: FleetWorkers {
        FleetWorkers { workers, context, next, tell in
            let executable = ThisProcess.program() ?? "meshplan"
            let pool = ProgramPool(workers: workers, interrupts: context.interrupts)
            pool.run(
                {
                    guard let (number, call) = next() else { return nil }
                    let program = ProgramPool.Program(
                        arguments: [executable] + call.arguments,
                        folder: call.network.folder,
                        environment: call.environment
                    )
                    return (number, program)
                },
                tell
            )
        }
    }
}
