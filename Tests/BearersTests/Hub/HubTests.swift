import MeshCore
import TLS
import TestSupport
import Testing

@testable import Bearers

private func link(_ number: UInt32) -> LinkIdentifier { LinkIdentifier(rawValue: number) }

@Suite("A hub and the gateways that dial it")
struct HubTests {
    @Test("a client uses the gateway that it names, as if it had connected to it, and the hub tells who is there")
    func reach() throws {
        let bench = try HubBench()
        let (basement, roof) = (try bench.connected("basement"), try bench.connected("roof"))
        let client = try bench.greeted(by: "basement")
        let target = LinkTarget.proxy(AdvertiserIdentifier(rawValue: [4]))
        let opened = try client.connect(to: target)
        try bench.until { basement.bearer.calls.contains(.connect(link(0), target)) }
        basement.bearer.events = [.opened(link(0), maximumPacketSize: 66), .received(link(0), [9, 8])]
        try bench.until { bench.events.count == 2 }
        #expect(bench.events == [.opened(opened, maximumPacketSize: 66), .received(opened, [9, 8])])
        try client.send([1, 2, 3], on: opened)
        try bench.until { basement.bearer.calls.contains(.send([1, 2, 3], link(0))) }
        #expect(!roof.bearer.calls.contains { if case .connect = $0 { true } else { false } })

        // The load comes within a second after it has changed.
        try bench.until { bench.hub?.entries.first?.load.links == 1 }
        let entries = try #require(bench.hub).entries
        #expect(entries.map(\.name.text) == ["basement", "roof"])
        #expect(entries.map(\.load) == [HubLoad(clients: 1, links: 1, maximumLinks: 2), HubLoad(maximumLinks: 2)])
        #expect(entries.map(\.throughHub) == [1, 0] && entries.allSatisfy { $0.program == "0.1.0" })
        #expect(entries.allSatisfy { $0.since == HubPairing.now && $0.peer == "a local process" })
        let asked = try bench.raw(bench.clientAddress)
        try asked.send(.list)
        try bench.until { asked.isOver }
        #expect(asked.replies == entries.map { .gateway($0) } + [.listed(since: HubPairing.now, program: "0.1.0")])

        let came = basement.told.compactMap {
            if case .came(_, let peer, let print) = $0 { (peer, print) } else { nil }
        }
        #expect(came.map(\.0) == ["a local process through the hub"] && came.allSatisfy { $0.1 == nil })
    }

    @Test("each client through a hub has the links of a client, although all of them come with one certificate")
    func clientsOfOneHub() throws {
        let bench = try HubBench()
        let basement = try bench.connected("basement")
        let (first, second) = (try bench.greeted(by: "basement"), try bench.greeted(by: "basement"))
        _ = try first.connect(to: .anyProxy)
        _ = try second.connect(to: .anyProxy)
        try bench.until { basement.bearer.calls.count { if case .connect = $0 { true } else { false } } == 2 }
        #expect(bench.hub?.entries.first?.throughHub == 2)
    }

