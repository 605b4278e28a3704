import Bearers
import MeshCore
import TLS
import Testing

private func link(_ number: UInt32) -> LinkIdentifier { LinkIdentifier(rawValue: number) }

/// A gateway over a fake bearer and its clients, all in one thread.
final class GatewayBench {
    let clock = BearerClock()
    let bearer: FakeBearer
    let server: FrameServer
    private(set) var told: [GatewayRelay.Event] = []
    /// Why there is no radio.
    var failure: BearerError?
    private var relay: GatewayRelay?

    init(
        links: Int = 2,
        maximumLinks: Int? = nil,
        security: ConnectionSecurity? = nil,
        address: SocketAddress = .unix(path: "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max)).sock"),
        change: (inout FrameServer.Settings) -> Void = { _ in }
    ) throws {
        bearer = FakeBearer(clock: clock, maximumLinks: links)
        var settings = FrameServer.Settings()
        settings.maximumLinks = links
        change(&settings)
        server = try FrameServer(listeningAt: address, settings: settings, security: security, clock: clock)
        relay = GatewayRelay(
            server: server,
            bearer: bearer,
            maximumLinks: maximumLinks,
            failure: { [unowned self] in failure },
            tell: { [unowned self] in told.append($0) }
        )
    }

    deinit {
        server.close()
    }

    func client(
        silence: Duration = .seconds(5),
        security: ConnectionSecurity? = nil,
        timeout: Duration = .seconds(10)
    ) -> SocketBearer {
        SocketBearer(
            address: server.address ?? .unix(path: "/nowhere"),
            name: "gateway",
            security: security,
            connectTimeout: timeout,
            silence: silence,
            isPatient: false,
            clock: clock
        )
    }

    /// A client that the gateway has greeted.
    func greetedClient(silence: Duration = .seconds(5)) throws -> SocketBearer {
        let client = client(silence: silence)
        try client.scan(true)
        try client.scan(false)
        try until { try turnClients([client]).isEmpty && client.isReady }
        return client
    }

    func turn() throws { try relay?.turn(until: clock.now.advanced(by: .milliseconds(1))) }

    /// Lets clients read; what they tell.
    func turnClients(_ clients: [SocketBearer]) throws -> [BearerEvent] {
        try turn()
        return try clients.flatMap { client in
            var events: [BearerEvent] = []
            while let event = try client.next(until: clock.now) { events.append(event) }
            return events
        }
    }

    /// Goes on until something is so, ten seconds at most.
    func until(_ condition: () throws -> Bool) throws {
        let deadline = clock.now.advanced(by: .seconds(10))
        while clock.now < deadline {
            if try condition() { return }
        }
        Issue.record("it did not come about")
    }

    /// So many events of clients.
    func events(_ clients: [SocketBearer], _ count: Int) throws -> [BearerEvent] {
        var all: [BearerEvent] = []
        try until {
            all += try turnClients(clients)
            return all.count >= count
        }
        return all
    }

    func stop() { relay?.close() }
}

