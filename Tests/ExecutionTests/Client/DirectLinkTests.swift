import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("Links to the very node")
struct DirectLinkTests {
    private let home = [ProxyField.home]

    @Test("A request over the link to the node itself has TTL 0, through another proxy the ordinary one")
    func lifetime() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, home)
        let other = try field.add("other", 0x20, home)
        other.isProxy = false
        try field.request(other)
        try field.run(for: .seconds(5))
        try field.request(lamp)
        try field.run(for: .seconds(5))
        try field.request(other)
        try field.run(for: .seconds(5))
        #expect(field.logged("answered").count == 3)
        #expect(lamp.requests == 1 && other.requests == 2)
        #expect(field.sentTTLs == [5, 0, 5], "lamp is the proxy")
    }

    @Test("Segments and their acknowledgments over the link to the node itself have TTL 0, too")
    func segments() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, home)
        lamp.answer = Self.composition
        lamp.answerTTL = 0
        try field.requestComposition(lamp)
        try field.run(for: .seconds(5))
        #expect(field.logged("answered") == ["answered after 1"])
        #expect(field.acknowledgments == 1)
        try field.addAppKey(lamp)
        try field.run(for: .seconds(5))
        #expect(field.sentTTLs.count >= 4)
        #expect(field.sentTTLs.allSatisfy { $0 == 0 }, "\(field.sentTTLs)")
    }

    @Test("When the link to the node is lost, its request goes through the mesh with the ordinary TTL")
    func lostInTheMidst() throws {
        let field = try ProxyField(maximumLinks: 2)
        let lamp = try field.add("lamp", 0x10, home)
        let other = try field.add("other", 0x20, home)
        lamp.showsIdentity = true
        lamp.answers = false
        try field.request(other)
        try field.run(for: .seconds(3))
        try field.keepDirectLinks(to: [lamp])
        try field.run(for: .seconds(3))
        #expect(field.logged("directly") == ["directly up lamp"])
        try field.request(lamp)
        try field.run(for: .milliseconds(500))
        #expect(field.sentTTLs == [0, 0])
        lamp.answers = true
        try field.dropLink(lamp)
        try field.run(for: .seconds(3))
        #expect(field.logged("directly").last == "directly down lamp: out of range")
        #expect(field.sentTTLs == [0, 0, 5])
        #expect(field.logged("answered").last == "answered after 2")
        #expect(field.sequenceNumbers.values.allSatisfy { $0 == 1 })
        #expect(field.logged("down") == [], "the mesh's link is not concerned")
    }

    @Test("A node that has switched its GATT proxy off is left at once, and who it carried goes on without a pause")
    func switchedOff() throws {
        let field = try ProxyField(maximumLinks: 2)
        let (hub, other) = (try field.add("hub", 0x10, home), try field.add("other", 0x20, home, signal: -70))
        let lamp = try field.add("lamp", 0x30, home)
        lamp.showsIdentity = true
        for peer in [hub, other, lamp] { field.setProxy(true, of: peer) }
        try field.request(hub)
        try field.run(for: .seconds(3))
        try field.keepDirectLinks(to: [lamp])
        try field.run(for: .seconds(3))
        #expect(field.logged("directly") == ["directly up lamp"])
        field.setProxy(false, of: lamp)
        #expect(!field.client.isDirect(to: lamp.address), "no request begins that would be cut off")
        try field.dropLink(lamp)
        #expect(field.logged("directly").last == "directly down lamp", "without a failure")

        other.answers = false
        try field.request(other)
        try field.run(for: .milliseconds(200))
        field.setProxy(false, of: hub)
        hub.isProxy = false
        try field.dropLink(hub)
        other.answers = true
        try field.run(for: .seconds(3))
        #expect(field.logged("up ") == ["up hub", "up other"])
        #expect(field.logged("answered").last == "answered after 2")
        #expect(field.logged("down") == [])
    }

    @Test("A node that is excluded while there is a link to it carries nothing more")
    func excluded() throws {
        let field = try ProxyField()
        let hub = try field.add("hub", 0x10, home)
        let other = try field.add("other", 0x20, home, signal: -70)
        try field.request(other)
        try field.run(for: .seconds(3))
        var node = field.node(hub)
        node.isExcluded = true
        field.client.set(node)
        try field.request(other)
        try field.run(for: .seconds(3))
        #expect(field.logged("up ") == ["up hub", "up other"])
        #expect(field.logged("answered").count == 2 && field.logged("down") == [])
        #expect(hub.link == nil)
    }

    @Test("A proxy that has missed the new key of one of its subnets is configured under the old one throughout")
    func oldKeyOfOneSubnet() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, [ProxyField.home, ProxyField.guests])
        lamp.filterDelay = .milliseconds(300)
        field.client.set(
            NetKey(index: .primary, name: "home", key: secret(0x91), oldKey: secret(1), phase: .usingNewKeys)
        )
        try field.request(lamp)
        try field.run(for: .seconds(5))
        #expect(field.logged("up ") == ["up lamp"], "\(field.log)")
        #expect(field.logged("down") == [])
    }

    @Test("The node that is needed is connected to as soon as it is heard, others after listening")
    func directHit() throws {
        for showsIdentity in [true, false] {
            let field = try ProxyField()
            let lamp = try field.add("lamp", 0x10, home)
            lamp.showsIdentity = showsIdentity
            let gatt = GATTTimes(
                wait: .zero,
                connection: .milliseconds(10),
                mtuExchange: .milliseconds(20),
                discovery: .milliseconds(15),
                subscription: .milliseconds(5)
            )
            field.gattTimes = showsIdentity ? gatt : nil
            try field.request(lamp)
            try field.run(for: .seconds(5))
            let time = try #require(field.time(of: "connect to lamp"))
            #expect(showsIdentity ? time <= 600 : time >= 1_500, "\(field.log)")
            let times = try #require(field.linkTimes.first)
            #expect(times.scan == .milliseconds(time))
            #expect(times.connect == .milliseconds(50) && times.gatt == field.gattTimes)
        }
    }

    @Test("The node that is needed does not do for others that wait, too")
    func directHitAmongOthers() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, home)
        let other = try field.add("other", 0x20, home)
        lamp.showsIdentity = true
        lamp.isProxy = false
        try field.request(lamp)
        try field.request(other)
        try field.run(for: .seconds(5))
        #expect(field.logged("connect") == ["connect to other"])
        #expect(field.logged("answered").count == 2)
    }

    @Test("Links of their own leave one for the mesh, carry nothing for others and end when they are not wanted")
    func keeping() throws {
        let field = try ProxyField(maximumLinks: 3)
        let hub = try field.add("hub", 0x10, home)
        let lamps = try (1...4).map { number in
            let lamp = try field.add("lamp-\(number)", 0x20 * UInt16(number), home)
            lamp.showsIdentity = true
            return lamp
        }
        try field.request(hub)
        try field.run(for: .seconds(3))
        try field.keepDirectLinks(to: lamps)
        try field.run(for: .seconds(3))
        #expect(field.logged("directly") == ["directly up lamp-1", "directly up lamp-2"])
        #expect(field.mostLinks == 3)
        for lamp in lamps { try field.request(lamp) }
        try field.run(for: .seconds(3))
        #expect(field.logged("answered").count == 5)
        #expect(field.sentTTLs.filter { $0 == 0 }.count == 3, "the hub and the two that are linked")
        try field.keepDirectLinks(to: Array(lamps.dropFirst(2)))
        try field.run(for: .seconds(3))
        #expect(field.logged("directly").suffix(2) == ["directly up lamp-3", "directly up lamp-4"])
        try field.keepDirectLinks(to: [])
        #expect(field.client.linkCount == 1)
        #expect(!field.isScanning)
    }

    @Test("A link that the mesh has no use for makes room for one to a single node, but the last one stays")
    func room() throws {
        let guests = [ProxyField.guests]
        let field = try ProxyField(maximumLinks: 2)
        let hub = try field.add("hub", 0x10, home)
        let annexe = try field.add("annexe", 0x20, guests)
        let lamp = try field.add("lamp", 0x30, home)
        lamp.isProxy = false
        for peer in [hub, annexe] { try field.request(peer) }
        try field.run(for: .seconds(5))
        #expect(field.client.linkCount == 2)
        lamp.showsIdentity = true
        try field.keepDirectLinks(to: [lamp])
        #expect(field.client.mayLinkDirectly)
        try field.run(for: .seconds(3))
        #expect(field.logged("directly") == ["directly up lamp"])
        #expect(field.client.linkCount == 2, "one for the mesh, and that to the lamp")
        try field.setMaximumLinks(1)
        #expect(!field.client.mayLinkDirectly)
    }

    @Test("A proxy that was connected to before is known by its advertiser, though it shows a Network ID")
    func remembered() throws {
        let field = try ProxyField(maximumLinks: 2)
        let first = try field.add("first", 0x10, home, signal: -40)
        let second = try field.add("second", 0x20, home, signal: -70)
        try field.request(first)
        try field.run(for: .seconds(3))
        try field.dropLink(first)
        try field.request(second)
        try field.run(for: .seconds(5))
        #expect(field.logged("up") == ["up first", "up second"])
        try field.keepDirectLinks(to: [first])
        try field.run(for: .seconds(90))
        #expect(field.logged("directly") == ["directly up first"])
    }

    @Test("A link that leads to another node than the one that it was made for is closed")
    func impostor() throws {
        let field = try ProxyField(maximumLinks: 2)
        let hub = try field.add("hub", 0x10, home)
        let lamp = try field.add("lamp", 0x20, home)
        let thief = try field.add("thief", 0x30, home)
        thief.isProxy = false
        lamp.isProxy = false
        try field.request(hub)
        try field.run(for: .seconds(3))
        try field.keepDirectLinks(to: [lamp])
        lamp.showsIdentity = true
        var copy = try field.advertisement(of: lamp, in: ProxyField.home)
        lamp.showsIdentity = false
        copy.advertiser = thief.advertiser
        try field.hear(copy)
        try field.run(for: .seconds(3))
        #expect(field.logged("directly up") == [])
        #expect(field.logged("directly down lamp").count == 1)
        #expect(thief.link == nil)
    }

    // MARK: Two ways

    @Test("What comes over two links is taken once, in one PDU or in segments, and acknowledged once")
    func twoWays() throws {
        let field = try ProxyField(maximumLinks: 2)
        let hub = try field.add("hub", 0x10, home)
        let lamp = try field.add("lamp", 0x20, home)
        lamp.showsIdentity = true
        try field.request(hub)
        try field.run(for: .seconds(3))
        try field.keepDirectLinks(to: [lamp])
        try field.run(for: .seconds(3))
        #expect(field.client.linkCount == 2)
        let before = (field.notifiedPDUs, field.client.duplicateCount)
        try field.request(lamp)
        try field.run(for: .seconds(3))
        #expect(field.logged("answered").count == 2)
        #expect(field.notifiedPDUs - before.0 == 2, "over its own link and through the hub")
        #expect(field.client.duplicateCount - before.1 == 1)
        lamp.answer = Self.composition
        try field.requestComposition(lamp)
        try field.run(for: .seconds(3))
        #expect(field.logged("answered").count == 3)
        #expect(field.acknowledgments == 1)
        #expect(field.client.duplicateCount - before.1 > 2)
        #expect(field.sequenceNumbers.values.allSatisfy { $0 == 1 })
    }

    /// Composition Data page 0 of two elements with some models, in several segments.
    private static let composition: [UInt8] =
        [0x02, 0x00, 0x59, 0x00, 0x01, 0x00, 0x02, 0x00, 0x28, 0x00, 0x03, 0x00]
        + [0x00, 0x01, 0x04, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x10, 0x01, 0x10]
        + [0x01, 0x01, 0x02, 0x00, 0x00, 0x10, 0x02, 0x10]
}
