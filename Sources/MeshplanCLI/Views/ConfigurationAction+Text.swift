internal import MeshCore
internal import Planning

extension ConfigurationAction {
    /// The Configuration message in words, for people.
    var text: String {
        switch self {
        case .readComposition: "Composition Data Get"
        case .addNetKey: "NetKey Add"
        case .deleteNetKey: "NetKey Delete"
        case .addAppKey: "AppKey Add"
        case .deleteAppKey: "AppKey Delete"
        case .bind: "Model App Bind"
        case .unbind: "Model App Unbind"
        case .addSubscription: "Model Subscription Add"
        case .deleteSubscription: "Model Subscription Delete"
        case .overwriteSubscriptions: "Model Subscription Overwrite"
        case .deleteAllSubscriptions: "Model Subscription Delete All"
        case .setPublication: "Model Publication Set"
        case .setDefaultTTL: "Default TTL Set"
        case .setSecureNetworkBeacon: "Beacon Set"
        case .setRelay: "Relay Set"
        case .setProxy: "GATT Proxy Set"
        case .setFriend: "Friend Set"
        case .setNetworkTransmit: "Network Transmit Set"
        case .resetNode: "Node Reset"
        case .set(let state): state.kind.title + " Set"
        case .addBridging: "Bridging Table Add"
        case .removeBridging: "Bridging Table Remove"
        }
    }
}
