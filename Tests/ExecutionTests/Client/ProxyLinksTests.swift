import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Execution

@Suite("MeshClient with several proxies")
struct ProxyLinksTests {
    private let home = ProxyField.home
    private let guests = ProxyField.guests

    @Test("It is scanned only while a request needs a link, and the strongest proxy is taken")
    func strongestSignal() throws {
        let field = try ProxyField()
        let weak = try field.add("weak", 0x10, [home], signal: -85)
        try field.add("strong", 0x20, [home], signal: -50)
        try field.add("silent", 0x30, [home], signal: nil)
        try field.run(for: .seconds(5))
        #expect(!field.isScanning)
        #expect(field.log == [])
        try field.request(weak)
        #expect(field.isScanning)
        try field.run(for: .seconds(3))
        #expect(!field.isScanning)
        #expect(field.log.first == "6500 connect to strong")
        #expect(field.logged("up") == ["up strong"])
        #expect(field.logged("answered") == ["answered after 1"])
        #expect(weak.requests == 1)
    }

    @Test("A proxy of more of the needed subnets comes before a stronger one")
    func mostSubnets() throws {
        let field = try ProxyField()
        let near = try field.add("near", 0x10, [home], signal: -40)
        let both = try field.add("both", 0x20, [home, guests], signal: -80)
        let guest = try field.add("guest", 0x30, [guests], signal: -50)
        try field.request(near)
        try field.request(guest)
        try field.run(for: .seconds(3))
        #expect(field.logged("connect") == ["connect to both"])
        #expect(field.logged("answered").count == 2)
        #expect(both.requests == 0)
    }

    @Test("Two subnets on two proxies: one link after the other, or both at once", arguments: [1, 2])
    func twoSubnets(maximumLinks: Int) throws {
        let field = try ProxyField(maximumLinks: maximumLinks)
        let first = try field.add("home", 0x10, [home])
        let second = try field.add("guest", 0x20, [guests])
        for _ in 0..<3 {
            try field.request(first)
            try field.request(second)
            try field.run(for: .seconds(10))
        }
        #expect(field.logged("answered") == Array(repeating: "answered after 1", count: 6))
        #expect(field.mostLinks == maximumLinks)
        #expect(field.logged("down") == [])
        #expect(field.logged("connect").count == (maximumLinks == 1 ? 4 : 2), "\(field.log)")
        #expect(field.sequenceNumbers.values.allSatisfy { $0 == 1 })
    }

    @Test("With one link a proxy is not replaced while it carries requests")
    func busyLink() throws {
        let field = try ProxyField()
        let first = try field.add("home", 0x10, [home])
        let second = try field.add("guest", 0x20, [guests])
        first.answers = false
        try field.request(first)
        try field.run(for: .seconds(3))
        try field.request(second)
        try field.run(for: .seconds(20))
        #expect(field.logged("connect") == ["connect to home"])
        #expect(!field.isScanning)
        try field.run(for: .seconds(20))
        let gaveUp = try required(field.time(of: "unanswered"))
        #expect(try required(field.time(of: "connect to guest")) - gaveUp == 2_000)
        #expect(field.logged("answered") == ["answered after 1"])
    }

    @Test("A proxy that vanishes takes nothing with it: its requests move, those of others go on")
    func vanishingProxy() throws {
        let field = try ProxyField(maximumLinks: 2)
        let first = try field.add("home", 0x10, [home], signal: -40)
        let second = try field.add("guest", 0x20, [guests])
        let third = try field.add("spare", 0x30, [home], signal: -70)
        for peer in [second, third] { peer.answers = false }
        try field.request(second)
        try field.request(third)
        try field.run(for: .seconds(3))
        #expect(field.logged("up").sorted() == ["up guest", "up home"])
        #expect(third.requests == 1)
        try field.turnOff(first)
        #expect(field.client.carriedCount == 1)
        for peer in [second, third] { peer.answers = true }
        try field.run(for: .seconds(10))
        #expect(field.logged("down") == ["down: out of range"])
        #expect(field.logged("connect").suffix(1) == ["connect to spare"])
        #expect(field.logged("answered").count == 2)
        #expect(field.client.outstandingCount == 0)
        #expect(field.sequenceNumbers.values.allSatisfy { $0 == 1 })
    }

