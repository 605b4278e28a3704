import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("Proxies that leave out what the specification wants of them")
struct ForeignProxyTests {
    private let address = "filter addresses [\"0x0001\"]"

    private func inquiry() throws -> ConfigurationInquiry {
        try ActionInquiries(
            .setDefaultTTL(7),
            node: unicast(ProxyPeer.nodeAddress),
            network: House.network(lamps: 1)
        ).request()
    }

    /// A proxy whose node answers.
    private func peer(
        at clientIVIndex: IVIndex = IVIndex(value: 5),
        _ certainty: IVIndexMonitor.Certainty = .known,
        nodeAt nodeIVIndex: IVIndex = IVIndex(value: 5),
        isProxyKnown: Bool = true
    ) throws -> ProxyPeer {
        let peer = try ProxyPeer(
            clientIVIndex: clientIVIndex,
            ivIndexCertainty: certainty,
            nodeIVIndex: nodeIVIndex,
            isProxyKnown: isProxyKnown
        )
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        return peer
    }

    private func beacon(_ ivIndex: IVIndex) -> [UInt8] {
        SecureNetworkBeacon(isKeyRefreshing: false, ivIndex: ivIndex, credentials: SubnetCredentials(secret(1))).encoded
    }

    // MARK: Beacons

    @Test("One that sends no beacon is used after a second, under the IV index that is known")
    func noBeacon() throws {
        let peer = try peer()
        peer.beacons = []
        try peer.request(inquiry())
        peer.run(for: .seconds(60))
        #expect(
            peer.log == ["0 open", "1000 filter type", "1000 \(address)", "1000 up", "1000 sent 1", "1100 answered"]
        )
        #expect(peer.answers == [.holds(.setDefaultTTL(7))])
        #expect(peer.trials == 0, "what confirms our address needs no trial")
    }

    @Test("A beacon that comes later is honoured, also once the link is up")
    func lateBeacon() throws {
        let peer = try peer()
        peer.beacons = []
        try peer.request(inquiry())
        peer.run(for: .seconds(2))
        peer.notify(.beacon, beacon(IVIndex(value: 6, isUpdateInProgress: true)))
        #expect(peer.log.last == "2000 IV index 6")
        try peer.request(inquiry())
        peer.run(for: .seconds(1))
        #expect(peer.answers.count == 2)
        #expect(peer.log.filter { $0.hasSuffix(" open") } == ["0 open"])
        peer.notify(.beacon, beacon(IVIndex(value: 600)))
        #expect(peer.log.last?.hasPrefix("3000 down: the network is at IV index 600, the database at 6") == true)
    }

    @Test("A beacon that comes while the filter is set in vain brings the IV index under which it is set")
    func beaconWithinFilter() throws {
        let peer = try peer(nodeAt: IVIndex(value: 9))
        peer.beacons = []
        try peer.request(inquiry())
        peer.run(for: .milliseconds(1_500))
        #expect(peer.configurationPDUs == 1 && peer.log == ["0 open"], "the proxy does not understand it")
        peer.notify(.beacon, beacon(IVIndex(value: 9)))
        peer.run(for: .seconds(1))
        #expect(
            peer.log.dropFirst() == [
                "1500 IV index 9", "1500 filter type", "1500 \(address)", "1500 up", "1500 sent 1", "1600 answered",
            ]
        )
    }

    @Test("While the IV index is only supposed nothing is sent before a beacon, and what helps is said")
    func unknownIVIndex() throws {
        let peer = try peer(.supposed)
        peer.beacons = []
        try peer.request(inquiry())
        peer.run(for: .seconds(120))
        let downs = peer.log.filter {
            $0.contains("down: the proxy sent no beacon of this network within 5 s, and the")
        }
        #expect(downs.count == LinkPolicy().maximumAttempts)
        #expect(downs.last?.hasSuffix("for good") == true)
        #expect(
            peer.log.filter { $0.hasSuffix("open") } == [
                "0 open", "5500 open", "11500 open", "18500 open", "27500 open",
            ]
        )
        #expect(peer.networkPDUs == 0 && peer.configurationPDUs == 0)
        #expect(peer.hints.allSatisfy { $0.hasSuffix("can state it with: IV index INDEX") })
    }

    @Test("An IV index that was stated is used without a beacon, and what the proxy answers confirms it")
    func statedIVIndex() throws {
        let peer = try peer(.stated(isUsed: false))
        peer.beacons = []
        try peer.request(inquiry())
        peer.run(for: .seconds(2))
        #expect(
            peer.log == [
                "0 open", "1000 filter type", "1000 IV index 5", "1000 \(address)", "1000 up", "1000 sent 1",
                "1100 answered",
            ]
        )
    }

    @Test("One that was stated wrongly is corrected by a beacon, as long as nothing was sent under it")
    func wrongStatement() throws {
        let corrected = try peer(at: IVIndex(value: 9), .stated(isUsed: false))
        try corrected.request(inquiry())
        corrected.run(for: .seconds(1))
        #expect(corrected.log.prefix(2) == ["0 open", "0 IV index 5"])
        #expect(corrected.answers == [.holds(.setDefaultTTL(7))])

        let used = try peer(at: IVIndex(value: 9), .stated(isUsed: false))
        used.beacons = []
        try used.request(inquiry())
        used.run(for: .milliseconds(1_100))
        #expect(used.configurationPDUs == 1)
        used.notify(.beacon, beacon(IVIndex(value: 5)))
        #expect(used.log.last?.hasSuffix("the database at 9, and an IV index never goes back") == true)
        #expect(used.answers == [])
    }

    @Test("One that has finished an IV update that was not heard of is told as what it is, at once")
    func laterIVIndex() throws {
        let peer = try peer(nodeAt: IVIndex(value: 6))
        peer.beacons = []
        try peer.request(inquiry())
        peer.run(for: .milliseconds(1_100))
        let reason =
            "the network is at IV index 6, the database at 5, and the proxy sends no beacon that could be followed"
        #expect(peer.log.suffix(2) == ["1000 close", "1000 down: \(reason)"])
        #expect(peer.hints == ["take it over with: IV index 6"])
    }

    @Test("One that sends nothing at all is given up, and all that may be the reason is said")
    func silence() throws {
        let peer = try peer(nodeAt: IVIndex(value: 11))
        peer.beacons = []
        try peer.request(inquiry())
        peer.run(for: .seconds(7))
        let reason = "the proxy sends no beacon of this network and does not answer under IV index 5"
        #expect(peer.log == ["0 open", "7000 close", "7000 down: \(reason)"])
        #expect(peer.hints.first?.contains("IV index INDEX; or the node has other keys") == true)
        #expect(peer.configurationPDUs == 3)
    }

    // MARK: The filter

    @Test("One that does not know Add Addresses is tried with a message, and used")
    func noAddAddresses() throws {
        let peer = try peer()
        peer.knowsAddAddresses = false
        try peer.request(inquiry())
        peer.run(for: .seconds(60))
        // Here the proxy answers each PDU before the next one of the client comes, so to it the second message with our
        // address, which follows the filter type, is older than the request.
        #expect(
            peer.log == [
                "0 open", "0 filter type", "0 \(address)", "1000 filter type", "1000 up", "1000 sent 1",
                "1100 answered",
            ]
        )
        #expect(peer.trials == 1)
    }

    @Test("One that held messages back while there was no link, and would be late for ever, is helped out of it")
    func heldBack() throws {
        for count in 1...4 {
            let peer = try peer()
            peer.beacons = []
            peer.knowsAddAddresses = false
            peer.losesTurns = true
            for _ in 0..<count { peer.say([0x82, 0x04, 0x01]) }
            try peer.request(inquiry())
            peer.run(for: .seconds(30))
            #expect(peer.answers == [.holds(.setDefaultTTL(7))], "with \(count) messages")
            #expect(peer.log.filter { $0.hasSuffix(" open") }.count == 1)
            #expect(peer.trials == 1 && peer.transmissionTimes.count == 1)
            try peer.request(inquiry())
            peer.run(for: .seconds(1))
            #expect(peer.answers.count == 2, "and it stays in time")
        }
    }

    @Test("What it answers to the trial is none of what is watched, and what nodes send is")
    func watchedTrial() throws {
        let peer = try peer()
        peer.knowsAddAddresses = false
        peer.watch()
        peer.run(for: .seconds(5))
        #expect(peer.trials == 1)
        #expect(!peer.log.contains { $0.hasSuffix("heard a message") }, "\(peer.log)")
        peer.say(ConfigDefaultTTLStatus(ttl: 7).encoded)
        #expect(peer.log.last == "5000 heard a message")
    }

    @Test("One of which there is no device key cannot be tried, and is used as it is")
    func stranger() throws {
        let peer = try peer(isProxyKnown: false)
        peer.knowsAddAddresses = false
        try peer.request(inquiry())
        peer.run(for: .seconds(60))
        #expect(peer.trials == 0)
        #expect(peer.log.contains("1000 up") && peer.answers.count == 1)
    }

    @Test("One that counts our address as none, or keeps a reject list, is tried at once", arguments: [true, false])
    func otherStatus(isAcceptList: Bool) throws {
        let peer = try peer()
        peer.filterStatus = { _ in .filterStatus(isAcceptList ? .acceptList : .rejectList, listSize: 0) }
        try peer.request(inquiry())
        peer.run(for: .seconds(60))
        #expect(peer.trials == 1)
        #expect(peer.log.suffix(3) == ["0 up", "0 sent 1", "100 answered"])
        #expect(peer.log.contains("0 \(address)") == isAcceptList, "what is on a reject list is kept from us")
    }

    @Test("One that has our address already, because it takes the sources of messages in, is used at once")
    func addressThere() throws {
        let peer = try peer()
        peer.filterStatus = { _ in .filterStatus(.acceptList, listSize: 1) }
        try peer.request(inquiry())
        peer.run(for: .seconds(1))
        #expect(peer.log == ["0 open", "0 filter type", "0 \(address)", "0 up", "0 sent 1", "100 answered"])
        #expect(peer.trials == 0)
    }

    @Test("A late answer to the filter type is not taken for one that counts our address as none")
    func lateFilterStatus() throws {
        let peer = try peer()
        peer.answersFilterMessages = false
        try peer.request(inquiry())
        peer.run(for: .milliseconds(2_100))
        #expect(peer.log == ["0 open", "0 filter type", "2000 filter type"])
        try peer.tellFilterStatus(0)
        try peer.tellFilterStatus(0)
        #expect(peer.log.last == "2100 \(address)")
        #expect(peer.trials == 0 && peer.transmissionTimes.isEmpty)
        try peer.tellFilterStatus(1)
        peer.run(for: .seconds(1))
        #expect(peer.log.suffix(3) == ["2100 up", "2100 sent 1", "2200 answered"])
        #expect(peer.trials == 0)
    }

    @Test("One that passes nothing on is given up with what was seen, after it was tried")
    func deafFilter() throws {
        let peer = try peer()
        peer.knowsAddAddresses = false
        peer.forwards = false
        try peer.request(inquiry())
        peer.run(for: .milliseconds(7_000))
        let reason = "the proxy sets its filter, but neither takes our address into it nor answers a message"
        #expect(peer.log.suffix(2) == ["7000 close", "7000 down: \(reason)"])
        #expect(peer.trials == 3 && peer.transmissionTimes.isEmpty)
        #expect(peer.hints == ["use another proxy, or update the firmware of that one"])
    }

    // MARK: Subnets

    @Test("Without beacons a proxy relays for the subnets that it advertises or is known to be in")
    func subnets() throws {
        let field = try ProxyField()
        let both = [ProxyField.home, ProxyField.guests]
        let hub = try field.add("hub", 0x10, both)
        let guest = try field.add("guest", 0x20, [ProxyField.guests])
        guest.isProxy = false
        hub.sendsBeacons = false
        hub.advertisedNetKeys = [ProxyField.home]
        try field.request(hub)
        try field.run(for: .seconds(5))
        try field.request(guest)
        try field.run(for: .seconds(5))
        #expect(field.logged("connect") == ["connect to hub"])
        #expect(field.logged("answered").count == 2)
    }

    @Test("Over a bearer that cannot scan a proxy without beacons is asked under every key")
    func withoutScan() throws {
        let field = try ProxyField()
        field.canScan = false
        let guest = try field.add("guest", 0x20, [ProxyField.guests])
        guest.sendsBeacons = false
        try field.request(guest)
        try field.run(for: .seconds(5))
        #expect(field.logged("up") == ["up guest"] && field.logged("answered").count == 1)
    }

    @Test("In the second phase of a key refresh a proxy that was left out of it is asked under the old key")
    func oldKey() throws {
        let field = try ProxyField()
        let lamp = try field.add("lamp", 0x10, [ProxyField.home])
        lamp.sendsBeacons = false
        var key = try required(ProxyField.netKeys.first)
        key.oldKey = key.key
        key.key = secret(77)
        key.phase = .usingNewKeys
        field.client.set(key)
        try field.request(lamp, withOldKey: [ProxyField.home])
        try field.run(for: .seconds(10))
        #expect(field.logged("up") == ["up lamp"] && field.logged("answered").count == 1)
    }
}
