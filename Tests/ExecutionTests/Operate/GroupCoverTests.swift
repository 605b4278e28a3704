import Catalogue
import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("Groups that cover a selection")
struct GroupCoverTests {
    private func candidate(_ group: UInt16, _ positions: some Sequence<Int>) throws -> GroupCover.Candidate {
        let address = SubscriptionAddress.group(try required(GroupAddress(rawValue: group)))
        let key = AppKey(index: try LitHouse.lightKey(), name: "light", boundNetKey: .primary, key: secret(0x20))
        return GroupCover.Candidate(address, under: key, reaching: Set(positions))
    }

    private func cover(_ count: Int, _ candidates: [GroupCover.Candidate]) -> GroupCover {
        GroupCover(count, with: candidates, copies: 3)
    }

    @Test("A group is worth its copies only if it reaches more elements than that")
    func worth() throws {
        let three = try candidate(0xC001, 0..<3)
        let four = try candidate(0xC002, 0..<4)
        #expect(cover(10, [three]).groups.isEmpty && cover(10, [three]).rest == Array(0..<10))
        #expect(cover(10, [four]).groups == [four] && cover(10, [four]).rest == Array(4..<10))
        #expect(cover(2, []).rest == [0, 1], "two of a selection get a message each")
    }

    @Test("The group that reaches most comes first, whatever the order of the groups")
    func greedy() throws {
        let floor = try candidate(0xC001, 0..<20)
        let room = try candidate(0xC002, 0..<6)
        let other = try candidate(0xC003, 16..<26)
        for order in [[floor, room, other], [other, room, floor], [room, floor, other]] {
            let cover = cover(30, order)
            #expect(cover.groups == [floor, other] && cover.rest == [26, 27, 28, 29])
        }
    }

    @Test("A group that later ones have made needless is given back")
    func givenBack() throws {
        // The largest comes first, but the two others cover all of it.
        let middle = try candidate(0xC001, 4..<16)
        let left = try candidate(0xC002, 0..<10)
        let right = try candidate(0xC003, 10..<20)
        let both = cover(20, [middle, left, right])
        #expect(Set(both.groups) == [left, right] && both.rest.isEmpty)
    }

    @Test("A group that somebody named is used however small it is")
    func named() throws {
        let two = try candidate(0xC001, 0..<2)
        let cover = GroupCover(3, with: [], copies: 3, using: [two])
        #expect(cover.groups == [two] && cover.rest == [2])
    }

    // MARK: In a network

    /// Eight lamps: 1 to 6 in the kitchen, 5 to 8 in the hall.
    private func house() throws -> (network: MeshNetwork, kitchen: SubscriptionAddress, hall: SubscriptionAddress) {
        var network = try LitHouse.network(lamps: 8)
        let kitchen = SubscriptionAddress.group(try required(GroupAddress(rawValue: 0xC001)))
        let hall = SubscriptionAddress.group(try required(GroupAddress(rawValue: 0xC002)))
        network.groups.append(Group(name: "hall", address: hall))
        for lamp in 1...8 {
            let place = try required(network.nodes[lamp].elements[0].place(of: House.onOffServer))
            network.nodes[lamp].elements[0].models[place].subscriptions =
                (lamp <= 6 ? [kitchen] : []) + (lamp >= 5 ? [hall] : [])
        }
        return (network, kitchen, hall)
    }

    private func cover(
        _ text: String,
        in network: MeshNetwork,
        tags: [DeviceUUID: [String: String]]? = nil
    ) throws
        -> GroupCover
    {
        let target = try TargetResolver(network, tags: tags).resolve(OperatingTarget(text))
        let state = try required(StateCatalogue.state(named: "onoff"))
        let change = try StateChange(state, words: ["on"], transition: 0)
        return try StateChangePlaces(change, on: target, in: network)
            .cover(change, named: target.group?.address, in: network)
    }

    private func tags(_ lamps: ClosedRange<Int>) -> [DeviceUUID: [String: String]] {
        Dictionary(uniqueKeysWithValues: lamps.map { (uuid(UInt64($0)), ["room": "any"]) })
    }

    @Test("A group with anybody outside of the selection is not used")
    func outside() throws {
        let (network, kitchen, hall) = try house()
        let some = try cover("room=any", in: network, tags: tags(1...6))
        #expect(some.groups.map(\.group) == [kitchen] && some.rest.isEmpty)
        let fewer = try cover("room=any", in: network, tags: tags(1...5))
        #expect(fewer.groups.isEmpty && fewer.rest == [0, 1, 2, 3, 4])
        let all = try cover("lamp-*", in: network)
        #expect(all.groups.map(\.group) == [kitchen] && all.rest == [6, 7], "two more get a message each")
        let named = try cover("group.hall", in: network)
        #expect(named.groups.map(\.group) == [hall] && named.rest.isEmpty)
    }

    @Test("A lamp that shares the list of a model which listens is outside, too")
    func sharedList() throws {
        let (original, kitchen, _) = try house()
        var network = original
        let place = try required(network.nodes[8].elements[0].place(of: House.onOffServer))
        network.nodes[8].elements[0].models[place].subscriptions = []
        let lightness = Model(identifier: .sig(0x1300), subscriptions: [kitchen])
        network.nodes[8].elements[0].models += [lightness, Model(identifier: .sig(0x1006))]
        #expect(try cover("room=any", in: network, tags: tags(1...6)).groups.isEmpty)
    }

    @Test("Lamps that have not the key of a group's message are set one by one")
    func keys() throws {
        let (original, kitchen, _) = try house()
        var network = original
        let other = try required(AppKeyIndex(rawValue: 4))
        network.appKeys.append(AppKey(index: other, name: "other", boundNetKey: .primary, key: secret(0x21)))
        let place = try required(network.nodes[2].elements[0].place(of: House.onOffServer))
        network.nodes[2].elements[0].models[place].bindings = [other]
        network.nodes[2].appKeys = [NodeKey(index: other)]
        let some = try cover("room=any", in: network, tags: tags(1...6))
        #expect(some.groups.map(\.group) == [kitchen] && some.groups.first?.key.index != other)
        #expect(some.rest == [1])
    }
}
