/// What people may call by a title of their own: any text, unlike its name. Phones show titles.
package enum TitledResource: Hashable, Comparable, Sendable {
    /// The network.
    case network
    /// The subnet with this index.
    case netKey(NetKeyIndex)
    /// The application key with this index.
    case appKey(AppKeyIndex)
    /// The group with this address.
    case group(SubscriptionAddress)
    /// The node with this UUID.
    case node(DeviceUUID)
}
