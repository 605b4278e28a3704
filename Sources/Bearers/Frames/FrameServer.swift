package import MeshCore
internal import TLS

/// The other end of ``SocketBearer``: listens, and speaks frames with any number of clients.
///
/// One thread drives the server, by ``wait(atMost:watching:)`` or, where it waits for more, by ``watched``,
/// ``nextDeadline`` and ``advance(_:)``. A client that breaks the rules of the frames, does not read what it is sent or
/// falls silent is told so and dropped; the others do not notice.
///
/// What clients can take of the memory is bounded: each has at most ``FrameConnection/outgoingLimit`` and one frame.
package final class FrameServer {
    /// What is known of one connection.
    struct Connection {
        var frames: FrameConnection
        let peer: String
        /// When it came; without a hello it is dropped in time.
        let since: Instant
        /// The address without the port.
        var host: Substring { peer.prefix(upTo: peer.lastIndex(of: ":") ?? peer.endIndex) }
        /// Since its hello.
        var heartbeat: Heartbeat?
        /// Whether it is not read at present.
        var isPaused = false
        var isScanning = false
        var links: Set<LinkIdentifier> = []
        /// Link numbers below are used up.
        var nextLink: UInt64 = 0
    }

    /// Where the server listens, with the port that the system chose if 0 was asked for.
    package let address: SocketAddress
    let settings: Settings
    let security: ConnectionSecurity?
    let clock: BearerClock
    private let wakeUp: Int32?
    private var listener: Descriptor?
    /// Takes the next who waits at the listening socket; tests put in what the system would do.
    var acceptNext: (Descriptor) throws(SystemError) -> Descriptor? = acceptStream
    /// How long nobody is taken after the system could not.
    var acceptPause = Duration.seconds(1)
    /// When somebody is taken again, if the system could not.
    var acceptAt: Instant?
    /// When it is looked next whether a client is denied meanwhile.
    var nextReview = Instant.zero
    var clients: [Client: Connection] = [:]
    var farewells = Farewells()
    /// By certificate, or by connection where there are none: to come again must not fill an allowance.
    var allowances = ConnectAllowances()
    var nextClient: UInt32 = 0
    var pending: [Event] = []
    /// What one client can say before the others get their turn.
    var buffer = [UInt8](repeating: 0, count: 8 * 1024)

    /// Starts to listen. A Unix socket gets mode 0600.
    ///
    /// - Parameters:
    ///   - address: where.
    ///   - settings: what clients may do.
    ///   - security: what clients are known by; without it whoever can connect is served.
    ///   - clock: the process's, from now on if not given.
    ///   - wakeUp: a pipe's reading end whose octets end ``wait(atMost:watching:)`` early and are thrown away.
    /// - Throws: ``BearerError`` if the address is in use or may not be used.
    package init(
        listeningAt address: SocketAddress,
        settings: Settings = Settings(),
        security: ConnectionSecurity? = nil,
        clock: BearerClock = BearerClock(),
        wakeUp: Int32? = nil
    ) throws(BearerError) {
        let (listener, bound) = try listenStream(at: address)
        self.listener = listener
        self.address = bound
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

    /// Stops to listen, drops all clients and removes the file of a Unix socket. Doing it twice does nothing.
    ///
    /// - Parameter error: what clients are told, if anything.
    package func close(_ error: BearerError? = nil) {
        guard listener != nil else { return }
        listener = nil
        if let error {
            for client in clients.keys.sorted() { _ = clients[client]?.frames.send(ServerFrame.end(error).encoded) }
        }
        for client in clients.keys.sorted() { clients[client]?.frames.close() }
        clients.removeAll()
        farewells = Farewells()
        if case .unix(let path) = address { removeSocketFile(at: path) }
    }

    // MARK: Waiting

    /// What is to be waited for at present.
    package var watched: [Watched] {
        guard let listener else { return [] }
        var watched = clients.values.map { client in
            let frames = client.frames
            return Watched(number: frames.descriptor.number, reads: !client.isPaused, writes: frames.isWriting)
        }
        watched += farewells.watched
        watched.append(Watched(number: listener.number, reads: acceptAt == nil, writes: false))
        return watched
    }

    /// When ``advance(_:)`` wants to be called though nothing is ready.
    package var nextDeadline: Instant? {
        guard pending.isEmpty else { return clock.now }
        var deadline = [farewells.nextDeadline, acceptAt].compactMap(\.self).min()
        for client in clients.values {
            let own = client.heartbeat?.nextDeadline ?? client.since.advanced(by: settings.greetingTimeout)
            deadline = min(deadline ?? own, own)
        }
        return deadline
    }

    /// Reads and writes what can be, and does what is due, without waiting.
    ///
    /// - Parameter ready: ``watched`` with what came of the wait; others among it are passed over.
    /// - Returns: what clients want, in order for each client.
    package func advance(_ ready: ArraySlice<Watched>) -> [Event] {
        guard let listener else { return [] }
        if let acceptAt, acceptAt <= clock.now { self.acceptAt = nil }
        let states = Dictionary(ready.lazy.filter(\.isReady).map { ($0.number, $0) }) { first, _ in first }
        if !states.isEmpty {
            for client in clients.keys.sorted() {
                guard let number = clients[client]?.frames.descriptor.number, let state = states[number] else {
                    continue
                }
                serve(client, state)
            }
            if states[listener.number] != nil { acceptClients(from: listener) }
        }
        farewells.advance(states, at: clock.now, into: &buffer)
        keepTime()
        defer { pending.removeAll() }
        return pending
    }

    /// Waits until a client wants something, at most `duration`.
    ///
    /// - Parameter descriptors: end the wait early as long as there is something to read on one of them.
    /// - Returns: what they want, in order for each client; empty after the time or when a signal arrived.
    /// - Throws: ``BearerError`` if the system cannot wait.
    package func wait(
        atMost duration: Duration,
        watching descriptors: [Int32] = []
    ) throws(BearerError) -> [Event] {
        guard listener != nil else { return [] }
        var polled = watched
        for descriptor in descriptors { polled.append(Watched(number: descriptor, writes: false)) }
        if let wakeUp { polled.append(Watched(number: wakeUp, writes: false)) }
        let now = clock.now
        let end = now.advanced(by: duration)
        do {
            let wait = now.duration(to: min(end, nextDeadline ?? end))
            _ = try waitForAny(of: &polled, milliseconds: wait.pollMilliseconds)
        } catch {
            throw BearerError("cannot wait at \(address): \(error.text)")
        }
        if let wakeUp, polled.last?.isReadable == true { drain(wakeUp) }
        return advance(polled[...])
    }

    // MARK: What clients are told

    /// A link is open and takes packets of at most so many octets, 512 at most; nothing happens if it was closed.
    ///
    /// - Parameter times: how long that took, if it is known.
    package func opened(_ link: ClientLink, maximumPacketSize: Int, _ times: GATTTimes? = nil) {
        tell(.opened(link.link, maximumPacketSize: maximumPacketSize, times), on: link)
    }

    /// Sends a packet of 1...512 octets on a link; nothing happens if it was closed.
    package func send(_ packet: [UInt8], on link: ClientLink) {
        guard (1...Frame.maximumPacketSize).contains(packet.count) else {
            close(link, BearerError("a packet of \(packet.count) octets cannot be sent"))
            return
        }
        tell(.packet(link.link, packet), on: link)
    }

    /// A link is gone, or did not come about; nothing happens if it was closed.
    package func close(_ link: ClientLink, _ error: BearerError) {
        tell(.closed(link.link, error), on: link)
        clients[link.client]?.links.remove(link.link)
    }

    /// Something that advertises was heard; left out if the client does not scan or reads slowly.
    package func heard(_ advertisement: Advertisement, by client: Client) {
        guard clients[client]?.isScanning == true else { return }
        tell(.heard(advertisement), client, canBeMissed: true)
    }

    /// Does not read what a client says until told otherwise, while what it has sent waits for the radio; a client that
    /// is not read is not expected to say anything.
    package func pause(_ client: Client, _ isPaused: Bool) {
        guard clients[client]?.isPaused == !isPaused else { return }
        clients[client]?.isPaused = isPaused
        clients[client]?.heartbeat?.heard(at: clock.now)
    }

    /// Tells a client why and drops it; its events come with the next ``advance(_:)``.
    package func drop(_ client: Client, _ error: BearerError) {
        guard var frames = clients[client]?.frames else { return }
        _ = frames.send(ServerFrame.end(error).encoded)
        farewells.bid(frames, most: settings.maximumClients, at: clock.now)
        remove(client, reason: error.message)
    }

    /// Drops a client that there can be no secured connection with, and tells it why if it can hear that.
    func turnAway(_ client: Client, _ end: FrameConnection.End) {
        guard var frames = clients[client]?.frames else { return }
        let error = BearerError(
            "this gateway takes secured connections only",
            hint: "Reach it by --via gateway://HOST:PORT, with a file of its pairing."
        )
        if !frames.isSecured { _ = frames.send(ServerFrame.end(error).encoded) }
        farewells.bid(frames, most: settings.maximumClients, at: clock.now)
        remove(client, reason: end.message)
    }

    private func tell(_ frame: ServerFrame, on link: ClientLink) {
        guard clients[link.client]?.links.contains(link.link) == true else { return }
        tell(frame, link.client)
    }

    /// Sends a frame to a client, and forgets one that cannot be sent to.
    func tell(_ frame: ServerFrame, _ client: Client, canBeMissed: Bool = false) {
        guard let end = clients[client]?.frames.send(frame.encoded, canBeMissed: canBeMissed) else {
            clients[client]?.heartbeat?.sent(at: clock.now)
            return
        }
        remove(client, reason: end)
    }

    /// Forgets a client and tells what that ends.
    func remove(_ client: Client, reason: String) {
        guard let connection = clients.removeValue(forKey: client) else { return }
        guard connection.heartbeat != nil else {
            pending.append(.turnedAway(peer: connection.peer, reason: reason))
            return
        }
        for link in connection.links.sorted() { pending.append(.closed(ClientLink(client: client, link: link))) }
        if connection.isScanning { pending.append(.scan(client, false)) }
        pending.append(.left(client, reason: reason))
    }
}
