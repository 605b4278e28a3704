import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("The proxy that the user demands")
struct RequiredProxyTests {
    private let home = [ProxyField.home]

    private func policy(_ proxy: RequiredProxy) -> LinkPolicy {
        var policy = LinkPolicy()
        policy.proxy = proxy
        return policy
    }

    @Test("A node is found by its Node Identity, however weak it is")
    func byIdentity() throws {
        let field = try ProxyField(policy: policy(.node(unicast(0x20), name: "lamp")))
        let strong = try field.add("strong", 0x10, home, signal: -30)
        let lamp = try field.add("lamp", 0x20, home, signal: -90)
        lamp.showsIdentity = true
        try field.request(strong)
        try field.run(for: .seconds(10))
        #expect(field.logged("connect") == ["connect to lamp"])
        #expect(field.logged("answered").count == 1)
    }

    @Test("A node that shows the Network ID alone is found by asking who is there, the strongest first")
    func byAsking() throws {
        let field = try ProxyField(policy: policy(.node(unicast(0x30), name: "lamp")))
        let near = try field.add("near", 0x10, home, signal: -30)
        try field.add("farther", 0x20, home, signal: -60)
        try field.add("lamp", 0x30, home, signal: -90)
        try field.request(near)
        try field.run(for: .seconds(30))
        #expect(field.logged("connect") == ["connect to near", "connect to farther", "connect to lamp"])
        #expect(field.logged("up") == ["up lamp"])
        #expect(field.logged("answered").count == 1)
        #expect(near.requests == 1)
        try field.dropLink(try #require(field.peers.last))
        try field.request(near)
        try field.run(for: .seconds(30))
        #expect(field.logged("connect").last == "connect to lamp", "who the others are is known now")
        #expect(field.logged("connect").count == 4)
    }

    @Test("A proxy is found by its Bluetooth address, behind a bearer's prefix as well", arguments: [[], [0x01]])
    func byAddress(prefix: [UInt8]) throws {
        let address = try #require(BluetoothAddress("c0:11:22:33:44:55"))
        let field = try ProxyField(policy: policy(.bluetooth(address)))
        let strong = try field.add("strong", 0x10, home, signal: -30)
        let lamp = try field.add("lamp", 0x20, home, signal: -90)
        lamp.advertisedAs = AdvertiserIdentifier(rawValue: prefix + [1, 0xC0, 0x11, 0x22, 0x33, 0x44, 0x55])
        try field.request(strong)
        try field.run(for: .seconds(10))
        #expect(field.logged("connect") == ["connect to lamp"])
        #expect(field.logged("answered").count == 1)
    }

    @Test("If it is not heard, that is said soon, with who is heard instead and how well")
    func notHeard() throws {
        let field = try ProxyField(policy: policy(.node(unicast(0x30), name: "lamp")))
        let near = try field.add("near", 0x10, home, signal: -30)
        let other = try field.add("other", 0x20, home, signal: -60)
        other.showsIdentity = true
        try field.request(near)
        try field.run(for: .seconds(40))
        #expect(
            field.logged("down") == [
                "down: the proxy lamp is not heard; heard instead: near (-30 dBm), other (-60 dBm), for good"
            ]
        )
        #expect(field.logged("up") == [])
    }

    @Test("If nobody is heard, that is said")
    func nobody() throws {
        let address = try #require(BluetoothAddress("C0:11:22:33:44:55"))
        let field = try ProxyField(policy: policy(.bluetooth(address)))
        let near = try field.add("near", 0x10, home)
        near.isOn = false
        try field.request(near)
        try field.run(for: .seconds(40))
        #expect(
            field.logged("down") == [
                "down: the proxy C0:11:22:33:44:55 is not heard; neither is any other of the network, for good"
            ]
        )
    }

    @Test("It is waited for when it is lost in the midst of the work")
    func comesBack() throws {
        let field = try ProxyField(policy: policy(.node(unicast(0x20), name: "lamp")))
        let near = try field.add("near", 0x10, home, signal: -30)
        let lamp = try field.add("lamp", 0x20, home)
        lamp.showsIdentity = true
        try field.request(near)
        try field.run(for: .seconds(10))
        try field.turnOff(lamp)
        try field.request(near)
        try field.run(for: .seconds(20))
        lamp.isOn = true
        try field.run(for: .seconds(20))
        #expect(field.logged("answered").count == 2)
        #expect(field.logged("connect to near").count <= 1, "it might be the one under a new address")
        #expect(near.requests == 2)
    }

    @Test("What names a proxy: names, addresses, UUIDs, Bluetooth addresses")
    func names() throws {
        let network = try House.network(lamps: 2)
        let lamp = try #require(network.nodes.last)
        let expected = RequiredProxy.node(lamp.unicastAddress, name: "lamp-2")
        for text in ["lamp-2", "0x0020", "0020", "0x0021", lamp.uuid.description, lamp.uuid.description.uppercased()] {
            #expect(ProxyName(text).proxy(in: network) == expected, "\(text)")
        }
        let address = try #require(BluetoothAddress("C0:11:22:33:44:55"))
        #expect(ProxyName("c0:11:22:33:44:55").proxy(in: network) == .bluetooth(address))
        for text in ["lamp-3", "0x0030", "c0:11:22:33:44", "c0:11:22:33:44:5g", "c0:11:22:33:44:+5", ""] {
            #expect(ProxyName(text).proxy(in: network) == nil, "\(text)")
        }
    }
}
