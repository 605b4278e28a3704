import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@Suite("Plans for lists without room for both what comes and what goes")
struct RoomTests {
    private static let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 100)

    /// The office in which a list of lamp-1 is known to be full.
    private func office(_ list: ListCapacity.List, _ entries: Int) throws -> Office {
        var office = try Office()
        try office.change("lamp-1") { $0.product = Self.product }
        office.network.capacities = [ListCapacity(product: Self.product, list: list, entries: entries)]
        return office
    }

    private func steps(_ plan: String) -> [String] {
        plan.split(separator: "\n").filter { $0.first?.isNumber ?? false }.map(String.init)
    }

    @Test("A group makes room for another one")
    func subscriptions() throws {
        let office = try office(.subscriptions(element: 0, model: .sig(0x1000)), 1)
        let yaml = Office.nodes(lamp1: "elements: { 0: { generic-onoff-server: { subscribe: [kitchen] } } }")
        #expect(steps(try office.plan(yaml)) == ["0 lamp-1: overwrite 0/generic-onoff-server 0xC001"])
        var two = try self.office(.subscriptions(element: 0, model: .sig(0x1000)), 2)
        let alarm = try required(two.network.groups.last).address
        try two.change("lamp-1") { $0.elements[0].models[1].subscriptions.append(alarm) }
        let swap = Office.nodes(
            lamp1: "elements: { 0: { generic-onoff-server: { subscribe: [all-lights, kitchen] } } }"
        )
        let deleted = "0 lamp-1: unsubscribe 0/generic-onoff-server \(alarm)"
        #expect(steps(try two.plan(swap)) == [deleted, "1 lamp-1: subscribe 0/generic-onoff-server 0xC001 after 0"])
        #expect(try two.result(Office.definition + swap).refusals == [])
        // With more room it is added first.
        two.network.capacities[0].entries = 3
        #expect(steps(try two.plan(swap)).first == "0 lamp-1: subscribe 0/generic-onoff-server 0xC001")
    }

    @Test("A key makes room for another one, and its bindings and publications move")
    func keys() throws {
        let yaml = Office.nodes(
            lamp1: "subnets: [building, guests], application_keys: [sensing], elements: { "
                + "0: { generic-onoff-server: { keys: [sensing] }, light-lightness-server: { keys: [] } }, "
                + "1: { generic-level-server: { keys: [] } } }"
        )
        let office = try office(.appKeys, 1)
        #expect(
            steps(try office.plan(yaml)) == [
                "0 lamp-1: delete AppKey 0", "1 lamp-1: add NetKey 1 after 0", "2 lamp-1: add AppKey 1 in 1 after 0,1",
                "3 lamp-1: bind 0/generic-onoff-server 1 after 2",
            ]
        )
        #expect(try office.result(Office.definition + yaml).refusals == [])
        var applied = office
        try applied.apply(Office.definition + yaml)
        #expect(steps(try applied.plan(yaml)) == [])
        // A full list of bindings needs the key to go first, too.
        let bindings = try self.office(.bindings(element: 0, model: .sig(0x1000)), 1)
        #expect(steps(try bindings.plan(yaml)).first == "0 lamp-1: delete AppKey 0")
        #expect(steps(try Office().plan(yaml)).last == "3 lamp-1: delete AppKey 0")
    }

    @Test("A binding makes room for another one, and the publication is set again")
    func bindings() throws {
        var office = try office(.bindings(element: 0, model: .sig(0x1000)), 1)
        let kitchen = try required(GroupAddress(rawValue: 0xC001))
        let (lighting, sensing) = (AppKeyIndex.first, try required(AppKeyIndex(rawValue: 1)))
        let guests = try required(NetKeyIndex(rawValue: 1))
        try office.change("lamp-1") { node in
            node.netKeys.append(NodeKey(index: guests))
            node.appKeys.append(NodeKey(index: sensing))
            node.elements[0].models[1].publication = Publication(address: .group(kitchen), appKeyIndex: lighting)
        }
        let yaml = Office.nodes(
            lamp1:
                "elements: { 0: { generic-onoff-server: { keys: [sensing], publish: { to: kitchen, key: sensing } } } }"
        )
        #expect(
            steps(try office.plan(yaml)) == [
                "0 lamp-1: unbind 0/generic-onoff-server 0", "1 lamp-1: bind 0/generic-onoff-server 1 after 0",
                "2 lamp-1: publish 0/generic-onoff-server 0xC001 after 1",
            ]
        )
        try office.apply(Office.definition + yaml)
        #expect(steps(try office.plan(yaml)) == [])
    }
}
