import DefinitionModel
import MeshCore
import Planning
import TestSupport
import Testing

@testable import Execution

@Suite("MeshClient")
struct MeshClientTests {
    private let node = ProxyPeer.nodeAddress

    private func inquiry(_ action: ConfigurationAction) throws -> ConfigurationInquiry {
        try ActionInquiries(action, node: unicast(node), network: House.network(lamps: 1)).request()
    }

    private func ttlStatus(_ ttl: UInt8) -> [UInt8] { ConfigDefaultTTLStatus(ttl: ttl).encoded }

    @Test("Beacon, filter type, addresses, and only then the first request")
    func linkSetUp() throws {
        let peer = try ProxyPeer()
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(1))
        #expect(
            peer.log == [
                "0 open", "0 filter type", "0 filter addresses [\"0x0001\"]", "0 up", "0 sent 1", "100 answered",
            ]
        )
        #expect(peer.answers == [.holds(.setDefaultTTL(7))])
        #expect(peer.client.outstandingCount == 0)
        #expect(peer.client.takeReplayEntries().map(\.source) == [try unicast(node), try unicast(0x0100)])
    }

    @Test("A proxy that sends a mesh private beacon instead is as good")
    func privateBeacon() throws {
        let peer = try ProxyPeer(nodeIVIndex: IVIndex(value: 9))
        let random = try required(Nonce([UInt8](0..<13)))
        peer.beacons = [
            MeshPrivateBeacon(isKeyRefreshing: false, ivIndex: IVIndex(value: 9), random: random)
                .encoded(with: SubnetCredentials(secret(1)))
        ]
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(1))
        #expect(peer.log.contains("0 IV index 9"))
        #expect(peer.answers == [.holds(.setDefaultTTL(7))])
    }

    @Test("An IV index that was only supposed, as after an import, becomes that of the first beacon, and no other")
    func supposedIVIndex() throws {
        let peer = try ProxyPeer(
            clientIVIndex: IVIndex(value: 0),
            ivIndexCertainty: .supposed,
            nodeIVIndex: IVIndex(value: 500)
        )
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(1))
        #expect(peer.log.contains("0 IV index 500"))
        #expect(peer.answers == [.holds(.setDefaultTTL(7))])
        let far = IVIndex(value: 600)
        let credentials = SubnetCredentials(secret(1))
        peer.notify(
            .beacon,
            SecureNetworkBeacon(isKeyRefreshing: false, ivIndex: far, credentials: credentials).encoded
        )
        let reason = "the network is at IV index 600, the database at 500; more than 42 ahead is not followed unasked"
        #expect(peer.log.last == "1000 down: \(reason)")
    }

    @Test("A beacon that no known key made is none: the IV index comes from authentic ones only")
    func forgedBeacon() throws {
        let peer = try ProxyPeer()
        var forged = try required(peer.beacons.first)
        forged[13] ^= 1
        peer.beacons = [forged]
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.answersFilterMessages = false
        peer.run(for: .seconds(8))
        #expect(peer.log.contains { $0.hasPrefix("7000 down: the proxy sends beacons of another network") })
        #expect(!peer.log.contains { $0.contains("IV index") })
    }

    @Test("An authentic beacon brings a later IV index, under which the node understands us")
    func laterIVIndex() throws {
        let peer = try ProxyPeer(nodeIVIndex: IVIndex(value: 9))
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(1))
        #expect(peer.log.contains("0 IV index 9"))
        #expect(peer.answers == [.holds(.setDefaultTTL(7))])
    }

    @Test("A proxy that lives in an older IV index than ours is told as what it is")
    func olderIVIndex() throws {
        let peer = try ProxyPeer(clientIVIndex: IVIndex(value: 9), nodeIVIndex: IVIndex(value: 5))
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .milliseconds(10))
        let reason = "the network is at IV index 5, the database at 9, and an IV index never goes back"
        #expect(peer.log.contains("0 down: \(reason)"))
    }

    @Test("A filter message without status is sent three times, then the link is given up")
    func silentFilter() throws {
        let peer = try ProxyPeer()
        peer.answersFilterMessages = false
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .milliseconds(6_100))
        #expect(
            peer.log == [
                "0 open", "0 filter type", "2000 filter type", "4000 filter type", "6000 close",
                "6000 down: the proxy sends beacons but does not answer to its filter being set",
            ]
        )
        #expect(peer.hints == ["another device may use our address with higher sequence numbers"])
    }

    @Test("A silent node gets the request again at doubling intervals until the deadline")
    func retrySchedule() throws {
        let peer = try ProxyPeer()
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(60))
        #expect(peer.transmissionTimes == [0, 1_750, 5_250, 12_250, 20_250, 28_250])
        #expect(peer.log.last == "30000 unanswered")
        #expect(peer.requests.count == 6)
    }

    @Test("Measured round trips shorten the time-out, down to the floor")
    func measuredTimeout() throws {
        let peer = try ProxyPeer()
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        for _ in 0..<10 {
            try peer.request(inquiry(.setDefaultTTL(7)))
            peer.run(for: .milliseconds(100))
        }
        #expect(peer.answers.count == 10)
        peer.hears = false
        let start = peer.now.microseconds / 1_000
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(2))
        #expect(peer.transmissionTimes.suffix(2).map { $0 - start } == [0, 1_000])
    }

    @Test("A node that has become slower gets one request twice, and the next one not")
    func slowerNode() throws {
        let peer = try ProxyPeer()
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(1))
        peer.answerDelay = .milliseconds(1_500)
        for transmissions in [2, 1] {
            let before = peer.transmissionTimes.count
            try peer.request(inquiry(.setDefaultTTL(7)))
            peer.run(for: .seconds(5))
            #expect(peer.transmissionTimes.count - before == transmissions)
        }
    }

    @Test("What follows the acknowledgment of segments is not taken for a round trip")
    func segmentsAreNotMeasured() throws {
        let peer = try ProxyPeer()
        peer.answer = { _ in [ConfigNetKeyStatus(status: .success, netKeyIndex: .primary).encoded] }
        peer.answerDelay = .milliseconds(20)
        try peer.request(inquiry(.addNetKey(.primary)))
        peer.run(for: .seconds(1))
        #expect(peer.answers.count == 1)
        peer.hears = false
        let start = peer.now.microseconds / 1_000
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(2))
        #expect(peer.transmissionTimes.suffix(2).map { $0 - start } == [0, 1_750])
    }

    @Test("Segments are sent six times before the request as a whole is sent again")
    func segmentTransmissions() throws {
        let peer = try ProxyPeer()
        peer.hears = false
        try peer.request(inquiry(.addNetKey(.primary)))
        peer.run(for: .seconds(4))
        #expect(peer.networkPDUs == 12)
        #expect(peer.transmissionTimes.count == 1)
    }

    @Test("A late status about something else is not taken for the answer")
    func lateStatus() throws {
        let peer = try ProxyPeer()
        let (first, second) = try (required(AppKeyIndex(rawValue: 1)), required(AppKeyIndex(rawValue: 2)))
        let model = ModelAddress(element: 0, model: House.onOffServer)
        try peer.request(inquiry(.bind(model, second)))
        func status(_ index: AppKeyIndex, _ element: UInt16, _ code: ConfigStatusCode = .success) throws -> [UInt8] {
            try ConfigModelAppStatus(
                status: code,
                elementAddress: unicast(element),
                appKeyIndex: index,
                model: House.onOffServer
            ).encoded
        }
        try peer.say(status(first, node))
        try peer.say(status(second, node + 1))
        #expect(peer.answers == [])
        try peer.say(status(second, node, .invalidAppKeyIndex))
        #expect(peer.answers == [.refused(.invalidAppKeyIndex)])
        try peer.say(status(second, node))
        #expect(peer.answers.count == 1, "an answer is taken once")
    }

    @Test("A status with another value may be a late one; it counts only if nothing better comes")
    func contradiction() throws {
        let peer = try ProxyPeer()
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.say(ttlStatus(4))
        #expect(peer.answers == [])
        peer.say(ttlStatus(7))
        #expect(peer.answers == [.holds(.setDefaultTTL(7))])

        try peer.request(inquiry(.setDefaultTTL(9)))
        peer.say(ttlStatus(4))
        peer.run(for: .seconds(31))
        #expect(peer.answers.last == .differs("a default TTL of 4"))
    }

    @Test("A status with another value that comes again after the next transmission is the truth")
    func repeatedContradiction() throws {
        let peer = try ProxyPeer()
        let status = ttlStatus(4)
        peer.answer = { _ in [status] }
        try peer.request(inquiry(.setDefaultTTL(9)))
        peer.run(for: .milliseconds(200))
        #expect(peer.answers == [])
        peer.run(for: .seconds(9))
        #expect(peer.answers == [.differs("a default TTL of 4")])
        #expect(peer.transmissionTimes.count == 2)
    }

    @Test("A message for us under another key or from another element is no answer")
    func otherSource() throws {
        let peer = try ProxyPeer()
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.say([0x82, 0x04, 0x01])
        peer.say([])
        #expect(peer.answers == [])
        #expect(peer.client.outstandingCount == 1)
    }

    @Test("While segments are under way nothing is sent again, and a status ends them")
    func segmentedRequest() throws {
        let peer = try ProxyPeer()
        peer.hears = false
        try peer.request(inquiry(.addNetKey(.primary)))
        peer.run(for: .milliseconds(600))
        #expect(peer.transmissionTimes.count == 1)
        let segments = peer.networkPDUs
        #expect(segments >= 4, "two segments, sent again by the lower transport layer")
        peer.say(ConfigNetKeyStatus(status: .success, netKeyIndex: .primary).encoded)
        #expect(peer.answers == [.holds(.addNetKey(.primary))])
        let after = peer.networkPDUs
        peer.run(for: .seconds(5))
        #expect(peer.networkPDUs == after, "no segment goes out after the status")
    }

    @Test("A lost link is opened again, its filter set, and what is outstanding sent again")
    func reconnect() throws {
        let peer = try ProxyPeer()
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(1))
        peer.dropLink()
        peer.answer = { _ in [ConfigDefaultTTLStatus(ttl: 7).encoded] }
        peer.run(for: .seconds(2))
        #expect(
            peer.log.suffix(7) == [
                "1000 down: out of range", "1500 open", "1500 filter type", "1500 filter addresses [\"0x0001\"]",
                "1500 up", "1500 sent 2", "1600 answered",
            ]
        )
    }

    @Test("Time without a link does not count against a request")
    func deadlineWithoutLink() throws {
        var policy = LinkPolicy()
        policy.maximumAttempts = 20
        let peer = try ProxyPeer(link: policy)
        try peer.request(inquiry(.setDefaultTTL(7)))
        peer.run(for: .seconds(10))
        peer.opensLinks = false
        peer.dropLink()
        peer.run(for: .seconds(60))
        #expect(!peer.log.contains { $0.hasSuffix("unanswered") })
        peer.opensLinks = true
        peer.run(for: .seconds(60))
        let up = try required(peer.log.last { $0.hasSuffix(" up") }.flatMap { Int($0.split(separator: " ")[0]) })
        #expect(peer.log.last == "\(up + 20_000) unanswered")
    }

    @Test("Shutting down closes the link and gives everything up")
    func shutDown() throws {
        let peer = try ProxyPeer()
        try peer.request(inquiry(.setDefaultTTL(7)))
        let outputs = peer.client.shutDown(at: peer.now)
        #expect(outputs.count == 1)
        #expect(peer.client.outstandingCount == 0)
        #expect(peer.client.nextDeadline == nil)
    }
}
