package import MeshCore

/// Proxy links, provisioning links and scanning through a gateway or a simulator process, all over one socket.
///
/// It connects the socket when it is first needed, and again when it is needed after a loss.
package final class SocketBearer: PolledBearer {
    private let settings: GatewayConnection.Settings
    private let isPatient: Bool
    package let clock: BearerClock
    package let interruption: WaitInterruption
    private let addresses: HostAddresses
    private var connection: GatewayConnection?
    private var links: [LinkIdentifier: LinkState] = [:]
    private var nextLink: UInt32 = 0
    private var canScan = true
    private var isScanning = false
    private var reconnection = Reconnection()
    /// Why the last established connection was lost.
    private var lastLoss: BearerError?
    /// Why a bearer that is not patient has failed; nil once that was thrown.
    private var breakdown: BearerError?
    private var events = BearerEventQueue()

    private var name: String { settings.name }

    private enum LinkState {
        /// The gateway will be asked once the connection is set up.
        case queued(LinkTarget)
        /// The gateway has been asked.
        case connecting
        case open
    }

    /// The number in the gateway's last hello; nil before the first one.
    private var toldMaximumLinks: Int?
    /// Whether anybody has already waited for a hello in vain to learn the number of links.
    private var hasAsked = false

    /// The number in the gateway's hello; 1 before it. The first caller waits for the hello if the bearer is patient.
    package var maximumLinks: Int {
        if toldMaximumLinks == nil, isPatient, !hasAsked {
            hasAsked = true
            // A problem shows when somebody asks for a link.
            try? open()
        }
        return toldMaximumLinks ?? 1
    }

    /// A bearer that is not connected yet; see ``open()``.
    ///
    /// - Parameters:
    ///   - address: where the gateway listens.
    ///   - name: its name in messages; the address if not given.
    ///   - behindHub: the name of the gateway, if a hub listens at the address.
    ///   - security: secures the connection with TLS; nil for a plain connection.
    ///   - connectTimeout: how long setting up a connection may take, including the hello.
    ///   - silence: the longest time without sending, up to 65 s.
    ///   - isPatient: if true, the first caller that connects or scans waits for the gateway's hello, so that problems
    ///     show at once, and a lost connection is made again. If false, only ``open()`` waits, and ``advance(_:)``
    ///     throws at a loss.
    ///   - clock: the process's clock.
    ///   - interruption: ends a wait, beside the socket.
    ///   - addresses: the known addresses of the host; pass the same object to a bearer that replaces this one.
    package init(
        address: SocketAddress,
        name: String? = nil,
        behindHub: HubName? = nil,
        security: ConnectionSecurity? = nil,
        connectTimeout: Duration = .seconds(10),
        silence: Duration = .seconds(5),
        isPatient: Bool = true,
        clock: BearerClock = BearerClock(),
        interruption: WaitInterruption = WaitInterruption(),
        addresses: HostAddresses = HostAddresses()
    ) {
        settings = GatewayConnection.Settings(
            address: address,
            name: name ?? address.description,
            behindHub: behindHub,
            security: security,
            timeout: connectTimeout,
            silence: silence
        )
        self.addresses = addresses
        self.isPatient = isPatient
        self.clock = clock
        self.interruption = interruption
    }

    deinit {
        connection?.close()
    }

    // MARK: Links

    /// Begins to connect; first connects the socket if necessary.
    ///
    /// - Throws: ``BearerError`` if the socket cannot be connected, as far as that shows at once, or if
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
        guard isReady else {
            links[link] = .queued(target)
            return link
        }
        links[link] = .connecting
        tell(.connect(link, target))
        return link
    }

    private func check(_ advertiser: AdvertiserIdentifier) throws(BearerError) {
        guard (1...Frame.maximumAdvertiserSize).contains(advertiser.rawValue.count) else {
            throw BearerError("an advertiser's identifier cannot have \(advertiser.rawValue.count) octets")
        }
    }

    /// Writes one packet, or queues it while the system's buffer is full.
    ///
    /// - Throws: ``BearerError`` if the packet is empty or larger than a frame can hold, which is a caller's mistake.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        guard (1...Frame.maximumPacketSize).contains(packet.count) else {
            let allowed = "1 to \(Frame.maximumPacketSize) are allowed"
            throw BearerError("cannot send a packet of \(packet.count) octets: \(allowed)")
        }
        guard case .open? = links[link] else { return }
        tell(.packet(link, packet))
    }

    /// The octets that wait for the system's buffer. All links share one socket.
    package func backlog(of link: LinkIdentifier) -> Int { connection?.waiting ?? 0 }

    /// Closes a link. Events of it that were not fetched yet are dropped.
    package func close(_ link: LinkIdentifier) {
        guard let state = links.removeValue(forKey: link) else { return }
        if case .queued = state {} else { tell(.close(link)) }
        events.drop(link)
    }

    /// Begins to report what the gateway hears, or stops. A scan goes on after the socket was lost and connected again.
    ///
    /// - Throws: ``BearerError`` if the socket could never be connected, as far as that shows at once, or if the
    ///   gateway cannot scan.
    package func scan(_ isOn: Bool) throws(BearerError) {
        guard isOn != isScanning else { return }
        if isOn {
            try beginOrWait()
            guard canScan else { throw BearerError("\(name) cannot scan") }
        } else {
            events.dropHeard()
        }
        isScanning = isOn
        if isReady { tell(.scan(isOn)) }
    }

    // MARK: Waiting

    /// Whether the gateway has said hello.
    package var isReady: Bool { connection?.isGreeted ?? false }

    /// When to begin a connection, give it up or keep it alive.
    package var nextDeadline: Instant? {
        if breakdown != nil { return .zero }
        if let connection { return connection.nextDeadline }
        return isWanted ? reconnection.next : nil
    }

    /// Whether anybody needs a connection.
    private var isWanted: Bool { isScanning || !links.isEmpty }

    package var watched: [Watched] { connection?.watched ?? [] }

    /// Reads and writes frames.
    ///
    /// - Throws: ``BearerError`` if the socket was lost while scanning and cannot be connected again; for any loss if
    ///   the bearer is not patient.
    package func advance(_ ready: ArraySlice<Watched>) throws(BearerError) {
        let failure = follow(connection?.advance(ready, at: now))
        if let breakdown {
            self.breakdown = nil
            isScanning = false
            throw breakdown
        }
        if let failure { reconnection.failed(failure, at: now) }
        if isWanted, connection == nil, reconnection.surrender == nil, reconnection.next <= now {
            do throws(BearerError) {
                try dial()
            } catch {
                reconnection.failed(error, at: now)
            }
        }
        guard let error = reconnection.surrender else { return }
        reconnection = Reconnection()
        endLinks(error)
        guard isScanning else { return }
        isScanning = false
        throw error
    }

    /// Why there is no connection at present; nil unless one has failed or was lost.
    package var deafness: BearerError? { reconnection.error ?? (isReady ? nil : lastLoss) }

    package func takeEvent() -> BearerEvent? { events.popFirst() }
}

