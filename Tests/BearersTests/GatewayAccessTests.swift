import Bearers
import Foundation
import MeshCore
import TLS
import Testing

@Suite("Who gets to a gateway")
struct GatewayAccessTests {
    /// A pairing with a list of those who are denied that changes while the gateway runs.
    private final class Door {
        static let validity = CertificateAuthority.Validity(
            from: Timestamp(rawValue: 1_767_225_600),
            until: Timestamp(rawValue: 2_082_758_400)
        )
        let authority: CertificateAuthority
        var denied: Set<[UInt8]> = []
        var trouble: BearerError?

        init() throws { authority = try CertificateAuthority(name: "pairing", validity: Self.validity) }

        func identity(_ role: TLSRole, _ name: String) throws -> TLSIdentity {
            try TLSIdentity(pem: authority.issue(role, name: name, validity: Self.validity))
        }

        func gateway() throws -> ConnectionSecurity {
            ConnectionSecurity(
                try TLSContext(identity(.server, "basement"), role: .server),
                now: { Timestamp(rawValue: 1_795_000_000) },
                denied: { [unowned self] () throws(BearerError) in
                    if let trouble { throw trouble }
                    return denied
                }
            )
        }

        func client(_ identity: TLSIdentity) throws -> ConnectionSecurity {
            ConnectionSecurity(try TLSContext(identity, role: .client), now: { Timestamp(rawValue: 1_795_000_000) })
        }
    }

    private func bench(
        _ security: ConnectionSecurity?,
        _ change: (inout FrameServer.Settings) -> Void = { _ in }
    ) throws -> GatewayBench {
        try GatewayBench(security: security, address: .tcp(host: "127.0.0.1", port: 0), change: change)
    }

    private func greeted(_ bench: GatewayBench, _ security: ConnectionSecurity?) throws -> SocketBearer {
        let client = bench.client(security: security)
        try client.scan(true)
        try client.scan(false)
        try bench.until { try bench.turnClients([client]).isEmpty && client.isReady }
        return client
    }

    /// Turns until a client has failed and the gateway has told something of that sort.
    private func failure(
        _ bench: GatewayBench,
        _ client: SocketBearer,
        until isTold: (GatewayRelay.Event) -> Bool
    ) throws -> BearerError? {
        var failure: BearerError?
        try bench.until {
            do { _ = try bench.turnClients([client]) } catch let error as BearerError { failure = failure ?? error }
            return failure != nil && bench.told.contains(where: isTold)
        }
        return failure
    }

    @Test("whoever is denied while the gateway runs is dropped and not let in again; others stay")
    func denied() throws {
        let door = try Door()
        let (ann, bob) = (try door.identity(.client, "ann"), try door.identity(.client, "bob"))
        let bench = try bench(door.gateway()) { $0.reviewInterval = .milliseconds(1) }
        let first = try greeted(bench, door.client(ann))
        let second = try greeted(bench, door.client(bob))
        let came = bench.told.compactMap { if case .came(_, _, let fingerprint) = $0 { fingerprint } else { nil } }
        #expect(came == [ann.certificate.fingerprint, bob.certificate.fingerprint])

        door.denied = [ann.certificate.fingerprint]
        let dropped = try failure(bench, first) { if case .left = $0 { true } else { false } }
        #expect(dropped?.message.contains("the certificate is denied") == true, "\(dropped as Any)")
        let again = bench.client(security: try door.client(ann))
        try again.scan(true)
        let refused = try failure(bench, again) { if case .turnedAway = $0 { true } else { false } }
        #expect(refused?.message.contains("denies our certificate “ann”") == true, "\(refused as Any)")
        #expect(try bench.turnClients([second]).isEmpty && second.isReady)
    }

