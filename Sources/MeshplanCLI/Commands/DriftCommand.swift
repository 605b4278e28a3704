import ArgumentParser
import DefinitionModel
import Definitions
import MeshCore
import Planning
import Store
import SystemLayer

/// `meshplan drift`
struct DriftCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Show where nodes differ from what was recorded.",
        discussion: """
            Compares the definition, the recorded values (as last set or imported), and the values that nodes reported \
            to meshplan refresh. Nothing is sent; of nodes that were never read back, drift is not known. Exits with 3 if \
            there is drift. meshplan apply restores what the \
            definition declares; --adopt prints the lines that make the definition agree with the nodes; --accept \
            records observed values that the definition does not mention.
            """
    )

    @OptionGroup var definition: DefinitionOptions

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var store: StoreOptions

    @OptionGroup(title: "Selection")
    var selection: SelectionOptions

    @Flag(help: "Print the lines that make the definition agree with the nodes; no file is changed.")
    var adopt = false

    @Flag(help: "Record observed values that the definition does not mention, so that they no longer count as drift.")
    var accept = false

    @OptionGroup var format: FormatOptions

    var writesJSON: Bool { format.json }

    func validate() throws {
        if adopt, format.json { throw ValidationError("--adopt writes YAML, not JSON.") }
        if adopt, accept {
            throw ValidationError("Use either --adopt, which only prints, or --accept, which only records.")
        }
    }

    func run(in context: Context) throws -> ExitStatus {
        let planning = try PlanningJob(context: context)
            .prepareIfPresent(definition.paths, network: networks.network)
        let workspace = Workspace(context: context)
        let network = try planning?.network ?? workspace.only(networks.network)
        let database = try workspace.open(network)
        var snapshot = try database.snapshot()
        var report = try report(snapshot, planning)
        if accept {
            let lease = try workspace.lock(database, for: "drift")
            snapshot = try database.snapshot()
            report = try self.report(snapshot, planning)
            let accepted = try DriftSettlement.accept(report, in: snapshot.network, database, lease)
            report = try self.report(try database.snapshot(), planning)
            if context.json == nil, accepted > 0 {
                context.errorOutput.line("Recorded \(count(accepted, "value")) that the definition does not mention.")
            }
        }
        if adopt {
            return try printAdoption(of: report, snapshot, planning, context)
        }
        let observed = ObservationAges(snapshot.network, among: try selected(snapshot, planning))
        if let lines = context.json {
            DriftJSON(report: report, network: snapshot.network, observed: observed).write(to: lines, network: network)
        } else {
            let view = DriftView(
                report: report,
                network: snapshot.network,
                observed: observed,
                name: network,
                hasDefinition: planning != nil,
                zone: planning?.definition.timeZone?.value ?? 0,
                style: context.style
            )
            context.output.write(view.render())
        }
        return report.isEmpty ? .success : .drift
    }

    private func report(_ snapshot: Snapshot, _ planning: PlanningJob.Prepared?) throws -> DriftReport {
        var report = DriftReport.make(of: snapshot.network, definition: planning?.definition)
        guard let selected = try selected(snapshot, planning) else { return report }
        report.nodes.removeAll { !selected.contains($0.uuid) }
        return report
    }

    /// The nodes that were asked about; nil for all.
    private func selected(_ snapshot: Snapshot, _ planning: PlanningJob.Prepared?) throws -> Set<DeviceUUID>? {
        guard !selection.isEmpty else { return nil }
        let nodes = try NodeSelection(snapshot.network, definition: planning?.definition).nodes(selection) { _ in true }
        return Set(nodes.map(\.uuid))
    }

    private func printAdoption(
        of report: DriftReport,
        _ snapshot: Snapshot,
        _ planning: PlanningJob.Prepared?,
        _ context: Context
    ) throws -> ExitStatus {
        guard let planning else {
            throw Failure(
                .usage,
                "--adopt needs a definition, and there is none",
                hint: "Name it: meshplan drift --adopt PATH"
            )
        }
        let adoption = DriftAdoption.make(of: report, network: snapshot.network, definition: planning.definition)
        context.output.write(AdoptionView(adoption: adoption, files: planning.files).render())
        return report.isEmpty ? .success : .drift
    }
}
