import Bearers
import Execution
import MeshCore
import Simulator
import Store

/// Scans with the help of nodes that have a Remote Provisioning Server.
extension ScanSession {
    /// How long neither we nor nodes may hear a device before it counts as gone: nodes report each one once in 20 s.
    private static let remoteSilence = Duration.seconds(60)

    /// Listens for a while, then lists what was heard and by whom, and which nodes did not listen.
    ///
    /// - Parameters:
    ///   - names: the nodes that listen; empty for all that can.
    ///   - adopt: the file to add stubs to; empty for standard output, nil for no stubs.
    func list(through names: [String], for time: Duration, adopt: String?) throws -> ExitStatus {
        var list = ScanList(network: knowledge.network)
        let (report, lease) = try listen(through: names, for: time) { event, now in
            switch event {
            case .heard(let advertisement): _ = list.hear(advertisement, at: now)
            case .reported(let node, let report): _ = list.hear(report, by: node, at: now)
            case .linkUp, .quiet: break
            }
            return true
        }
        if let lines = context.json {
            ScanJSON(lines: lines, names: knowledge.names, tellsWhoHears: true).write(list, report.nodes)
        } else if adopt != "" {
            let view = ScanView(names: knowledge.names, style: context.style, tellsWhoHears: true)
            let nodes = RemoteListeningView(names: knowledge.names, style: context.style)
            context.output.write(view.render(list) + nodes.render(report.nodes, list))
        }
        try note(list.devices.map(\.uuid), under: lease)
        if let adopt { try self.adopt(list, into: adopt, isRemote: report.hasBearerListened) }
        return try status(report)
    }

    /// Listens until interrupted, and reports every change.
    ///
    /// - Parameter names: the nodes that listen; empty for all that can.
    func watch(through names: [String]) throws -> ExitStatus {
        var list = ScanList(network: knowledge.network)
        let view = ScanView(names: knowledge.names, style: context.style, tellsWhoHears: true)
        let json = context.json.map { ScanJSON(lines: $0, names: knowledge.names, tellsWhoHears: true) }
        func tell(_ change: ScanList.Change?) {
            guard let change else { return }
            if let json { json.write(change) } else { context.output.line(view.line(change)) }
        }
        var seen: Set<DeviceUUID> = []
        let (report, lease) = try listen(through: names, for: nil) { event, now in
            switch event {
            case .heard(let advertisement): tell(list.hear(advertisement, at: now))
            case .reported(let node, let report):
                seen.insert(report.uuid)
                tell(list.hear(report, by: node, at: now))
            case .linkUp, .quiet: break
            }
            if now > Instant.zero.advanced(by: Self.remoteSilence) {
                for change in list.dropSilent(since: now.advanced(by: .zero - Self.remoteSilence)) { tell(change) }
            }
            return context.output.error == nil
        }
        if let json {
            json.finish(list, report.nodes)
        } else {
            context.errorOutput.write(
                RemoteListeningView(names: knowledge.names, style: context.errorStyle).remarks(report.nodes)
            )
        }
        try note(seen.union(list.devices.map(\.uuid)).sorted(), under: lease)
        let status = try status(report)
        return status == .interrupted ? .success : status
    }

    /// Lets nodes listen, while holding the lock of the database.
    private func listen(
        through names: [String],
        for time: Duration?,
        _ handle: @escaping (ListeningEvent, Instant) -> Bool
    ) throws -> (RemoteListeningReport, WriteLease) {
        let conversation = NodeConversation(
            context: context,
            route: route,
            knowledge: knowledge
        )
        let nodes = try servers(names, conversation)
        guard let (database, _, _) = knowledge.database else { throw Self.noDatabase }
        let lease = try Workspace(context: context).lock(database, for: "scan")
        let access = try open()
        let executor = conversation.executor(database, lease, access.bearer)
        return (executor.listen(through: nodes, for: time, handle), lease)
    }

    private static let noDatabase = Failure(
        .failure,
        "nodes cannot be asked to listen: there is no database of the network here",
        hint: "Scan without --remote, or begin with meshplan init or meshplan import."
    )

    private func servers(_ names: [String], _ conversation: NodeConversation) throws -> [Node] {
        guard let network = knowledge.network else { throw Self.noDatabase }
        let able = network.nodes.filter { $0.hasRemoteProvisioningServer && RefreshSession.isReadable($0, in: network) }
        guard !names.isEmpty else {
            guard !able.isEmpty else {
                throw Failure(
                    .failure,
                    "no node of the database is known to have a Remote Provisioning Server",
                    hint:
                        "meshplan apply reads the compositions of the definition's nodes; --through NODE uses any node."
                )
            }
            return able
        }
        var chosen: [UnicastAddress: Node] = [:]
        for name in names {
            let node = try conversation.node(name)
            guard !node.isCompositionKnown || node.hasRemoteProvisioningServer else {
                let others = able.prefix(8).map { conversation.name(of: $0) }.joined(separator: ", ")
                throw Failure(
                    .failure,
                    "\(conversation.name(of: node)) has no Remote Provisioning Server",
                    hint: others.isEmpty
                        ? "No node of the database is known to have one." : "Nodes that have one: \(others)"
                )
            }
            guard RefreshSession.isReadable(node, in: network) else {
                throw Failure(
                    .failure,
                    "\(conversation.name(of: node)) cannot be asked: it is no longer a node of the network"
                )
            }
            chosen[node.unicastAddress] = node
        }
        return chosen.sorted { $0.key < $1.key }.map(\.value)
    }

    private func status(_ report: RemoteListeningReport) throws -> ExitStatus {
        if report.ending == .interrupted { return .interrupted }
        if let failure = Failure(ending: report.ending) { throw failure }
        return report.nodes.allSatisfy(\.isGood) ? .success : .partial
    }
}
