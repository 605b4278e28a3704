package import MeshCore

/// One request to a node, without secrets: keys are named by index and filled in when the message is made. All but the
/// Set of a model's state are messages of the foundation models (Mesh Protocol 4.3.2).
package enum ConfigurationAction: Hashable, Sendable {
    /// Config Composition Data Get of a page.
    case readComposition(page: UInt8)
    /// Config NetKey Add.
    case addNetKey(NetKeyIndex)
    /// Config NetKey Delete. It also deletes the subnet's AppKeys on the node.
    case deleteNetKey(NetKeyIndex)
    /// Config AppKey Add.
    case addAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    /// Config AppKey Delete. It also ends bindings and publications that use the key.
    case deleteAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    /// Config Model App Bind.
    case bind(ModelAddress, AppKeyIndex)
    /// Config Model App Unbind. It also ends a publication that uses the key.
    case unbind(ModelAddress, AppKeyIndex)
    /// Config Model Subscription Add or Virtual Address Add.
    case addSubscription(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Delete or Virtual Address Delete.
    case deleteSubscription(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Overwrite or Virtual Address Overwrite: only this one stays.
    case overwriteSubscriptions(ModelAddress, SubscriptionAddress)
    /// Config Model Subscription Delete All.
    case deleteAllSubscriptions(ModelAddress)
    /// Config Model Publication Set or Virtual Address Set; nil stops publishing.
    case setPublication(ModelAddress, Publication?)
    /// Config Default TTL Set.
    case setDefaultTTL(UInt8)
    /// Config Beacon Set.
    case setSecureNetworkBeacon(Bool)
    /// Config Relay Set. If the retransmit is nil, the node's present one is read first and kept.
    case setRelay(Bool, TransmitParameters?)
    /// Config GATT Proxy Set.
    case setProxy(Bool)
    /// Config Friend Set.
    case setFriend(Bool)
    /// Config Network Transmit Set.
    case setNetworkTransmit(TransmitParameters)
    /// Config Node Reset: the node leaves the network and is an unprovisioned device again.
    case resetNode
    /// The Set message of a state. What the value leaves open stays unchanged on the node.
    case set(FoundationState)
    /// Bridging Table Add. It changes the direction of an entry with the same addresses.
    case addBridging(BridgingTableEntry)
    /// Bridging Table Remove of the entry with the same addresses.
    case removeBridging(BridgingTableEntry)
    /// Bridging Table Remove of all entries between the first and the second subnet, whatever their addresses.
    case removeAllBridging(NetKeyIndexPair)
    /// The Set of a state of a model above the foundation.
    case setModelState(ModelStateSet)
    /// The Get of a state before it is changed for a moment. Its value is recorded, to be restored.
    case holdState(HeldStateRequest)
    /// The Set of a state for a moment, because another message stores what holds. Nothing is recorded of it.
    case setBriefly(ModelStateSet)
    /// The Set of a state to the recorded value from before.
    case restoreState(HeldStateRequest)
    /// A Get, which changes nothing.
    case read(NodeReading)
    /// Config NetKey Update with the new key of a refresh.
    case updateNetKey(NetKeyIndex)
    /// Config AppKey Update with the new key of a refresh.
    case updateAppKey(AppKeyIndex, boundTo: NetKeyIndex)
    /// Config Key Refresh Phase Set.
    case setKeyRefreshPhase(NetKeyIndex, KeyRefreshTransition)
}
