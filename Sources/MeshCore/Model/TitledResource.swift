/// What people may call by a title of their own: any text, unlike its name. Phones show titles.
package enum TitledResource: Hashable, Comparable, Sendable {
    case network
    case netKey(NetKeyIndex)
    case appKey(AppKeyIndex)
    case group(SubscriptionAddress)
    case node(DeviceUUID)
}
