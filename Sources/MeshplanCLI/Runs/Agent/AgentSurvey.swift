import MeshCore
import Planning
import Store

/// What the database of a network knows that matters for reading nodes back.
struct AgentSurvey {
    /// The managed nodes that can be asked.
    let nodes: [AgentNode]
    /// How many values have drifted, by the node's UUID.
    let drift: [String: Int]

    /// Reads the database; nothing is sent.
    ///
    /// - Parameter context: the effects of a command for the network.
    /// - Throws: the errors of opening and reading databases.
    init(_ context: Context, _ name: String) throws {
        let snapshot = try Workspace(context: context).open(name).snapshot()
        self.init(snapshot.network)
    }

    /// Takes what a network is known to be.
    init(_ network: MeshNetwork) {
        let air = HopAirtime(network)
        nodes = network.nodes.filter { $0.isManaged && RefreshSession.isReadable($0, in: network) }.map { node in
            let requests = NodeReadBack.foreseenRequests(for: node, appKeys: network.appKeys, isInSequences: false)
            let pdus = requests.reduce(0) { $0 + $1.cost(on: node).pdus }
            let seconds = air.share(ofMessages: pdus, within: .seconds(1))
            return AgentNode(
                uuid: node.uuid.description,
                readAt: node.readBackAt?.rawValue,
                airtime: Int64(min(max(seconds, 0), 86_400) * 1e6) + 1,
                messages: max(requests.count, 1)
            )
        }
        var drift: [String: Int] = [:]
        for node in DriftReport.make(of: network, definition: nil).nodes where !node.entries.isEmpty {
            drift[node.uuid.description] = node.entries.count
        }
        self.drift = drift
    }
}
