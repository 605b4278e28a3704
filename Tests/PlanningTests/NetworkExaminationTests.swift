import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Planning

@Suite("examination of networks")
struct NetworkExaminationTests {
    private static let now = Timestamp(rawValue: 1_763_705_818)

    /// A network of our node and three others, in which nothing is wrong.
    private static func sound() throws -> MeshNetwork {
        func uuid(_ number: UInt64) -> DeviceUUID { DeviceUUID(rawValue: Octets16(high: 0xA0A0, low: number)) }
        func key(_ low: UInt64) -> KeyMaterial { KeyMaterial(Octets16(high: 0x5EC2E7, low: low)) }
        let group = try required(GroupAddress(rawValue: 0xC000))
        let appKey = try required(AppKeyIndex(rawValue: 3))
        var network = MeshNetwork(
            uuid: Octets16(high: 1, low: 2),
            name: "hq",
            ivIndex: IVIndex(value: 5),
            netKeys: [NetKey(index: .primary, name: "building", key: key(1))],
            appKeys: [AppKey(index: appKey, name: "lighting", boundNetKey: .primary, key: key(2))],
            groups: [Group(name: "all", address: .group(group))],
            provisioners: [
                Provisioner(name: "meshplan", uuid: uuid(1), unicastRanges: [0x0001...0x0FFF]),
                Provisioner(name: "phone", uuid: uuid(99), unicastRanges: [0x1000...0x1FFF]),
            ],
            ownProvisioner: uuid(1),
            nodes: []
        )
        for number in UInt64(1)...4 {
            var node = Node(
                uuid: uuid(number),
                name: "node-\(number)",
                unicastAddress: try required(UnicastAddress(rawValue: UInt16(number * 2))),
                deviceKey: key(100 + number),
                elements: [
                    Element(models: [
                        Model(
                            identifier: .sig(0x1000),
                            bindings: [appKey],
                            subscriptions: [.group(group)],
                            publication: nil
                        )
                    ])
                ]
            )
            node.netKeys = [NodeKey(index: .primary)]
            node.appKeys = [NodeKey(index: appKey)]
            node.isManaged = true
            node.observedAt = Self.now
            network.nodes.append(node)
        }
        return network
    }

    /// The codes of what is found after a change.
    private func codes(_ change: (inout MeshNetwork) throws -> Void) throws -> [String] {
        var network = try Self.sound()
        try change(&network)
        return NetworkExamination.findings(in: network, at: Self.now).map(\.code)
    }

    @Test("a value that was given away is not to be offered again where more than a claim is required")
    func givenAway() throws {
        var network = try Self.sound()
        let uuid = DeviceUUID(rawValue: Octets16(high: 0xA0A0, low: 9))
        var memory = DeviceMemory(uuid: uuid, key: KeyMaterial(Octets16(high: 1, low: 1)))
        #expect(memory.use(try StaticOutOfBandValue([1, 2])))
        network.deviceMemories = [uuid: memory]
        let findings = NetworkExamination.findings(in: network, at: Self.now)
        #expect(findings.map(\.code) == ["value-given-away"])
        let advice = try #require(findings.first?.advice)
        #expect(advice.remedies == [.applyAgain])
        #expect(advice.text.contains("Where the definition does not say `require: authenticated`, offering"))
    }

    @Test("finds nothing wrong with a network in order")
    func nothing() throws {
        #expect(try codes { _ in } == [])
    }

