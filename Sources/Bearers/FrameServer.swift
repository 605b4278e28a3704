package import MeshCore

/// The other end of ``SocketBearer``: listens, and speaks frames with any number of clients.
///
/// Each client is a link. One thread drives the server by ``wait(atMost:)``. A client that sends what is not a frame, or
/// does not read what it is sent, is dropped; the others do not notice.
package final class FrameServer {
    /// Where the server listens, with the port that the system chose if 0 was asked for.
    package let address: SocketAddress
    private var listener: Descriptor?
    private let wakeUp: Int32?
    private let maximumClients: Int
    private var clients: [LinkIdentifier: FrameConnection] = [:]
    private var nextLink: UInt32 = 0
    private var pending: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// What clients do.
    package enum Event: Hashable, Sendable {
        /// A client has connected.
        case opened(LinkIdentifier)
        /// A client has sent one packet.
        case received(LinkIdentifier, [UInt8])
        /// A client is gone or was dropped.
        case closed(LinkIdentifier, reason: String)
    }

    /// Starts to listen. A Unix socket gets mode 0600.
    ///
    /// - Parameters:
    ///   - address: where.
    ///   - maximumClients: connections at once; further ones are closed as soon as they come.
    ///   - wakeUp: a pipe's reading end whose octets end ``wait(atMost:)`` early and are thrown away.
    /// - Throws: ``BearerError`` if the address is in use or may not be used.
    package init(
        listeningAt address: SocketAddress,
        maximumClients: Int = 16,
        wakeUp: Int32? = nil
    ) throws(BearerError) {
        let (listener, bound) = try listenStream(at: address)
        self.listener = listener
        self.address = bound
        self.maximumClients = maximumClients
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

    /// Waits until a client does something, at most `duration`.
    ///
    /// - Returns: what happened, in order for each client; empty after the time or when a signal arrived.
    /// - Throws: ``BearerError`` if the system cannot wait.
    package func wait(atMost duration: Duration) throws(BearerError) -> [Event] {
        guard let listener else { return [] }
        guard pending.isEmpty else { return takePending() }
        let links = clients.keys.sorted()
        var watched = links.map { link in
            Watched(number: clients[link]?.descriptor.number ?? -1, writes: clients[link]?.isWriting ?? false)
        }
        watched.append(Watched(number: listener.number, writes: false))
        if let wakeUp { watched.append(Watched(number: wakeUp, writes: false)) }
        do {
            guard try waitForAny(of: &watched, milliseconds: duration.pollMilliseconds) else { return [] }
        } catch {
            throw BearerError("cannot wait at \(address): \(error.text)")
        }
        if let wakeUp, watched[links.count + 1].isReadable { drain(wakeUp) }
        for (link, state) in zip(links, watched) { serve(link, state) }
        if watched[links.count].isReadable { acceptClients(from: listener) }
        return takePending()
    }

    /// Sends one packet to a client; to one that is gone it does nothing.
    package func send(_ packet: [UInt8], to link: LinkIdentifier) {
        guard let end = clients[link]?.send(packet) else { return }
        drop(link, reason: end)
    }

    /// Drops a client; its event comes with the next ``wait(atMost:)``.
    package func drop(_ link: LinkIdentifier, reason: String) {
        guard clients.removeValue(forKey: link) != nil else { return }
        pending.append(.closed(link, reason: reason))
    }

    private func takePending() -> [Event] {
        defer { pending.removeAll() }
        return pending
    }

    private func serve(_ link: LinkIdentifier, _ state: Watched) {
        if state.isWritable, let end = clients[link]?.flush() {
            drop(link, reason: end)
            return
        }
        guard state.isReadable, let outcome = clients[link]?.receive(into: &buffer) else { return }
        for packet in outcome.packets { pending.append(.received(link, packet)) }
        if let end = outcome.end { drop(link, reason: end) }
    }

    private func acceptClients(from listener: Descriptor) {
        // An error here (such as too many open files) concerns the newcomer; it may be better at the next wait.
        while let accepted = try? acceptStream(from: listener) {
            guard clients.count < maximumClients else { continue }
            let link = LinkIdentifier(rawValue: nextLink)
            nextLink += 1
            clients[link] = FrameConnection(accepted)
            pending.append(.opened(link))
        }
    }
}
