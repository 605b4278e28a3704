import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Planning

@Suite("merges of networks")
struct NetworkMergeTests {
    private static let now = Timestamp(rawValue: 1_763_705_818)

    private static func uuid(_ number: UInt64) -> DeviceUUID {
        DeviceUUID(rawValue: Octets16(high: 0xA0A0, low: number))
    }
    private static func key(_ low: UInt64) -> KeyMaterial { KeyMaterial(Octets16(high: 0x5EC2E7, low: low)) }
    private static func group(_ number: UInt16) throws -> SubscriptionAddress {
        .group(try required(GroupAddress(rawValue: number)))
    }

    private static func node(_ number: UInt64) throws -> Node {
        var node = Node(
            uuid: uuid(number),
            name: "node-\(number)",
            unicastAddress: try required(UnicastAddress(rawValue: UInt16(number * 4))),
            deviceKey: key(100 + number),
            elements: [
                Element(models: [
                    Model(
                        identifier: .sig(0x1000),
                        bindings: [try required(AppKeyIndex(rawValue: 3))],
                        subscriptions: [try group(0xC000), try group(0xC001)]
                    )
                ])
            ]
        )
        node.netKeys = [NodeKey(index: .primary)]
        node.appKeys = [NodeKey(index: try required(AppKeyIndex(rawValue: 3)))]
        node.defaultTTL = 5
        return node
    }

    private static func base() throws -> MeshNetwork {
        MeshNetwork(
            uuid: Octets16(high: 1, low: 2),
            name: "hq",
            ivIndex: IVIndex(value: 5),
            netKeys: [NetKey(index: .primary, name: "building", key: key(1))],
            appKeys: [
                AppKey(
                    index: try required(AppKeyIndex(rawValue: 3)),
                    name: "lighting",
                    boundNetKey: .primary,
                    key: key(2)
                )
            ],
            groups: try (0xC000...0xC004).map { Group(name: "group-\($0)", address: try group($0)) },
            provisioners: [
                Provisioner(name: "meshplan", uuid: uuid(1), unicastRanges: [0x0001...0x0FFF]),
                Provisioner(name: "phone", uuid: uuid(2), unicastRanges: [0x1000...0x1FFF]),
            ],
            ownProvisioner: uuid(1),
            nodes: try (1...4).map { try node($0) }
        )
    }

    /// Merges after each side has done something.
    private func merge(
        preferring side: NetworkMerge.Side? = nil,
        ours: (inout MeshNetwork) throws -> Void = { _ in },
        theirs: (inout MeshNetwork) throws -> Void = { _ in }
    ) throws -> NetworkMerge {
        let base = try Self.base()
        var (our, their) = (base, base)
        try ours(&our)
        try theirs(&their)
        return NetworkMerge(of: their, into: our, base: base, preferring: side, at: Self.now)
    }

    @Test("without changes of theirs nothing changes, whatever is ours")
    func nothing() throws {
        var expected = try Self.base()
        let ours: (inout MeshNetwork) throws -> Void = { network in
            network.nodes[2].name = "ours"
            network.nodes.removeLast()
            network.groups.removeLast()
            network.nodes[1].isManaged = true
        }
        try ours(&expected)
        let merge = try merge(ours: ours)
        #expect(merge.network == expected)
        #expect(merge.changes.isEmpty && merge.conflicts.isEmpty)
    }

