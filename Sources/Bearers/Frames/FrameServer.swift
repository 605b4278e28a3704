package import MeshCore

/// The other end of ``SocketBearer``: listens, and speaks frames with any number of clients.
///
/// One thread drives the server by ``wait(atMost:)``. A client that breaks the rules of the frames, or does not read
/// what it is sent, is told so and dropped; the others do not notice.
package final class FrameServer {
    /// Names a client; never reused within a server's life.
    package struct Client: RawRepresentable, Hashable, Comparable, Sendable {
        /// Counts up from 0.
        package let rawValue: UInt32

        /// The client with that number.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The order of their coming.
        package static func < (left: Client, right: Client) -> Bool { left.rawValue < right.rawValue }
    }

    /// A link of a client, by the client's own number.
    package struct ClientLink: Hashable, Sendable {
        /// Whose it is.
        package let client: Client
        /// Which of the client's.
        package let link: LinkIdentifier

        /// That link of that client.
        package init(client: Client, link: LinkIdentifier) {
            self.client = client
            self.link = link
        }
    }

    /// What clients want.
    package enum Event: Hashable, Sendable {
        /// Begin to connect; ``opened(_:maximumPacketSize:)`` or ``close(_:_:)`` is to follow.
        case connect(ClientLink, LinkTarget)
        /// Write a packet to Data In; comes too for a link that is not open yet.
        case received(ClientLink, [UInt8])
        /// Close a link, or stop connecting; each link of a client that is gone is told of so too.
        case closed(ClientLink)
        /// Report what advertises, or cease to; a client that is gone has ceased.
        case scan(Client, Bool)
        /// A client is gone or was dropped, after the events of its links.
        case left(Client, reason: String)
    }

    /// What is known of one connection.
    private struct Connection {
        var frames: FrameConnection
        /// When it came; without a hello it is dropped in time.
        let since: ContinuousClock.Instant
        var isGreeted = false
        var isScanning = false
        var links: Set<LinkIdentifier> = []
        /// Link numbers below are used up.
        var nextLink: UInt64 = 0
    }

    /// Where the server listens, with the port that the system chose if 0 was asked for.
    package let address: SocketAddress
    private var listener: Descriptor?
    private let wakeUp: Int32?
    private let maximumClients: Int
    private let maximumLinks: Int
    private let canScan: Bool
    private let greetingTimeout: Duration
    private var clients: [Client: Connection] = [:]
    private var nextClient: UInt32 = 0
    private var pending: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// Starts to listen. A Unix socket gets mode 0600.
    ///
    /// - Parameters:
    ///   - address: where.
    ///   - maximumClients: connections at once; further ones are told so and closed.
    ///   - maximumLinks: links of each client at once, 1...255.
    ///   - canScan: whether clients may scan.
    ///   - greetingTimeout: how long a client may take to say its version.
    ///   - wakeUp: a pipe's reading end whose octets end ``wait(atMost:)`` early and are thrown away.
    /// - Throws: ``BearerError`` if the address is in use or may not be used.
    package init(
        listeningAt address: SocketAddress,
        maximumClients: Int = 16,
        maximumLinks: Int = 4,
        canScan: Bool = true,
        greetingTimeout: Duration = .seconds(10),
        wakeUp: Int32? = nil
    ) throws(BearerError) {
        let (listener, bound) = try listenStream(at: address)
        self.listener = listener
        self.address = bound
        self.maximumClients = maximumClients
        self.maximumLinks = min(max(maximumLinks, 1), 255)
        self.canScan = canScan
        self.greetingTimeout = greetingTimeout
        self.wakeUp = wakeUp
    }

    deinit {
        close()
    }

    /// Stops to listen, drops all clients and removes the file of a Unix socket. Doing it twice does nothing.
    package func close() {
        guard listener != nil else { return }
        listener = nil
        clients.removeAll()
        if case .unix(let path) = address { removeSocketFile(at: path) }
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
        guard let listener else { return [] }
        guard pending.isEmpty else { return takePending() }
        let present = clients.keys.sorted()
        var watched = present.map { client in
            Watched(
                number: clients[client]?.frames.descriptor.number ?? -1,
                writes: clients[client]?.frames.isWriting ?? false
            )
        }
        watched.append(Watched(number: listener.number, writes: false))
        if let wakeUp { watched.append(Watched(number: wakeUp, writes: false)) }
        if let descriptor { watched.append(Watched(number: descriptor, writes: false)) }
        do {
            guard try waitForAny(of: &watched, milliseconds: duration.pollMilliseconds) else {
                dropSilentClients()
                return takePending()
            }
        } catch {
            throw BearerError("cannot wait at \(address): \(error.text)")
        }
        if let wakeUp, watched[present.count + 1].isReadable { drain(wakeUp) }
        for (client, state) in zip(present, watched) { serve(client, state) }
        if watched[present.count].isReadable { acceptClients(from: listener) }
        dropSilentClients()
        return takePending()
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

    /// Tells a client why and drops it; its events come with the next ``wait(atMost:)``.
    package func drop(_ client: Client, _ error: BearerError) {
        _ = clients[client]?.frames.send(ServerFrame.end(error).encoded)
        remove(client, reason: error.message)
    }

    private func tell(_ frame: ServerFrame, on link: ClientLink) {
        guard clients[link.client]?.links.contains(link.link) == true else { return }
        tell(frame, link.client)
    }

    private func tell(_ frame: ServerFrame, _ client: Client, canBeMissed: Bool = false) {
        guard let end = clients[client]?.frames.send(frame.encoded, canBeMissed: canBeMissed) else { return }
        remove(client, reason: end)
    }

    // MARK: What clients say

    private func takePending() -> [Event] {
        defer { pending.removeAll() }
        return pending
    }

    private func serve(_ client: Client, _ state: Watched) {
        if state.isWritable, let end = clients[client]?.frames.flush() {
            remove(client, reason: end)
            return
        }
        guard state.isReadable, let outcome = clients[client]?.frames.receive(into: &buffer) else { return }
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
        guard let end = outcome.end else { return }
        if outcome.isViolation { drop(client, BearerError(end)) } else { remove(client, reason: end) }
    }

    /// - Returns: what rule the frame breaks, nil if none.
    private func handle(_ frame: ClientFrame, of client: Client) -> String? {
        guard let connection = clients[client] else { return nil }
        if case .hello(let version) = frame {
            guard !connection.isGreeted else { return "the other side said hello twice" }
            greet(client, version: version)
            return nil
        }
        guard connection.isGreeted else { return "the other side did not say hello first" }
        switch frame {
        case .hello: break
        case .connect(let link, let target):
            guard UInt64(link.rawValue) >= connection.nextLink else {
                return "the other side used the link number \(link.rawValue) twice"
            }
            clients[client]?.nextLink = UInt64(link.rawValue) + 1
            guard connection.links.count < maximumLinks else {
                let error = BearerError("all \(maximumLinks) links of the client are in use")
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
            guard canScan else { return "the other side scans, which is not possible here" }
            guard isOn != connection.isScanning else { return nil }
            clients[client]?.isScanning = isOn
            pending.append(.scan(client, isOn))
        }
        return nil
    }

    private func greet(_ client: Client, version: UInt16) {
        guard version == Frame.version else {
            _ = clients[client]?.frames.send(ServerFrame.refused(version: Frame.version).encoded)
            remove(client, reason: "the client speaks version \(version) of the frames, we speak \(Frame.version)")
            return
        }
        clients[client]?.isGreeted = true
        tell(
            .hello(version: Frame.version, maximumLinks: UInt8(clamping: maximumLinks), canScan: canScan),
            client
        )
    }

    private func remove(_ client: Client, reason: String) {
        guard let connection = clients.removeValue(forKey: client) else { return }
        for link in connection.links.sorted() { pending.append(.closed(ClientLink(client: client, link: link))) }
        if connection.isScanning { pending.append(.scan(client, false)) }
        pending.append(.left(client, reason: reason))
    }

    private func dropSilentClients() {
        let now = ContinuousClock.now
        for client in clients.keys.sorted() {
            guard let connection = clients[client], !connection.isGreeted else { continue }
            guard connection.since.duration(to: now) >= greetingTimeout else { continue }
            drop(client, BearerError("the other side did not say hello in time"))
        }
    }

    private func acceptClients(from listener: Descriptor) {
        // An error here (such as too many open files) concerns the newcomer; it may be better at the next wait.
        while let accepted = try? acceptStream(from: listener) {
            var frames = FrameConnection(accepted)
            guard clients.count < maximumClients else {
                let error = BearerError(
                    "\(maximumClients) clients are served already",
                    hint: "Wait until another one has finished."
                )
                _ = frames.send(ServerFrame.end(error).encoded)
                continue
            }
            clients[Client(rawValue: nextClient)] = Connection(frames: frames, since: .now)
            nextClient += 1
        }
    }
}
