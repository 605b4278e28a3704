import MeshCore
import TLS
import Testing

@testable import Bearers

@Suite("A hub in trouble")
struct HubTroubleTests {
    @Test("gateways are back after a hub was restarted, and clients can use them again")
    func restart() throws {
        let bench = try HubBench()
        let gateways = try ["a", "b", "c"].map { try bench.connected($0) }
        bench.stop(BearerError("the hub was stopped"))
        try bench.until { gateways.allSatisfy { $0.losses.count >= 3 } }
        #expect(gateways[0].losses[0].message == "the hub has ended the connection: the hub was stopped")
        #expect(gateways[0].losses[1].message.hasPrefix("cannot connect to the hub at unix:"))
        try bench.start()
        try bench.until { gateways.allSatisfy { $0.welcomes == 2 } }
        let client = try bench.greeted(by: "b")
        #expect(client.isReady && bench.hub?.entries.count == 3)
    }

    @Test("a gateway that is killed leaves at once, and its clients are told; it can come back")
    func killed() throws {
        let bench = try HubBench()
        _ = try bench.connected("roof")
        let other = try bench.greeted(by: "roof")
        _ = try bench.connected("basement")
        _ = try bench.greeted(by: "basement")
        bench.gateways.removeLast()
        let error = try #require(try bench.failure())
        #expect(error.message == "the connection to hub://basement is lost: the other side closed the connection")
        try bench.until { !bench.departures.isEmpty && !bench.partings.isEmpty }
        #expect(bench.departures == ["the other side closed the connection"])
        #expect(bench.partings == ["the gateway has ended: the other side closed the connection"])
        #expect(other.isReady && bench.hub?.entries.map(\.name.text) == ["roof"])
        _ = try bench.connected("basement")
    }

    @Test("a client that is gone in the middle leaves its gateway; others stay")
    func clientGone() throws {
        let bench = try HubBench()
        let basement = try bench.connected("basement")
        let stays = try bench.greeted(by: "basement")
        _ = try bench.greeted(by: "basement").connect(to: .anyProxy)
        try bench.until { basement.bearer.calls.contains { if case .connect = $0 { true } else { false } } }
        bench.clients.removeLast()
        try bench.until { basement.told.contains { if case .left = $0 { true } else { false } } }
        #expect(basement.bearer.calls.contains(.close(LinkIdentifier(rawValue: 0))))
        try bench.until { bench.hub?.entries.first?.throughHub == 1 }
        #expect(stays.isReady && bench.partings == ["the other side closed the connection"])
    }

