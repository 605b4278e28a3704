package import MeshCore
import TLS

/// Keeps the connections of gateways that dial in from networks that nobody can dial into, and joins clients with them
/// by their names.
///
/// Gateways come to one address, secured: TLS on both sides, and a gateway has the name in its certificate. Clients
/// come to another address, which only this machine should be able to reach. For a client the hub calls the gateway
/// over the connection that it keeps. The gateway connects once more, and from then on the hub passes octets between
/// the two. It reads a socket only while the other one takes what arrives, so a side that floods or stalls fills no
/// memory and harms nobody else.
///
/// Whoever shows no certificate of the pairing gets no name. Such connections are few at a time, cost little, and have
/// a short time (``StrangerBudget``).
package final class HubServer {
    /// The limits of a hub.
    package struct Settings: Sendable {
        package var maximumGateways = 1_024
        package var maximumClients = 512
        package var maximumClientsPerGateway = 16
        /// The most connections of each side that have not said what they are; one more makes the hub drop one.
        package var maximumStrangers = 128
        /// How long a connection may take to say what it is, TLS included.
        package var greetingTimeout = Duration.seconds(10)
        /// How long a gateway may take to connect for a client.
        package var callTimeout = Duration.seconds(8)
        /// The longest time without a frame to a gateway, up to 65 s.
        package var silence = Duration.seconds(10)
        /// How often to check whether a connected gateway has been denied.
        package var reviewInterval = Duration.seconds(5)
        /// The hub's own version, for people.
        package var program = ""

        package init() {}
    }

    /// What has happened, for the log.
    package enum Event: Hashable, Sendable {
        /// A gateway is there; the fingerprint is that of its certificate.
        case came(HubName, peer: String, program: String, fingerprint: [UInt8]?)
        case left(HubName, reason: String)
        /// A connection became nothing.
        case turnedAway(peer: String, reason: String)
        case joined(HubCall, HubName, client: String)
        /// A client and a gateway are separate again; the octets from the client and to it.
        case parted(HubCall, HubName, reason: String, sent: Int, received: Int)
        /// A client was not joined with the gateway that it asked for.
        case unreached(String, client: String, reason: String)
    }

    /// The most octets of one side that wait for the other.
    static let passageLimit = 32 * 1024
    /// The most connections to accept in a turn.
    static let acceptLimit = 64
    /// The most connections with which to begin TLS in a turn, which costs as much as all else.
    static let securingLimit = 16
    /// The most connections that are over and still get their last octets; further ones are closed at once.
    static let maximumFarewells = 32
    /// How often to look at the clock: deadlines are late by so much at most.
    static let tick = Duration.milliseconds(250)
    /// How long a connection that is over may take to read its last octets.
    static let patience = Duration.seconds(2)
    /// How long to accept nobody after the system has failed to accept.
    static let acceptPause = Duration.seconds(1)

    /// Where gateways come to; has the port that the system chose if the request was for port 0.
    package let gatewayAddress: SocketAddress
    package let clientAddress: SocketAddress
    let settings: Settings
    let security: ConnectionSecurity
    let clock: BearerClock
    let tell: (Event) -> Void
    private let wakeUp: Int32?
    /// Answers questions about the hub in the same wait; nil for nobody.
    private let metrics: MetricsServer?
    /// What it has passed on and refused so far.
    package internal(set) var traffic = HubTraffic()
    private var listeners: (gateways: Descriptor, clients: Descriptor)?
    private var acceptAt: Instant?
    /// Those of which nobody knows yet what they are, by the address to which they came.
    var strangers: (gateways: StrangerBudget<ObjectIdentifier>, clients: StrangerBudget<ObjectIdentifier>)
    /// What was denied at the first use in this turn: reading it takes a moment in which nobody else is served.
    var denied: Result<Set<[UInt8]>, BearerError>?
    /// With how many connections TLS has begun in this turn.
    var securings = 0
    /// How many connections are over and get their last octets.
    var farewells = 0
    let began: Timestamp
    /// All connections, in the order of their coming.
    var peers: [HubPeer] = []
    var gateways: [HubName: HubPeer] = [:]
    /// The clients that wait for their gateways.
    var calls: [HubCall: HubPeer] = [:]
    /// How many clients wait or are joined.
    package internal(set) var clientCount = 0
    var nextCall: UInt64 = 0
    var nextReview = Instant.zero
    private var nextTick = Instant.zero
    /// Whether a connection is gone that is still in ``peers``.
    var hasGone = false
    /// Keeps a gateway from filling the log by coming and going.
    var allowances = ConnectAllowances(memory: 4_096)
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// Starts to listen. Unix sockets get mode 0600.
    ///
    /// - Parameters:
    ///   - gatewayAddress: where gateways come to.
    ///   - clientAddress: where clients come to, without any certificate.
    ///   - security: authenticates gateways; its role is that of a server.
    ///   - metrics: answers questions about the hub; it must use the same clock.
    ///   - wakeUp: the reading end of a pipe; octets in it end a turn early and are thrown away.
    ///   - tell: called with each event.
    /// - Throws: ``BearerError`` if an address is in use or may not be used.
    package init(
        gatewaysAt gatewayAddress: SocketAddress,
        clientsAt clientAddress: SocketAddress,
        settings: Settings = Settings(),
        security: ConnectionSecurity,
        clock: BearerClock = BearerClock(),
        metrics: MetricsServer? = nil,
        wakeUp: Int32? = nil,
        tell: @escaping (Event) -> Void = { _ in }
    ) throws(BearerError) {
        // All gateways may come at once.
        let (gateways, boundToGateways) = try listenStream(at: gatewayAddress, backlog: 1_024)
        let (clients, boundToClients) = try listenStream(at: clientAddress, backlog: 128)
        listeners = (gateways, clients)
        self.gatewayAddress = boundToGateways
        self.clientAddress = boundToClients
        self.settings = settings
        strangers = (.init(most: settings.maximumStrangers), .init(most: settings.maximumStrangers))
        self.security = security
        self.clock = clock
        self.metrics = metrics
        self.wakeUp = wakeUp
        self.tell = tell
        began = security.now()
    }

    deinit { close() }

    /// The gateways that are there, by name.
    package var entries: [HubEntry] {
        gateways.keys.sorted().compactMap { name in
            guard let peer = gateways[name], case .gateway(let presence) = peer.state else { return nil }
            return HubEntry(
                name: name,
                peer: peer.name,
                since: presence.since,
                program: presence.program,
                throughHub: UInt16(clamping: presence.clients),
                load: presence.load
            )
        }
    }

    /// Waits once, at most until `deadline`, and passes on what has arrived.
    package func turn(until deadline: Instant) throws(BearerError) {
        guard let listeners else { return }
        let accepts = acceptAt == nil
        let round = peers
        var polled: [Watched] = []
        polled.reserveCapacity(round.count + 3)
        for peer in round { polled.append(peer.watched) }
        polled.append(Watched(number: listeners.gateways.number, reads: accepts, writes: false))
        polled.append(Watched(number: listeners.clients.number, reads: accepts, writes: false))
        let served = polled.count
        polled += metrics?.watched ?? []
        let asked = polled.count
        if let wakeUp { polled.append(Watched(number: wakeUp, writes: false)) }
        do {
            let wait = clock.now.duration(to: min(deadline, nextTick, metrics?.nextDeadline ?? deadline))
            _ = try waitForAny(of: &polled, milliseconds: wait.pollMilliseconds)
        } catch {
            throw BearerError("cannot wait at \(gatewayAddress): \(error.text)")
        }
        if let wakeUp, polled.last?.isReadable == true { drain(wakeUp) }
        (denied, securings) = (nil, 0)
        // Strangers come last, and the newest of them first: in a flood the others have mostly given up.
        let ready = round.indices.filter { polled[$0].isReady }
        for index in ready where !round[index].isStranger { serve(round[index], polled[index]) }
        for index in ready.reversed() where round[index].isStranger {
            serve(round[index], polled[index])
            review(round[index])
        }
        metrics?.advance(polled[served..<asked])
        if polled[round.count].isReadable { accept(from: listeners.gateways, isGateway: true) }
        if polled[round.count + 1].isReadable { accept(from: listeners.clients, isGateway: false) }
        let now = clock.now
        if nextTick <= now {
            nextTick = now.advanced(by: Self.tick)
            if let acceptAt, acceptAt <= now { self.acceptAt = nil }
            keepTime(at: now)
        }
        if hasGone {
            hasGone = false
            peers.removeAll(where: \.isGone)
        }
    }

    /// Stops listening, tells everybody why and drops all connections. A second call does nothing.
    package func close(_ error: BearerError? = nil) {
        guard listeners != nil else { return }
        listeners = nil
        for peer in peers {
            switch peer.state {
            case .gateway, .waiting:
                if let error { _ = say(.end(error), to: peer) }
            default: break
            }
            peer.stream.close()
            peer.state = .gone
        }
        peers = []
        gateways = [:]
        calls = [:]
        for address in [gatewayAddress, clientAddress] {
            if case .unix(let path) = address { removeSocketFile(at: path) }
        }
    }

    // MARK: Strangers

    /// Accepts the connections that wait, up to a limit. Without it, somebody who keeps connecting would take the turn
    /// of all others.
    private func accept(from listener: Descriptor, isGateway: Bool) {
        for _ in 0..<Self.acceptLimit {
            let accepted: Descriptor
            do throws(SystemError) {
                guard let next = try acceptStream(from: listener) else { return }
                accepted = next
            } catch {
                // For example, too many files are open. The waiting connection stays and would end every wait at once.
                acceptAt = clock.now.advanced(by: Self.acceptPause)
                return
            }
            let peer = HubPeer(accepted, isGateway: isGateway, name: peerName(of: accepted), at: clock.now)
            peers.append(peer)
            admit(peer, from: Origin(of: accepted))
        }
    }

    private func admit(_ peer: HubPeer, from origin: Origin) {
        let member = ObjectIdentifier(peer)
        let displaced =
            peer.isGateway
            ? strangers.gateways.admit(member, from: origin) : strangers.clients.admit(member, from: origin)
        guard let displaced, let other = peers.first(where: { ObjectIdentifier($0) == displaced }) else { return }
        traffic.floods += 1
        drop(other, "too many connections have not said what they are")
    }

    /// Frees the place of a stranger that is none any more, or has proved that the pairing is its own.
    private func review(_ peer: HubPeer) {
        if !peer.isStranger || peer.stream.peerFingerprint != nil {
            forget(stranger: peer)
        } else if peer.isSecuring, peer.isGateway {
            strangers.gateways.hasSpoken(ObjectIdentifier(peer))
        }
    }

    /// Frees the place of a stranger.
    func forget(stranger peer: HubPeer) {
        strangers.gateways.remove(ObjectIdentifier(peer))
        strangers.clients.remove(ObjectIdentifier(peer))
    }
}
