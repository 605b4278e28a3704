package import MeshCore
import TLS

/// The other end of ``SocketBearer``: listens, and exchanges frames with any number of clients.
///
/// One thread drives the server, either by ``wait(atMost:watching:)`` or, if it waits for more than the server, by
/// ``watched``, ``nextDeadline`` and ``advance(_:)``. The server drops a client that breaks the rules of the frames,
/// does not read, or falls silent, and tells it why. The other clients do not notice.
///
/// Each client uses a bounded amount of memory: at most ``ByteStream/outgoingLimit`` and one frame.
package final class FrameServer {
    /// The state of one connection.
    struct Connection {
        var frames: FrameConnection
        let peer: String
        /// When it was accepted. Without a hello in time it is dropped.
        let since: Instant
        /// Whether this side has connected, because a hub asked for it. The certificate is then the hub's.
        var isDialled = false
        /// The fingerprint of the client's own certificate; nil if it has none, or comes through a hub.
        var fingerprint: [UInt8]? { isDialled ? nil : frames.peerFingerprint }
        /// Nil before its hello.
        var keepalive: Keepalive?
        /// Whether the server does not read it at present.
        var isPaused = false
        var isScanning = false
        var links: Set<LinkIdentifier> = []
        /// All link numbers below this are used up.
        var nextLink: UInt64 = 0
    }

    /// Where the server listens; has the port that the system chose if the request was for port 0. Nil if it serves
    /// dialled connections only.
    package let address: SocketAddress?
    let settings: Settings
    let security: ConnectionSecurity?
    let clock: BearerClock
    private let wakeUp: Int32?
    private var listener: Descriptor?
    private var isOpen = true
    /// Accepts the next connection that waits; tests replace the system call.
    var acceptNext: (Descriptor) throws(SystemError) -> Descriptor? = acceptStream
    /// How long to accept nobody after the system has failed to accept.
    var acceptPause = Duration.seconds(1)
    /// When to accept again after such a failure; nil if there was none.
    var acceptAt: Instant?
    /// When to check next whether a client has been denied.
    var nextReview = Instant.zero
    var clients: [Client: Connection] = [:]
    /// Those of which nobody knows yet who they are.
    var strangers = StrangerBudget<Client>(most: FrameServer.maximumStrangers)
    /// What was denied at the first use in this turn: reading it takes a moment in which nobody else is served.
    var denied: Result<Set<[UInt8]>, BearerError>?
    /// With how many connections TLS has begun in this turn.
    var securings = 0
    var farewells = Farewells()
    /// By certificate, or by connection without certificates, so that connecting again does not refill an allowance.
    var allowances = ConnectAllowances()
    var nextClient: UInt32 = 0
    var pending: [Event] = []
    /// The most octets to read from one client before the others have their turn.
    var buffer = [UInt8](repeating: 0, count: 8 * 1024)

    /// Starts to listen. A Unix socket gets mode 0600.
    ///
    /// - Parameters:
    ///   - address: where; nil to serve only connections that a ``HubDialler`` makes.
    ///   - settings: the limits of clients.
    ///   - security: authenticates clients; without it the server serves everybody who can connect.
    ///   - clock: the process's clock.
    ///   - wakeUp: the reading end of a pipe; octets in it end ``wait(atMost:watching:)`` early and are thrown away.
    /// - Throws: ``BearerError`` if the address is in use or may not be used.
    package init(
        listeningAt address: SocketAddress?,
        settings: Settings = Settings(),
        security: ConnectionSecurity? = nil,
        clock: BearerClock = BearerClock(),
        wakeUp: Int32? = nil
    ) throws(BearerError) {
        if let address {
            let (listener, bound) = try listenStream(at: address, backlog: 1_024)
            self.listener = listener
            self.address = bound
        } else {
            self.address = nil
        }
        self.security = security
        self.clock = clock
        self.wakeUp = wakeUp
        var settings = settings
        settings.maximumLinks = min(max(settings.maximumLinks, 1), 255)
        self.settings = settings
    }

    deinit {
        close()
    }

    /// Stops listening, drops all clients and removes the file of a Unix socket. A second call does nothing.
    ///
    /// - Parameter error: what to tell the clients, if anything.
    package func close(_ error: BearerError? = nil) {
        guard isOpen else { return }
        isOpen = false
        listener = nil
        if let error {
            for client in clients.keys.sorted() { _ = clients[client]?.frames.send(ServerFrame.end(error).encoded) }
        }
        for client in clients.keys.sorted() { clients[client]?.frames.close() }
        clients.removeAll()
        farewells = Farewells()
        if case .unix(let path)? = address { removeSocketFile(at: path) }
    }

    // MARK: Waiting

    /// The descriptors that the next wait is for.
    package var watched: [Watched] {
        guard isOpen else { return [] }
        var watched = clients.values.map { client in
            let frames = client.frames
            return Watched(number: frames.descriptor.number, reads: !client.isPaused, writes: frames.isWriting)
        }
        watched += farewells.watched
        if let listener { watched.append(Watched(number: listener.number, reads: acceptAt == nil, writes: false)) }
        return watched
    }

    /// When to call ``advance(_:)`` even if nothing is ready.
    package var nextDeadline: Instant? {
        guard pending.isEmpty else { return clock.now }
        var deadline = [farewells.nextDeadline, acceptAt].compactMap(\.self).min()
        for client in clients.values {
            let own = client.keepalive?.nextDeadline ?? client.since.advanced(by: settings.greetingTimeout)
            deadline = min(deadline ?? own, own)
        }
        return deadline
    }

    /// Reads and writes as much as possible and does what is due, without waiting.
    ///
    /// - Parameter ready: ``watched`` with the result of the wait; other descriptors in it are ignored.
    /// - Returns: what clients ask for, in order for each client.
    package func advance(_ ready: ArraySlice<Watched>) -> [Event] {
        guard isOpen else { return [] }
        if let acceptAt, acceptAt <= clock.now { self.acceptAt = nil }
        let states = Dictionary(ready.lazy.filter(\.isReady).map { ($0.number, $0) }) { first, _ in first }
        if !states.isEmpty {
            (denied, securings) = (nil, 0)
            // Strangers come last, and the newest of them first: in a flood the others have mostly given up.
            let known = clients.keys.filter { !strangers.contains($0) }.sorted()
            let unknown = clients.keys.filter { strangers.contains($0) }.sorted(by: >)
            for client in known + unknown {
                guard let number = clients[client]?.frames.descriptor.number, let state = states[number] else {
                    continue
                }
                serve(client, state)
            }
            if let listener, states[listener.number] != nil { acceptClients(from: listener) }
        }
        farewells.advance(states, at: clock.now, into: &buffer)
        keepTime()
        defer { pending.removeAll() }
        return pending
    }

    /// Waits until a client asks for something, at most for `duration`.
    ///
    /// - Parameter descriptors: end the wait early while one of them is readable.
    /// - Returns: what clients ask for, in order for each client; empty when the time is over or a signal arrived.
    package func wait(
        atMost duration: Duration,
        watching descriptors: [Int32] = []
    ) throws(BearerError) -> [Event] {
        guard isOpen else { return [] }
        var polled = watched
        for descriptor in descriptors { polled.append(Watched(number: descriptor, writes: false)) }
        if let wakeUp { polled.append(Watched(number: wakeUp, writes: false)) }
        let now = clock.now
        let end = now.advanced(by: duration)
        do {
            let wait = now.duration(to: min(end, nextDeadline ?? end))
            _ = try waitForAny(of: &polled, milliseconds: wait.pollMilliseconds)
        } catch {
            let place = address.map { " at \($0)" } ?? ""
            throw BearerError("cannot wait\(place): \(error.text)")
        }
        if let wakeUp, polled.last?.isReadable == true { drain(wakeUp) }
        return advance(polled[...])
    }

    // MARK: What clients are told

    /// Tells a client that a link is open and takes packets of at most so many octets, up to 512. Does nothing if the
    /// link was closed.
    ///
    /// - Parameter times: how long the stages took, if known.
    package func opened(_ link: ClientLink, maximumPacketSize: Int, _ times: GATTTimes? = nil) {
        tell(.opened(link.link, maximumPacketSize: maximumPacketSize, times), on: link)
    }

    /// Sends a packet of 1...512 octets on a link. Does nothing if the link was closed.
    package func send(_ packet: [UInt8], on link: ClientLink) {
        guard (1...Frame.maximumPacketSize).contains(packet.count) else {
            let allowed = "1 to \(Frame.maximumPacketSize) are allowed"
            close(link, BearerError("cannot send a packet of \(packet.count) octets: \(allowed)"))
            return
        }
        tell(.packet(link.link, packet), on: link)
    }

    /// Tells a client that a link has ended or failed. Does nothing if the link was closed.
    package func close(_ link: ClientLink, _ error: BearerError) {
        tell(.closed(link.link, error), on: link)
        clients[link.client]?.links.remove(link.link)
    }

    /// Tells a client what was heard. Leaves it out if the client does not scan or reads slowly.
    package func heard(_ advertisement: Advertisement, by client: Client) {
        guard clients[client]?.isScanning == true else { return }
        tell(.heard(advertisement), client, canBeMissed: true)
    }

    /// Stops reading a client while its packets wait for the radio, or starts again. A client that is not read may be
    /// silent.
    package func pause(_ client: Client, _ isPaused: Bool) {
        guard clients[client]?.isPaused == !isPaused else { return }
        clients[client]?.isPaused = isPaused
        clients[client]?.keepalive?.heard(at: clock.now)
    }

    /// Tells a client why, and drops it. The next ``advance(_:)`` returns its events.
    package func drop(_ client: Client, _ error: BearerError) {
        guard var frames = clients[client]?.frames else { return }
        _ = frames.send(ServerFrame.end(error).encoded)
        farewells.bid(frames, most: settings.maximumClients, at: clock.now)
        remove(client, reason: error.message)
    }

    /// Drops a client without a working TLS connection, and tells it why if it can read that.
    func turnAway(_ client: Client, _ end: FrameConnection.End) {
        guard var frames = clients[client]?.frames else { return }
        let error = BearerError(
            "this gateway accepts only TLS connections",
            hint: "Reach it by \(command: .reach("gateway://HOST:PORT")), with a file of its pairing."
        )
        if !frames.isSecured { _ = frames.send(ServerFrame.end(error).encoded) }
        farewells.bid(frames, most: settings.maximumClients, at: clock.now)
        remove(client, reason: end.message)
    }

    private func tell(_ frame: ServerFrame, on link: ClientLink) {
        guard clients[link.client]?.links.contains(link.link) == true else { return }
        tell(frame, link.client)
    }

    /// Sends a frame to a client, and removes a client that cannot be sent to.
    func tell(_ frame: ServerFrame, _ client: Client, canBeMissed: Bool = false) {
        guard let end = clients[client]?.frames.send(frame.encoded, canBeMissed: canBeMissed) else {
            clients[client]?.keepalive?.sent(at: clock.now)
            return
        }
        remove(client, reason: end)
    }

    /// Removes a client, and reports what ends with it.
    func remove(_ client: Client, reason: String) {
        guard let connection = clients.removeValue(forKey: client) else { return }
        strangers.remove(client)
        guard connection.keepalive != nil else {
            pending.append(.turnedAway(peer: connection.peer, reason: reason))
            return
        }
        for link in connection.links.sorted() { pending.append(.closed(ClientLink(client: client, link: link))) }
        if connection.isScanning { pending.append(.scan(client, false)) }
        pending.append(.left(client, reason: reason))
    }
}

