import Catalogue
import Execution
import MeshCore
import Planning
import Simulator
import Store
import SystemLayer

/// The connection of an apply to the mesh.
struct MeshConnection {
    /// Carries out plans.
    let executor: Executor
    /// The simulated world; nil for a real mesh.
    let simulation: Simulation?

    /// Opens the route for a run. The run may ask people what devices show, and reports to the terminal.
    ///
    /// - Parameters:
    ///   - snapshot: what the database knows.
    ///   - network: the network's name.
    ///   - names: further names of nodes and devices, for options that take such names.
    ///   - vendorModels: the vendor models of a simulated mesh, unless the route names files with others.
    ///   - secrets: out-of-band data of devices.
    init(
        over route: MeshRoute,
        in context: Context,
        _ database: MeshDatabase,
        _ lease: WriteLease,
        _ snapshot: Snapshot,
        named network: String,
        names: [String: DeviceUUID] = [:],
        vendorModels: @autoclosure () -> [VendorModel] = [],
        secrets: SecretsReader,
        options: ExecutionOptions = ExecutionOptions(),
        _ reporter: ApplyReporter
    ) throws {
        var options = options
        route.nameCommands(in: &options.link, of: network, context)
        let present = snapshot.network
        options.proxy = options.proxy.map { $0.resolved(in: present, names: names) ?? $0 }
        let access = try route.open(
            in: context,
            network: present,
            heard: snapshot.replay,
            named: network,
            names: names,
            vendorModels: vendorModels(),
            watched: TerminalPrompter.isAttended(context) ? [context.lineInput.descriptor].compactMap { $0 } : []
        )
        access.tell(on: reporter.terminal)
        let prompter = TerminalPrompter(
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
            context: context.execution(prompter: prompter, texts: secrets.texts, database: database) {
                reporter.handle($0)
            }
        )
        simulation = access.simulation
    }

    /// Shows the recap, and the rules that a simulated mesh saw broken.
    func finish(_ recap: Recap, _ reporter: ApplyReporter, _ context: Context) -> ExitStatus {
        let status = ExitStatus(recap)
        reporter.finish(recap, status: status)
        let report = simulation?.report(context) ?? .success
        return report == .success ? status : report
    }
}
