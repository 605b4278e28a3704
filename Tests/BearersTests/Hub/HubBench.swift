import Foundation
import MeshCore
import TLS
import Testing

@testable import Bearers

/// The pairing of a hub.
struct HubPairing {
    static let validity = CertificateAuthority.Validity(
        from: Timestamp(rawValue: 1_767_225_600),
        until: Timestamp(rawValue: 2_082_758_400)
    )
    static let now = Timestamp(rawValue: 1_795_000_000)
    let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority(name: "authority of office", validity: Self.validity) }

    func identity(_ role: TLSRole, _ name: String) throws -> TLSIdentity {
        try TLSIdentity(pem: authority.issue(role, name: name, validity: Self.validity))
    }

    func security(
        _ identity: TLSIdentity,
        denied: @escaping () throws(BearerError) -> Set<[UInt8]> = { [] }
    ) throws -> ConnectionSecurity {
        ConnectionSecurity(
            try TLSContext(identity, role: identity.role, parties: .gatewayAndHub),
            now: { Self.now },
            denied: denied
        )
    }
}

/// A hub, the gateways that dial it and the clients that come to it, all in one thread.
final class HubBench {
    /// A gateway over a fake bearer.
    final class Gateway {
        let bearer: FakeBearer
        let server: FrameServer
        fileprivate(set) var told: [GatewayRelay.Event] = []
        private var relay: GatewayRelay?

        init(_ settings: HubDialler.Settings, clock: BearerClock, chance: @escaping () -> Double) throws {
            bearer = FakeBearer(clock: clock, maximumLinks: 2)
            server = try FrameServer(listeningAt: nil, clock: clock)
            relay = GatewayRelay(
                server: server,
                bearer: bearer,
                dialler: HubDialler(settings, clock: clock, chance: chance),
                tell: { [unowned self] in told.append($0) }
            )
        }

        func turn(until deadline: Instant) throws { try relay?.turn(until: deadline) }

        /// What it has told about the hub.
        var hub: [HubDialler.Event] { told.compactMap { if case .hub(let event) = $0 { event } else { nil } } }

        /// Why it lost the hub, or did not get to it.
        var losses: [BearerError] { hub.compactMap { if case .lost(let error, _) = $0 { error } else { nil } } }

        /// How often the hub has taken it.
        var welcomes: Int { hub.count { if case .connected = $0 { true } else { false } } }
    }

    let clock = BearerClock()
    let pairing: HubPairing
    let gatewayAddress: SocketAddress
    let clientAddress: SocketAddress
    private(set) var hub: HubServer?
    private(set) var told: [HubServer.Event] = []
    var gateways: [Gateway] = []
    var clients: [SocketBearer] = []
    var denied: Set<[UInt8]> = []
    private let hubIdentity: TLSIdentity

    init(_ change: (inout HubServer.Settings) -> Void = { _ in }) throws {
        pairing = try HubPairing()
        hubIdentity = try pairing.identity(.server, "office")
        let name = "/tmp/meshplan-\(UInt32.random(in: 0...UInt32.max))"
        (gatewayAddress, clientAddress) = (.unix(path: name + ".g.sock"), .unix(path: name + ".c.sock"))
        try start(change)
    }

    deinit { hub?.close() }

    /// Starts a hub, after the one before was stopped.
    func start(_ change: (inout HubServer.Settings) -> Void = { _ in }) throws {
        var settings = HubServer.Settings()
        settings.program = "0.1.0"
        change(&settings)
        hub = try HubServer(
            gatewaysAt: gatewayAddress,
            clientsAt: clientAddress,
            settings: settings,
            security: try pairing.security(hubIdentity, denied: { [unowned self] in denied }),
            clock: clock,
            tell: { [unowned self] in told.append($0) }
        )
    }

    func stop(_ error: BearerError? = nil) {
        hub?.close(error)
        hub = nil
    }

    /// A gateway that dials the hub.
    @discardableResult
    func gateway(
        _ name: String,
        _ identity: TLSIdentity? = nil,
        change: (inout HubDialler.Settings) -> Void = { _ in }
    ) throws -> Gateway {
        var settings = HubDialler.Settings(
            address: gatewayAddress,
            name: try #require(HubName(name)),
            program: "0.1.0",
            security: try pairing.security(identity ?? pairing.identity(.client, name))
        )
        settings.shortestPause = .milliseconds(10)
        settings.longestPause = .milliseconds(40)
        change(&settings)
        let gateway = try Gateway(settings, clock: clock) { 0.5 }
        gateways.append(gateway)
        return gateway
    }

    /// A gateway that the hub knows.
    func connected(_ name: String, _ identity: TLSIdentity? = nil) throws -> Gateway {
        let gateway = try gateway(name, identity)
        try until { gateway.welcomes == 1 }
        return gateway
    }