/// Decides who may connect and who may stay.
extension FrameServer {
    /// The most connections without a hello; one more makes the server drop one of them.
    package static let maximumStrangers = 128
    /// The most connections to accept in a turn. Without the limit, a client that keeps connecting would take the turn
    /// of all others.
    static let acceptLimit = 64
    /// The most connections with which to begin TLS in a turn, which costs as much as all else.
    static let securingLimit = 16

    /// Accepts the connections that wait, up to a limit per turn.
    func acceptClients(from listener: Descriptor) {
        for _ in 0..<Self.acceptLimit {
            do throws(SystemError) {
                guard let accepted = try acceptNext(listener) else { return }
                let stream = FrameConnection(ByteStream(accepted))
                add(
                    Connection(frames: stream, peer: peerName(of: accepted), since: clock.now),
                    from: Origin(of: accepted)
                )
            } catch {
                // For example, too many files are open. The waiting connection stays and would end every wait at once.
                acceptAt = clock.now.advanced(by: acceptPause)
                return
            }
        }
    }

    /// Serves a connection that this side has made as if it had been accepted.
    func adopt(_ carried: HubDialler.Carried) {
        let peer = "\(carried.peer) through the hub"
        add(
            Connection(frames: carried.frames, peer: peer, since: clock.now, isDialled: true),
            from: Origin(octets: [])
        )
    }

