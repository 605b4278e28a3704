import ArgumentParser
import MeshCore
import Store
import SystemLayer

/// `meshplan fleet status`
struct FleetStatusCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what each network's database knows.",
        discussion: """
            Nothing is sent, and no definition is read. Exits with 3 if there is drift. Below the networks stand the \
            gateways that the fleet's list names by hub://NAME, with their presence and version, and the last run.
            """
    )

    @OptionGroup var options: FleetOptions

    @Option(help: ArgumentHelp("Show only this run, with each of its networks.", valueName: "run"))
    var run: String?

    var writesJSON: Bool { options.format.json }
    var storeAccess: StoreAccess { options.store.access }

    func run(in context: Context) throws -> ExitStatus {
        let fleet = try options.fleet(in: context)
        let place = FleetRunPlace(context, fleet)
        if let run {
            let (store, record) = try place.find(run)
            try FleetRunView(context).show(record, store, showsJobs: true)
            return .success
        }
        var table = Table(
            ["Network", "Serial", "Nodes", "Drift", "Doubts", "Last change"],
            rightAligned: [1, 2, 3, 4]
        )
        var (results, failures): ([FleetResult], [(name: String, failure: Failure)]) = ([], [])
        for (network, summary) in zip(fleet.networks, FleetSummaries(context).all(fleet.networks)) {
            var result = FleetResult()
            do {
                let known = Known(try summary.get())
                result.status = known.drift > 0 ? .drift : .success
                table.rows.append([network.name.printable] + known.cells)
                if let lines = context.json { known.write(to: lines, of: network) }
            } catch {
                let failure = Failure(explaining: error)
                result.status = failure.status
                table.rows.append([
                    network.name.printable, "–", "–", "–", "–", "(\(FleetView.word(failure.status, "status")))",
                ])
                failures.append((network.name, failure))
                context.json?.write([
                    "type": "fleet_network", "network": network.name.json, "command": "status",
                    "exit_code": .integer(failure.status.rawValue), "problems": .array([failure.message.json]),
                ])
            }
            results.append(result)
        }
        if context.json == nil {
            context.output.write(table.render(context.style))
            for (name, failure) in failures {
                for line in wrap("\(name.printable): \(failure.message.printable)", width: 80) {
                    context.errorOutput.line(line)
                }
            }
        }
        try FleetGateways(of: fleet.networks, in: context).show(in: context)
        do {
            if let store = try place.existing(), let last = try place.last(in: store) {
                if context.json == nil { context.output.line() }
                try FleetRunView(context).show(last, store, showsJobs: false)
            }
        } catch {
            let failure = Failure(explaining: error)
            FailureView(context).warn("the runs of the fleet cannot be read: \(failure.message)", hint: failure.hint)
        }
        return FleetDispatcher.status(of: results)
    }

    /// What a database knows of its network.
    private struct Known {
        var serial: UInt64
        var nodes: Int
        var drift: Int
        var doubts: Int
        var last: (operation: String, at: Timestamp, user: String)?

        init(_ summary: DatabaseSummary) {
            serial = summary.version.serial
            nodes = summary.nodes
            drift = summary.drifted
            doubts = summary.inDoubt
            last = summary.last.map { ($0.operation, $0.began, $0.user) }
        }

        /// The columns behind the network's name.
        var cells: [String] {
            [
                String(serial), String(nodes), String(drift), String(doubts),
                last.map { "\($0.at.text)  \($0.operation.printable)" } ?? "–",
            ]
        }

        func write(to lines: JSONLines, of network: FleetNetwork) {
            lines.write([
                "type": "fleet_network", "network": network.name.json, "command": "status",
                "exit_code": .integer((drift > 0 ? ExitStatus.drift : .success).rawValue),
                "tags": .object(network.tags.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value.json) }),
                "serial": .integer(serial), "nodes": .integer(nodes), "drifted_nodes": .integer(drift),
                "in_doubt": .integer(doubts), "last_operation": last?.operation.json, "last_change": last?.at.text.json,
                "last_user": last?.user.json,
            ])
        }
    }
}