    @Test("Where another link serves the requests of a lost one they move at once")
    func moveAtOnce() throws {
        let field = try ProxyField(maximumLinks: 2)
        let first = try field.add("home", 0x10, [home])
        let both = try field.add("both", 0x20, [home, guests], signal: -90)
        let far = try field.add("far", 0x30, [home])
        far.isProxy = false
        try field.request(first)
        try field.run(for: .seconds(3))
        let guest = try field.add("guest", 0x40, [guests])
        guest.isProxy = false
        try field.request(guest)
        try field.run(for: .seconds(3))
        #expect(field.logged("up") == ["up home", "up both"])
        far.answers = false
        try field.request(far)
        far.answers = true
        try field.turnOff(first)
        let lost = try required(field.time(of: "down: out of range"))
        try field.run(for: .seconds(1))
        #expect(field.time(of: "answered after 2") == lost + 100)
        #expect(field.logged("connect").count == 2)
        #expect(both.link != nil)
    }

    @Test("A proxy with which something went wrong comes after the others", arguments: ["refuses", "is silent"])
    func failingProxy(problem: String) throws {
        let field = try ProxyField()
        let bad = try field.add("bad", 0x10, [home], signal: -30)
        let good = try field.add("good", 0x20, [home], signal: -90)
        if problem == "refuses" { bad.acceptsLinks = false } else { bad.isSilent = true }
        try field.request(good)
        try field.run(for: .seconds(20))
        #expect(field.logged("connect") == ["connect to bad", "connect to good"])
        #expect(field.logged("answered").count == 1)
        // It is better than nothing.
        bad.acceptsLinks = true
        bad.isSilent = false
        try field.turnOff(good)
        try field.request(bad)
        try field.run(for: .seconds(20))
        #expect(field.logged("connect").last == "connect to bad")
        #expect(field.logged("answered").count == 2)
    }

    @Test("A proxy to which no link comes about gets less time where another is heard", arguments: [true, false])
    func hangingProxy(hasAlternative: Bool) throws {
        let field = try ProxyField()
        let bad = try field.add("bad", 0x10, [home], signal: -30)
        bad.connectDelay = .seconds(300)
        if hasAlternative { try field.add("good", 0x20, [home], signal: -90) }
        try field.request(bad)
        try field.run(for: .seconds(32))
        let begin = try required(field.time(of: "connect to bad"))
        let end = try required(field.time(of: "down: connecting to the proxy takes too long"))
        #expect(end - begin == (hasAlternative ? 10_000 : 30_000))
        #expect(field.logged("answered").isEmpty != hasAlternative)
    }

    @Test("A bearer that cannot scan connects to whom it likes")
    func noScan() throws {
        let field = try ProxyField()
        field.canScan = false
        let first = try field.add("home", 0x10, [home])
        let second = try field.add("guest", 0x20, [guests])
        try field.request(first)
        try field.run(for: .seconds(1))
        #expect(field.log.first == "0 connect to home")
        #expect(field.logged("answered").count == 1)
        try field.request(second)
        try field.run(for: .seconds(10))
        #expect(field.logged("unreachable") == ["unreachable: no proxy of subnet guests is in reach"])
        try field.request(first)
        try field.run(for: .seconds(1))
        #expect(field.logged("answered").count == 2)
        #expect(field.logged("connect").count == 1)
    }

