/// How much a virtual node can store; beyond it, it answers Insufficient Resources (Mesh Protocol 4.3).
package struct NodeLimits: Hashable, Sendable {
    /// NetKeys on the node.
    package var netKeys: Int
    /// AppKeys on the node.
    package var appKeys: Int
    /// AppKeys bound to one model.
    package var bindingsPerModel: Int
    /// Addresses that one model subscribes to, virtual ones included.
    package var subscriptionsPerModel: Int
    /// Different labels on the node, of subscriptions and publications together.
    package var labels: Int
    /// Entries of the bridging table, the Bridging Table Size state; 16 is the least (Mesh Protocol 1.1, 4.2.43).
    package var bridgingTable: Int

    /// Limits with those values; by default those of a roomy product.
    package init(
        netKeys: Int = 8,
        appKeys: Int = 16,
        bindingsPerModel: Int = 8,
        subscriptionsPerModel: Int = 16,
        labels: Int = 16,
        bridgingTable: Int = 16
    ) {
        self.netKeys = netKeys
        self.appKeys = appKeys
        self.bindingsPerModel = bindingsPerModel
        self.subscriptionsPerModel = subscriptionsPerModel
        self.labels = labels
        self.bridgingTable = bridgingTable
    }
}
