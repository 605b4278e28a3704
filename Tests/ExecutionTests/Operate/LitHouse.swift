import MeshCore
import TestSupport

/// A house whose lamps have a key, bound to their Health and Generic OnOff Servers, and a group.
enum LitHouse {
    static func lightKey() throws -> AppKeyIndex { try required(AppKeyIndex(rawValue: 3)) }

    static func network(lamps count: Int) throws -> MeshNetwork {
        let index = try lightKey()
        var network = try House.network(lamps: count)
        let kitchen = SubscriptionAddress.group(try required(GroupAddress(rawValue: 0xC001)))
        network.appKeys = [AppKey(index: index, name: "light", boundNetKey: .primary, key: secret(0x20))]
        network.groups = [Group(name: "kitchen", address: kitchen)]
        for place in network.nodes.indices.dropFirst() {
            network.nodes[place].appKeys = [NodeKey(index: index)]
            for model in network.nodes[place].elements[0].models.indices {
                let identifier = network.nodes[place].elements[0].models[model].identifier
                guard identifier == .healthServer || identifier == House.onOffServer else { continue }
                network.nodes[place].elements[0].models[model].bindings = [index]
                if identifier == House.onOffServer, place <= 2 {
                    network.nodes[place].elements[0].models[model].subscriptions = [kitchen]
                }
            }
        }
        return network
    }
}