// MARK: The connection

extension SocketBearer {
    /// Connects the socket now and waits for the gateway's hello; does nothing if the hello has arrived.
    ///
    /// - Throws: ``BearerError`` if nobody listens, or if the other side does not speak the same version.
    package func open() throws(BearerError) {
        guard !isReady else { return }
        try dial()
        while !isReady {
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
                connection = nil
                throw .interrupted(while: "connecting to \(name)")
            }
            if let error = follow(connection?.advance(polled[..<own], at: now)) { throw error }
            guard connection == nil else { continue }
            // The end arrived together with the hello.
            breakdown = nil
            throw lastLoss ?? BearerError("the connection to \(name) is lost: it ended at once")
        }
    }

    /// Connects the socket, unless it is connected, connecting, or soon to be tried again: a gateway that was there may
    /// be restarting.
    private func beginOrWait() throws(BearerError) {
        guard !reconnection.hasFailed else { return }
        do throws(BearerError) {
            try begin()
        } catch {
            guard isPatient, toldMaximumLinks != nil else { throw error }
            reconnection.failed(error, at: now)
        }
    }

    /// Connects the socket, unless it is connected or connecting.
    private func begin() throws(BearerError) {
        if isPatient, toldMaximumLinks == nil { return try open() }
        // Nobody may have waited for long, for example while a person was asked something. The connection may be lost
        // by now.
        follow(connection?.check(at: now))
        try dial()
    }

    private func dial() throws(BearerError) {
        guard connection == nil else { return }
        let candidates = try addresses.candidates(for: settings.address, called: name)
        connection = GatewayConnection(settings, to: candidates, at: now)
        if let error = follow(connection?.begin(at: now)) { throw error }
    }

    private func tell(_ frame: ClientFrame) {
        follow(connection?.send(frame, at: now))
    }

    /// Handles what happened on the connection.
    ///
    /// - Returns: why setting up failed, if it failed now.
    @discardableResult
    private func follow(_ happenings: [GatewayConnection.Happening]?) -> BearerError? {
        for happening in happenings ?? [] {
            // A happening may end the connection; those after it do not count.
            guard connection != nil else { return nil }
            switch happening {
            case .greeted(let maximumLinks, let canScan): greeted(maximumLinks, canScan: canScan)
            case .told(let event): keep(event)
            case .failed(let error):
                end(error)
                return error
            case .lost(let error):
                reconnection = Reconnection()
                lose(error)
            case .dismissed(let error):
                // It may end the next connection for the same reason after the hello.
                reconnection.failed(error, at: now)
                lose(error)
            }
        }
        return nil
    }

    /// Sends the gateway the requests that waited for its hello.
    private func greeted(_ maximumLinks: Int, canScan: Bool) {
        toldMaximumLinks = maximumLinks
        self.canScan = canScan
        for link in links.keys.sorted() {
            guard case .queued(let target)? = links[link] else { continue }
            links[link] = .connecting
            tell(.connect(link, target))
        }
        if isScanning { tell(.scan(true)) }
    }

    private func keep(_ event: BearerEvent) {
        // A gateway that reports about its radio works.
        if case .closed = event {} else { reconnection = Reconnection() }
        // A link that is not known was closed here while the frame was on its way.
        switch event {
        case .opened(let link, _, _):
            guard let state = links[link] else { return }
            guard case .connecting = state else { return violated("opened a link twice") }
            links[link] = .open
        case .received(let link, _):
            guard let state = links[link] else { return }
            guard case .open = state else { return violated("sent a packet on a link that is not open") }
        case .closed(let link, _): guard links.removeValue(forKey: link) != nil else { return }
        case .heard: guard isScanning else { return }
        }
        events.append(event)
    }

    private func violated(_ deed: String) {
        lose(
            BearerError(
                "the connection to \(name) is lost: the other side \(deed)",
                hint: GatewayConnection.violationHint
            )
        )
    }

    private func lose(_ error: BearerError) {
        lastLoss = error
        endLinks(error)
        end(error)
    }

    /// Ends the connection. Links that wait for it end, or keep waiting if the gateway was there before.
    private func end(_ error: BearerError) {
        connection = nil
        addresses.lookAgain(for: settings.address)
        if !isPatient { breakdown = error }
        if !isPatient || toldMaximumLinks == nil { endLinks(error) }
    }

    private func endLinks(_ error: BearerError) {
        for link in links.keys.sorted() { events.append(.closed(link, error)) }
        links.removeAll()
    }
}