    private func add(_ connection: Connection, from origin: Origin) {
        let client = Client(rawValue: nextClient)
        nextClient &+= 1
        clients[client] = connection
        // Nothing is said to it: that would take longer than it costs to come again.
        if let displaced = strangers.admit(client, from: origin) {
            remove(displaced, reason: "too many connections have not said hello")
        }
    }

    /// Begins TLS with a connection that has sent its first octets, so that silence costs next to nothing.
    ///
    /// - Returns: whether it can be read from now on.
    func secure(_ client: Client) -> Bool {
        guard let security, let connection = clients[client], !connection.isDialled, !connection.frames.isSecuring
        else { return true }
        guard securings < Self.securingLimit else { return false }
        securings += 1
        do throws(BearerError) {
            let list = denied ?? deniedNow
            denied = list
            clients[client]?.frames.secure(try security.session(denied: try list.get()))
            return true
        } catch {
            remove(client, reason: error.message)
            return false
        }
    }

    /// How many clients have said hello.
    package var clientCount: Int { clients.values.count { $0.keepalive != nil } }

    /// The denied fingerprints at present.
    private var deniedNow: Result<Set<[UInt8]>, BearerError> {
        do throws(BearerError) {
            return .success(try security?.denied() ?? [])
        } catch {
            return .failure(error)
        }
    }

