package import MeshCore

/// Proxy links over sockets to a gateway or to a simulator process, each link one connection.
///
/// The clock is the system's monotonic one from the bearer's making on.
package final class SocketBearer: Bearer {
    private let address: SocketAddress
    private let packetSize: Int
    private let connectTimeout: Duration
    private let wakeUp: Int32?
    private let start = ContinuousClock.now
    private var connections: [LinkIdentifier: FrameConnection] = [:]
    private var nextLink: UInt32 = 0
    private var events: [BearerEvent] = []
    private var firstEvent = 0
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// A bearer without a link yet; nothing is connected before ``connect(to:)``.
    ///
    /// - Parameters:
    ///   - address: where the gateway listens.
    ///   - packetSize: the largest packet to write. 66 is what the smallest ATT_MTU of a proxy, 69, leaves
    ///     (Mesh Protocol 7.2.2).
    ///   - connectTimeout: how long a connection may take to come about.
    ///   - wakeUp: a pipe's reading end whose octets end ``next(until:)`` early and are thrown away.
    package init(
        address: SocketAddress,
        packetSize: Int = 66,
        connectTimeout: Duration = .seconds(10),
        wakeUp: Int32? = nil
    ) {
        self.address = address
        self.packetSize = min(max(packetSize, 20), Frame.maximumPacketSize)
        self.connectTimeout = connectTimeout
        self.wakeUp = wakeUp
    }

    /// Time since the bearer was made.
    package var now: Instant { Instant.zero.advanced(by: start.duration(to: .now)) }

    /// Each link is a connection of its own; the simulator takes 16 of all clients.
    package var maximumLinks: Int { 4 }

    /// Connects once more, to any proxy.
    ///
    /// - Throws: ``BearerError`` if nobody listens, or for any other target.
    package func connect(to target: LinkTarget) throws(BearerError) -> LinkIdentifier {
        guard target == .anyProxy else { throw BearerError("this bearer cannot choose whom it connects to") }
        let descriptor = try connectStream(to: address, timeout: connectTimeout)
        let link = LinkIdentifier(rawValue: nextLink)
        nextLink += 1
        connections[link] = FrameConnection(descriptor)
        events.append(.opened(link, maximumPacketSize: packetSize))
        return link
    }

    /// Writes one packet, or queues it while the system's buffer is full.
    ///
    /// - Throws: ``BearerError`` if the packet is empty or larger than a frame can hold, which is a caller's mistake.
    package func send(_ packet: [UInt8], on link: LinkIdentifier) throws(BearerError) {
        guard (1...Frame.maximumPacketSize).contains(packet.count) else {
            throw BearerError("a packet of \(packet.count) octets cannot be sent")
        }
        guard let end = connections[link]?.send(packet) else { return }
        lose(link, reason: end)
    }

    /// Waits in `poll` for packets of all links.
    package func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        while true {
            if let event = takeEvent() { return event }
            // Sorted, for the order of a dictionary is another one in every run.
            let links = connections.keys.sorted()
            var watched = links.map { link in
                Watched(
                    number: connections[link]?.descriptor.number ?? -1,
                    writes: connections[link]?.isWriting ?? false
                )
            }
            if let wakeUp { watched.append(Watched(number: wakeUp, writes: false)) }
            let left = now.duration(to: deadline)
            let isReady: Bool
            do {
                isReady = try waitForAny(of: &watched, milliseconds: left.pollMilliseconds)
            } catch {
                throw BearerError("cannot wait for \(address): \(error.text)")
            }
            if wakeUp != nil, let pipe = watched.last, pipe.isReadable {
                drain(pipe.number)
                return nil
            }
            guard isReady else {
                // A signal ends the wait early; so does the minute that one call lasts at most.
                return nil
            }
            for (link, state) in zip(links, watched) { serve(link, state) }
        }
    }

    /// Closes the link's connection; what has arrived on it and was not fetched yet is dropped.
    package func close(_ link: LinkIdentifier) {
        guard connections.removeValue(forKey: link) != nil else { return }
        events = events[firstEvent...].filter { $0.link != link }
        firstEvent = 0
    }

    /// Frames carry no advertisements.
    ///
    /// - Throws: ``BearerError`` always when turned on.
    package func scan(_ isOn: Bool) throws(BearerError) {
        if isOn { throw BearerError("this bearer cannot scan") }
    }

    private func serve(_ link: LinkIdentifier, _ state: Watched) {
        if state.isWritable, let end = connections[link]?.flush() {
            lose(link, reason: end)
            return
        }
        guard state.isReadable, let outcome = connections[link]?.receive(into: &buffer) else { return }
        for packet in outcome.packets { events.append(.received(link, packet)) }
        if let end = outcome.end { lose(link, reason: end) }
    }

    private func lose(_ link: LinkIdentifier, reason: String) {
        guard connections.removeValue(forKey: link) != nil else { return }
        events.append(.closed(link, BearerError(reason)))
    }

    private func takeEvent() -> BearerEvent? {
        guard firstEvent < events.count else {
            events.removeAll(keepingCapacity: true)
            firstEvent = 0
            return nil
        }
        defer { firstEvent += 1 }
        return events[firstEvent]
    }
}
