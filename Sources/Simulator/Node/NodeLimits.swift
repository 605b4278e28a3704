/// How much a virtual node can store. Beyond that it answers Insufficient Resources (Mesh Protocol 4.3).
package struct NodeLimits: Hashable, Sendable {
    package var netKeys: Int
    package var appKeys: Int
    /// The most AppKeys bound to one model.
    package var bindingsPerModel: Int
    /// The most addresses that one model subscribes to, virtual ones included.
    package var subscriptionsPerModel: Int
    /// The most different labels on the node, in subscriptions and publications together.
    package var labels: Int
    /// The most entries of the bridging table: the Bridging Table Size state, at least 16 (Mesh Protocol 1.1, 4.2.43).
    package var bridgingTable: Int

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
