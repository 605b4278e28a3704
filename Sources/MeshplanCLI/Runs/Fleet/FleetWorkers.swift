import SystemLayer

/// A command for one network of a fleet.
struct FleetCall {
    /// The network.
    var network: FleetNetwork
    /// The command line, without the program's name.
    var arguments: [String]
    /// The environment variables.
    var environment: [String: String]
    /// Whether a process may carry it out that has carried out others before. Such a command only reads and computes.
    var isServed = false
}

/// Runs the commands of a fleet. In the real process each is a process of its own, since a command that sends or stores
/// has the process to itself, and one that fails harms no other. Those that only read and compute share a few
/// processes, one command at a time in each: what takes a quarter of such a command is the same for all networks.
struct FleetWorkers {
    /// Runs calls until there are no more: a limited number at a time, and passes on what they print.
    var run:
        (
            _ workers: Int,
            _ context: Context,
            _ next: () -> (number: Int, call: FleetCall)?,
            _ tell: (Int, ProgramPool.Event) -> Void
        ) -> Void

    /// A process for each call, or one for many that are served.
    static var processes: FleetWorkers {
        FleetWorkers { workers, context, next, tell in
            let executable = ThisProcess.program() ?? "meshplan"
            let pool = ProgramPool(workers: workers, interrupts: context.interrupts)
            let server = ProgramPool.Program(
                arguments: [executable] + FleetServeCommand.words,
                folder: "/",
                environment: context.environment
            )
            pool.work(
                {
                    guard let (number, call) = next() else { return nil }
                    if call.isServed { return (number, .request(call.request(in: context.environment), of: server)) }
                    let program = ProgramPool.Program(
                        arguments: [executable] + call.arguments,
                        folder: call.network.folder,
                        environment: call.environment
                    )
                    return (number, .program(program))
                },
                tell
            )
        }
    }
}