    @Test("what only they have changed is taken, beside what is ours")
    func takes() throws {
        let merge = try merge { network in
            network.nodes[1].name = "ours"
            network.nodes[1].elements[0].models[0].subscriptions = [try Self.group(0xC000), try Self.group(0xC002)]
        } theirs: { network in
            network.nodes[1].defaultTTL = 9
            network.nodes[1].elements[0].models[0].subscriptions = [
                try Self.group(0xC000), try Self.group(0xC001), try Self.group(0xC003),
            ]
            network.nodes.append(try Self.node(9))
            network.groups[4].name = "theirs"
        }
        #expect(merge.conflicts.isEmpty)
        let node = merge.network.nodes[1]
        #expect(node.name == "ours" && node.defaultTTL == 9)
        #expect(
            node.elements[0].models[0].subscriptions == [
                try Self.group(0xC000), try Self.group(0xC002), try Self.group(0xC003),
            ]
        )
        #expect(merge.network.nodes.map(\.name) == ["node-1", "ours", "node-3", "node-4", "node-9"])
        #expect(merge.network.groups[4].name == "theirs")
        #expect(
            merge.changes.map { "\($0.kind) \($0.resource) \($0.field ?? "")" } == [
                "changed group.group-49156 name", "changed node.ours ttl",
                "changed node.ours element[0].0x1000.subscriptions", "added node.node-9 ",
            ]
        )
    }

    @Test("what both have changed otherwise is a conflict, until somebody's word counts")
    func conflicts() throws {
        func sides(_ side: NetworkMerge.Side?) throws -> NetworkMerge {
            try merge(preferring: side) { network in
                network.nodes[1].name = "ours"
                network.netKeys[0].key = Self.key(7)
                network.nodes.remove(at: 2)
            } theirs: { network in
                network.nodes[1].name = "theirs"
                network.netKeys[0].key = Self.key(8)
                network.nodes[2].defaultTTL = 9
            }
        }
        let open = try sides(nil)
        #expect(open.conflicts.map(\.resource) == ["subnet.building", "node.ours", "node.node-3"])
        #expect(open.conflicts.map(\.ours) == [nil, "ours", "removed"], "keys are never shown")
        let ours = try sides(.ours)
        #expect(ours.network.nodes.map(\.name) == ["node-1", "ours", "node-4"])
        #expect(ours.network.netKeys[0].key == Self.key(7))
        let theirs = try sides(.theirs)
        #expect(theirs.network.nodes.map(\.name) == ["node-1", "theirs", "node-3", "node-4"])
        #expect(theirs.network.netKeys[0].key == Self.key(8))
    }

    @Test("a node that they have removed is retired with its device key, if nobody has touched it here")
    func removes() throws {
        let gone = try merge { _ in
        } theirs: {
            $0.nodes.removeLast()
        }
        #expect(gone.network.nodes.count == 3 && gone.conflicts.isEmpty)
        #expect(gone.network.retiredNodes.map(\.node.deviceKey) == [Self.key(104)])
        #expect(gone.network.isExcluded(try required(UnicastAddress(rawValue: 16))))
        let touched = try merge {
            $0.nodes[3].defaultTTL = 7
        } theirs: {
            $0.nodes.removeLast()
        }
        #expect(touched.network.nodes.count == 4 && touched.conflicts.map(\.ours) == ["changed"])
        let own = try merge { _ in
        } theirs: { network in
            network.nodes.removeFirst()
            network.provisioners.removeFirst()
        }
        #expect(own.network == (try Self.base()), "who has never heard of us has not removed us")
    }

    @Test("what both have added in one place contradicts itself, and nobody's word settles that")
    func contradicts() throws {
        let merge = try merge(preferring: .theirs) {
            $0.nodes.append(try Self.node(20))
        } theirs: { network in
            var node = try Self.node(21)
            node.unicastAddress = try required(UnicastAddress(rawValue: 80))
            network.nodes.append(node)
        }
        #expect(merge.conflicts.count == 1 && merge.conflicts.allSatisfy(\.isContradiction))
    }

    @Test("without a base everything that differs is a conflict, and additions are not")
    func noBase() throws {
        let ours = try Self.base()
        var theirs = ours
        theirs.nodes[1].defaultTTL = 9
        theirs.nodes.append(try Self.node(9))
        let merge = NetworkMerge(of: theirs, into: ours, base: nil, at: Self.now)
        #expect(merge.conflicts.map { [$0.field, $0.ours, $0.theirs] } == [["ttl", "5", "9"]])
        #expect(merge.changes.map(\.resource) == ["node.node-9"])
    }

    @Test("what the other tool does not know is no change")
    func unknown() throws {
        let merge = try merge { network in
            network.nodes[1].record(FoundationState.privateGATTProxy(.enabled))
        } theirs: { network in
            network.nodes[1].defaultTTL = nil
            network.nodes[2].elements = [Element()]
        }
        #expect(merge.changes.isEmpty && merge.conflicts.isEmpty)
        #expect(merge.network.nodes[1].defaultTTL == 5 && merge.network.nodes[1].states.count == 1)
    }
}