    @Test("who comes twice with one certificate has no more links than who comes once")
    func oneClient() throws {
        let door = try Door()
        let ann = try door.identity(.client, "ann")
        let bench = try bench(door.gateway()) { $0.maximumLinks = 1 }
        let first = try greeted(bench, door.client(ann))
        let second = try greeted(bench, door.client(ann))
        let other = try greeted(bench, door.client(door.identity(.client, "bob")))
        _ = try first.connect(to: .anyProxy)
        try bench.until { try bench.turnClients([first]).isEmpty && bench.bearer.calls.count == 1 }
        let surplus = try second.connect(to: .anyProxy)
        #expect(
            try bench.events([second], 1) == [.closed(surplus, BearerError("all 1 links of the client are in use"))]
        )
        _ = try other.connect(to: .anyProxy)
        try bench.until { try bench.turnClients([other]).isEmpty && bench.bearer.calls.count == 2 }
    }

    @Test("while the list of the denied cannot be read nobody new is let in, and the reason is told")
    func unreadable() throws {
        let door = try Door()
        let bench = try bench(door.gateway()) { $0.reviewInterval = .milliseconds(1) }
        let first = try greeted(bench, door.client(door.identity(.client, "ann")))
        door.trouble = BearerError("the list is gone")
        let bob = try door.client(door.identity(.client, "bob"))
        let second = bench.client(security: bob, timeout: .milliseconds(200))
        try second.scan(true)
        let refused = try failure(bench, second) { event in
            if case .turnedAway(_, "the list is gone") = event { true } else { false }
        }
        #expect(refused != nil)
        #expect(try bench.turnClients([first]).isEmpty && first.isReady)
    }

    @Test("a client whose connection is closed without a word before it was greeted tries again")
    func again() throws {
        let door = try Door()
        let bench = try bench(door.gateway())
        door.trouble = BearerError("nobody gets in")
        let client = bench.client(security: try door.client(door.identity(.client, "ann")))
        try client.scan(true)
        try bench.until {
            _ = try bench.turnClients([client])
            return bench.told.count { if case .turnedAway = $0 { true } else { false } } >= 2
        }
        door.trouble = nil
        try bench.until { try bench.turnClients([client]).isEmpty && client.isReady }
    }

    @Test("a farewell that comes together with the last frame is an end like any other")
    func farewell() throws {
        let door = try Door()
        let bench = try bench(door.gateway())
        var client: SocketBearer? = try greeted(bench, door.client(door.identity(.client, "ann")))
        // All three lie in the gateway's buffer when it reads: a frame, close_notify, and the end of the stream.
        try client?.scan(true)
        client = nil
        var reason: String?
        try bench.until {
            try bench.turn()
            if case .left(_, let told)? = bench.told.last(where: { if case .left = $0 { true } else { false } }) {
                reason = told
            }
            return reason != nil
        }
        #expect(reason == "the other side closed the connection")
    }

    @Test("whoever opens many connections and says nothing pushes nobody of another address out")
    func strangers() throws {
        let bench = try bench(nil) { $0.greetingTimeout = .seconds(60) }
        let quiet = try TCPConnection(from: "127.0.0.1", to: bench.server.address)
        try bench.turn()
        let crowd = try (0..<FrameServer.maximumStrangers + 16).map { _ in
            defer { try? bench.turn() }
            return try TCPConnection(from: "127.0.0.2", to: bench.server.address)
        }
        try bench.until {
            try bench.turn()
            return bench.told.count >= 9
        }
        let peers = bench.told.compactMap { if case .turnedAway(let peer, _) = $0 { peer } else { nil } }
        #expect(peers.count >= 9 && peers.allSatisfy { $0.hasPrefix("127.0.0.2:") }, "\(peers)")
        withExtendedLifetime((quiet, crowd)) {}
    }

    @Test("an interrupt ends connecting, and is no failure of the gateway")
    func interrupted() throws {
        let listener = try RawListener()
        listener.acceptInThread(sending: [])
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let bearer = SocketBearer(
            address: listener.address,
            name: "gateway://basement@pi",
            interruption: WaitInterruption(wakeUp: ends[0])
        )
        _ = write(ends[1], "x", 1)
        let error = #expect(throws: BearerError.self) { try bearer.scan(true) }
        #expect(error?.isInterruption == true)
        #expect(error?.message == "interrupted while connecting to gateway://basement@pi")
    }

    @Test("a host that is not known, and one that is full, are named as --via has them")
    func named() throws {
        let unknown = SocketBearer(
            address: .tcp(host: "a..b", port: 7447),
            name: "gateway://attic@a..b"
        )
        let error = #expect(throws: BearerError.self) { try unknown.scan(true) }
        #expect(error?.message.hasPrefix("cannot connect to gateway://attic@a..b: cannot find") == true)
        #expect(error?.hint?.isEmpty == false)
        let listener = try RawListener()
        listener.acceptInThread(sending: try Frame.encode(ServerFrame.end(BearerError("full up")).encoded))
        let full = SocketBearer(address: listener.address, name: "gateway://attic@pi")
        let refusal = #expect(throws: BearerError.self) { try full.scan(true) }
        #expect(refusal?.message == "gateway://attic@pi refuses the connection: full up")
    }

    @Test("several are deaf only once none of them is used")
    func composedDeafness() throws {
        let clock = BearerClock()
        let fakes = [FakeBearer(clock: clock), FakeBearer(clock: clock)]
        let parts = (0..<2).map { place in
            ComposedBearer.Part(name: ["basement", "roof"][place]) { () throws(BearerError) in fakes[place] }
        }
        let bearer = try ComposedBearer(parts, clock: clock, endurance: nil)
        #expect(bearer.deafness == nil)
        fakes[0].failure = BearerError("gone")
        try bearer.advance([])
        #expect(bearer.deafness == nil)
        fakes[1].failure = BearerError("gone")
        try bearer.advance([])
        #expect(bearer.deafness?.message == "basement: gone; roof: gone")
    }

    @Test("a bearer without a connection says why it hears nobody, and one that was never asked says nothing")
    func deafness() throws {
        let listener = try RawListener()
        let hello = ServerFrame.hello(silence: 5_000, maximumLinks: 4, canScan: true)
        listener.acceptInThread(
            sending: try Frame.encode(hello.encoded),
            then: try Frame.encode(ServerFrame.end(BearerError("stopped")).encoded)
        )
        let bearer = SocketBearer(address: listener.address, name: "gateway://attic@pi")
        #expect(bearer.deafness == nil)
        let link = try bearer.connect(to: .anyProxy)
        #expect(bearer.deafness == nil)
        var ending: BearerEvent?
        while ending == nil { ending = try bearer.next(until: bearer.now.advanced(by: .seconds(1))) }
        guard case .closed(link, let error)? = ending else {
            Issue.record("\(String(describing: ending))")
            return
        }
        #expect(bearer.deafness == error && error.message.contains("gateway://attic@pi"))
    }
}

/// A connection over TCP that says nothing, from an address of choice.
private final class TCPConnection {
    private let number: Int32

    init(from host: String, to address: SocketAddress?) throws {
        guard case .tcp(let server, let port)? = address else { throw BearerError("an address of TCP is needed") }
        #if canImport(Darwin)
        number = socket(AF_INET, SOCK_STREAM, 0)
        #else
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        let number = self.number
        func with(_ host: String, _ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        try #require(with(host, 0) { bind(number, $0, $1) } == 0)
        try #require(with(server, port) { connect(number, $0, $1) } == 0)
    }

    deinit { close(number) }
}
