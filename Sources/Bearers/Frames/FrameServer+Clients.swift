import MeshCore
import TLS

/// Handles what clients send, and drops clients that are silent for too long.
extension FrameServer {
    /// Writes to and reads from a client.
    func serve(_ client: Client, _ state: Watched) {
        if state.isWritable, let end = clients[client]?.frames.flush() {
            remove(client, reason: end)
            return
        }
        guard state.isReadable, secure(client), let outcome = clients[client]?.frames.receive(into: &buffer) else {
            return
        }
        if outcome.hasRead {
            clients[client]?.keepalive?.heard(at: clock.now)
            strangers.hasSpoken(client)
        }
        // Whoever has proved that the pairing is theirs does not lose the place to those who have not.
        if clients[client]?.fingerprint != nil { strangers.remove(client) }
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
        if end.isSecurity, connection.keepalive == nil {
            turnAway(client, end)
        } else if end.isViolation {
            drop(client, BearerError(end.message))
        } else {
            remove(client, reason: end.message)
        }
    }

    /// Carries a frame out.
    ///
    /// - Returns: the rule that the frame breaks; nil if none.
    private func handle(_ frame: ClientFrame, of client: Client) -> String? {
        guard let connection = clients[client] else { return nil }
        guard connection.keepalive != nil else { return greet(client, with: frame) }
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
            guard allowances.spend(allowance(of: client), at: clock.now) else {
                let error = BearerError("the client connects too often", hint: "Wait a few seconds.")
                tell(.closed(link, error), client)
                return nil
            }
            clients[client]?.links.insert(link)
            pending.append(.connect(ClientLink(client: client, link: link), target))
        case .packet(let link, let packet):
            // The server closed this link while the packet was on its way.
            guard connection.links.contains(link) else { return nil }
            pending.append(.received(ClientLink(client: client, link: link), packet))
        case .close(let link):
            guard clients[client]?.links.remove(link) != nil else { return nil }
            pending.append(.closed(ClientLink(client: client, link: link)))
        case .scan(let isOn):
            guard settings.canScan else { return "the other side scans, but scanning is not possible here" }
            guard isOn != connection.isScanning else { return nil }
            clients[client]?.isScanning = isOn
            pending.append(.scan(client, isOn))
        }
        return nil
    }

    /// The name whose allowance a client uses: its certificate's, or its own without certificates.
    private func allowance(of client: Client) -> String {
        clients[client]?.fingerprint.map(Hexadecimal.encode) ?? "\(client.rawValue)"
    }

    /// How many links the other end has, over all connections with the same certificate.
    private func linkCount(of connection: Connection) -> Int {
        guard let fingerprint = connection.fingerprint else { return connection.links.count }
        return clients.values.reduce(0) { sum, other in
            other.fingerprint == fingerprint ? sum + other.links.count : sum
        }
    }

    private func greet(_ client: Client, with frame: ClientFrame) -> String? {
        let theirs: UInt16
        switch frame {
        case .hello(let silence): theirs = silence
        case .otherVersion(let version):
            guard var frames = clients[client]?.frames else { return nil }
            _ = frames.send(ServerFrame.refused(version: Frame.version).encoded)
            farewells.bid(frames, most: settings.maximumClients, at: clock.now)
            let versions = "version \(version) of the frames; this side speaks version \(Frame.version)"
            remove(client, reason: "the client speaks \(versions)")
            return nil
        default: return "the other side did not say hello first"
        }
        guard clientCount < settings.maximumClients else {
            let error = BearerError(
                settings.maximumClients == 1
                    ? "another client is already connected"
                    : "\(settings.maximumClients) clients are already connected",
                hint: "Wait until another one has finished."
            )
            drop(client, error)
            return nil
        }
        strangers.remove(client)
        clients[client]?.keepalive = Keepalive(
            interval: settings.silence,
            theirs: .milliseconds(Int(theirs)),
            at: clock.now
        )
        let peer = clients[client].map {
            [$0.isDialled ? nil : $0.frames.peerName, $0.peer].compactMap(\.self).joined(separator: " at ")
        }
        let fingerprint = clients[client]?.fingerprint
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

    /// Keeps connections alive and drops silent clients.
    func keepTime() {
        let now = clock.now
        reviewDenied(at: now)
        for client in clients.keys.sorted() {
            guard let connection = clients[client] else { continue }
            guard let keepalive = connection.keepalive else {
                if connection.since.advanced(by: settings.greetingTimeout) <= now {
                    drop(client, BearerError("the other side did not say hello in time"))
                }
                continue
            }
            if connection.isPaused { clients[client]?.keepalive?.heard(at: now) }
            if keepalive.isOtherSilent(at: now), !connection.isPaused {
                // This process may have been stopped, and the client's frames may wait in the system's buffer.
                serve(client, Watched(number: connection.frames.descriptor.number, isReadable: true))
                guard clients[client]?.keepalive?.isOtherSilent(at: now) == true else { continue }
                drop(client, BearerError("the other side has not answered for \(keepalive.patience.heartbeatText)"))
            } else if keepalive.isBeatDue(at: now) {
                tell(.alive, client)
            }
        }
    }
}