    @Test("a name that is not there is told to the client, with the names that are")
    func unknown() throws {
        let bench = try HubBench()
        _ = try bench.client(of: "attic")
        let none = try #require(try bench.failure())
        #expect(none.message == "hub://attic refuses the connection: no gateway attic is connected to the hub")
        #expect(none.hint?.text == "None is connected.")
        _ = try bench.connected("roof")
        _ = try bench.client(of: "attic")
        #expect(try bench.failure()?.hint?.text == "Connected are: roof.")
        #expect(
            bench.told.contains(
                .unreached("attic", client: "a local process", reason: "no gateway attic is connected to the hub")
            )
        )
    }

    // MARK: Who may have a name

    @Test("a name that is taken is refused to others, also with another certificate of that name")
    func taken() throws {
        let bench = try HubBench()
        let first = try bench.connected("basement")
        let second = try bench.gateway("basement")
        try bench.until { second.losses.count >= 2 }
        #expect(
            second.losses[0].message
                == "the hub refuses the connection: a gateway basement is connected already, from a local process"
        )
        #expect(first.welcomes == 1 && first.losses.isEmpty)
    }

    @Test("a gateway has the name in its certificate, and no other")
    func foreignName() throws {
        let bench = try HubBench()
        let impostor = try bench.gateway("roof", bench.pairing.identity(.client, "basement"))
        try bench.until { !impostor.losses.isEmpty }
        #expect(
            impostor.losses[0].message
                == "the hub refuses the connection: the certificate is that of “basement”, which cannot announce itself as roof"
        )
        #expect(bench.hub?.entries.isEmpty == true && bench.told.count == 1)
    }

    @Test("whoever has no certificate of the pairing, or one that is denied, gets nothing, and is told why")
    func strangers() throws {
        let bench = try HubBench()
        let stranger = try bench.gateway("basement", HubPairing().identity(.client, "basement"))
        try bench.until { !stranger.losses.isEmpty && !bench.refusals.isEmpty }
        let told = stranger.losses[0]
        #expect(told.message.contains("the hub shows") || told.message.contains("the certificate “office” of the hub"))
        #expect(told.message.contains("another pairing"), "\(told.message)")
        #expect(told.hint?.contains("a client's file of the same pairing") == true)
        bench.gateways = []

        let identity = try bench.pairing.identity(.client, "roof")
        bench.denied = [identity.certificate.fingerprint]
        let denied = try bench.gateway("roof", identity)
        try bench.until { denied.losses.contains { $0.message.contains("denies our certificate “roof”") } }
        #expect(bench.hub?.entries.isEmpty == true)
        let plain = try bench.raw(bench.gatewayAddress)
        plain.send([UInt8]("GET / HTTP/1.1\r\n\r\n".utf8))
        try bench.until { plain.isOver }
        #expect(plain.reason == "this hub accepts only TLS connections of gateways")
        #expect(bench.refusals.contains("the gateway does not speak TLS"), "\(bench.refusals)")
    }

    @Test("a gateway that is denied while it is connected is dropped, with what it carries")
    func deniedLater() throws {
        let bench = try HubBench { $0.reviewInterval = .milliseconds(1) }
        let identity = try bench.pairing.identity(.client, "basement")
        let basement = try bench.connected("basement", identity)
        let roof = try bench.connected("roof")
        _ = try bench.greeted(by: "basement")
        bench.denied = [identity.certificate.fingerprint]
        #expect(try bench.failure() != nil)
        try bench.until { !basement.losses.isEmpty && bench.partings.count == 1 }
        #expect(basement.losses[0].message == "the hub has ended the connection: the certificate is denied")
        #expect(bench.hub?.entries.map(\.name.text) == ["roof"] && roof.losses.isEmpty)
    }

    @Test("sides of other versions are told which one the hub speaks")
    func versions() throws {
        let bench = try HubBench()
        let security = try bench.pairing.security(bench.pairing.identity(.client, "basement"))
        let gateway = try bench.raw(bench.gatewayAddress, security)
        try gateway.send(.otherVersion(7))
        let client = try bench.raw(bench.clientAddress)
        try client.send(.otherVersion(7))
        try bench.until { gateway.isOver && client.isOver }
        let message = "the other side speaks version 7 of the hub's protocol; this hub speaks version 1"
        #expect(gateway.replies == [.refused(version: 1)] && client.reason == message)
        #expect(bench.refusals == [message, message])
    }

    @Test("what is said at the wrong address, or out of turn, ends the connection with a reason")
    func wrongRequests() throws {
        let bench = try HubBench()
        let name = try #require(HubName("basement"))
        let security = try bench.pairing.security(bench.pairing.identity(.client, "basement"))
        let gateways: [(HubRequest, String)] = [
            (.reach(name), "clients come to another address of the hub"),
            (.list, "clients come to another address of the hub"),
            (.load(HubLoad()), "the other side did not say first what it is"),
            (.carry(HubCall(rawValue: 0)), "nobody waits for that call"),
        ]
        let clients: [(HubRequest, String)] = [
            (.announce(name, program: "", silence: 1), "gateways come to another address of the hub"),
            (.carry(HubCall(rawValue: 0)), "gateways come to another address of the hub"),
            (.load(HubLoad()), "the other side did not say first what it is"),
        ]
        let peers =
            try gateways.map { (try bench.raw(bench.gatewayAddress, security), $0) }
            + clients.map { (try bench.raw(bench.clientAddress), $0) }
        for (peer, (request, _)) in peers { try peer.send(request) }
        try bench.until { peers.allSatisfy(\.0.isOver) }
        for (peer, (request, reason)) in peers { #expect(peer.reason == reason, "\(request)") }
        #expect(bench.refusals.count == peers.count && bench.hub?.entries.isEmpty == true)
    }

    @Test("a gateway cannot take a client that another one was called for")
    func foreignCall() throws {
        let bench = try HubBench { $0.callTimeout = .seconds(60) }
        let name = try #require(HubName("basement"))
        let security = try bench.pairing.security(bench.pairing.identity(.client, "basement"))
        let quiet = try bench.raw(bench.gatewayAddress, security)
        try quiet.send(.announce(name, program: "", silence: .max))
        try bench.until { bench.hub?.entries.count == 1 }
        _ = try bench.client(of: "basement")
        try bench.until { !quiet.calls.isEmpty }
        let other = try bench.pairing.security(bench.pairing.identity(.client, "roof"))
        let thief = try bench.raw(bench.gatewayAddress, other)
        try thief.send(.carry(quiet.calls[0]))
        try bench.until { thief.isOver }
        #expect(thief.reason == "nobody waits for that call")
        let right = try bench.raw(bench.gatewayAddress, security)
        try right.send(.carry(quiet.calls[0]))
        try bench.until { bench.told.contains { if case .joined = $0 { true } else { false } } }
    }
}