    @Test("each contradiction has its finding and no other")
    func findings() throws {
        #expect(try codes { $0.nodes[2].unicastAddress = $0.nodes[1].unicastAddress } == ["addresses-overlap"])
        #expect(try codes { $0.nodes[1].elements.append(contentsOf: [Element(), Element()]) } == ["addresses-overlap"])
        #expect(try codes { $0.provisioners[1].unicastRanges = [0x0FFF...0x1FFF] } == ["ranges-overlap"])
        #expect(
            try codes { $0.nodes[3].unicastAddress = try required(UnicastAddress(rawValue: 0x7000)) } == [
                "outside-ranges"
            ]
        )
        #expect(try codes { $0.exclude([$0.nodes[2].unicastAddress.rawValue]) } == ["excluded-in-use"])
        #expect(
            try codes { network in
                network.exclude([0x0500])
                network.ivIndex.value = 4
            } == ["exclusion-ahead"]
        )
        #expect(
            try codes { $0.appKeys[0].boundNetKey = try required(NetKeyIndex(rawValue: 9)) }.contains(
                "key-without-subnet"
            )
        )
        #expect(try codes { $0.netKeys[0].phase = .keyDistribution } == ["phase-without-key"])
        #expect(
            try codes { network in
                network.netKeys[0].phase = .keyDistribution
                network.netKeys[0].oldKey = network.appKeys[0].key
            } == ["key-refresh-open"]
        )
        #expect(try codes { $0.appKeys[0].key = $0.netKeys[0].key } == [], "of different kinds they are different keys")
        #expect(try codes { $0.nodes[2].name = $0.nodes[1].name } == ["node-name-twice"])
        #expect(
            try codes { $0.groups[0].parent = .virtual(LabelUUID(rawValue: Octets16(high: 7, low: 7))) } == [
                "group-without-parent"
            ]
        )
        #expect(try codes { $0.nodes[2].deviceKey = nil } == ["no-device-key"])
        #expect(try codes { $0.nodes[2].deviceKey = $0.nodes[1].deviceKey } == ["same-device-key"])
        let zeros = KeyMaterial(Octets16(high: 0, low: 0))
        #expect(
            try codes {
                $0.nodes[1].deviceKey = zeros
                $0.nodes[2].deviceKey = zeros
            } == ["filler-device-key"]
        )
        #expect(
            try codes { $0.nodes[1].deviceKey = KeyMaterial(Octets16(high: .max, low: .max)) } == ["filler-device-key"]
        )
        #expect(try codes { $0.appKeys[0].key = zeros } == ["filler-key"])
        #expect(try codes { $0.groups = [] } == ["dangling"])
        #expect(try codes { $0.nodes[2].appKeys = [] } == ["dangling"])
        #expect(try codes { $0.appKeys = [] } == ["dangling"])
        #expect(try codes { $0.nodes[2].elements[0].models = [] } == ["composition-unknown"])
        #expect(try codes { $0.nodes[2].observedAt = Timestamp(rawValue: 0) } == ["not-seen"])
        #expect(
            try codes { $0.nodes[2].observedAt = Timestamp(rawValue: .min) } == [],
            "no time so long ago can be meant"
        )
        #expect(try codes { $0.nodes[2].unprovisionedSeenAt = Self.now } == ["seen-unprovisioned"])
        #expect(try codes { $0.nodes[2].isExcluded = true } == ["excluded-with-keys"])
        #expect(try codes { $0.nodes.removeFirst() } == ["no-own-node"])
        #expect(try codes { $0.provisioners.removeFirst() }.contains("no-own-provisioner"))
    }

    @Test("what an exclusion or a replacement leaves behind is no contradiction")
    func intended() throws {
        // The keys of an excluded node are taken from its record, its bindings are not.
        #expect(
            try codes { network in
                network.nodes[2].isExcluded = true
                network.nodes[2].netKeys = []
                network.nodes[2].appKeys = []
                network.nodes[2].name = network.nodes[1].name
            } == []
        )
        var network = try Self.sound()
        network.nodes[2].name = network.nodes[1].name
        network.nodes[2].isManaged = false
        let found = NetworkExamination.findings(in: network, at: Self.now)
        #expect(found.map(\.severity) == [.note] && found.map(\.code) == ["node-name-twice"])
        #expect(found.first?.message == "0x0006, which is not managed, has the name of the node node-2 at 0x0004")
        #expect(found.first?.advice.remedies.contains(.refreshKeys(excluding: ["0x0006"])) == true)
        // Which of the two comes first makes no difference.
        network.nodes[2].isManaged = true
        network.nodes[1].isManaged = false
        #expect(NetworkExamination.findings(in: network, at: Self.now).first?.message.hasPrefix("0x0004,") == true)
    }

    @Test("findings are good English for one node and for several")
    func grammar() throws {
        var network = try Self.sound()
        network.nodes[1].appKeys = []
        func message() -> String? { NetworkExamination.findings(in: network, at: Self.now).first?.message }
        #expect(message() == "node-2: with models bound to AppKey 3, which the node does not have")
        network.nodes[2].appKeys = []
        #expect(message() == "node-2, node-3: with models bound to AppKey 3, which the node does not have")
    }

    @Test("the addresses that are left are counted, and the worst comes first")
    func order() throws {
        var network = try Self.sound()
        network.provisioners[0].unicastRanges = [0x0001...0x0009]
        network.nodes[2].deviceKey = nil
        network.nodes[3].observedAt = Timestamp(rawValue: 0)
        // 0x0002, 4, 6 and 8 are taken, 1, 3, 5, 7 and 9 are free: more than a twentieth.
        #expect(NetworkExamination.findings(in: network, at: Self.now).map(\.code) == ["no-device-key", "not-seen"])
        network.exclude([1, 3, 5, 7, 9])
        let findings = NetworkExamination.findings(in: network, at: Self.now)
        #expect(findings.map(\.code) == ["addresses-run-out", "no-device-key", "not-seen"])
        #expect(findings.first?.message == "of 9 addresses that meshplan may give out 0 are free")
        #expect(findings.allSatisfy { !$0.advice.isEmpty })
    }
}
