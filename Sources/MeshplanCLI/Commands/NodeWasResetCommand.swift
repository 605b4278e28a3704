internal import ArgumentParser
internal import MeshCore
internal import Planning
internal import Store

extension NodeCommand {
    /// `meshplan node was-reset`
    struct WasReset: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "was-reset",
            abstract: "Record that a node was reset and is in the network no more.",
            discussion: """
                For a node that was reset by hand, or whose status of a Node Reset never came: some nodes leave the network \
                before they answer. Nothing is sent. The node's device key is kept among the retired nodes, what was in doubt \
                about it is over, and its addresses are not given out again before the IV index allows it. If the definition \
                still names the node, the next apply provisions it anew. A node that was not reset after all keeps its keys: \
                meshplan keys refresh SUBNET shuts it out.
                """
        )

        @Argument(help: ArgumentHelp("The name, UUID or address of a node.", valueName: "node"))
        var node: String

        @Flag(help: "Do not ask.")
        var autoApprove = false

        @OptionGroup var networks: NetworkOptions

        @OptionGroup var format: FormatOptions

        var writesJSON: Bool { format.json }

        func run(in context: Context) throws -> ExitStatus {
            let workspace = Workspace(context: context)
            let name = try workspace.only(networks.network)
            let database = try workspace.open(name)
            let lease = try workspace.lock(database, for: "node was-reset")
            try Confirmation(context: context, network: name).check(database)
            let snapshot = try database.snapshot()
            let node = try find(in: snapshot.network)
            if !autoApprove {
                try Prompt(context: context).confirm(
                    "Is \(node.name.printable) (\(node.unicastAddress)) out of the network?",
                    explanation: "It is taken out of the database; nothing is sent."
                )
            }
            var network = snapshot.network
            network.retire(node.uuid, reason: .reset, at: context.now())
            network.drifts[node.uuid] = nil
            var changes = StoreChanges(from: snapshot.network, to: network)
            let doubts = snapshot.unresolved.filter { $0.node == node.uuid }
            changes.outcomes = doubts.map { doubt in
                let isReset = (try? ConfigurationAction(decoding: doubt.action)) == .resetNode
                return JournalOutcome(run: doubt.run, subject: doubt.subject, result: isReset ? .succeeded : .notKnown)
            }
            var extras = try database.extras()
            extras.removeNode(node.uuid)
            if try extras != database.extras() { changes.extras = extras }
            let serial = try database.commit(changes, with: lease)
            if let lines = context.json {
                lines.write([
                    "type": "node_was_reset", "node": node.name.json, "node_uuid": node.uuid.description.json,
                    "address": node.unicastAddress.description.json, "doubts": .integer(doubts.count),
                    "serial": .integer(Int(clamping: serial)),
                ])
            } else {
                context.output.line(
                    "\(node.name.printable) (\(node.unicastAddress)) is out of the network; serial \(serial)."
                )
            }
            return .success
        }

        /// Finds the node.
        ///
        /// - Throws: ``Failure`` if no node matches, or more than one.
        private func find(in network: MeshNetwork) throws(Failure) -> Node {
            let found = network.nodes.filter { candidate in
                candidate.name == node || candidate.uuid.description == node.lowercased()
                    || candidate.unicastAddress.description.lowercased() == node.lowercased()
            }
            guard let only = found.first else {
                let nearest = Suggestion.nearest(to: node, among: Set(network.nodes.map(\.name)))
                throw Failure(
                    .usage,
                    "there is no node `\(node.printable)`",
                    hint: (nearest.map { "Did you mean `\($0.printable)`? " } ?? "")
                        + "meshplan show lists the nodes of the database."
                )
            }
            guard found.count == 1 else {
                let addresses = found.map { "\($0.unicastAddress)" }.joined(separator: ", ")
                throw Failure(
                    .usage,
                    "there are \(found.count) nodes `\(node.printable)`, at \(addresses)",
                    hint: "Say the address of the one that is meant."
                )
            }
            guard only.uuid != network.ownProvisioner else {
                throw Failure(.refused, "\(only.name.printable) is meshplan itself", hint: "It stays.")
            }
            return only
        }
    }
}
