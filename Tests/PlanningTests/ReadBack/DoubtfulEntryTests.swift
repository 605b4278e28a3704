import DefinitionModel
import MeshCore
import Testing

@testable import Planning

@Suite("Entries of which nobody knows whether they are there")
struct DoubtfulEntryTests {
    private let group: SubscriptionAddress
    private let other: SubscriptionAddress
    private let model = ModelAddress(element: 0, model: .sig(0x1000))

    init() throws {
        group = .group(try #require(GroupAddress(rawValue: 0xC000)))
        other = .group(try #require(GroupAddress(rawValue: 0xC001)))
    }

    private func lamp() throws -> Node {
        try #require(try Office().network.nodes.first { $0.name == "lamp-1" })
    }

    @Test("are kept until a request about the same is confirmed, whatever else is")
    func settled() throws {
        let scenes = try #require(AppKeyIndex(rawValue: 2))
        var node = try lamp()
        let before = node
        node.doubt(.deleteSubscription(model, group))
        node.doubt(.deleteSubscription(model, group))
        node.doubt(.bind(model, scenes))
        #expect(node.doubtfulEntries == [.binding(model, scenes), .subscription(model, group)])
        for action in [
            ConfigurationAction.addSubscription(model, other), .setDefaultTTL(7), .bind(model, .first),
            .deleteAllSubscriptions(ModelAddress(element: 1, model: model.model)),
        ] {
            node.settleDoubts(by: action)
            #expect(node.doubtfulEntries.count == 2, "\(action)")
        }
        node.settleDoubts(by: .addSubscription(model, group))
        #expect(node.doubtfulEntries == [.binding(model, scenes)])
        node.settleDoubts(by: .unbind(model, scenes))
        #expect(node == before)
        node.doubt(.addSubscription(model, other))
        node.settleDoubts(by: .overwriteSubscriptions(model, group))
        #expect(node == before)
        // A single value is not known itself, and needs no doubt beside it.
        node.doubt(.setDefaultTTL(5))
        #expect(node == before)
    }

    @Test("are none of the Gets that could not be read")
    func unread() throws {
        var node = try lamp()
        node.unread = [UnreadValue(.netKeys, answer: nil).record]
        #expect(node.doubtfulEntries == [] && node.unread[0].doubt == nil)
        node.doubt(.deleteNetKey(.primary))
        #expect(node.unread.count == 2 && node.unread[1].reading == nil)
        node.settleDoubts(by: .addNetKey(.primary))
        #expect(node.unread.map(\.reading) == [.netKeys])
    }

    @Test("are noted by a plan that leaves them, not by one that sets them anew, nor for nodes that are not its own")
    func planned() throws {
        var office = try Office()
        try office.change("lamp-1") { $0.doubt(.deleteSubscription(model, group)) }
        func notes(_ subscriptions: String) throws -> [String] {
            let yaml = Office.nodes(
                lamp1: "ttl: 5, elements: { 0: { generic-onoff-server: { subscribe: [\(subscriptions)] } } }"
            )
            return try #require(try office.result(Office.definition + yaml).plan).notes.map(\.text).filter {
                $0.contains("nobody knows")
            }
        }
        #expect(
            try notes("all-lights") == [
                "lamp-1: nobody knows whether element[0].generic-onoff-server.subscription.all-lights is there, and it is "
                    + "taken to be as recorded; reading the nodes back finds out."
            ]
        )
        #expect(try notes("") == [], "the removal is sent again")
        try office.change("lamp-1") { $0.settleDoubts(by: .deleteSubscription(model, group)) }
        #expect(try notes("all-lights") == [])
    }
}
