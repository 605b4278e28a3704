import MeshCore
import Store
import TestSupport
import Testing

@Suite("Memories of devices")
struct DeviceMemoryTests {
    @Test("What is remembered of a device is stored, outdates no plan, and goes along with a copy of the state")
    func stored() throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        var memory = DeviceMemory(uuid: uuid(0x900), key: KeyMaterial(Octets16(high: 1, low: 1)), knowsHMAC: true)
        let value = try StaticOutOfBandValue([1, 2, 3])
        let isNew = memory.use(value)
        let isOld = !memory.use(value)
        #expect(isNew && isOld)
        var changes = StoreChanges()
        changes.deviceMemories = [memory]
        let serial = try fixture.database.snapshot().serial
        #expect(try fixture.database.commit(changes, with: lease) == serial)
        let network = try fixture.reopened().snapshot().network
        #expect(network.deviceMemories == [uuid(0x900): memory])
        #expect(network.deviceMemories[uuid(0x900)]?.isUsed(value) == true)
        #expect(try network.deviceMemories[uuid(0x900)]?.isUsed(StaticOutOfBandValue([1, 2])) == false)
        // To go back to a state without it does not forget it.
        let difference = StoreChanges(from: network, to: fixture.network)
        #expect(difference.isEmpty)
        memory.withdraw(value)
        changes.deviceMemories = [memory]
        _ = try fixture.database.commit(changes, with: lease)
        #expect(try fixture.reopened().snapshot().network.deviceMemories[uuid(0x900)]?.usedValues == [])
    }

    @Test(
        "How a node was authenticated is stored with it and with what may become one",
        arguments: [
            ProvisioningAssurance.nothing, .claimed, .authenticated,
        ]
    )
    func authentication(assurance: ProvisioningAssurance) throws {
        let fixture = try Fixture()
        let lease = try fixture.database.lock(holder: holder())
        let authentication = NodeAuthentication(
            algorithm: assurance == .claimed ? .cmacAES128 : .hmacSHA256,
            kind: assurance == .nothing ? .noOOB : .outputOOB,
            isPublicKeyOutOfBand: assurance == .authenticated,
            assurance: assurance
        )
        var changes = StoreChanges()
        var node = try required(fixture.network.nodes.first)
        node.authentication = authentication
        changes.nodes = [node]
        var pending = try required(fixture.network.pendingProvisionings.first)
        pending.authentication = authentication
        changes.pendingProvisionings = [pending]
        _ = try fixture.database.commit(changes, with: lease)
        let network = try fixture.reopened().snapshot().network
        #expect(network.nodes.first { $0.uuid == node.uuid }?.authentication == authentication)
        #expect(network.pendingProvisioning(of: pending.uuid)?.authentication == authentication)
    }

    @Test("A network key that one insecure node has is exported as insecure, and no other")
    func minimumSecurity() throws {
        var network = try Fixture().network
        network.pendingProvisionings = []
        let second = try required(network.netKeys.last).index
        for place in network.netKeys.indices { network.netKeys[place].isMinimumSecuritySecure = true }
        func words() throws -> [String] {
            let text = String(decoding: CDBExport.write(network), as: UTF8.self)
            return text.matches(of: #/"minSecurity"\s*:\s*"([a-z]+)"/#).map { String($0.1) }
        }
        #expect(try Set(words()) == ["secure"])
        network.nodes[1].netKeys = [NodeKey(index: .primary)]
        network.nodes[1].isSecurelyProvisioned = false
        #expect(try words() == network.netKeys.map { $0.index == .primary ? "insecure" : "secure" })
        #expect(second != .primary)
    }
}
