import DefinitionModel
import MeshCore
import Planning
import Testing

@Suite("Effects of actions and edits")
struct EffectTests {
    private let key = KeyMaterial(Octets16(high: 1, low: 2))

    private func index<Index: KeyIndex>(_ value: UInt16) throws -> Index {
        try #require(Index(rawValue: value))
    }

    private func node(publishingWith key: AppKeyIndex) throws -> Node {
        let publication = Publication(address: .group(.allNodes), appKeyIndex: key)
        let models = [
            Model(identifier: .sig(0x1000), bindings: [try index(1), try index(2)], publication: publication),
            Model(identifier: .sig(0x1001), bindings: [try index(2)]),
        ]
        return Node(
            uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 1)),
            name: "n",
            unicastAddress: .first,
            deviceKey: self.key,
            elements: [Element(models: models)],
            netKeys: [NodeKey(index: .primary), NodeKey(index: try index(1))],
            appKeys: [NodeKey(index: try index(1)), NodeKey(index: try index(2))]
        )
    }

    private func appKeys() throws -> [AppKey] {
        [
            AppKey(index: try index(1), name: "a", boundNetKey: .primary, key: key),
            AppKey(index: try index(2), name: "b", boundNetKey: try index(1), key: key),
        ]
    }

    @Test("Deleting an AppKey takes its bindings and the publication that uses it")
    func deleteAppKey() throws {
        var node = try node(publishingWith: try index(2))
        node.apply(.deleteAppKey(try index(2), boundTo: try index(1)), appKeys: try appKeys())
        #expect(node.appKeys.map(\.index.rawValue) == [1])
        #expect(node.elements[0].models.map { $0.bindings.map(\.rawValue) } == [[1], []])
        #expect(node.elements[0].models[0].publication == nil)
    }

    @Test("Deleting a NetKey takes its AppKeys and leaves those of other subnets")
    func deleteNetKey() throws {
        var node = try node(publishingWith: try index(1))
        node.apply(.deleteNetKey(try index(1)), appKeys: try appKeys())
        #expect(node.netKeys.map(\.index) == [.primary])
        #expect(node.appKeys.map(\.index.rawValue) == [1])
        #expect(node.elements[0].models.map { $0.bindings.map(\.rawValue) } == [[1], []])
        #expect(node.elements[0].models[0].publication != nil)
    }

    @Test("Unbinding a key leaves a publication that uses another")
    func unbind() throws {
        var node = try node(publishingWith: try index(1))
        let address = ModelAddress(element: 0, model: .sig(0x1000))
        node.apply(.unbind(address, try index(2)), appKeys: [])
        #expect(node.elements[0].models[0].publication != nil)
        node.apply(.unbind(address, try index(1)), appKeys: [])
        #expect(node.elements[0].models[0].publication == nil)
        #expect(node.elements[0].models[0].bindings.isEmpty)
    }

    @Test("An action on a model or element that does not exist changes nothing")
    func missingModel() throws {
        let before = try node(publishingWith: try index(1))
        var node = before
        node.apply(.bind(ModelAddress(element: 9, model: .sig(0x1000)), try index(1)), appKeys: [])
        node.apply(.bind(ModelAddress(element: 0, model: .sig(0x1300)), try index(1)), appKeys: [])
        #expect(node == before)
    }

    @Test("A key that exists is never replaced, and a new one is filed by index")
    func createKeys() throws {
        var network = MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "n",
            ivIndex: IVIndex(value: 0),
            netKeys: [NetKey(index: .primary, name: "p", key: key)],
            appKeys: [AppKey(index: try index(5), name: "five", boundNetKey: .primary, key: key)],
            provisioners: [],
            ownProvisioner: DeviceUUID(rawValue: Octets16(high: 0, low: 0)),
            nodes: []
        )
        let other = KeyMaterial(Octets16(high: 3, low: 4))
        network.apply(.createNetKey(.primary, name: "x", source: .generated)) { _ in other }
        network.apply(.createAppKey(try index(2), name: "two", boundTo: .primary, source: .generated)) { _ in other }
        #expect(network.netKeys == [NetKey(index: .primary, name: "p", key: key)])
        #expect(network.appKeys.map(\.name) == ["two", "five"])
        #expect(network.appKeys.map(\.key) == [other, key])
    }

    @Test("Groups are filed by address, and one that is there is replaced in its place")
    func putGroups() throws {
        var network = try Office().network
        network.groups = []
        for (name, address) in [("d", 0xC004), ("b", 0xC002), ("c", 0xC003), ("new b", 0xC002)] as [(String, UInt16)] {
            let address = SubscriptionAddress.group(try #require(GroupAddress(rawValue: address)))
            network.apply(.putGroup(Group(name: name, address: address))) { _ in key }
        }
        #expect(network.groups.map(\.name) == ["new b", "c", "d"])
        #expect(network.groups.allSatisfy { $0.isManaged })
    }

    @Test("A node that was reset has nothing left of the network")
    func reset() throws {
        var node = try node(publishingWith: try index(1))
        node.isManaged = true
        node.features = Node.Features(relay: .enabled, proxy: .enabled)
        node.secureNetworkBeacon = true
        node.defaultTTL = 4
        node.networkTransmit = TransmitParameters(octet: 3)
        node.relayRetransmit = TransmitParameters(octet: 5)
        node.states = [.subnetBridge(true)]
        node.apply(.resetNode, appKeys: try appKeys())
        let expected = Node(
            uuid: node.uuid,
            name: "n",
            unicastAddress: .first,
            deviceKey: key,
            elements: [Element(models: [Model(identifier: .sig(0x1000)), Model(identifier: .sig(0x1001))])]
        )
        #expect(node == expected)
    }

    @Test("Composition keeps the configuration of models that are still there")
    func composition() throws {
        var node = try node(publishingWith: try index(1))
        node.features = Node.Features(relay: .enabled, proxy: .notSupported)
        node.record(
            Composition(
                company: 1,
                product: 2,
                version: 3,
                replayListSize: 4,
                features: [.relay, .proxy],
                elements: [
                    CompositionElement(location: 7, models: [.sig(0x1000), .sig(0x1000), .sig(0x1002)]),
                    CompositionElement(location: 8, models: []),
                ]
            )
        )
        #expect(node.elements.map { $0.models.map(\.identifier) } == [[.sig(0x1000), .sig(0x1002)], []])
        #expect(node.elements[0].models[0].publication != nil)
        #expect(node.features.relay == .enabled)
        #expect(node.features.proxy == nil)
        #expect(node.features.friend == .notSupported)
    }
}