    /// Drops clients that were denied after they connected.
    func reviewDenied(at now: Instant) {
        guard let security, !clients.isEmpty, nextReview <= now else { return }
        nextReview = now.advanced(by: settings.reviewInterval)
        // While the list cannot be read, nobody new may connect, and connected clients stay.
        guard let denied = try? security.denied(), !denied.isEmpty else { return }
        for client in clients.keys.sorted() {
            guard let fingerprint = clients[client]?.fingerprint, denied.contains(fingerprint) else {
                continue
            }
            drop(
                client,
                BearerError("the certificate is denied", hint: "Ask the gateway's operator for another file.")
            )
        }
    }
}

/// The clients of a server, their requests and their limits.
extension FrameServer {
    /// Identifies a client; never reused during a server's life.
    package struct Client: RawRepresentable, Hashable, Comparable, Sendable {
        /// Counts up from 0.
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Clients in the order in which they connected.
        package static func < (left: Client, right: Client) -> Bool { left.rawValue < right.rawValue }
    }

    /// A link of a client, by the client's own number.
    package struct ClientLink: Hashable, Sendable {
        package let client: Client
        /// The client's number for the link.
        package let link: LinkIdentifier

        package init(client: Client, link: LinkIdentifier) {
            self.client = client
            self.link = link
        }
    }

    /// What clients ask for, and how they come and go.
    package enum Event: Hashable, Sendable {
        /// A client has said hello. `peer` is its name for people; the fingerprint is its certificate's, if it has one.
        case came(Client, peer: String, fingerprint: [UInt8]?)
        /// Begin to connect. The owner answers with ``opened(_:maximumPacketSize:_:)`` or ``close(_:_:)``.
        case connect(ClientLink, LinkTarget)
        /// Write a packet to Data In. It may arrive before the link is open.
        case received(ClientLink, [UInt8])
        /// Close a link, or stop connecting. It is also sent for each link of a client that is gone.
        case closed(ClientLink)
        /// Begin to report what advertises, or stop. A client that is gone has stopped.
        case scan(Client, Bool)
        /// A client is gone or was dropped; follows the events of its links.
        case left(Client, reason: String)
        /// A connection did not become a client.
        case turnedAway(peer: String, reason: String)
    }

    /// The limits of clients.
    package struct Settings: Sendable {
        /// The most clients at once; further ones are told so and dropped.
        package var maximumClients = 16
        /// The most links of a client at once, 1...255. Connections with the same certificate count as one client.
        package var maximumLinks = 4
        package var canScan = true
        /// How long a client may take to say hello.
        package var greetingTimeout = Duration.seconds(10)
        /// The longest time without a frame to a client, up to 65 s.
        package var silence = Duration.seconds(5)
        /// How often to check whether a connected client has been denied.
        package var reviewInterval = Duration.seconds(5)

        /// The default limits.
        package init() {}
    }
}
