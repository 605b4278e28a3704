import MeshCore
import Simulator

extension TestNetwork {
    /// The servers of the foundation models of 1.1.
    static let foundationServers: [ModelIdentifier] = [
        .bridgeConfigurationServer, .privateBeaconServer, .onDemandPrivateProxyServer, .sarConfigurationServer,
        .opcodesAggregatorServer, .largeCompositionDataServer, .solicitationReplayServer,
    ]

    /// A node of ``node(_:relay:proxy:)`` with those models on its primary element as well.
    static func node(
        _ number: Int,
        with models: [ModelIdentifier],
        relay: FeatureState = .enabled,
        proxy: FeatureState = .disabled
    ) -> Node {
        var node = node(number, relay: relay, proxy: proxy)
        node.elements[0].models += models.map { Model(identifier: $0) }
        return node
    }
}

extension ServerBench {
    /// A bench with a node that has all servers of 1.1, and NetKey 1 beside the primary one.
    static func foundation(limits: NodeLimits = NodeLimits(), proxy: FeatureState = .disabled) -> ServerBench {
        var node = TestNetwork.node(0, with: TestNetwork.foundationServers, proxy: proxy)
        node.netKeys.append(NodeKey(index: one))
        return ServerBench(node, limits: limits)
    }
}