@Suite("Gateway")
struct GatewayRelayTests {
    @Test("clients share the links; packets go to whose link it is, and none gets more than there are")
    func sharing() throws {
        let bench = try GatewayBench(links: 2)
        let (first, second) = (try bench.greetedClient(), try bench.greetedClient())
        let advertiser = AdvertiserIdentifier(rawValue: [4])
        let one = try first.connect(to: .proxy(advertiser))
        try bench.until { try bench.turnClients([first]).isEmpty && bench.bearer.calls.count >= 1 }
        let other = try second.connect(to: .anyProxy)
        try bench.until { try bench.turnClients([second]).isEmpty && bench.bearer.calls.count >= 2 }
        #expect(
            bench.bearer.calls == [.connect(link(0), .proxy(advertiser)), .connect(link(1), .anyProxy)]
        )
        let times = GATTTimes(
            wait: .milliseconds(5),
            connection: .milliseconds(4),
            mtuExchange: .milliseconds(3),
            discovery: .milliseconds(2),
            subscription: .milliseconds(1)
        )
        bench.bearer.events = [
            .opened(link(1), maximumPacketSize: 20), .opened(link(0), maximumPacketSize: 66, times),
            .received(link(1), [9]),
        ]
        #expect(try bench.events([first], 1) == [.opened(one, maximumPacketSize: 66, times)])
        let opened = FrameServer.ClientLink(client: FrameServer.Client(rawValue: 0), link: one)
        #expect(bench.told.contains(.opened(opened, .proxy(advertiser), times)))
        #expect(try bench.events([second], 2) == [.opened(other, maximumPacketSize: 20), .received(other, [9])])
        let surplus = try first.connect(to: .anyProxy)
        guard case .closed(surplus, let error)? = try bench.events([first], 1).first else {
            Issue.record("a third link came about")
            return
        }
        #expect(error.message == "all 2 links of the gateway are in use")
        try second.send([1, 2], on: other)
        try bench.until { try bench.turnClients([]).isEmpty && bench.bearer.calls.last == .send([1, 2], link(1)) }
        second.close(other)
        try bench.until { try bench.turnClients([]).isEmpty && bench.bearer.calls.last == .close(link(1)) }
        var carried = GatewayRelay.Carried()
        carried.sent = 1
        carried.received = 1
        #expect(
            bench.told.last
                == .closed(.init(client: FrameServer.Client(rawValue: 1), link: other), carried: carried)
        )
        let again = try first.connect(to: .anyProxy)
        try bench.until {
            try bench.turnClients([first]).isEmpty && bench.bearer.calls.last == .connect(link(2), .anyProxy)
        }
        bench.bearer.events = [.closed(link(2), BearerError("out of range", hint: "Go nearer."))]
        #expect(try bench.events([first], 1) == [.closed(again, BearerError("out of range", hint: "Go nearer."))])
    }

    @Test("a packet for a link that is not open yet goes nowhere and is not counted")
    func early() throws {
        let bench = try GatewayBench()
        let raw = try RawConnection(bench.server.address)
        for frame in [
            ClientFrame.hello(silence: 5_000), .connect(link(7), .anyProxy), .packet(link(7), [1]), .close(link(7)),
        ] { raw.send(try Frame.encode(frame.encoded)) }
        let closed = FrameServer.ClientLink(client: FrameServer.Client(rawValue: 0), link: link(7))
        try bench.until {
            try bench.turn()
            return bench.told.last == .closed(closed, carried: GatewayRelay.Carried())
        }
        #expect(bench.bearer.calls == [.connect(link(0), .anyProxy), .close(link(0))])
    }

    @Test("a client that vanishes loses its links at once, and its scan; the radio scans as long as anybody does")
    func vanished() throws {
        let bench = try GatewayBench()
        let first = try bench.greetedClient()
        bench.bearer.events = []
        try first.scan(true)
        try bench.until { try bench.turnClients([first]).isEmpty && bench.bearer.calls.last == .scan(true) }
        do {
            let second = try bench.greetedClient()
            try second.scan(true)
            _ = try second.connect(to: .anyProxy)
            try bench.until {
                try bench.turnClients([second]).isEmpty && bench.bearer.calls.last == .connect(link(0), .anyProxy)
            }
            let advertisement = Advertisement(
                advertiser: AdvertiserIdentifier(rawValue: [1]),
                content: .proxy(.networkID(1)),
                signal: nil
            )
            bench.bearer.events = [.heard(advertisement)]
            #expect(try bench.events([first, second], 2) == [.heard(advertisement), .heard(advertisement)])
        }
        try bench.until { try bench.turnClients([first]).isEmpty && bench.bearer.calls.last == .close(link(0)) }
        guard case .left(_, "the other side closed the connection")? = bench.told.last else {
            Issue.record("\(String(describing: bench.told.last))")
            return
        }
        try first.scan(false)
        try bench.until { try bench.turnClients([first]).isEmpty && bench.bearer.calls.last == .scan(false) }
        // A radio that cannot scan is asked again, and meanwhile the client is served.
        bench.bearer.scanFailure = BearerError("busy")
        try first.scan(true)
        try bench.until {
            try bench.turnClients([first]).isEmpty && bench.told.last == .cannotScan(BearerError("busy"))
        }
        _ = try first.connect(to: .anyProxy)
        try bench.until {
            try bench.turnClients([first]).isEmpty && bench.bearer.calls.last == .connect(link(1), .anyProxy)
        }
        // Where there is no radio at all, who waits to hear somebody is sent away with the reason.
        let other = try bench.greetedClient()
        bench.failure = BearerError("hci0 is gone", hint: "plug it in")
        try other.scan(true)
        try bench.until {
            try bench.turn()
            do throws(BearerError) {
                _ = try other.next(until: bench.clock.now)
                return false
            } catch {
                return error.message.contains("the gateway has no working radio: hci0 is gone")
            }
        }
        bench.failure = nil
        bench.stop()
    }

    @Test("a client whose packets wait for the radio is not read meanwhile; others are, and nothing is lost")
    func backPressure() throws {
        let bench = try GatewayBench()
        let (first, second) = (try bench.greetedClient(), try bench.greetedClient())
        let links = [try first.connect(to: .anyProxy), try second.connect(to: .anyProxy)]
        try bench.until { try bench.turnClients([first, second]).isEmpty && bench.bearer.calls.count >= 2 }
        bench.bearer.events = [.opened(link(0), maximumPacketSize: 66), .opened(link(1), maximumPacketSize: 66)]
        #expect(try bench.events([first, second], 2).count == 2)
        bench.bearer.waiting = [link(0): 9_000]
        try bench.turn()
        for number in 0..<100 { try first.send([UInt8(number)], on: links[0]) }
        try second.send([200], on: links[1])
        for _ in 0..<20 { _ = try bench.turnClients([first, second]) }
        #expect(bench.bearer.calls.last == .send([200], link(1)))
        bench.bearer.waiting = [:]
        try bench.until { try bench.turnClients([first]).isEmpty && bench.bearer.calls.last == .send([99], link(0)) }
        let sent = bench.bearer.calls.compactMap { call -> UInt8? in
            guard case .send(let packet, LinkIdentifier(rawValue: 0)) = call else { return nil }
            return packet[0]
        }
        #expect(sent == (0..<100).map(UInt8.init))
    }

    @Test("who says nothing for three times the silence it has promised is dropped, on either side; who does is kept")
    func heartbeats() throws {
        let bench = try GatewayBench { $0.silence = .milliseconds(50) }
        let kept = try bench.greetedClient(silence: .milliseconds(50))
        let stopped = try bench.greetedClient(silence: .milliseconds(50))
        _ = try stopped.connect(to: .anyProxy)
        let left = GatewayRelay.Event.left(
            FrameServer.Client(rawValue: 1),
            reason: "the other side has not answered for 150 ms"
        )
        try bench.until { try bench.turnClients([kept]).isEmpty && bench.told.contains(left) }
        #expect(bench.bearer.calls.last == .close(link(0)))
        // The stopped client goes on: it learns why.
        let failure = #expect(throws: BearerError.self) {
            while true { _ = try stopped.next(until: bench.clock.now.advanced(by: .seconds(10))) }
        }
        #expect(failure?.message == "gateway has ended the connection: the other side has not answered for 150 ms")
        // Nobody turns the gateway now.
        let silent = #expect(throws: BearerError.self) {
            while true { _ = try kept.next(until: bench.clock.now.advanced(by: .seconds(10))) }
        }
        #expect(silent?.message == "the connection to gateway is lost: the other side has not answered for 150 ms")
    }

    @Test("who connects again and again is held up, and keeps its other links")
    func connectingTooOften() throws {
        let bench = try GatewayBench()
        let client = try bench.greetedClient()
        _ = try client.connect(to: .anyProxy)
        var refused: BearerError?
        try bench.until {
            let link = try client.connect(to: .anyProxy)
            let events = try bench.turnClients([client])
            for case .closed(link, let error) in events { refused = error }
            client.close(link)
            return refused != nil
        }
        #expect(refused?.message == "the client connects too often")
        let connects = bench.bearer.calls.count { if case .connect = $0 { true } else { false } }
        #expect((32...40).contains(connects))
        #expect(!bench.bearer.calls.contains(.close(link(0))))
    }

    // MARK: TLS

    private struct Pairing {
        let authority: CertificateAuthority
        static let validity = CertificateAuthority.Validity(
            from: Timestamp(rawValue: 1_767_225_600),
            until: Timestamp(rawValue: 2_082_758_400)
        )

        init() throws { authority = try CertificateAuthority(name: "pairing", validity: Self.validity) }

        func security(_ role: TLSRole, _ name: String) throws -> ConnectionSecurity {
            let identity = try TLSIdentity(pem: authority.issue(role, name: name, validity: Self.validity))
            return ConnectionSecurity(try TLSContext(identity, role: role)) { Timestamp(rawValue: 1_795_000_000) }
        }
    }

    private func bench(_ security: ConnectionSecurity?) throws -> GatewayBench {
        try GatewayBench(security: security, address: .tcp(host: "127.0.0.1", port: 0))
    }

    /// What a client is told that cannot become one, and what the gateway tells.
    private func turnedAway(_ bench: GatewayBench, _ security: ConnectionSecurity?) throws -> (BearerError?, String?) {
        let client = bench.client(security: security)
        try client.scan(true)
        var failure: BearerError?
        try bench.until {
            do {
                _ = try bench.turnClients([client])
            } catch let error as BearerError { failure = error }
            guard case .turnedAway? = bench.told.last else { return false }
            return failure != nil
        }
        guard case .turnedAway(_, let reason)? = bench.told.last else { return (failure, nil) }
        return (failure, reason)
    }

    @Test("over TLS packets go both ways, and the gateway knows the client by its certificate")
    func secured() throws {
        let pairing = try Pairing()
        let bench = try bench(pairing.security(.server, "basement"))
        let client = bench.client(security: try pairing.security(.client, "ann"))
        let mine = try client.connect(to: .anyProxy)
        try bench.until { try bench.turnClients([client]).isEmpty && !bench.bearer.calls.isEmpty }
        guard case .came(_, let peer, _)? = bench.told.first else {
            Issue.record("nobody came")
            return
        }
        #expect(peer.hasPrefix("ann at 127.0.0.1:"))
        bench.bearer.events = [.opened(link(0), maximumPacketSize: 512)]
        #expect(try bench.events([client], 1) == [.opened(mine, maximumPacketSize: 512)])
        let packets = (1...300).map { [UInt8](repeating: UInt8($0 % 256), count: $0) }
        for packet in packets { try client.send(packet, on: mine) }
        try bench.until { try bench.turnClients([client]).isEmpty && bench.bearer.calls.count >= 301 }
        #expect(bench.bearer.calls.dropFirst() == packets.map { .send($0, link(0)) }[...])
        bench.bearer.events = packets.map { .received(link(0), $0) }
        #expect(try bench.events([client], 300) == packets.map { .received(mine, $0) })
    }

    @Test("who speaks TLS to a plain gateway, or plainly to a secured one, learns so, and so does the gateway")
    func mixed() throws {
        let pairing = try Pairing()
        let plain = try turnedAway(try bench(pairing.security(.server, "basement")), nil)
        #expect(plain.0?.message == "gateway refuses the connection: this gateway accepts only TLS connections")
        #expect(plain.1 == "the client does not speak TLS")
        let secured = try turnedAway(try bench(nil), try pairing.security(.client, "ann"))
        #expect(secured.0?.message == "gateway: the gateway does not speak TLS")
        #expect(secured.1 == "the other side sent the beginning of TLS, which this connection does not have")
    }

    @Test("a client of another pairing is turned away, and both sides say why")
    func foreignPairing() throws {
        let bench = try bench(try Pairing().security(.server, "basement"))
        let foreign = try turnedAway(bench, try Pairing().security(.client, "mallory"))
        #expect(foreign.0?.message.contains("is of another pairing") == true, "\(String(describing: foreign.0))")
        #expect(foreign.1?.isEmpty == false)
        // The gateway serves on.
        #expect(bench.bearer.calls.isEmpty)
    }
}