    @Test("With nobody there the attempts end, requests wait, and a later one begins anew")
    func nobodyThere() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, [home])
        let late = try field.add("late", 0x20, [home])
        for peer in [lamp, late] { peer.isOn = false }
        try field.request(lamp)
        try field.run(for: .seconds(300))
        let text = "down: no proxy of the network is in reach"
        #expect(field.logged("down") == Array(repeating: text, count: 4) + [text + ", for good"])
        #expect(field.time(of: text + ", for good") == 57_500)
        #expect(field.client.outstandingCount == 1)
        #expect(field.client.nextDeadline == nil)
        #expect(!field.isScanning)
        for peer in [lamp, late] { peer.isOn = true }
        try field.request(late)
        try field.run(for: .seconds(5))
        #expect(field.logged("answered").count == 2)
    }

    @Test("Where nobody is heard, a key refresh that is not finished is named")
    func refreshing() throws {
        var key = NetKey(index: .primary, name: "hall", key: KeyMaterial(Octets16(high: 1, low: 1)))
        var nodes = ProxyNodes()
        nodes.set(key)
        #expect(nodes.explained(.nobody) == .nobody)
        key.oldKey = KeyMaterial(Octets16(high: 1, low: 2))
        key.phase = .usingNewKeys
        nodes.set(key)
        let hint = try #require(nodes.explained(.nobody).hint)
        #expect(hint.text.contains("switch one on; subnet hall is in phase 2 of a key refresh"), "\(hint.text)")
        #expect(hint.remedies == [.refreshKeys(subnet: "hall")])
        key.phase = .normal
        nodes.set(key)
        #expect(nodes.explained(.nobody) == .nobody)
    }

    @Test("A proxy that turns up after all attempts have failed, while others scan, is taken")
    func turnsUp() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, [home])
        lamp.isOn = false
        try field.request(lamp)
        try field.run(for: .seconds(100))
        lamp.isOn = true
        try field.hear(field.advertisement(of: lamp, in: home))
        try field.run(for: .seconds(5))
        #expect(field.logged("answered").count == 1)
    }

    @Test(
        "A request to a subnet without a proxy in reach is given up and says so; the others go on",
        arguments: [1, 2]
    )
    func uncoveredSubnet(maximumLinks: Int) throws {
        let field = try ProxyField(maximumLinks: maximumLinks)
        let first = try field.add("home", 0x10, [home])
        let second = try field.add("guest", 0x20, [guests])
        let third = try field.add("guest two", 0x30, [guests])
        for peer in [second, third] { peer.isProxy = false }
        try field.request(first)
        try field.request(second)
        try field.run(for: .seconds(60))
        let text = "unreachable: no proxy of subnet guests is in reach"
        #expect(field.logged("answered").count == 1)
        #expect(field.logged("unreachable") == [text])
        #expect(try required(field.time(of: text)) < 40_000)
        #expect(field.logged("down") == [])
        #expect(!field.isScanning)
        // What is known is not found out at length again.
        let start = Int(field.now.microseconds / 1_000)
        try field.request(third)
        try field.request(first)
        try field.run(for: .seconds(20))
        #expect(field.logged("unreachable").count == 2)
        #expect(try required(field.time(of: text)) == start + 10_000)
        #expect(field.logged("answered").count == 2)
        #expect(field.client.isLinkReady)
    }

    @Test("A node that advertises its identity is connected to for itself, and for others only if it forwards")
    func nodeIdentity() throws {
        let field = try ProxyField()
        let new = try field.add("new", 0x10, [home], signal: -20)
        let lamp = try field.add("lamp", 0x20, [home], signal: -80)
        new.showsIdentity = true
        try field.request(lamp)
        try field.run(for: .seconds(5))
        #expect(field.logged("connect") == ["connect to lamp"], "a Network ID that covers is preferred")
        try field.turnOff(lamp)
        try field.request(new)
        try field.run(for: .seconds(5))
        #expect(field.logged("connect").last == "connect to new")
        #expect(field.logged("answered").count == 2)
    }

    @Test("The other elements of a node that advertises its identity are asked over the link to it, with TTL 0")
    func otherElements() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, [home])
        lamp.isProxy = false
        lamp.showsIdentity = true
        try field.askSecondElement(of: lamp)
        try field.run(for: .seconds(5))
        #expect(field.logged("answered") == ["answered after 1"], "\(field.log)")
        #expect(field.sentTTLs == [0])
        #expect(lamp.requests == 1)
    }

    @Test("What a step sends to another element goes over the link to its node, not over one that is ready before")
    func otherElementOfStep() throws {
        let field = try ProxyField(maximumLinks: 2)
        let hub = try field.add("hub", 0x10, [home])
        let lamp = try field.add("lamp", 0x20, [home])
        hub.forwards = false
        lamp.showsIdentity = true
        lamp.isProxy = false
        try field.request(hub)
        try field.run(for: .seconds(3))
        try field.keepDirectLinks(to: [lamp])
        try field.run(for: .seconds(3))
        #expect(field.logged("directly") == ["directly up lamp"])
        try field.askSecondElement(of: lamp, isStep: true)
        try field.run(for: .seconds(5))
        #expect(field.logged("answered") == ["answered after 1", "answered after 1"], "\(field.log)")
        #expect(lamp.requests == 1)
    }

    @Test("A proxy known by its identity only serves others at once if its GATT proxy is on, else after listening")
    func forwardingIdentity() throws {
        for (state, delay) in [(FeatureState.enabled, 1_650), (nil, 12_150), (.disabled, nil)]
            as [(FeatureState?, Int?)]
        {
            let field = try ProxyField()
            let new = try field.add("new", 0x10, [home])
            let lamp = try field.add("lamp", 0x20, [home])
            new.showsIdentity = true
            lamp.isProxy = false
            var node = field.node(new)
            node.features.proxy = state
            field.client.set(node)
            try field.request(lamp)
            try field.run(for: .seconds(60))
            #expect(field.time(of: "answered after 1") == delay, "\(field.log)")
            #expect(field.logged("unreachable").count == (delay == nil ? 1 : 0))
        }
    }

    @Test("Excluded nodes are not used, whether they advertise their identity or the network's")
    func excluded() throws {
        for showsIdentity in [true, false] {
            let field = try ProxyField()
            let stolen = try field.add("stolen", 0x10, [home], signal: -10)
            let lamp = try field.add("lamp", 0x20, [home], signal: -80)
            stolen.showsIdentity = showsIdentity
            var node = field.node(stolen)
            node.isExcluded = true
            field.client.set(node)
            try field.request(lamp)
            try field.run(for: .seconds(10))
            #expect(field.logged("up") == ["up lamp"])
            #expect(field.logged("answered").count == 1)
            try field.turnOff(lamp)
            try field.request(lamp)
            try field.run(for: .seconds(100))
            #expect(field.logged("up") == ["up lamp"], "not even as the last one")
            #expect(stolen.requests == 0)
        }
    }

    @Test("The advertising of foreign networks is passed over, and a thousand of it costs next to nothing")
    func strangers() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, [home])
        lamp.isOn = false
        for number in 0..<1_000 as Range<UInt64> {
            let content: [ProxyAdvertisement] = [
                .networkID(number), .nodeIdentity(hash: number, random: 7),
                .privateNetworkIdentity(hash: number, random: 8), .privateNodeIdentity(hash: number, random: 9),
            ]
            field.strangers.append(
                Advertisement(
                    advertiser: AdvertiserIdentifier(rawValue: [UInt8(number % 256), UInt8(number / 256)]),
                    content: .proxy(content[Int(number % 4)]),
                    signal: -20
                )
            )
        }
        try field.request(lamp)
        try field.run(for: .seconds(5))
        #expect(field.log == [])
        #expect(field.client.transport.keeper.selection.candidateCount == 0)
        lamp.isOn = true
        try field.run(for: .seconds(5))
        #expect(field.logged("connect") == ["connect to lamp"])
        #expect(field.logged("answered").count == 1)
    }

    @Test("Someone who copies a Network ID under many addresses fills no memory")
    func copies() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, [home], signal: -90)
        try field.request(lamp)
        let copied = try field.advertisement(of: lamp, in: home)
        for number in 0..<5_000 {
            var copy = copied
            copy.advertiser = AdvertiserIdentifier(rawValue: [1, UInt8(number % 256), UInt8(number / 256)])
            try field.hear(copy)
        }
        #expect(field.client.transport.keeper.selection.candidateCount == ProxySelection.memory)
    }

    @Test("Lowering the number of links closes idle ones at once and busy ones when they are done")
    func lowering() throws {
        let field = try ProxyField(maximumLinks: 2)
        let first = try field.add("home", 0x10, [home])
        let second = try field.add("guest", 0x20, [guests])
        try field.request(first)
        try field.request(second)
        try field.run(for: .seconds(3))
        #expect(field.client.linkCount == 2)
        second.answers = false
        try field.request(second)
        try field.setMaximumLinks(1)
        #expect(field.logged("close") == ["close home"])
        try field.setMaximumLinks(0)
        #expect(field.client.linkCount == 1)
        try field.run(for: .seconds(31))
        #expect(field.logged("close") == ["close home", "close guest"])
        #expect(field.client.linkCount == 0)
        try field.request(first)
        try field.run(for: .seconds(31))
        #expect(field.logged("connect").count == 2)
        try field.setMaximumLinks(1)
        try field.run(for: .seconds(3))
        #expect(field.logged("answered").count == 3)
    }

    @Test("Shutting down stops scanning and connecting")
    func shutDown() throws {
        let field = try ProxyField(maximumLinks: 2)
        let first = try field.add("home", 0x10, [home])
        let second = try field.add("guest", 0x20, [guests])
        first.connectDelay = .seconds(10)
        second.isOn = false
        try field.request(first)
        try field.request(second)
        try field.run(for: .seconds(3))
        #expect(field.isScanning)
        let outputs = field.client.shutDown(at: field.now)
        var seen: [String] = []
        for output in outputs {
            switch output {
            case .scan(false): seen.append("scan off")
            case .closeLink: seen.append("close")
            default: seen.append("else")
            }
        }
        #expect(seen == ["scan off", "close"])
        #expect(field.client.nextDeadline == nil)
    }

    @Test("A connection that nobody hears of again is given up")
    func hangingConnection() throws {
        let field = try ProxyField()
        let slow = try field.add("slow", 0x10, [home], signal: -30)
        let lamp = try field.add("lamp", 0x20, [home], signal: -80)
        slow.connectDelay = .seconds(1_000)
        try field.request(lamp)
        try field.run(for: .seconds(40))
        #expect(field.logged("stop") == ["stop connecting to slow"])
        #expect(field.logged("answered").count == 1)
    }
}
