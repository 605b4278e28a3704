import MeshCore

/// Ends connections, and keeps time.
extension HubServer {
    // MARK: Speaking

    /// Sends a frame.
    ///
    /// - Returns: why that was not possible.
    func say(_ reply: HubReply, to peer: HubPeer) -> String? {
        let frame: [UInt8]
        do {
            frame = try Frame.encode(reply.encoded)
        } catch {
            return "something cannot be framed: \(error)"
        }
        if case .gateway(let presence) = peer.state { presence.keepalive.sent(at: clock.now) }
        return peer.stream.send(frame)
    }

    /// Sends a frame, and ends the connection if that is not possible.
    func say(_ reply: HubReply, orEnd peer: HubPeer) {
        if let reason = say(reply, to: peer) { end(peer, reason) }
    }

    // MARK: Ending

    /// Ends a connection that has broken, or whose other side has left, and what depends on it.
    ///
    /// - Parameter isNotTLS: whether the other side does not speak TLS, and must be told so without it.
    func end(_ peer: HubPeer, _ reason: String, isNotTLS: Bool = false) {
        switch peer.state {
        case .stranger:
            if isNotTLS {
                refuse(peer, BearerError("this hub accepts only TLS connections of gateways"), reason)
            } else if peer.isGateway || peer.decoder.pending > 0 {
                turnAway(peer, reason)
            } else {
                // Somebody looked whether the hub is there.
                close(peer)
            }
        case .gateway(let presence):
            gateways[presence.name] = nil
            depart(peer)
            tell(.left(presence.name, reason: reason))
            let error = BearerError("the gateway \(presence.name) has left the hub: \(reason)")
            for client in calls.values {
                guard case .waiting(_, let other, _) = client.state, other === presence else { continue }
                giveUp(client, error)
            }
        case .waiting(let call, let presence, _):
            calls[call] = nil
            forget(presence)
            tell(.unreached(presence.name.text, client: peer.name, reason: reason))
            close(peer)
        case .joined(let other, let passage):
            forget(passage.gateway)
            close(peer)
            depart(other)
            tell(
                .parted(
                    passage.call,
                    passage.gateway.name,
                    reason: peer.isGateway ? "the gateway has ended: \(reason)" : reason,
                    sent: passage.sent,
                    received: passage.received
                )
            )
        case .leaving, .gone: close(peer)
        }
    }

    /// Tells a client why its gateway does not answer.
    private func giveUp(_ client: HubPeer, _ error: BearerError) {
        guard case .waiting(let call, let presence, _) = client.state else { return }
        calls[call] = nil
        forget(presence)
        tell(.unreached(presence.name.text, client: client.name, reason: error.message))
        dismiss(client, error)
    }

    /// A client of a gateway is gone.
    private func forget(_ presence: HubPresence) {
        presence.clients -= 1
        clientCount -= 1
    }

    /// Tells a stranger or a gateway why it is not served.
    func refuse(_ peer: HubPeer, _ error: BearerError, _ reason: String? = nil) {
        guard case .gateway = peer.state else {
            _ = say(.end(error), to: peer)
            return turnAway(peer, reason ?? error.message)
        }
        _ = say(.end(error), to: peer)
        end(peer, reason ?? error.message)
    }

    /// Tells a client why it is not served.
    func dismiss(_ client: HubPeer, _ error: BearerError) {
        _ = say(.end(error), to: client)
        depart(client)
    }

    /// Drops a stranger that was told why, or cannot be told.
    func turnAway(_ peer: HubPeer, _ reason: String) {
        if farewells < Self.maximumFarewells { depart(peer) } else { close(peer) }
        tell(.turnedAway(peer: peer.name, reason: reason))
    }

    /// Drops a stranger without a word; the next one needs its place.
    func drop(_ peer: HubPeer, _ reason: String) {
        close(peer)
        tell(.turnedAway(peer: peer.name, reason: reason))
    }

    /// Lets a connection have its last octets.
    func depart(_ peer: HubPeer) {
        if case .leaving = peer.state { return }
        peer.stream.close()
        if !peer.stream.isWriting { peer.stream.descriptor.endWriting() }
        forget(stranger: peer)
        farewells += 1
        peer.state = .leaving(until: clock.now.advanced(by: Self.patience))
        peer.decoder = FrameDecoder()
    }

    /// Goes on with a connection that is over.
    func leave(_ peer: HubPeer, _ ready: Watched) {
        if ready.isWritable, !peer.stream.isWriting { peer.stream.descriptor.endWriting() }
        if ready.isReadable, peer.stream.discard(into: &buffer) { close(peer) }
    }

    func close(_ peer: HubPeer) {
        // Nothing of it is kept but its socket, which closes with the last reference.
        if case .leaving = peer.state { farewells -= 1 }
        forget(stranger: peer)
        peer.state = .gone
        hasGone = true
    }

    // MARK: Time

    /// Keeps connections alive, and ends those whose time is over.
    func keepTime(at now: Instant) {
        var denied: Set<[UInt8]> = []
        if nextReview <= now {
            nextReview = now.advanced(by: settings.reviewInterval)
            // While the list cannot be read, nobody new may connect, and connected gateways stay.
            denied = (try? security.denied()) ?? []
        }
        for peer in peers {
            if !denied.isEmpty, let fingerprint = peer.stream.peerFingerprint, denied.contains(fingerprint) {
                deny(peer)
            }
            switch peer.state {
            case .stranger:
                guard peer.since.advanced(by: settings.greetingTimeout) <= now else { continue }
                turnAway(peer, "the other side did not say in time what it is")
            case .gateway(let presence): keepAlive(peer, presence, at: now)
            case .waiting(_, let presence, let until):
                guard until <= now else { continue }
                let error = BearerError(
                    "the gateway \(presence.name) does not answer the hub within \(settings.callTimeout.heartbeatText)",
                    hint: "Its network may be slow or broken, or its machine overloaded."
                )
                giveUp(peer, error)
            case .leaving(let until): if until <= now { close(peer) }
            case .joined, .gone: continue
            }
        }
    }

    private func deny(_ peer: HubPeer) {
        let error = BearerError("the certificate is denied", hint: "Ask the hub's operator for another file.")
        switch peer.state {
        case .gateway: refuse(peer, error)
        case .joined: end(peer, error.message)
        case .stranger, .waiting, .leaving, .gone: break
        }
    }

    private func keepAlive(_ peer: HubPeer, _ presence: HubPresence, at now: Instant) {
        if presence.keepalive.isOtherSilent(at: now) {
            // This process may have been stopped, and the gateway's frames may wait in the system's buffer.
            serve(peer, Watched(number: peer.stream.descriptor.number, isReadable: true))
            guard case .gateway = peer.state, presence.keepalive.isOtherSilent(at: now) else { return }
            let seconds = presence.keepalive.patience.heartbeatText
            refuse(peer, BearerError("the other side has not answered for \(seconds)"))
        } else if presence.keepalive.isBeatDue(at: now) {
            say(.alive, orEnd: peer)
        }
    }
}
