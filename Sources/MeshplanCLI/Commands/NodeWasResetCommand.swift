import ArgumentParser
import DefinitionModel
import MeshCore
import Planning
import Store
import SystemLayer

extension NodeCommand {
    /// `meshplan node was-reset`
    struct WasReset: ChangingCommand {
        static let configuration = CommandConfiguration(
            commandName: "was-reset",
            abstract: "Record that a node was reset and has left the network.",
            discussion: """
                For a node that was reset by hand, or whose status of a Node Reset never came: some nodes leave the \
                network before they answer. Nothing is sent. The node's device key is kept among the retired nodes, \
                doubts about its requests are dropped, and its addresses are not given out again before the IV index \
                allows it. If the definition still names the node, the next apply provisions it again. A node that was \
                not reset after all keeps its keys: meshplan keys refresh SUBNET excludes it.
                """
        )

        @Argument(
            help: ArgumentHelp("The name, UUID or address of a node.", valueName: "node"),
            completion: Completion.nodes
        )
        var node: String

        @OptionGroup var change: ChangeOptions

        func run(in context: Context) throws -> ExitStatus {
            let (name, database, lease) = try Workspace(context: context).openToChange(
                networks.network,
                for: "node was-reset"
            )
            let snapshot = try database.snapshot()
            let before = try RepeatedStateChange("node was-reset", database, snapshot.network, named: name)
            if let node = before.removedNode(node) {
                if let lines = context.json {
                    write(node, doubts: 0, serial: snapshot.serial, isRepeated: true, to: lines)
                } else {
                    context.output.line("Recorded already, by the last command; serial \(snapshot.serial).")
                }
                return .success
            }
            let node = try find(in: snapshot.network, context)
            if !change.autoApprove {
                try Prompt(context: context).confirm(
                    "Has \(node.name.printable) (\(node.unicastAddress)) left the network?",
                    explanation: "It is removed from the database; nothing is sent."
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
                write(node, doubts: doubts.count, serial: serial, isRepeated: false, to: lines)
            } else {
                context.output.line(
                    "\(node.name.printable) (\(node.unicastAddress)) has left the network; serial \(serial)."
                )
            }
            return .success
        }

        private func write(_ node: Node, doubts: Int, serial: UInt64, isRepeated: Bool, to lines: JSONLines) {
            lines.write([
                "type": "node_was_reset", "node": node.name.json, "node_uuid": node.uuid.description.json,
                "address": node.unicastAddress.description.json, "doubts": .integer(doubts),
                "serial": .integer(Int(clamping: serial)), "already": isRepeated ? true : nil,
            ])
        }

        /// Finds the node.
        ///
        /// - Throws: ``Failure`` if no node matches, or more than one.
        private func find(in network: MeshNetwork, _ context: Context) throws(Failure) -> Node {
            guard let only = try NodeFinder(context: context, network: network, use: .changing).node(node) else {
                throw NodeFinder.missing(node, among: Set(network.nodes.map(\.name)))
            }
            guard only.uuid != network.ownProvisioner else {
                throw Failure(.refused, "\(only.name.printable) is meshplan's own node and cannot be removed")
            }
            return only
        }
    }
}
