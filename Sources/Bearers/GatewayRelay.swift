package import MeshCore

/// Lends a bearer's scan and links to the clients of a frame server. This is what a gateway process does.
///
/// It passes on packets, which are Proxy PDUs or provisioning PDUs, and knows no key. Clients get links in the order of
/// their requests, as long as the bearer has any. The bearer scans while any client scans. Nobody waits for a slow
/// client: if a client cannot be sent to, only that client ends. A client whose packets wait for the radio is not read
/// until they have left.
package final class GatewayRelay {
    /// What has happened, for the log.
    package enum Event: Hashable, Sendable {
        /// A client has said hello; the fingerprint is that of its certificate.
        case came(FrameServer.Client, peer: String, fingerprint: [UInt8]?)
        case left(FrameServer.Client, reason: String)
        /// A connection did not become a client.
        case turnedAway(peer: String, reason: String)
        /// A link is open for a client. Links over Bluetooth also tell how long that took.
        case opened(FrameServer.ClientLink, LinkTarget, GATTTimes? = nil)
        /// A link has ended or failed for a reason other than the client's wish; `carried` counts its packets.
        case lost(FrameServer.ClientLink, BearerError, carried: Carried)
        /// A client has closed a link, or has left with it.
        case closed(FrameServer.ClientLink, carried: Carried)
        /// The bearer begins or stops to scan.
        case scanning(Bool)
        /// The bearer cannot scan; the relay will try again.
        case cannotScan(BearerError)
        /// Something about the connection to the hub.
        case hub(HubDialler.Event)
    }

    /// How many packets a link has carried.
    package struct Carried: Hashable, Sendable {
        /// From the client to the mesh.
        package var sent = 0
        /// From the mesh to the client.
        package var received = 0

        package init() {}

        package static func + (left: Carried, right: Carried) -> Carried {
            var sum = left
            sum.sent += right.sent
            sum.received += right.received
            return sum
        }
    }

    private struct Link {
        let client: FrameServer.ClientLink
        let target: LinkTarget
        var isOpen = false
        var carried = Carried()
    }

    /// A client is not read while more than so many octets wait for the radio on one of its links.
    private static let backlogLimit = 8 * 1024

    private let server: FrameServer
    private let bearer: any PolledBearer
    private let limit: Int?
    private let failure: () -> BearerError?
    private let tell: (Event) -> Void
    /// Answers questions about the relay in the same wait; nil for nobody.
    private let metrics: MetricsServer?
    /// Brings clients from a hub; nil for no hub.
    private let dialler: HubDialler?
    private var links: [LinkIdentifier: Link] = [:]
    private var identifiers: [FrameServer.ClientLink: LinkIdentifier] = [:]
    private var scanners: Set<FrameServer.Client> = []
    private var paused: Set<FrameServer.Client> = []
    private var isScanning = false
    /// The packets of links that have ended.
    private var ended = Carried()
    private var scanRetry: Instant?

    private static let scanInterval = Duration.seconds(5)
    /// How often to check whether the backlog has become smaller.
    private static let pauseInterval = Duration.milliseconds(5)

    /// A relay without links.
    ///
    /// - Parameters:
    ///   - server: must use the bearer's clock.
    ///   - maximumLinks: the most links at once for all clients together; nil for as many as the bearer has.
    ///   - metrics: answers questions about the relay; it must use the bearer's clock.
    ///   - dialler: makes connections for the server; it must use the bearer's clock.
    ///   - failure: why the bearer hears nobody at present, nil while it does.
    ///   - tell: called with each event.
    package init(
        server: FrameServer,
        bearer: any PolledBearer,
        maximumLinks: Int? = nil,
        metrics: MetricsServer? = nil,
        dialler: HubDialler? = nil,
        failure: @escaping () -> BearerError? = { nil },
        tell: @escaping (Event) -> Void = { _ in }
    ) {
        limit = maximumLinks
        self.server = server
        self.bearer = bearer
        self.failure = failure
        self.tell = tell
        self.metrics = metrics
        self.dialler = dialler
    }

    /// How many links can be open at once.
    package var maximumLinks: Int { min(limit ?? .max, bearer.maximumLinks) }

    /// The packets that all links have carried so far, those that have ended included.
    package var carried: Carried { links.values.reduce(ended) { $0 + $1.carried } }

    package var scans: Bool { isScanning }

    /// How many links are open or being made.
    package var linkCount: Int { links.count }

    /// Waits once, at most until `deadline` or a signal, and passes on what has arrived.
    package func turn(until deadline: Instant) throws(BearerError) {
        try deliver()
        dialler?.load = HubLoad(
            clients: UInt16(clamping: server.clientCount),
            links: UInt16(clamping: links.count),
            maximumLinks: UInt16(clamping: maximumLinks)
        )
        var polled = bearer.watched
        let own = polled.count
        polled += server.watched
        let served = polled.count
        polled += metrics?.watched ?? []
        let asked = polled.count
        polled += dialler?.watched ?? []
        let dialled = polled.count
        if let wakeUp = bearer.interruption.wakeUp { polled.append(Watched(number: wakeUp, writes: false)) }
        let dues = [
            bearer.nextDeadline, server.nextDeadline, metrics?.nextDeadline, dialler?.nextDeadline, scanRetry,
        ]
        var end = dues.compactMap(\.self).reduce(deadline, min)
        if !paused.isEmpty { end = min(end, bearer.now.advanced(by: Self.pauseInterval)) }
        do {
            _ = try waitForAny(of: &polled, milliseconds: bearer.now.duration(to: end).pollMilliseconds)
        } catch {
            throw BearerError("cannot wait: \(error.text)")
        }
        if let wakeUp = bearer.interruption.wakeUp, polled.last?.isReadable == true { drain(wakeUp) }
        // The bearer comes first, because the requests of clients change what it waits for.
        try bearer.advance(polled[..<own])
        let wishes = server.advance(polled[own..<served])
        metrics?.advance(polled[served..<asked])
        for event in dialler?.advance(polled[asked..<dialled]) ?? [] { tell(.hub(event)) }
        for carried in dialler?.takeCarried() ?? [] { server.adopt(carried) }
        try deliver()
        for wish in wishes { serve(wish) }
        reviewPauses()
        updateScan()
    }

    /// Ends all links and the scan; the caller closes the server.
    package func close() {
        for link in links.keys.sorted() { bearer.close(link) }
        links.removeAll()
        identifiers.removeAll()
        scanners.removeAll()
        if isScanning { try? bearer.scan(false) }
        isScanning = false
        dialler?.close()
    }

    // MARK: From the bearer

    private func deliver() throws(BearerError) {
        while let event = bearer.takeEvent() {
            switch event {
            case .opened(let identifier, let size, let times):
                guard let link = links[identifier] else { continue }
                links[identifier]?.isOpen = true
                tell(.opened(link.client, link.target, times))
                server.opened(link.client, maximumPacketSize: size, times)
            case .received(let identifier, let packet):
                guard let link = links[identifier] else { continue }
                links[identifier]?.carried.received += 1
                server.send(packet, on: link.client)
            case .closed(let identifier, let error): end(identifier, error)
            case .heard(let advertisement):
                for client in scanners.sorted() { server.heard(advertisement, by: client) }
            }
        }
    }

    private func end(_ identifier: LinkIdentifier, _ error: BearerError) {
        guard let link = links.removeValue(forKey: identifier) else { return }
        identifiers[link.client] = nil
        ended = ended + link.carried
        tell(.lost(link.client, error, carried: link.carried))
        server.close(link.client, error)
    }

    // MARK: From clients

    private func serve(_ wish: FrameServer.Event) {
        switch wish {
        case .came(let client, let peer, let fingerprint):
            tell(.came(client, peer: peer, fingerprint: fingerprint))
        case .left(let client, let reason):
            paused.remove(client)
            tell(.left(client, reason: reason))
        case .turnedAway(let peer, let reason): tell(.turnedAway(peer: peer, reason: reason))
        case .connect(let client, let target): connect(client, to: target)
        case .received(let client, let packet):
            // A packet that is sent before the link is open would be lost.
            guard let identifier = identifiers[client], links[identifier]?.isOpen == true else { return }
            do throws(BearerError) {
                try bearer.send(packet, on: identifier)
                links[identifier]?.carried.sent += 1
            } catch {
                bearer.close(identifier)
                end(identifier, error)
            }
        case .closed(let client):
            guard let identifier = identifiers.removeValue(forKey: client) else { return }
            bearer.close(identifier)
            guard let link = links.removeValue(forKey: identifier) else { return }
            ended = ended + link.carried
            tell(.closed(client, carried: link.carried))
        case .scan(let client, let isOn):
            if isOn { scanners.insert(client) } else { scanners.remove(client) }
        }
    }

    private func connect(_ client: FrameServer.ClientLink, to target: LinkTarget) {
        do throws(BearerError) {
            guard links.count < maximumLinks else {
                throw BearerError(
                    "all \(maximumLinks) links of the gateway are in use",
                    hint: """
                        Wait until another client has finished, or open fewer connections from this client with \
                        \(command: .limitLinks).
                        """
                )
            }
            let identifier = try bearer.connect(to: target)
            links[identifier] = Link(client: client, target: target)
            identifiers[client] = identifier
        } catch {
            tell(.lost(client, error, carried: Carried()))
            server.close(client, error)
        }
    }

    /// Reads clients again once their packets have left, and stops reading those whose packets wait.
    private func reviewPauses() {
        var waiting: Set<FrameServer.Client> = []
        for (identifier, link) in links where bearer.backlog(of: identifier) > Self.backlogLimit {
            waiting.insert(link.client.client)
        }
        for client in waiting.subtracting(paused) { server.pause(client, true) }
        for client in paused.subtracting(waiting) { server.pause(client, false) }
        paused = waiting
    }

    private func updateScan() {
        if isScanning, let error = failure() { endScan(error) }
        let isWanted = !scanners.isEmpty
        guard isWanted != isScanning else { return }
        if isWanted, let scanRetry, bearer.now < scanRetry, failure() == nil { return }
        scanRetry = nil
        do throws(BearerError) {
            try bearer.scan(isWanted)
            isScanning = isWanted
            tell(.scanning(isWanted))
        } catch {
            isScanning = false
            if let gone = failure() { return endScan(gone) }
            scanRetry = isWanted ? bearer.now.advanced(by: Self.scanInterval) : nil
            tell(.cannotScan(error))
        }
    }

    /// Drops the clients that scan when there is no radio any more, and tells them why. Silence would look like an
    /// empty building.
    private func endScan(_ error: BearerError) {
        if isScanning { try? bearer.scan(false) }
        isScanning = false
        tell(.cannotScan(error))
        let reason = BearerError("the gateway has no working radio: \(error.message)", hint: error.hint)
        for client in scanners.sorted() { server.drop(client, reason) }
        scanners = []
    }
}
