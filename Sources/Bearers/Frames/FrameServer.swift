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
    private struct Connection {
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

    /// A connection that is over and still has to bring its last frame to the client: to close a socket that holds
    /// something unread would throw that away.
    private struct Farewell {
        var frames: FrameConnection
        let until: Instant

        static let patience = Duration.seconds(2)
    }

    /// Where the server listens, with the port that the system chose if 0 was asked for.
    package let address: SocketAddress
    private let settings: Settings
    private let security: ConnectionSecurity?
    private let clock: BearerClock
    private let wakeUp: Int32?
    private var listener: Descriptor?
    private var clients: [Client: Connection] = [:]
    private var farewells: [Farewell] = []
    /// By certificate, or by connection where there are none: to come again must not fill an allowance.
    private var allowances = ConnectAllowances()
    private var nextClient: UInt32 = 0
    private var pending: [Event] = []
    /// What one client can say before the others get their turn.
    private var buffer = [UInt8](repeating: 0, count: 8 * 1024)

    /// Connections that have not said hello yet; beyond so many one makes room.
    private static let maximumStrangers = 16
    /// So many are accepted before those who are served get their turn.
    private static let maximumNewcomers = 16
    /// When it is looked next whether a client is denied meanwhile.
    private var nextReview = Instant.zero

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
        farewells.removeAll()
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
        watched += farewells.map { Watched(number: $0.frames.descriptor.number, writes: $0.frames.isWriting) }
        watched.append(Watched(number: listener.number, writes: false))
        return watched
    }

    /// When ``advance(_:)`` wants to be called though nothing is ready.
    package var nextDeadline: Instant? {
        guard pending.isEmpty else { return clock.now }
        var deadline = farewells.map(\.until).min()
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
        sayFarewell(states)
        keepTime()
        defer { pending.removeAll() }
        return pending
    }

    /// Waits until a client wants something, at most `duration`.
    ///
    /// - Parameter descriptor: ends the wait early as long as there is something to read on it, if given.
    /// - Returns: what they want, in order for each client; empty after the time or when a signal arrived.
    /// - Throws: ``BearerError`` if the system cannot wait.
    package func wait(
        atMost duration: Duration,
        watching descriptor: Int32? = nil
    ) throws(BearerError) -> [Event] {
        guard listener != nil else { return [] }
        var polled = watched
        if let descriptor { polled.append(Watched(number: descriptor, writes: false)) }
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
    package func opened(_ link: ClientLink, maximumPacketSize: Int) {
        tell(.opened(link.link, maximumPacketSize: maximumPacketSize), on: link)
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
        bidFarewell(&frames)
        remove(client, reason: error.message)
    }

    /// Drops a client that there can be no secured connection with, and tells it why if it can hear that.
    private func turnAway(_ client: Client, _ end: FrameConnection.End) {
        guard var frames = clients[client]?.frames else { return }
        let error = BearerError(
            "this gateway takes secured connections only",
            hint: "Reach it by --via gateway://HOST:PORT, with a file of its pairing."
        )
        if !frames.isSecured { _ = frames.send(ServerFrame.end(error).encoded) }
        bidFarewell(&frames)
        remove(client, reason: end.message)
    }

    private func bidFarewell(_ frames: inout FrameConnection) {
        frames.close()
        if farewells.count >= settings.maximumClients { farewells.removeFirst() }
        if !frames.isWriting { frames.descriptor.endWriting() }
        farewells.append(Farewell(frames: frames, until: clock.now.advanced(by: Farewell.patience)))
    }

    private func sayFarewell(_ states: [Int32: Watched]) {
        let now = clock.now
        for index in farewells.indices.reversed() {
            var isOver = farewells[index].until <= now
            if let state = states[farewells[index].frames.descriptor.number] {
                if state.isWritable { isOver = isOver || farewells[index].frames.flush() != nil }
                if !farewells[index].frames.isWriting { farewells[index].frames.descriptor.endWriting() }
                if state.isReadable { isOver = isOver || farewells[index].frames.discard(into: &buffer) }
            }
            if isOver { farewells.remove(at: index) }
        }
    }

    private func tell(_ frame: ServerFrame, on link: ClientLink) {
        guard clients[link.client]?.links.contains(link.link) == true else { return }
        tell(frame, link.client)
    }

    private func tell(_ frame: ServerFrame, _ client: Client, canBeMissed: Bool = false) {
        guard let end = clients[client]?.frames.send(frame.encoded, canBeMissed: canBeMissed) else {
            clients[client]?.heartbeat?.sent(at: clock.now)
            return
        }
        remove(client, reason: end)
    }

    // MARK: What clients say

    private func serve(_ client: Client, _ state: Watched) {
        if state.isWritable, let end = clients[client]?.frames.flush() {
            remove(client, reason: end)
            return
        }
        guard state.isReadable, let outcome = clients[client]?.frames.receive(into: &buffer) else { return }
        if outcome.hasRead { clients[client]?.heartbeat?.heard(at: clock.now) }
        for content in outcome.contents {
            guard clients[client] != nil else { return }
            do throws(FrameError) {
                if let problem = handle(try ClientFrame(decoding: content), of: client) {
                    drop(client, BearerError(problem))
                }
            } catch {
                drop(client, BearerError("the other side sent \(error)"))
            }
        }
        guard let end = outcome.end, let connection = clients[client] else { return }
        if end.isSecurity, connection.heartbeat == nil {
            turnAway(client, end)
        } else if end.isViolation {
            drop(client, BearerError(end.message))
        } else {
            remove(client, reason: end.message)
        }
    }

    /// - Returns: what rule the frame breaks, nil if none.
    private func handle(_ frame: ClientFrame, of client: Client) -> String? {
        guard let connection = clients[client] else { return nil }
        guard connection.heartbeat != nil else { return greet(client, with: frame) }
        switch frame {
        case .hello, .otherVersion: return "the other side said hello twice"
        case .alive: break
        case .connect(let link, let target):
            guard UInt64(link.rawValue) >= connection.nextLink else {
                return "the other side used the link number \(link.rawValue) twice"
            }
            clients[client]?.nextLink = UInt64(link.rawValue) + 1
            guard linkCount(of: connection) < settings.maximumLinks else {
                let error = BearerError("all \(settings.maximumLinks) links of the client are in use")
                tell(.closed(link, error), client)
                return nil
            }
            guard allowances.take(connection.frames.peerName ?? "\(client.rawValue)", at: clock.now) else {
                let error = BearerError("the client connects too often", hint: "Wait a few seconds.")
                tell(.closed(link, error), client)
                return nil
            }
            clients[client]?.links.insert(link)
            pending.append(.connect(ClientLink(client: client, link: link), target))
        case .packet(let link, let packet):
            // A link that is not known was closed by us while the packet was on its way.
            guard connection.links.contains(link) else { return nil }
            pending.append(.received(ClientLink(client: client, link: link), packet))
        case .close(let link):
            guard clients[client]?.links.remove(link) != nil else { return nil }
            pending.append(.closed(ClientLink(client: client, link: link)))
        case .scan(let isOn):
            guard settings.canScan else { return "the other side scans, which is not possible here" }
            guard isOn != connection.isScanning else { return nil }
            clients[client]?.isScanning = isOn
            pending.append(.scan(client, isOn))
        }
        return nil
    }

    /// The links of whoever is at the other end, who may have come several times with one certificate.
    private func linkCount(of connection: Connection) -> Int {
        guard let fingerprint = connection.frames.peerFingerprint else { return connection.links.count }
        return clients.values.reduce(0) { sum, other in
            other.frames.peerFingerprint == fingerprint ? sum + other.links.count : sum
        }
    }

    private func greet(_ client: Client, with frame: ClientFrame) -> String? {
        let theirs: UInt16
        switch frame {
        case .hello(let silence): theirs = silence
        case .otherVersion(let version):
            guard var frames = clients[client]?.frames else { return nil }
            _ = frames.send(ServerFrame.refused(version: Frame.version).encoded)
            bidFarewell(&frames)
            remove(client, reason: "the client speaks version \(version) of the frames, we speak \(Frame.version)")
            return nil
        default: return "the other side did not say hello first"
        }
        guard clients.values.count(where: { $0.heartbeat != nil }) < settings.maximumClients else {
            let error = BearerError(
                settings.maximumClients == 1
                    ? "another client is served already" : "\(settings.maximumClients) clients are served already",
                hint: "Wait until another one has finished."
            )
            drop(client, error)
            return nil
        }
        clients[client]?.heartbeat = Heartbeat(
            interval: settings.silence,
            theirs: .milliseconds(Int(theirs)),
            at: clock.now
        )
        let peer = clients[client].map { [$0.frames.peerName, $0.peer].compactMap(\.self).joined(separator: " at ") }
        let fingerprint = clients[client]?.frames.peerFingerprint
        pending.append(.came(client, peer: peer ?? "", fingerprint: fingerprint))
        tell(
            .hello(
                silence: settings.silence.heartbeatMilliseconds,
                maximumLinks: UInt8(clamping: settings.maximumLinks),
                canScan: settings.canScan
            ),
            client
        )
        return nil
    }

    private func remove(_ client: Client, reason: String) {
        guard let connection = clients.removeValue(forKey: client) else { return }
        guard connection.heartbeat != nil else {
            pending.append(.turnedAway(peer: connection.peer, reason: reason))
            return
        }
        for link in connection.links.sorted() { pending.append(.closed(ClientLink(client: client, link: link))) }
        if connection.isScanning { pending.append(.scan(client, false)) }
        pending.append(.left(client, reason: reason))
    }

    /// Keeps connections alive and drops the clients that are silent.
    private func keepTime() {
        let now = clock.now
        reviewDenied(at: now)
        for client in clients.keys.sorted() {
            guard let connection = clients[client] else { continue }
            guard let heartbeat = connection.heartbeat else {
                if connection.since.advanced(by: settings.greetingTimeout) <= now {
                    drop(client, BearerError("the other side did not say hello in time"))
                }
                continue
            }
            if connection.isPaused { clients[client]?.heartbeat?.heard(at: now) }
            if heartbeat.isOtherSilent(at: now), !connection.isPaused {
                // This process may have been stopped meanwhile, and all of it lies in the system's buffer.
                serve(client, Watched(number: connection.frames.descriptor.number, isReadable: true))
                guard clients[client]?.heartbeat?.isOtherSilent(at: now) == true else { continue }
                drop(client, BearerError("the other side does not answer for \(heartbeat.patience.heartbeatText)"))
            } else if heartbeat.isBeatDue(at: now) {
                tell(.alive, client)
            }
        }
    }

    /// Drops clients that have been denied since they came.
    private func reviewDenied(at now: Instant) {
        guard let security, !clients.isEmpty, nextReview <= now else { return }
        nextReview = now.advanced(by: settings.reviewInterval)
        // While the list cannot be read nobody new is let in, and those who were let in before stay.
        guard let denied = try? security.denied(), !denied.isEmpty else { return }
        for client in clients.keys.sorted() {
            guard let fingerprint = clients[client]?.frames.peerFingerprint, denied.contains(fingerprint) else {
                continue
            }
            drop(
                client,
                BearerError("the certificate is denied", hint: "Ask whoever runs the gateway for another file.")
            )
        }
    }

    /// Who makes room for a newcomer: the oldest connection without a hello from the address with the most of them, so that
    /// whoever opens many pushes nobody else out.
    private var strangerToDrop: Client? {
        let strangers = clients.filter { $0.value.heartbeat == nil }
        guard strangers.count >= Self.maximumStrangers else { return nil }
        let byHost = Dictionary(grouping: strangers.keys) { strangers[$0]?.host }.values
        let most = byHost.map(\.count).max()
        return byHost.filter { $0.count == most }.compactMap { $0.min() }.min()
    }

    private func acceptClients(from listener: Descriptor) {
        for _ in 0..<Self.maximumNewcomers {
            // An error here (such as too many open files) concerns the newcomer; it may be better at the next wait.
            guard let accepted = try? acceptStream(from: listener) else { return }
            if let stranger = strangerToDrop { drop(stranger, BearerError("too many connections say nothing")) }
            let now = clock.now
            let session: TLSSession?
            do throws(BearerError) {
                session = try security?.session()
            } catch {
                pending.append(.turnedAway(peer: peerName(of: accepted), reason: error.message))
                continue
            }
            clients[Client(rawValue: nextClient)] = Connection(
                frames: FrameConnection(accepted, session: session),
                peer: peerName(of: accepted),
                since: now
            )
            nextClient &+= 1
        }
    }
}
