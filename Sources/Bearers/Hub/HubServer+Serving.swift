import MeshCore
import TLS

/// Handles what gateways and clients send.
extension HubServer {
    /// Writes to and reads from a connection.
    func serve(_ peer: HubPeer, _ ready: Watched) {
        if ready.isWritable, !peer.isGone, let reason = peer.stream.flush() { return end(peer, reason) }
        if case .leaving = peer.state { return leave(peer, ready) }
        guard ready.isReadable, !peer.isGone, peer.watched.reads else { return }
        if !peer.isSecuring {
            guard securings < Self.securingLimit, secure(peer) else { return }
        }
        let arrival = peer.stream.receive(into: &buffer)
        switch peer.state {
        case .joined(let other, let passage):
            pass(arrival.octets, from: peer, to: other, passage)
        default:
            peer.decoder.append(arrival.octets)
            read(peer, hasHeard: arrival.hasRead)
        }
        if let end = arrival.end {
            self.end(peer, end.message, isNotTLS: peer.isGateway && !peer.stream.isSecured)
        } else if arrival.isOver {
            end(peer, peer.stream.ended(isInside: false).message)
        }
    }

    /// Begins TLS on a connection of a gateway.
    ///
    /// - Returns: whether it has begun.
    private func secure(_ peer: HubPeer) -> Bool {
        do throws(BearerError) {
            securings += 1
            let list = denied ?? deniedNow
            denied = list
            let session = try security.session(denied: try list.get())
            peer.stream = ByteStream(peer.stream.descriptor, session: session)
            peer.isSecuring = true
            return true
        } catch {
            end(peer, error.message)
            return false
        }
    }

    /// The denied fingerprints at present.
    private var deniedNow: Result<Set<[UInt8]>, BearerError> {
        do throws(BearerError) {
            return .success(try security.denied())
        } catch {
            return .failure(error)
        }
    }

    /// Handles the frames that have arrived. A connection may become something else with each of them.
    private func read(_ peer: HubPeer, hasHeard: Bool) {
        while true {
            switch peer.state {
            case .stranger, .gateway: break
            // Its octets are for the other side.
            case .waiting, .joined, .leaving, .gone: return
            }
            if hasHeard, case .gateway(let presence) = peer.state { presence.keepalive.heard(at: clock.now) }
            do throws(FrameError) {
                guard let content = try peer.decoder.next() else { return }
                if let problem = handle(try HubRequest(decoding: content), of: peer) {
                    refuse(peer, BearerError(problem))
                }
            } catch {
                refuse(peer, BearerError("the other side sent \(error)"))
            }
        }
    }

    /// Carries a request out.
    ///
    /// - Returns: the rule that it breaks; nil if none.
    private func handle(_ request: HubRequest, of peer: HubPeer) -> String? {
        if case .gateway(let presence) = peer.state {
            guard case .load(let load) = request else { return "the other side sent what a gateway does not send" }
            presence.load = load
            return nil
        }
        switch request {
        case .otherVersion(let version):
            let message =
                "the other side speaks version \(version) of the hub's protocol; this hub speaks version "
                + "\(HubProtocol.version)"
            // Clients understand this whatever the version.
            _ = say(peer.isGateway ? .refused(version: HubProtocol.version) : .end(BearerError(message)), to: peer)
            turnAway(peer, message)
        case .announce(let name, let program, let silence):
            guard peer.isGateway else { return "gateways come to another address of the hub" }
            announce(peer, name, program, silence)
        case .carry(let call):
            guard peer.isGateway else { return "gateways come to another address of the hub" }
            join(peer, call)
        case .reach(let name):
            guard !peer.isGateway else { return "clients come to another address of the hub" }
            reach(peer, name)
        case .list:
            guard !peer.isGateway else { return "clients come to another address of the hub" }
            list(to: peer)
        case .load: return "the other side did not say first what it is"
        }
        return nil
    }

    // MARK: Gateways

