import DefinitionModel
import MeshCore
import Planning
import Testing

@testable import Execution

@Suite("Learned capacities")
struct CapacityTests {
    @Test("A list that was refused more has room for what is in it, until a node of the product takes more")
    func learning() throws {
        let key = KeyMaterial(Octets16(high: 1, low: 1))
        let uuid = DeviceUUID(rawValue: Octets16(high: 0, low: 1))
        let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 4)
        let kitchen = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC000)))
        let hall = SubscriptionAddress.group(try #require(GroupAddress(rawValue: 0xC001)))
        var node = Node(uuid: uuid, name: "lamp", unicastAddress: .first, deviceKey: key)
        node.elements = [Element(models: [Model(identifier: .sig(0x1000), subscriptions: [kitchen])])]
        node.product = product
        let network = MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "house",
            ivIndex: IVIndex(value: 0),
            netKeys: [],
            provisioners: [],
            ownProvisioner: uuid,
            nodes: [node]
        )
        let model = ModelAddress(element: 0, model: .sig(0x1000))
        let list = ListCapacity.List.subscriptions(element: 0, model: .sig(0x1000))
        var record = NetworkRecord(network)
        record.learnCapacity(from: .addSubscription(model, hall), refusedBy: uuid)
        record.learnCapacity(from: .setDefaultTTL(5), refusedBy: uuid)
        let label = SubscriptionAddress.virtual(LabelUUID(rawValue: Octets16(high: 5, low: 5)))
        record.learnCapacity(from: .addSubscription(model, label), refusedBy: uuid)
        #expect(record.header.capacities == [ListCapacity(product: product, list: list, entries: 1)])
        record.update(uuid, at: Timestamp(rawValue: 1)) { $0.apply(.addSubscription(model, hall), appKeys: []) }
        record.checkCapacity(after: .addSubscription(model, hall), on: uuid)
        #expect(record.header.capacities.map(\.entries) == [2])
    }
}
