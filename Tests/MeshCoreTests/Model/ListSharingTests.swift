import MeshCore
import TestSupport
import Testing

@Suite("Models that share a subscription list")
struct ListSharingTests {
    private let product = Node.Product(company: 1, product: 2, version: 3, replayListSize: 4)
    private let onOff = ModelIdentifier.sig(0x1000)
    private let level = ModelIdentifier.sig(0x1002)
    private let power = ModelIdentifier.sig(0x1006)
    private let lightness = ModelIdentifier.sig(0x1300)
    private let vendor = ModelIdentifier.vendor(company: 0x59, model: 1)

    private func sharing(_ one: ModelIdentifier, _ other: ModelIdentifier, _ isShared: Bool) -> ListSharing {
        ListSharing(product: product, element: 0, one, other, isShared: isShared)
    }

    private func group(_ value: UInt16) throws -> SubscriptionAddress {
        .group(try required(GroupAddress(rawValue: value)))
    }

    @Test("Page 1 tells relations within an element, vendor models included")
    func page1() throws {
        let bytes = hex("02010005000000010201000501170101")
        let elements: [[ModelIdentifier]] = [
            [onOff, level, vendor], [onOff, vendor, .vendor(company: 0x59, model: 2)],
        ]
        let groups = { (element: Int, page: [UInt8]?) in
            ModelRelations.extensionGroups(onElement: element, of: elements, page1: page)
        }
        #expect(groups(0, bytes) == [[onOff, level], [vendor]])
        // Its second model extends one on the element before.
        #expect(groups(1, bytes) == elements[1].map { [$0] })
        // By their definitions the two of the first element have nothing to do with each other.
        #expect(groups(0, nil) == elements[0].map { [$0] })
        for length in bytes.indices { #expect(groups(0, Array(bytes[..<length])) == groups(0, nil)) }
        #expect(groups(0, bytes + [0]) == groups(0, nil))
        #expect(groups(2, bytes) == [])
        // The long format: one model extends another by an octet each for offset and position.
        #expect(groups(0, [2, 1, 0, 0, 6, 0, 0, 1, 2, 0, 0, 0]) == [[onOff, vendor], [level]])
    }

    @Test("Models without subscriptions share none")
    func withoutSubscriptions() {
        let elements: [[ModelIdentifier]] = [[.sig(0x1200), .sig(0x1201), onOff, power]]
        #expect(
            ModelRelations.extensionGroups(onElement: 0, of: elements, page1: nil) == [[.sig(0x1200)], [onOff, power]]
        )
    }

    @Test("What is known of pairs is put together, and that a list is not shared is never forgotten")
    func knowledge() throws {
        var house = network()
        let seen = [
            sharing(power, onOff, true), sharing(onOff, power, true), sharing(power, lightness, true),
            sharing(level, onOff, false),
        ]
        #expect(seen.map { house.learn($0) } == [true, false, true, true])
        let lists = try required(house.sharedListsByProduct[product])
        #expect(lists.models(sharingListOf: ModelAddress(element: 0, model: lightness)) == [onOff, power, lightness])
        #expect(lists.models(sharingListOf: ModelAddress(element: 1, model: lightness)) == [lightness])
        #expect(lists.isShared(lightness, onOff, onElement: 0) == true)
        #expect(lists.isShared(lightness, level, onElement: 0) == false)
        #expect(lists.isShared(lightness, vendor, onElement: 0) == nil)
        #expect(lists.groups.map(\.models) == [[onOff, power, lightness]])
        let later = [sharing(power, onOff, false), sharing(power, onOff, true)]
        #expect(later.map { house.learn($0) } == [true, false])
        #expect(house.sharedListsByProduct[product]?.groups.map(\.models) == [[power, lightness]])
    }

    @Test("What appears in the list of a model that extends another is no news; anything else is")
    func drift() throws {
        let (kitchen, hall) = (try group(0xC000), try group(0xC001))
        func node(_ lists: [[SubscriptionAddress]]) throws -> Node {
            var node = Node(
                uuid: DeviceUUID(rawValue: Octets16(high: 0, low: 1)),
                name: "lamp",
                unicastAddress: .first,
                deviceKey: nil
            )
            node.product = product
            let models = zip([onOff, power, lightness], lists).map { Model(identifier: $0, subscriptions: $1) }
            node.elements = [Element(models: models)]
            return node
        }
        func drifted(
            _ before: [[SubscriptionAddress]],
            _ told: [[SubscriptionAddress]],
            _ known: [ListSharing] = []
        ) throws -> Int {
            var recorded = try node(before)
            let observed = try node(told)
            recorded.takeSharedSubscriptions(from: observed, sharing: SharedLists(known))
            return recorded.differences(from: observed).count
        }
        #expect(try drifted([[kitchen], [], []], [[kitchen], [kitchen], [kitchen]]) == 0)
        #expect(try drifted([[kitchen], [], []], [[kitchen], [kitchen], [hall]]) == 1)
        // Both are new, so that somebody has added them.
        #expect(try drifted([[], [], []], [[kitchen], [kitchen], []]) == 2)
        #expect(try drifted([[], [], []], [[kitchen], [kitchen], []], [sharing(onOff, power, true)]) == 1)
        // Something is missing, which no other list explains.
        #expect(try drifted([[], [kitchen], []], [[], [], []]) == 1)
        #expect(try drifted([[kitchen], [], []], [[kitchen], [kitchen], []], [sharing(onOff, power, false)]) == 1)
        let contradicting = try node([[kitchen], [], [kitchen]])
        let all = SharedLists([sharing(onOff, power, true), sharing(power, lightness, true)])
        #expect(contradicting.contradictions(of: all).count == 2)
        #expect(try node([[kitchen], [kitchen], [kitchen]]).contradictions(of: all).isEmpty)
    }
}
