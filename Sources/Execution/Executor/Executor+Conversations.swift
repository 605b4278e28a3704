package import MeshCore
import Planning
import Store

/// Questions to nodes outside plans.
extension Executor {
    /// Makes the Health Server of a node attract attention (Health Attention Set, Mesh Protocol 4.3.3).
    ///
    /// - Parameters:
    ///   - node: a node of the database.
    ///   - seconds: for how long; 0 ends it.
    ///   - key: an AppKey that is bound to the Health Server of its primary element.
    /// - Returns: for how many seconds the node attracts attention.
    package func drawAttention(to node: Node, seconds: UInt8, under key: AppKey) -> NodeAnswer<UInt8> {
        let question = Question(HealthAttentionSet(seconds: seconds), under: key.index) { $0.seconds }
        return NodeQuestioning(access).ask(node, question, in: [key.boundNetKey])
    }

    /// Makes a node forget the sources of Solicitation PDUs, so that it accepts their sequence numbers from the start
    /// again (Solicitation PDU RPL Items Clear, Mesh Protocol 1.1).
    ///
    /// - Parameters:
    ///   - addresses: the sources.
    ///   - node: a node of the database.
    ///   - key: an AppKey that is bound to the Solicitation PDU RPL Configuration Server of its primary element.
    /// - Returns: the sources that the node has forgotten.
    package func clearSolicitations(
        of addresses: UnicastAddressRange,
        at node: Node,
        under key: AppKey
    ) -> NodeAnswer<UnicastAddressRange> {
        let question = Question(SolicitationPDURPLItemsClear(addresses: addresses), under: key.index) { $0.addresses }
        return NodeQuestioning(access).ask(node, question, in: [key.boundNetKey])
    }

    /// Asks a Friend after how long without a poll it gives up a Low Power node (Config Low Power Node PollTimeout Get,
    /// Mesh Protocol 4.3.2.67).
    ///
    /// - Returns: steps of 100 ms; 0 if it is not that node's Friend.
    package func pollTimeout(of lowPowerNode: UnicastAddress, at friend: Node) -> NodeAnswer<UInt32> {
        let question = Question(ConfigLowPowerNodePollTimeoutGet(lowPowerNodeAddress: lowPowerNode)) { $0.pollTimeout }
        return NodeQuestioning(access).ask(friend, question, in: friend.netKeys.map(\.index))
    }

    /// Reads the Composition Data pages beside page 0 and the Models Metadata of a node and records them.
    ///
    /// - Parameter node: a node of the database whose composition is known.
    /// - Returns: the node with its pages.
    package func readPages(of node: Node) -> NodeAnswer<Node> { NodeQuestioning(access).readPages(of: node) }
}
