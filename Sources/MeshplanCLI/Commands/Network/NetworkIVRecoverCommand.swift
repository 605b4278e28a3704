import ArgumentParser
import Execution
import MeshCore
import Store

/// `meshplan network iv recover`
struct NetworkIVRecoverCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Listen for the network's IV index, and adopt it.",
        discussion: """
            Connects to one proxy after another and listens to their beacons; only beacons authenticated by a NetKey \
            of the network count. Nothing is sent. A change that the rules allow is adopted, as in every run. One that \
            they do not allow – an IV index more than 42 ahead, or a second recovery within 192 hours – is adopted if \
            you approve it: anybody with a NetKey can send such a beacon, and there is no way back to a lower one. A \
            lower IV index is never adopted.
            """
    )

    @OptionGroup var mesh: MeshOptions

    @Option(
        help: ArgumentHelp("How long to listen, such as 30s.", valueName: "duration"),
        transform: DurationArgument.parse
    )
    var listen = DurationArgument(milliseconds: 30_000)

    @Flag(help: "Do not ask for approval.")
    var autoApprove = false

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        guard listen.milliseconds >= 1_000 else { throw ValidationError("--listen takes 1s to 24h.") }
    }

    func run(in context: Context) throws -> ExitStatus {
        let (name, database, lease) = try Workspace(context: context).openToChange(
            networks.network,
            for: "network iv recover",
            isForNetwork: false
        )
        let route = try mesh.route()
        let snapshot = try database.snapshot()
        let before = snapshot.network
        let access = try route.open(in: context, network: before, heard: snapshot.replay, named: name)
        let executor = Executor(
            database: database,
            lease: lease,
            bearer: access.bearer,
            context: context.execution()
        )
        let view = IVRecoveryView(context: context, network: before)
        if context.json == nil {
            context.errorOutput.line("Listening for \(listen) to the proxies of network \(name.printable).")
        }
        let report = executor.listenForBeacons(for: listen.duration)
        if report.ending == .interrupted { throw Failure(.interrupted, "interrupted; nothing was changed") }
        if report.statements.isEmpty, let failure = Failure(ending: report.ending) { throw failure }
        view.summarize(report)
        let proposal = IVIndexProposal(report.statements, known: before.ivIndex)
        switch proposal {
        case .unchanged, .soon:
            // This confirms an IV index that was only stated.
            if proposal == .unchanged, let failure = Failure(ending: executor.recover(to: before.ivIndex)) {
                throw failure
            }
            view.unchanged(proposal, named: name)
        case .follow(let ivIndex): try adopt(ivIndex, executor, view)
        case .approve(let ivIndex, let refusal):
            if !autoApprove {
                try Prompt(context: context).confirm(
                    "Do you want to adopt IV index \(ivIndex.value)?",
                    explanation: view.warning(ivIndex, refusal)
                )
            }
            try adopt(ivIndex, executor, view)
        case .behind, .secondaryOnly, .silence: throw view.failure(proposal, report)
        }
        return access.simulation?.report(context) ?? .success
    }

    private func adopt(_ ivIndex: IVIndex, _ executor: Executor, _ view: IVRecoveryView) throws {
        if let failure = Failure(ending: executor.recover(to: ivIndex)) { throw failure }
        view.recovered(ivIndex)
    }
}
