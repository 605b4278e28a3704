import MeshCore
import TestSupport
import Testing

@Suite("Key refresh in the database")
struct KeyRefreshRecordTests {
    private static let app = AppKeyIndex.first

    private func house() throws -> MeshNetwork {
        func node(_ number: UInt16, _ name: String) throws -> Node {
            Node(
                uuid: DeviceUUID(rawValue: Octets16(high: 1, low: UInt64(number))),
                name: name,
                unicastAddress: try required(UnicastAddress(rawValue: number)),
                deviceKey: key(UInt64(number)),
                netKeys: [NodeKey(index: .primary, isUpdated: true)],
                appKeys: [NodeKey(index: Self.app, isUpdated: true)]
            )
        }
        let own = try node(1, "we")
        return MeshNetwork(
            uuid: Octets16(high: 0, low: 0),
            name: "house",
            ivIndex: IVIndex(value: 9),
            netKeys: [NetKey(index: .primary, name: "home", key: key(0x10))],
            appKeys: [AppKey(index: Self.app, name: "light", boundNetKey: .primary, key: key(0x20))],
            provisioners: [Provisioner(name: "we", uuid: own.uuid, unicastRanges: [1...0x7FFF])],
            ownProvisioner: own.uuid,
            nodes: [own, try node(2, "a"), try node(3, "b")]
        )
    }

    private func key(_ number: UInt64) -> KeyMaterial { KeyMaterial(Octets16(high: 7, low: number)) }

    private func holding(_ network: MeshNetwork, _ stage: KeyRefreshStage) -> [String] {
        let refreshed = Set(network.appKeysRefreshed(with: .primary))
        return network.nodes.filter { network.holdsUp($0, stage, of: .primary, refreshing: refreshed) }.map(\.name)
    }

    @Test("It begins with new keys beside the old ones, and what an earlier refresh left of the nodes counts no more")
    func beginning() throws {
        var house = try house()
        var made: UInt64 = 0x90
        let make = { () -> KeyMaterial in
            defer { made += 1 }
            return key(made)
        }
        let outcome1 = house.beginKeyRefresh(of: .primary, makeKey: make)
        #expect(outcome1)
        #expect(house.netKeys[0].key == key(0x90) && house.netKeys[0].oldKey == key(0x10))
        #expect(house.netKeys[0].phase == .keyDistribution)
        #expect(house.appKeys[0].key == key(0x91) && house.appKeys[0].oldKey == key(0x20))
        #expect(house.nodes.map { $0.netKeys[0].progress } == [.revoked, .none, .none])
        #expect(house.nodes.map { $0.appKeys[0].isUpdated } == [true, false, false])
        let begun = house
        let outcome2 = house.beginKeyRefresh(of: .primary, makeKey: make)
        #expect(!outcome2, "it has begun")
        #expect(house == begun && made == 0x92)
    }

    @Test("A key that cannot be made changes nothing")
    func noKey() throws {
        struct NoKey: Error {}
        var house = try house()
        let before = house
        var count = 0
        #expect(throws: NoKey.self) {
            try house.beginKeyRefresh(of: .primary) { () throws(NoKey) in
                count += 1
                guard count < 2 else { throw NoKey() }
                return key(1)
            }
        }
        #expect(house == before)
    }

    @Test("No stage is free while a node that takes part has not confirmed the one before, its AppKeys included")
    func stages() throws {
        var house = try house()
        house.beginKeyRefresh(of: .primary) { key(0x90) }
        #expect(holding(house, .distribute) == [] && holding(house, .useNewKeys) == ["a", "b"])
        for place in 1...2 { house.nodes[place].confirm(.updated, of: .primary) }
        #expect(holding(house, .useNewKeys) == ["a", "b"])
        house.nodes[1].confirmUpdate(of: Self.app)
        #expect(holding(house, .useNewKeys) == ["b"])
        house.nodes[2].confirmUpdate(of: Self.app)
        #expect(holding(house, .useNewKeys) == [])
        house.useNewKeys(of: .primary)
        #expect(holding(house, .revokeOldKeys) == ["a", "b"])
        house.nodes[1].confirm(.revoked, of: .primary)
        house.nodes[1].confirm(.usingNewKey, of: .primary)
        #expect(house.nodes[1].netKeys[0].progress == .revoked, "it does not go back")
        #expect(holding(house, .revokeOldKeys) == ["b"] && holding(house, .finish) == ["b"])
    }

    @Test("Who is excluded holds nothing up, and does not know the subnet any more in the end")
    func exclusion() throws {
        var house = try house()
        let outcome3 = house.excludeNode(house.nodes[2].uuid)
        #expect(outcome3)
        let outcome4 = house.excludeNode(house.nodes[2].uuid)
        #expect(!outcome4)
        #expect(house.exclusions == [NetworkExclusion(ivIndex: 9, addresses: [house.nodes[2].unicastAddress])])
        house.beginKeyRefresh(of: .primary) { key(0x90) }
        house.nodes[1].confirm(.revoked, of: .primary)
        house.nodes[1].confirmUpdate(of: Self.app)
        let outcome5 = house.endKeyRefresh(of: .primary)
        #expect(!outcome5, "not before phase 2")
        house.useNewKeys(of: .primary)
        #expect(holding(house, .finish) == [])
        let outcome6 = house.endKeyRefresh(of: .primary)
        #expect(outcome6)
        #expect(house.netKeys[0] == NetKey(index: .primary, name: "home", key: key(0x90)))
        #expect(house.appKeys[0].oldKey == nil)
        #expect(house.nodes.map(\.netKeys) == [[NodeKey(index: .primary)], [NodeKey(index: .primary)], []])
        #expect(house.nodes[2].appKeys == [] && house.nodes[2].deviceKey != nil)
    }

    @Test("Who was seen without a network holds nothing up, and does not know the subnet any more in the end")
    func reset() throws {
        var house = try house()
        house.beginKeyRefresh(of: .primary) { key(0x90) }
        house.nodes[1].confirm(.revoked, of: .primary)
        house.nodes[1].confirmUpdate(of: Self.app)
        #expect(holding(house, .useNewKeys) == ["b"])
        house.nodes[2].unprovisionedSeenAt = Timestamp(rawValue: 1)
        #expect(holding(house, .useNewKeys) == [])
        house.useNewKeys(of: .primary)
        #expect(holding(house, .finish) == [])
        house.endKeyRefresh(of: .primary)
        #expect(house.nodes.map(\.netKeys) == [[NodeKey(index: .primary)], [NodeKey(index: .primary)], []])
        #expect(house.nodes[2].appKeys == [])
    }

    @Test("A device that may be a node is excluded with each DeviceKey that it may have")
    func pendingDevice() throws {
        var house = try house()
        let uuid = DeviceUUID(rawValue: Octets16(high: 5, low: 5))
        house.recordAttempt(
            PendingProvisioning(
                uuid: uuid,
                name: "new",
                address: try required(UnicastAddress(rawValue: 20)),
                elementCount: 2,
                deviceKeys: [key(1), key(2)],
                netKeyIndex: .primary,
                isSecurelyProvisioned: true,
                attemptedAt: Timestamp(rawValue: 1)
            )
        )
        let outcome7 = house.excludeNode(uuid)
        #expect(outcome7)
        #expect(house.pendingProvisionings.isEmpty)
        #expect(house.retiredNodes.map(\.node.deviceKey) == [key(1), key(2)])
        #expect(house.retiredNodes.allSatisfy { $0.reason == .excluded })
        #expect(house.exclusions.flatMap(\.addresses).map(\.rawValue) == [20, 21])
    }
}
