internal import Execution
internal import MeshCore
internal import Planning
internal import Simulator
internal import Store

/// What an apply speaks to the mesh with.
struct MeshConnection {
    /// Carries plans out.
    let executor: Executor
    /// The simulated world, if the mesh is one.
    let simulation: Simulation?

    /// Opens the route for a run that may ask people for what devices show, and tells of it.
    ///
    /// - Parameters:
    ///   - network: the network's name.
    ///   - names: further names of nodes and devices, for options that name them.
    ///   - secrets: what is known of devices out of band.
    init(
        over route: MeshRoute,
        in context: Context,
        _ database: MeshDatabase,
        _ lease: WriteLease,
        named network: String,
        names: [String: DeviceUUID] = [:],
        secrets: SecretsReader,
        options: ExecutionOptions = ExecutionOptions(),
        _ reporter: ApplyReporter
    ) throws {
        var options = options
        route.nameCommands(in: &options.link, of: network, context)
        let snapshot = try database.snapshot()
        let present = snapshot.network
        options.proxy = options.proxy.map { $0.resolved(in: present, names: names) ?? $0 }
        let access = try route.open(
            in: context,
            network: present,
            heard: snapshot.replay,
            named: network,
            names: names,
            watched: TerminalDesk.isAttended(context) ? [context.lineInput.descriptor].compactMap { $0 } : []
        )
        access.tell(on: reporter.terminal)
        let desk = TerminalDesk(
            context: context,
            terminal: reporter.terminal,
            secrets: secrets,
            simulation: access.simulation
        )
        executor = Executor(
            database: database,
            lease: lease,
            bearer: access.bearer,
            options: options,
            context: context.execution(desk: desk, database: database) { reporter.handle($0) }
        )
        simulation = access.simulation
    }

    /// Carries a plan out.
    func apply(_ plan: Plan, _ reporter: ApplyReporter, _ context: Context) -> ExitStatus {
        reporter.begin(plan)
        return finish(executor.apply(plan), reporter, context)
    }

    /// Shows the recap, and what went against the rules of a simulated mesh.
    func finish(_ recap: Recap, _ reporter: ApplyReporter, _ context: Context) -> ExitStatus {
        let status = ExitStatus(recap)
        reporter.finish(recap, status: status)
        let report = simulation?.report(context) ?? .success
        return report == .success ? status : report
    }
}
