package import MeshCore

/// Proxy and provisioning links, and scanning, through a gateway or a simulator process: all over one socket.
///
/// The socket is connected when it is first needed and again when it is needed after a loss.
package final class SocketBearer: PolledBearer {
    private let address: SocketAddress
    private let name: String
    private let security: ConnectionSecurity?
    private let connectTimeout: Duration
    private let isPatient: Bool
    private let silence: Duration
    /// The clock of ``now``.
    package let clock: BearerClock
    /// What ends a wait beside the socket.
    package let interruption: WaitInterruption
    private let addresses: HostAddresses
    private var dialling: Dialling?
    private var connection: FrameConnection?
    /// Since the gateway's hello; the connection is being set up as long as there is none.
    private var heartbeat: Heartbeat?
    /// When the gateway is to have said hello.
    private var greetingDeadline = Instant.zero
    private var links: [LinkIdentifier: LinkState] = [:]
    private var nextLink: UInt32 = 0
    private var canScan = true
    private var isScanning = false
    private var reconnection = Reconnection()
    /// Why a connection that had been set up was lost last.
    private var lastLoss: BearerError?
    /// Why a bearer that is not patient can do nothing any more, until that is thrown.
    private var breakdown: BearerError?
    private var events: [BearerEvent] = []
    private var firstEvent = 0
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    private enum LinkState {
        /// The gateway is told when the connection is there.
        case queued(LinkTarget)
        /// The gateway is told.
        case connecting
        case open
    }

    /// When a socket that was lost is connected again, as long as anybody scans or has a link that waits for it.
    private struct Reconnection {
        static let attempts = 5
        var failures = 0
        var next = Instant.zero
        var error: BearerError?
    }

    /// What the gateway said in its last hello, nil before its first.
    private var toldMaximumLinks: Int?
    /// Whether anybody waited for a hello in vain already to know how many links there are.
    private var hasAsked = false

    /// What the gateway said in its hello, 1 before. The first who asks a patient bearer waits for it.
    package var maximumLinks: Int {
        if toldMaximumLinks == nil, isPatient, !hasAsked {
            hasAsked = true
            // What is wrong shows when a link is wanted.
            try? open()
        }
        return toldMaximumLinks ?? 1
    }

    /// A bearer that is not connected yet; see ``open()``.
    ///
    /// - Parameters:
    ///   - address: where the gateway listens.
    ///   - name: what messages call it; the address if not given.
    ///   - security: secures the connection by TLS, if given; else it is plain.
    ///   - connectTimeout: how long a connection may take to come about, its hello included.
    ///   - silence: the longest time for which nothing is sent, up to 65 s.
    ///   - isPatient: whether who first connects or scans waits for the gateway's hello, so that what is wrong is known at
    ///     once, and a lost connection is made good; otherwise nothing but ``open()`` waits, and ``advance(_:)`` throws at
    ///     a loss.
    ///   - clock: the process's, from now on if not given.
    ///   - interruption: what ends a wait beside the socket.
    ///   - addresses: those that the host was found to have; to be kept for another bearer that takes this one's place.
    package init(
        address: SocketAddress,
        name: String? = nil,
        security: ConnectionSecurity? = nil,
        connectTimeout: Duration = .seconds(10),
        silence: Duration = .seconds(5),
        isPatient: Bool = true,
        clock: BearerClock = BearerClock(),
        interruption: WaitInterruption = WaitInterruption(),
        addresses: HostAddresses = HostAddresses()
    ) {
        self.address = address
        self.addresses = addresses
        self.name = name ?? address.description
        self.security = security
        self.connectTimeout = connectTimeout
        self.silence = silence
        self.isPatient = isPatient
        self.clock = clock
        self.interruption = interruption
    }

    deinit {
        connection?.close()
    }

    // MARK: Links

    /// Begins to connect, the socket at once if it is not.
    ///
    /// - Throws: ``BearerError`` if the socket cannot be connected, as far as that shows at once, and if
    ///   ``maximumLinks`` are in use.
    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        try beginOrWait()
        guard links.count < maximumLinks else {
            throw BearerError("all \(maximumLinks) links of \(name) are in use")
        }
        if case .proxy(let advertiser) = target { try check(advertiser) }
        if case .provisioning(let advertiser) = target { try check(advertiser) }
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        guard heartbeat != nil else {
            links[link] = .queued(target)
            return link
        }
        links[link] = .connecting
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
        guard case .open? = links[link] else { return }
        tell(.packet(link, packet))
    }

    /// Octets that wait for the system's buffer; all links share one socket.
    package func backlog(of link: LinkIdentifier) -> Int { connection?.waiting ?? 0 }

    /// Closes a link; what has arrived on it and was not fetched yet is dropped.
    package func close(_ link: LinkIdentifier) {
        guard let state = links.removeValue(forKey: link) else { return }
        if case .queued = state {} else { tell(.close(link)) }
        events = events[firstEvent...].filter { $0.link != link }
        firstEvent = 0
    }

    /// Begins to report what the gateway hears, or ceases to; goes on after a loss of the socket.
    ///
    /// - Throws: ``BearerError`` if the socket could never be connected, as far as that shows at once, and if the gateway
    ///   cannot scan.
    package func scan(_ isOn: Bool) throws(BearerError) {
        guard isOn != isScanning else { return }
        if isOn {
            try beginOrWait()
            guard canScan else { throw BearerError("\(name) cannot scan") }
        } else {
            events = events[firstEvent...].filter { $0.link != nil }
            firstEvent = 0
        }
        isScanning = isOn
        if heartbeat != nil { tell(.scan(isOn)) }
    }

    // MARK: Waiting

    /// Whether the gateway has said hello.
    package var isReady: Bool { heartbeat != nil }

    /// When the connection is to be begun, given up or kept alive.
    package var nextDeadline: Instant? {
        if breakdown != nil { return .zero }
        if let dialling { return dialling.nextDeadline }
        if let heartbeat { return heartbeat.nextDeadline }
        if connection != nil { return greetingDeadline }
        return isWanted ? reconnection.next : nil
    }

    /// Whether there is a use for a connection.
    private var isWanted: Bool { isScanning || !links.isEmpty }

    /// The socket, while there is one.
    package var watched: [Watched] {
        if let dialling { return dialling.watched.map { [$0] } ?? [] }
        guard let connection else { return [] }
        return [Watched(number: connection.descriptor.number, writes: connection.isWriting)]
    }

    /// Reads and writes frames.
    ///
    /// - Throws: ``BearerError`` if the socket was lost while scanning and cannot be connected again; for any loss if the
    ///   bearer is not patient.
    package func advance(_ ready: ArraySlice<Watched>) throws(BearerError) {
        let failure = step(ready)
        if let breakdown {
            self.breakdown = nil
            isScanning = false
            throw breakdown
        }
        if let failure { reconnectLater(after: failure) }
        if isWanted, dialling == nil, connection == nil, reconnection.failures < Reconnection.attempts,
            reconnection.next <= now
        {
            do throws(BearerError) {
                try dial()
            } catch {
                reconnectLater(after: error)
            }
        }
        guard let error = reconnection.error, reconnection.failures >= Reconnection.attempts else { return }
        reconnection = Reconnection()
        endLinks(error)
        guard isScanning else { return }
        isScanning = false
        throw error
    }

    /// Why there is no connection at present, once one has failed or was lost.
    package var deafness: BearerError? { heartbeat == nil ? reconnection.error ?? lastLoss : nil }

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

    // MARK: The connection

    /// Connects the socket now and waits for the gateway's hello; nothing happens if it has come.
    ///
    /// - Throws: ``BearerError`` if nobody listens, or somebody who does not speak the same version.
    package func open() throws(BearerError) {
        guard heartbeat == nil else { return }
        try dial()
        while heartbeat == nil {
            var polled = watched
            let own = polled.count
            if let wakeUp = interruption.wakeUp { polled.append(Watched(number: wakeUp, writes: false)) }
            do {
                let wait = now.duration(to: nextDeadline ?? now)
                _ = try waitForAny(of: &polled, milliseconds: wait.pollMilliseconds)
            } catch {
                throw BearerError("cannot wait: \(error.text)")
            }
            if let wakeUp = interruption.wakeUp, polled[own].isReadable {
                drain(wakeUp)
                (dialling, connection) = (nil, nil)
                throw .interrupted(while: "connecting to \(name)")
            }
            if let error = step(polled[..<own]) { throw error }
            guard heartbeat == nil, dialling == nil, connection == nil else { continue }
            // Its end came together with its hello.
            breakdown = nil
            throw lastLoss ?? lost("it ended at once")
        }
    }

    /// Connects the socket unless that is done, under way, or to be tried again soon: a gateway that was there may be
    /// starting again.
    private func beginOrWait() throws(BearerError) {
        guard reconnection.failures == 0 else { return }
        do throws(BearerError) {
            try begin()
        } catch {
            guard isPatient, toldMaximumLinks != nil else { throw error }
            reconnectLater(after: error)
        }
    }

    /// Connects the socket unless that is done or under way.
    private func begin() throws(BearerError) {
        if isPatient, toldMaximumLinks == nil { return try open() }
        // Nobody may have waited for long, while somebody was asked something: the connection may be lost by now.
        if let heartbeat, let number = connection?.descriptor.number, heartbeat.isBeatDue(at: now) {
            _ = serve(Watched(number: number, isReadable: true))
        }
        try dial()
    }

    private func dial() throws(BearerError) {
        guard dialling == nil, connection == nil else { return }
        let candidates = try addresses.candidates(for: address, called: name)
        greetingDeadline = now.advanced(by: connectTimeout)
        var dialling = Dialling(to: candidates, until: greetingDeadline)
        if let error = take(dialling.advance(isReady: false, at: now), of: dialling) { throw error }
    }

    /// Does what is due.
    ///
    /// - Returns: why the connection has not come about, if it was being set up and failed now.
    private func step(_ ready: ArraySlice<Watched>) -> BearerError? {
        if var dialling {
            let outcome = dialling.advance(isReady: ready.first?.isReady ?? false, at: now)
            return take(outcome, of: dialling)
        }
        guard let descriptor = connection?.descriptor else { return nil }
        if let socket = ready.first, socket.number == descriptor.number, let error = serve(socket) { return error }
        guard connection != nil else { return nil }
        guard let heartbeat else {
            guard greetingDeadline <= now else { return nil }
            let seconds = connectTimeout.heartbeatText
            return fail(
                BearerError(
                    "\(name) does not answer: it takes the connection, but says no hello within \(seconds)",
                    hint: "Its process may be stopped, or its machine too busy: look there, or start it again. If it "
                        + "runs well, somebody else listens at that port."
                )
            )
        }
        if heartbeat.isOtherSilent(at: now) {
            // This process may have been stopped meanwhile, and all of it lies in the system's buffer.
            if let error = serve(Watched(number: descriptor.number, isReadable: true)) { return error }
            if self.heartbeat?.isOtherSilent(at: now) == true {
                lose(lost("the other side does not answer for \(heartbeat.patience.heartbeatText)"))
            }
        } else if heartbeat.isBeatDue(at: now) {
            tell(.alive)
        }
        return nil
    }

    private func take(_ outcome: Dialling.Outcome, of dialling: Dialling) -> BearerError? {
        self.dialling = nil
        switch outcome {
        case .pending:
            self.dialling = dialling
            return nil
        case .failed(let error):
            let start =
                security == nil
                ? "Is the gateway or the simulator running? Start one with: meshplan sim --listen \(address)"
                : "Is the gateway running? It is started there with: meshplan gateway --listen \(address.everywhere) "
                    + "--certificate NAME.gateway.pem"
            return fail(
                BearerError("cannot connect to \(name): \(error.text)", hint: error.connectingHint(start: start))
            )
        case .connected(let descriptor):
            var connection: FrameConnection
            do throws(BearerError) {
                connection = FrameConnection(descriptor, session: try security?.session())
            } catch {
                return fail(error)
            }
            let end = connection.send(ClientFrame.hello(silence: silence.heartbeatMilliseconds).encoded)
            self.connection = connection
            return end.flatMap { fail(lost($0)) }
        }
    }

    private static let foreignHint = "Is it a gateway or simulator of meshplan that listens there?"

    /// The connection has not come about: the links that wait for it are over, or wait on for a gateway that was there.
    private func fail(_ error: BearerError) -> BearerError {
        dialling = nil
        connection = nil
        addresses.lookAgain(for: address)
        if !isPatient { breakdown = error }
        if !isPatient || toldMaximumLinks == nil { endLinks(error) }
        return error
    }

    private func endLinks(_ error: BearerError) {
        for link in links.keys.sorted() { events.append(.closed(link, error)) }
        links.removeAll()
    }

    private func reconnectLater(after error: BearerError) {
        reconnection.failures += 1
        reconnection.error = error
        reconnection.next = now.advanced(by: .seconds(1 << (reconnection.failures - 1)))
    }

    private func lost(_ reason: String) -> BearerError {
        BearerError("the connection to \(name) is lost: \(reason)")
    }

    private func lose(_ error: BearerError) {
        guard connection != nil else { return }
        lastLoss = error
        heartbeat = nil
        reconnection = Reconnection()
        endLinks(error)
        _ = fail(error)
    }

    // MARK: Frames

    private func tell(_ frame: ClientFrame) {
        guard let end = connection?.send(frame.encoded) else {
            heartbeat?.sent(at: now)
            return
        }
        hearLastWords()
        lose(lost(end))
    }

    /// Reads what the gateway has said before it closed the connection: it may have told why.
    private func hearLastWords() {
        guard let number = connection?.descriptor.number else { return }
        _ = serve(Watched(number: number, isReadable: true))
    }

    /// Writes and reads.
    ///
    /// - Returns: why the connection has not come about, if it was being set up and failed now.
    private func serve(_ socket: Watched) -> BearerError? {
        func over(_ error: BearerError) -> BearerError? {
            guard heartbeat != nil else { return fail(error) }
            lose(error)
            return nil
        }
        if socket.isWritable, let end = connection?.flush() {
            if let error = serve(Watched(number: socket.number, isReadable: true)) { return error }
            return connection == nil ? nil : over(lost(end))
        }
        guard socket.isReadable, let outcome = connection?.receive(into: &buffer) else { return nil }
        if outcome.hasRead { heartbeat?.heard(at: now) }
        for content in outcome.contents where connection != nil {
            if heartbeat != nil {
                handle(content)
            } else if let error = greet(content) {
                return fail(error)
            }
        }
        guard connection != nil, let end = outcome.end else { return nil }
        guard end.isSecurity else { return over(lost(end.message)) }
        return over(BearerError("\(name): \(end.message)", hint: end.hint))
    }

    /// Takes the first frame.
    ///
    /// - Returns: what is wrong with it, nil if nothing.
    private func greet(_ content: [UInt8]) -> BearerError? {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try ServerFrame(decoding: content)
        } catch {
            return BearerError("\(name) sent \(error)", hint: Self.foreignHint)
        }
        switch frame {
        case .hello(let theirs, let maximumLinks, let canScan):
            toldMaximumLinks = max(Int(maximumLinks), 1)
            self.canScan = canScan
            heartbeat = Heartbeat(interval: silence, theirs: .milliseconds(Int(theirs)), at: now)
            reconnection = Reconnection()
            greeted()
            return nil
        case .otherVersion(let version), .refused(let version):
            return BearerError(
                "the gateway or simulator at \(name) speaks version \(version) of the frames, this meshplan \(Frame.version)",
                hint: version > Frame.version ? "Use a newer meshplan." : "Use a newer gateway or simulator."
            )
        case .end(let error):
            return BearerError("\(name) refuses the connection: \(error.message)", hint: error.hint)
        default: return BearerError("\(name) does not say hello first")
        }
    }

    /// Tells the gateway what has waited for its hello.
    private func greeted() {
        for link in links.keys.sorted() {
            guard case .queued(let target)? = links[link] else { continue }
            links[link] = .connecting
            tell(.connect(link, target))
        }
        if isScanning { tell(.scan(true)) }
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
        case .hello, .otherVersion, .refused: lose(lost("the other side said hello twice"))
        case .opened(let link, let size):
            // A link that is not known was closed by us while the frame was on its way.
            guard let state = links[link] else { return }
            guard case .connecting = state else { return lose(lost("the other side opened a link twice")) }
            links[link] = .open
            events.append(.opened(link, maximumPacketSize: size))
        case .packet(let link, let packet):
            guard let state = links[link] else { return }
            guard case .open = state else {
                return lose(lost("the other side sent a packet on a link that is not open"))
            }
            events.append(.received(link, packet))
        case .closed(let link, let error):
            guard links.removeValue(forKey: link) != nil else { return }
            events.append(.closed(link, error))
        case .heard(let advertisement):
            if isScanning { events.append(.heard(advertisement)) }
        case .end(let error):
            lose(BearerError("\(name) has ended the connection: \(error.message)", hint: error.hint))
        case .alive: break
        }
    }
}
