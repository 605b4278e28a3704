package import MeshCore

/// Proxy and provisioning links, and scanning, through a gateway or a simulator process: all over one socket.
///
/// The socket is connected when it is first needed and again when it is needed after a loss. The clock is the system's
/// monotonic one from the bearer's making on.
package final class SocketBearer: PolledBearer {
    private let address: SocketAddress
    private let connectTimeout: Duration
    /// The clock of ``now``.
    package let clock: BearerClock
    /// What ends a wait beside the socket.
    package let interruption: WaitInterruption
    private var connection: FrameConnection?
    /// Whether each link is open already.
    private var links: [LinkIdentifier: Bool] = [:]
    private var nextLink: UInt32 = 0
    private var canScan = false
    private var isScanning = false
    private var reconnection = Reconnection()
    private var events: [BearerEvent] = []
    private var firstEvent = 0
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// When a socket that was lost while scanning is connected again.
    private struct Reconnection {
        static let attempts = 5
        var failures = 0
        var next = Instant.zero
    }

    /// What the gateway said in its last hello, nil before anybody tried to connect.
    private var toldMaximumLinks: Int?

    /// What the gateway said in its hello. The first who asks connects the socket; 1 if that fails.
    package var maximumLinks: Int {
        if toldMaximumLinks == nil {
            toldMaximumLinks = 1
            // What is wrong shows when a link is wanted.
            try? open()
        }
        return toldMaximumLinks ?? 1
    }

    /// A bearer that is not connected yet; see ``open()``.
    ///
    /// - Parameters:
    ///   - address: where the gateway listens.
    ///   - connectTimeout: how long a connection may take to come about, and then the gateway's hello.
    ///   - clock: the process's, from now on if not given.
    ///   - interruption: what ends a wait beside the socket.
    package init(
        address: SocketAddress,
        connectTimeout: Duration = .seconds(10),
        clock: BearerClock = BearerClock(),
        interruption: WaitInterruption = WaitInterruption()
    ) {
        self.address = address
        self.connectTimeout = connectTimeout
        self.clock = clock
        self.interruption = interruption
    }

    /// Connects the socket now; nothing happens if it is connected.
    ///
    /// - Throws: ``BearerError`` if nobody listens, or somebody who does not speak the same version.
    package func open() throws(BearerError) {
        guard connection == nil else { return }
        let deadline = ContinuousClock.now.advanced(by: connectTimeout)
        var connection = FrameConnection(try connectStream(to: address, timeout: connectTimeout))
        if let end = connection.send(ClientFrame.hello(version: Frame.version).encoded) { throw lost(end) }
        var contents: ArraySlice<[UInt8]> = []
        while contents.isEmpty {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                throw BearerError(
                    "\(address) does not say hello",
                    hint: "Is it a gateway or simulator of meshplan that listens there?"
                )
            }
            var socket = [Watched(number: connection.descriptor.number, writes: connection.isWriting)]
            do {
                guard try waitForAny(of: &socket, milliseconds: left.pollMilliseconds) else { continue }
            } catch {
                throw lost(error.text)
            }
            if socket[0].isWritable, let end = connection.flush() { throw lost(end) }
            guard socket[0].isReadable else { continue }
            let outcome = connection.receive(into: &buffer)
            contents = outcome.contents[...]
            if contents.isEmpty, let end = outcome.end { throw lost(end) }
        }
        try greet(contents.removeFirst())
        self.connection = connection
        reconnection = Reconnection()
        for content in contents { handle(content) }
        if isScanning { tell(.scan(true)) }
    }

    private func greet(_ content: [UInt8]) throws(BearerError) {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try ServerFrame(decoding: content)
        } catch {
            throw BearerError(
                "\(address) sent \(error)",
                hint: "Is it a gateway or simulator of meshplan that listens there?"
            )
        }
        switch frame {
        case .hello(Frame.version, let maximumLinks, let canScan):
            toldMaximumLinks = max(Int(maximumLinks), 1)
            self.canScan = canScan
        case .hello(let version, _, _), .refused(let version):
            throw BearerError(
                "the gateway or simulator at \(address) speaks version \(version) of the frames, this meshplan \(Frame.version)",
                hint: version > Frame.version ? "Use a newer meshplan." : "Use a newer gateway or simulator."
            )
        case .end(let error): throw error
        default: throw BearerError("\(address) does not say hello first")
        }
    }

    /// Begins to connect, the socket at once if it is not.
    ///
    /// - Throws: ``BearerError`` as ``open()`` does, and if ``maximumLinks`` are in use.
    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        try open()
        guard links.count < maximumLinks else {
            throw BearerError("all \(maximumLinks) links of \(address) are in use")
        }
        if case .proxy(let advertiser) = target { try check(advertiser) }
        if case .provisioning(let advertiser) = target { try check(advertiser) }
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        links[link] = false
        tell(.connect(link, target))
        return link
    }

    private func check(_ advertiser: AdvertiserIdentifier) throws(BearerError) {
        guard (1...Frame.maximumAdvertiserSize).contains(advertiser.rawValue.count) else {
            throw BearerError("an advertiser of \(advertiser.rawValue.count) octets cannot be named")
        }
    }

    /// Writes one packet, or queues it while the system's buffer is full.
    ///
    /// - Throws: ``BearerError`` if the packet is empty or larger than a frame can hold, which is a caller's mistake.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        guard (1...Frame.maximumPacketSize).contains(packet.count) else {
            throw BearerError("a packet of \(packet.count) octets cannot be sent")
        }
        guard links[link] == true else { return }
        tell(.packet(link, packet))
    }

    /// When a socket that was lost while scanning is connected again.
    package var nextDeadline: Instant? { connection == nil && isScanning ? reconnection.next : nil }

    /// The socket, while it is connected.
    package var watched: [Watched] {
        guard let connection else { return [] }
        return [Watched(number: connection.descriptor.number, writes: connection.isWriting)]
    }

    /// Reads and writes frames.
    ///
    /// - Throws: ``BearerError`` if the socket was lost while scanning and cannot be connected again.
    package func advance(_ ready: ArraySlice<Watched>) throws(BearerError) {
        if let socket = ready.first { serve(socket) }
        try reconnectForScanning()
    }

    /// What has arrived and was not fetched yet.
    package func takeEvent() -> BearerEvent? {
        guard firstEvent < events.count else {
            events.removeAll(keepingCapacity: true)
            firstEvent = 0
            return nil
        }
        defer { firstEvent += 1 }
        return events[firstEvent]
    }

    /// Closes a link; what has arrived on it and was not fetched yet is dropped.
    package func close(_ link: LinkIdentifier) {
        guard links.removeValue(forKey: link) != nil else { return }
        tell(.close(link))
        events = events[firstEvent...].filter { $0.link != link }
        firstEvent = 0
    }

    /// Begins to report what the gateway hears, or ceases to; goes on after a loss of the socket.
    ///
    /// - Throws: ``BearerError`` as ``open()`` does, and if the gateway cannot scan.
    package func scan(_ isOn: Bool) throws(BearerError) {
        guard isOn != isScanning else { return }
        if isOn {
            try open()
            guard canScan else { throw BearerError("\(address) cannot scan") }
        } else {
            events = events[firstEvent...].filter { $0.link != nil }
            firstEvent = 0
        }
        isScanning = isOn
        tell(.scan(isOn))
    }

    // MARK: Frames

    private func reconnectForScanning() throws(BearerError) {
        guard isScanning, connection == nil, reconnection.next <= now else { return }
        do throws(BearerError) {
            try open()
        } catch {
            reconnection.failures += 1
            guard reconnection.failures < Reconnection.attempts else {
                isScanning = false
                reconnection = Reconnection()
                throw error
            }
            reconnection.next = now.advanced(by: .seconds(1 << (reconnection.failures - 1)))
        }
    }

    private func tell(_ frame: ClientFrame) {
        guard let end = connection?.send(frame.encoded) else { return }
        lose(lost(end))
    }

    private func serve(_ socket: Watched) {
        if socket.isWritable, let end = connection?.flush() {
            lose(lost(end))
            return
        }
        guard socket.isReadable, let outcome = connection?.receive(into: &buffer) else { return }
        for content in outcome.contents where connection != nil { handle(content) }
        if let end = outcome.end { lose(lost(end)) }
    }

    private func handle(_ content: [UInt8]) {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try ServerFrame(decoding: content)
        } catch {
            lose(lost("the other side sent \(error)"))
            return
        }
        switch frame {
        case .hello, .refused: lose(lost("the other side said hello twice"))
        case .opened(let link, let size):
            // A link that is not known was closed by us while the frame was on its way.
            guard let isOpen = links[link] else { return }
            guard !isOpen else { return lose(lost("the other side opened a link twice")) }
            links[link] = true
            events.append(.opened(link, maximumPacketSize: size))
        case .packet(let link, let packet):
            guard let isOpen = links[link] else { return }
            guard isOpen else { return lose(lost("the other side sent a packet on a link that is not open")) }
            events.append(.received(link, packet))
        case .closed(let link, let error):
            guard links.removeValue(forKey: link) != nil else { return }
            events.append(.closed(link, error))
        case .heard(let advertisement):
            if isScanning { events.append(.heard(advertisement)) }
        case .end(let error): lose(error)
        }
    }

    private func lost(_ reason: String) -> BearerError {
        BearerError("the connection to \(address) is lost: \(reason)")
    }

    private func lose(_ error: BearerError) {
        guard connection != nil else { return }
        connection = nil
        for link in links.keys.sorted() { events.append(.closed(link, error)) }
        links.removeAll()
        reconnection = Reconnection()
    }
}