    /// A client that begins to scan through a gateway.
    func client(of name: String, silence: Duration = .seconds(5)) throws -> SocketBearer {
        let gateway: HubName = try #require(HubName(name))
        let client = SocketBearer(
            address: clientAddress,
            name: "hub://\(name)",
            behindHub: gateway,
            silence: silence,
            isPatient: false,
            clock: clock
        )
        try client.scan(true)
        clients.append(client)
        return client
    }

    /// A client that the gateway has greeted.
    func greeted(by name: String) throws -> SocketBearer {
        let client = try client(of: name)
        try until { client.isReady }
        return client
    }

    /// Lets everybody go on once; the failures of clients.
    @discardableResult
    func turn() throws -> [BearerError] {
        try hub?.turn(until: clock.now.advanced(by: .milliseconds(1)))
        for gateway in gateways { try gateway.turn(until: clock.now) }
        for raw in raws { raw.peer?.read() }
        var errors: [BearerError] = []
        for client in clients {
            do throws(BearerError) {
                while let event = try client.next(until: clock.now) { events.append(event) }
            } catch {
                errors.append(error)
                clients.removeAll { $0 === client }
            }
        }
        return errors
    }

    /// A connection that does whatever a test wants, as long as the test keeps it.
    func raw(_ address: SocketAddress, _ security: ConnectionSecurity? = nil) throws -> RawPeer {
        let peer = try RawPeer(address, security, at: clock.now)
        raws.append(Raw(peer: peer))
        return peer
    }

    private struct Raw {
        weak var peer: RawPeer?
    }

    private var raws: [Raw] = []

    /// What clients were told.
    var events: [BearerEvent] = []

    /// Goes on until something is so, ten seconds at most.
    func until(_ place: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool) throws {
        let deadline = clock.now.advanced(by: .seconds(10))
        while clock.now < deadline {
            if try condition() { return }
            try turn()
        }
        Issue.record("it did not come about", sourceLocation: place)
    }

    /// Goes on until a client has failed.
    func failure(_ place: SourceLocation = #_sourceLocation) throws -> BearerError? {
        let deadline = clock.now.advanced(by: .seconds(10))
        while clock.now < deadline {
            if let error = try turn().first { return error }
        }
        Issue.record("no client has failed", sourceLocation: place)
        return nil
    }

    /// Why connections became nothing.
    var refusals: [String] { told.compactMap { if case .turnedAway(_, let reason) = $0 { reason } else { nil } } }

    /// Why gateways have left.
    var departures: [String] { told.compactMap { if case .left(_, let reason) = $0 { reason } else { nil } } }

    /// Why clients and gateways have parted.
    var partings: [String] { told.compactMap { if case .parted(_, _, let reason, _, _) = $0 { reason } else { nil } } }
}

/// One end of a connection to a hub that does whatever a test wants.
final class RawPeer {
    private var stream: ByteStream
    private var decoder = FrameDecoder()
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    private(set) var replies: [HubReply] = []
    /// Whether the hub has ended the connection.
    private(set) var isOver = false
    /// How many octets wait to be sent.
    var waiting: Int { stream.waiting }

    init(_ address: SocketAddress, _ security: ConnectionSecurity? = nil, at now: Instant) throws {
        let candidates = try candidates(for: address, passive: false)
        var dialling = Dialling(to: candidates, until: now.advanced(by: .seconds(10)))
        guard case .connected(let descriptor) = dialling.advance(isReady: false, at: now) else {
            throw BearerError("nobody listens")
        }
        stream = ByteStream(descriptor, session: try security?.session())
    }

    func send(_ request: HubRequest) throws { _ = stream.send(try Frame.encode(request.encoded)) }

    func send(_ octets: [UInt8]) { if stream.send(octets) != nil { isOver = true } }

    /// Whether it has ceased to read.
    var isStalled = false

    /// Reads what has arrived. What is no frame of a hub, such as what a client sends, is ignored.
    func read() {
        guard !isOver, !isStalled else { return }
        if stream.flush() != nil { isOver = true }
        let arrival = stream.receive(into: &buffer)
        decoder.append(arrival.octets)
        while let content = (try? decoder.next()) ?? nil {
            if let reply = try? HubReply(decoding: content) { replies.append(reply) }
        }
        if arrival.isOver || arrival.end != nil { isOver = true }
    }

    /// Why the hub has ended the connection.
    var reason: String? {
        replies.lazy.compactMap { if case .end(let error) = $0 { error.message } else { nil } }.first
    }

    /// The calls that have come.
    var calls: [HubCall] { replies.compactMap { if case .call(let call, _) = $0 { call } else { nil } } }
}