    @Test("a client that leaves while its gateway is called leaves nothing behind")
    func goneWhileWaiting() throws {
        let bench = try HubBench { $0.callTimeout = .seconds(60) }
        let (gateway, _) = try quietGateway(bench)
        var client: RawPeer? = try bench.raw(bench.clientAddress)
        try client?.send(.reach(#require(HubName("quiet"))))
        try bench.until { bench.hub?.entries.first?.throughHub == 1 }
        client = nil
        try bench.until { bench.hub?.entries.first?.throughHub == 0 }
        #expect(bench.hub?.calls.isEmpty == true && bench.hub?.clientCount == 0)
        withExtendedLifetime(gateway) {}
    }

    /// A gateway that has announced itself and answers no call.
    private func quietGateway(_ bench: HubBench) throws -> (RawPeer, ConnectionSecurity) {
        let security = try bench.pairing.security(bench.pairing.identity(.client, "quiet"))
        let gateway = try bench.raw(bench.gatewayAddress, security)
        try gateway.send(.announce(#require(HubName("quiet")), program: "", silence: .max))
        try bench.until { bench.hub?.entries.contains { $0.name.text == "quiet" } == true }
        return (gateway, security)
    }

    @Test("a gateway that does not answer a call is told to the client in time")
    func stalledCall() throws {
        let bench = try HubBench { $0.callTimeout = .milliseconds(20) }
        let (gateway, _) = try quietGateway(bench)
        _ = try bench.client(of: "quiet")
        let error = try #require(try bench.failure())
        #expect(error.message.hasSuffix("the gateway quiet does not answer the hub within 20 ms"), "\(error.message)")
        #expect(bench.hub?.entries.first?.throughHub == 0)
        withExtendedLifetime(gateway) {}
    }

    @Test("a gateway that reads nothing stops its flooding client, fills no memory, and harms no other")
    func stalledGateway() throws {
        let bench = try HubBench()
        let roof = try bench.connected("roof")
        let other = try bench.greeted(by: "roof")
        let (quiet, security) = try quietGateway(bench)
        let flooding = try bench.raw(bench.clientAddress)
        try flooding.send(.reach(#require(HubName("quiet"))))
        try bench.until { !quiet.calls.isEmpty }
        let stalled = try bench.raw(bench.gatewayAddress, security)
        try stalled.send(.carry(quiet.calls[0]))
        try bench.until {
            bench.told.contains { if case .joined(_, let name, _) = $0 { name.text == "quiet" } else { false } }
        }
        stalled.isStalled = true
        // As much as the sockets and the hub take; then nothing moves any more.
        let piece = [UInt8](repeating: 7, count: 60 * 1024)
        var last = -1
        var sent = 0
        try bench.until {
            if flooding.waiting < 64 * 1024 {
                flooding.send(piece)
                sent += piece.count
            }
            defer { last = sent }
            let held = try #require(bench.hub).peers.map(\.stream.waiting).max() ?? 0
            #expect(held <= HubServer.passageLimit + 20 * 1024)
            return sent == last && held > HubServer.passageLimit / 2
        }
        // Another client is served meanwhile.
        let link = try other.connect(to: .anyProxy)
        try bench.until { roof.bearer.calls.contains(.connect(LinkIdentifier(rawValue: 0), .anyProxy)) }
        roof.bearer.events = [.opened(LinkIdentifier(rawValue: 0), maximumPacketSize: 66)]
        try bench.until { bench.events == [.opened(link, maximumPacketSize: 66)] }
        #expect(!flooding.isOver)
        withExtendedLifetime(stalled) {}
    }

    @Test("whoever connects and says nothing is dropped in time, and many of them make room for one another only")
    func silentStrangers() throws {
        let bench = try HubBench {
            $0.maximumStrangers = 8
            $0.greetingTimeout = .milliseconds(100)
        }
        let basement = try bench.connected("basement")
        let crowd = try (0..<32).map { _ in try bench.raw(bench.gatewayAddress) }
        try bench.until { bench.refusals.count >= 24 }
        #expect(bench.refusals.prefix(24).allSatisfy { $0 == "too many connections have not said what they are" })
        #expect(try #require(bench.hub).peers.count <= 8 + 1)
        try bench.until { bench.refusals.count >= 32 }
        #expect(bench.refusals.suffix(8).allSatisfy { $0 == "the other side did not say in time what it is" })
        #expect(basement.losses.isEmpty && bench.hub?.entries.count == 1)
        let client = try bench.greeted(by: "basement")
        #expect(client.isReady)
        withExtendedLifetime(crowd) {}
    }

    @Test("a silent gateway is given up, and one with its certificate takes its place as soon as it is overdue")
    func silentGateway() throws {
        let bench = try HubBench()
        let identity = try bench.pairing.identity(.client, "basement")
        let security = try bench.pairing.security(identity)
        let name = try #require(HubName("basement"))
        let dead = try bench.raw(bench.gatewayAddress, security)
        try dead.send(.announce(name, program: "", silence: 200))
        try bench.until { bench.hub?.entries.count == 1 }
        let back = try bench.gateway("basement", identity)
        try bench.until { back.welcomes == 1 }
        #expect(bench.departures == ["it has connected again"])
        let other = try bench.raw(
            bench.gatewayAddress,
            try bench.pairing.security(bench.pairing.identity(.client, "x"))
        )
        try other.send(.announce(try #require(HubName("x")), program: "", silence: 10))
        try bench.until { bench.departures.count == 2 }
        #expect(bench.departures.last == "the other side has not answered for 30 ms")
        withExtendedLifetime(dead) {}
    }

    @Test("there are only so many clients for a gateway, and only so many gateways")
    func limits() throws {
        let bench = try HubBench {
            $0.maximumClientsPerGateway = 1
            $0.maximumGateways = 1
        }
        _ = try bench.connected("basement")
        let first = try bench.greeted(by: "basement")
        _ = try bench.client(of: "basement")
        let error = try #require(try bench.failure())
        #expect(error.message.hasSuffix("1 clients use the gateway basement already"))
        let second = try bench.gateway("roof")
        try bench.until { !second.losses.isEmpty }
        #expect(second.losses[0].message.hasSuffix("1 gateways are connected already"))
        #expect(first.isReady)
    }

    @Test("a gateway that comes and goes without end is held up")
    func flapping() throws {
        let bench = try HubBench()
        let identity = try bench.pairing.identity(.client, "basement")
        let security = try bench.pairing.security(identity)
        let name = try #require(HubName("basement"))
        var refused = false
        for _ in 0..<ConnectAllowance.burst + 8 where !refused {
            var peer: RawPeer? = try bench.raw(bench.gatewayAddress, security)
            try peer?.send(.announce(name, program: "", silence: 5_000))
            try bench.until { peer?.replies.isEmpty == false }
            refused = peer?.reason == "the gateway basement connects too often"
            peer = nil
            try bench.until { bench.hub?.entries.isEmpty == true }
        }
        #expect(refused)
    }

    @Test("frames of a gateway that make no sense end its connection only")
    func nonsense() throws {
        let bench = try HubBench()
        let roof = try bench.connected("roof")
        let (gateway, _) = try quietGateway(bench)
        gateway.send([0, 1, 0x7F])
        try bench.until { gateway.isOver }
        #expect(gateway.reason == "the other side sent a frame of the unknown type 0x7f")
        #expect(bench.departures == ["the other side sent a frame of the unknown type 0x7f"])
        #expect(roof.losses.isEmpty)
    }
}