    private func announce(_ peer: HubPeer, _ name: HubName, _ program: String, _ silence: UInt16) {
        let certified = peer.stream.peerName ?? ""
        guard certified == name.text else {
            let error = BearerError(
                "the certificate is that of “\(certified)”, which cannot announce itself as \(name)",
                hint: "A gateway has the name in its certificate; give it a file of its own."
            )
            return refuse(peer, error)
        }
        guard allowances.spend(name.text, at: clock.now) else {
            traffic.floods += 1
            return refuse(peer, BearerError("the gateway \(name) connects too often", hint: "Wait a few seconds."))
        }
        if let other = gateways[name], case .gateway(let presence) = other.state {
            // A gateway that lost its power is back before its former connection has timed out.
            guard presence.keepalive.isOverdue(at: clock.now),
                other.stream.peerFingerprint == peer.stream.peerFingerprint
            else {
                let error = BearerError(
                    "a gateway \(name) is connected already, from \(other.name)",
                    hint: "Each gateway needs a file of its own. If it is this one, its former connection ends soon."
                )
                return refuse(peer, error)
            }
            end(other, "it has connected again")
        }
        guard gateways.count < settings.maximumGateways else {
            return refuse(peer, BearerError("\(settings.maximumGateways) gateways are connected already"))
        }
        let keepalive = Keepalive(interval: settings.silence, theirs: .milliseconds(Int(silence)), at: clock.now)
        let presence = HubPresence(name: name, program: program, since: security.now(), keepalive: keepalive)
        peer.state = .gateway(presence)
        gateways[name] = peer
        tell(.came(name, peer: peer.name, program: program, fingerprint: peer.stream.peerFingerprint))
        say(.welcome(silence: settings.silence.heartbeatMilliseconds), orEnd: peer)
    }

    /// Joins a connection of a gateway with the client for which it was called.
    private func join(_ peer: HubPeer, _ call: HubCall) {
        guard let client = calls[call], case .waiting(_, let presence, let until) = client.state,
            presence.name.text == peer.stream.peerName
        else { return refuse(peer, BearerError("nobody waits for that call")) }
        calls[call] = nil
        traffic.answers += 1
        traffic.answerTime += settings.callTimeout - clock.now.duration(to: until)
        let passage = HubPassage(call, presence, client: client.name)
        client.state = .joined(peer, passage)
        peer.state = .joined(client, passage)
        tell(.joined(call, presence.name, client: client.name))
        pass(client.decoder.takeRest()[...], from: client, to: peer, passage)
        pass(peer.decoder.takeRest()[...], from: peer, to: client, passage)
    }

    // MARK: Clients

    private func reach(_ client: HubPeer, _ name: HubName) {
        func refuse(_ error: BearerError) {
            tell(.unreached(name.text, client: client.name, reason: error.message))
            dismiss(client, error)
        }
        guard let gateway = gateways[name], case .gateway(let presence) = gateway.state else {
            let some = gateways.keys.sorted().prefix(8).map(\.text).joined(separator: ", ")
            let known =
                some.isEmpty ? "None is connected." : "Connected are: \(some)\(gateways.count > 8 ? ", …" : "")."
            return refuse(BearerError("no gateway \(name) is connected to the hub", hint: Advice(known)))
        }
        guard presence.clients < settings.maximumClientsPerGateway, clientCount < settings.maximumClients else {
            let full =
                presence.clients < settings.maximumClientsPerGateway
                ? "the hub has \(clientCount) clients already"
                : "\(presence.clients) clients use the gateway \(name) already"
            return refuse(BearerError(full, hint: "Wait until another one has finished."))
        }
        let call = HubCall(rawValue: nextCall)
        nextCall += 1
        presence.clients += 1
        clientCount += 1
        calls[call] = client
        client.state = .waiting(call, presence, until: clock.now.advanced(by: settings.callTimeout))
        say(.call(call, peer: client.name), orEnd: gateway)
    }

    private func list(to client: HubPeer) {
        for entry in entries {
            guard say(.gateway(entry), to: client) == nil else { return close(client) }
        }
        guard say(.listed(since: began, program: settings.program), to: client) == nil else { return close(client) }
        depart(client)
    }

    /// Passes octets on. More than ``passageLimit`` never wait for long: then the sender is not read.
    private func pass(_ octets: ArraySlice<UInt8>, from peer: HubPeer, to other: HubPeer, _ passage: HubPassage) {
        guard !octets.isEmpty else { return }
        if peer.isGateway {
            passage.received += octets.count
            traffic.received += octets.count
        } else {
            passage.sent += octets.count
            traffic.sent += octets.count
        }
        if let reason = other.stream.send(octets) { end(other, reason) }
    }
}
