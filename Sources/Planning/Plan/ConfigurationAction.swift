package import MeshCore

/// One Configuration request to a node without the secrets in it: keys are named by index and filled in when the
/// message is made (Mesh Protocol 4.3.2).
package enum ConfigurationAction: Hashable, Sendable {
    /// Config Composition Data Get of a page.
    case readComposition(page: UInt8)
    /// Config NetKey Add.
    case addNetKey(NetKeyIndex)
    /// Config NetKey Delete; takes the subnet's AppKeys on the node with it.
    case deleteNetKey(NetKeyIndex)
    /// Config AppKey Add.
    case addAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    /// Config AppKey Delete; takes bindings and publications that use the key with it.
    case deleteAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    /// Config Model App Bind.
    case bind(ModelAddress, AppKeyIndex)
    /// Config Model App Unbind; takes a publication that uses the key with it.
    case unbind(ModelAddress, AppKeyIndex)
    /// Config Model Subscription Add or Virtual Address Add.
    case addSubscription(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Delete or Virtual Address Delete.
    case deleteSubscription(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Overwrite or Virtual Address Overwrite: exactly this one is left.
    case overwriteSubscriptions(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Delete All.
    case deleteAllSubscriptions(ModelAddress)
    /// Config Model Publication Set or Virtual Address Set; nil stops publishing.
    case setPublication(ModelAddress, Publication?)
    /// Config Default TTL Set.
    case setDefaultTTL(UInt8)
    /// Config Beacon Set.
    case setSecureNetworkBeacon(Bool)
    /// Config Relay Set; where the retransmit is nil the node's present one is read first and kept.
    case setRelay(Bool, TransmitParameters?)
    /// Config GATT Proxy Set.
    case setProxy(Bool)
    /// Config Friend Set.
    case setFriend(Bool)
    /// Config Network Transmit Set.
    case setNetworkTransmit(TransmitParameters)
    /// Config Node Reset: the node leaves the network and is an unprovisioned device again.
    case resetNode
    /// The Set message of a state; what the value leaves open stays as it is on the node.
    case set(FoundationState)
    /// Bridging Table Add; changes the direction of an entry about the same addresses.
    case addBridging(BridgingTableEntry)
    /// Bridging Table Remove of the entry about the same addresses.
    case removeBridging(BridgingTableEntry)
    /// Bridging Table Remove of all entries that join the first subnet with the second, whatever their addresses.
    case removeAllBridging(NetKeyIndexPair)
    /// A Get, which changes nothing.
    case read(NodeReading)
    /// Config NetKey Update with the new key of a refresh.
    case updateNetKey(NetKeyIndex)
    /// Config AppKey Update with the new key of a refresh.
    case updateAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    /// Config Key Refresh Phase Set.
    case setKeyRefreshPhase(NetKeyIndex, KeyRefreshTransition)
}
