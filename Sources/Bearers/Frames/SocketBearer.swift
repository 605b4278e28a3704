package import MeshCore

/// Proxy and provisioning links, and scanning, through a gateway or a simulator process: all over one socket.
///
/// The socket is connected when it is first needed and again when it is needed after a loss.
package final class SocketBearer: PolledBearer {
    private let settings: GatewayConnection.Settings
    private let isPatient: Bool
    /// The clock of ``now``.
    package let clock: BearerClock
    /// What ends a wait beside the socket.
    package let interruption: WaitInterruption
    private let addresses: HostAddresses
    private var connection: GatewayConnection?
    private var links: [LinkIdentifier: LinkState] = [:]
    private var nextLink: UInt32 = 0
    private var canScan = true
    private var isScanning = false
    private var reconnection = Reconnection()
    /// Why a connection that had been set up was lost last.
    private var lastLoss: BearerError?
    /// Why a bearer that is not patient can do nothing any more, until that is thrown.
    private var breakdown: BearerError?
    private var events = BearerEventQueue()

    private var name: String { settings.name }

    private enum LinkState {
        /// The gateway is told when the connection is there.
        case queued(LinkTarget)
        /// The gateway is told.
        case connecting
        case open
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
        settings = GatewayConnection.Settings(
            address: address,
            name: name ?? address.description,
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
        events.drop(link)
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
            events.dropHeard()
        }
        isScanning = isOn
        if isReady { tell(.scan(isOn)) }
    }

    // MARK: Waiting

    /// Whether the gateway has said hello.
    package var isReady: Bool { connection?.isGreeted ?? false }

    /// When the connection is to be begun, given up or kept alive.
    package var nextDeadline: Instant? {
        if breakdown != nil { return .zero }
        if let connection { return connection.nextDeadline }
        return isWanted ? reconnection.next : nil
    }

    /// Whether there is a use for a connection.
    private var isWanted: Bool { isScanning || !links.isEmpty }

    /// The socket, while there is one.
    package var watched: [Watched] { connection?.watched ?? [] }

    /// Reads and writes frames.
    ///
    /// - Throws: ``BearerError`` if the socket was lost while scanning and cannot be connected again; for any loss if the
    ///   bearer is not patient.
    package func advance(_ ready: ArraySlice<Watched>) throws(BearerError) {
        let failure = take(connection?.advance(ready, at: now))
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

    /// Why there is no connection at present, once one has failed or was lost.
    package var deafness: BearerError? { reconnection.error ?? (isReady ? nil : lastLoss) }

    /// What has arrived and was not fetched yet.
    package func takeEvent() -> BearerEvent? { events.popFirst() }
}

// MARK: The connection

extension SocketBearer {
    /// Connects the socket now and waits for the gateway's hello; nothing happens if it has come.
    ///
    /// - Throws: ``BearerError`` if nobody listens, or somebody who does not speak the same version.
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
            if let error = take(connection?.advance(polled[..<own], at: now)) { throw error }
            guard connection == nil else { continue }
            // Its end came together with its hello.
            breakdown = nil
            throw lastLoss ?? BearerError("the connection to \(name) is lost: it ended at once")
        }
    }

    /// Connects the socket unless that is done, under way, or to be tried again soon: a gateway that was there may be
    /// starting again.
    private func beginOrWait() throws(BearerError) {
        guard !reconnection.hasFailed else { return }
        do throws(BearerError) {
            try begin()
        } catch {
            guard isPatient, toldMaximumLinks != nil else { throw error }
            reconnection.failed(error, at: now)
        }
    }

    /// Connects the socket unless that is done or under way.
    private func begin() throws(BearerError) {
        if isPatient, toldMaximumLinks == nil { return try open() }
        // Nobody may have waited for long, while somebody was asked something: the connection may be lost by now.
        take(connection?.check(at: now))
        try dial()
    }

    private func dial() throws(BearerError) {
        guard connection == nil else { return }
        let candidates = try addresses.candidates(for: settings.address, called: name)
        connection = GatewayConnection(settings, to: candidates, at: now)
        if let error = take(connection?.begin(at: now)) { throw error }
    }

    private func tell(_ frame: ClientFrame) {
        take(connection?.send(frame, at: now))
    }

    /// Takes what has become of the connection.
    ///
    /// - Returns: why it has not come about, if it was being set up and failed now.
    @discardableResult
    private func take(_ happenings: [GatewayConnection.Happening]?) -> BearerError? {
        for happening in happenings ?? [] {
            // One of them may end the connection, and nothing after it counts.
            guard connection != nil else { return nil }
            switch happening {
            case .greeted(let maximumLinks, let canScan): greeted(maximumLinks, canScan: canScan)
            case .told(let event): take(event)
            case .failed(let error):
                end(error)
                return error
            case .lost(let error):
                reconnection = Reconnection()
                lose(error)
            case .dismissed(let error):
                // It may well say the same again after its next hello.
                reconnection.failed(error, at: now)
                lose(error)
            }
        }
        return nil
    }

    /// Tells the gateway what has waited for its hello.
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

    private func take(_ event: BearerEvent) {
        // Whoever tells of its radio has one, and is there.
        if case .closed = event {} else { reconnection = Reconnection() }
        // A link that is not known was closed by us while the frame was on its way.
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

    /// There is no connection any more: the links that wait for it are over, or wait on for a gateway that was there.
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
