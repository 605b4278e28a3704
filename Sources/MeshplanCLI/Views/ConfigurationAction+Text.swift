import MeshCore
import Planning

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
        case .setModelState(let set): "Set of \(set.state.form.name)"
        case .holdState(let request): "Get of \(request.state.form.name), to be restored"
        case .setBriefly(let set): "Set of \(set.state.form.name) for a moment"
        case .restoreState(let request): "Set of \(request.state.form.name) as before"
        case .addBridging: "Bridging Table Add"
        case .removeBridging, .removeAllBridging: "Bridging Table Remove"
        case .updateNetKey: "NetKey Update"
        case .updateAppKey: "AppKey Update"
        case .setKeyRefreshPhase: "Key Refresh Phase Set"
        case .read(let reading): reading.text
        }
    }
}

extension NodeReading {
    /// The Get in words, for people.
    var text: String {
        switch self {
        case .composition: "Composition Data Get"
        case .netKeys: "NetKey Get"
        case .appKeys: "AppKey Get"
        case .bindings: "Model App Get"
        case .subscriptions: "Model Subscription Get"
        case .publication: "Model Publication Get"
        case .defaultTTL: "Default TTL Get"
        case .secureNetworkBeacon: "Beacon Get"
        case .networkTransmit: "Network Transmit Get"
        case .friend: "Friend Get"
        case .relay: "Relay Get"
        case .proxy: "GATT Proxy Get"
        case .state(let kind): kind.title + " Get"
        case .bridgedSubnets: "Bridged Subnets Get"
        case .bridgingTable: "Bridging Table Get"
        case .modelState(_, let form, _): "Get of \(form.name)"
        case .page(.composition): "Composition Data Get"
        case .page(.largeComposition): "Large Composition Data Get"
        case .page(.modelsMetadata): "Models Metadata Get"
        }
    }

    /// The state that it asks for, for people; nil for the node as a whole.
    var subjectText: String? {
        switch self {
        case .bindings(let address), .subscriptions(let address), .publication(let address),
            .modelState(let address, _, _):
            "element[\(address.element)].\(address.model)"
        case .appKeys(let index): "network key \(index)"
        case .bridgingTable(let pair, _): "subnets \(pair.first) and \(pair.second)"
        case .page(.composition(let page)), .page(.largeComposition(let page, _)), .page(.modelsMetadata(let page, _)):
            "page \(page)"
        case .composition, .netKeys, .defaultTTL, .secureNetworkBeacon, .networkTransmit, .friend, .relay, .proxy,
            .state, .bridgedSubnets:
            nil
        }
    }
}
