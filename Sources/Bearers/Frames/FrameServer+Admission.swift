import MeshCore
import TLS

/// Decides who may connect and who may stay.
extension FrameServer {
    /// The most connections without a hello; one more makes the server drop one of them.
    package static let maximumStrangers = 128
    /// The most connections to accept in a turn. Without the limit, a client that keeps connecting would take the turn
    /// of all others.
    static let acceptLimit = 64
    /// The most connections with which to begin TLS in a turn, which costs as much as all else.
    static let securingLimit = 16

    /// Accepts the connections that wait, up to a limit per turn.
    func acceptClients(from listener: Descriptor) {
        for _ in 0..<Self.acceptLimit {
            do throws(SystemError) {
                guard let accepted = try acceptNext(listener) else { return }
                let stream = FrameConnection(ByteStream(accepted))
                add(
                    Connection(frames: stream, peer: peerName(of: accepted), since: clock.now),
                    from: Origin(of: accepted)
                )
            } catch {
                // For example, too many files are open. The waiting connection stays and would end every wait at once.
                acceptAt = clock.now.advanced(by: acceptPause)
                return
            }
        }
    }

    /// Serves a connection that this side has made as if it had been accepted.
    func adopt(_ carried: HubDialler.Carried) {
        let peer = "\(carried.peer) through the hub"
        add(
            Connection(frames: carried.frames, peer: peer, since: clock.now, isDialled: true),
            from: Origin(octets: [])
        )
    }

    private func add(_ connection: Connection, from origin: Origin) {
        let client = Client(rawValue: nextClient)
        nextClient &+= 1
        clients[client] = connection
        // Nothing is said to it: that would take longer than it costs to come again.
        if let displaced = strangers.admit(client, from: origin) {
            remove(displaced, reason: "too many connections have not said hello")
        }
    }

    /// Begins TLS with a connection that has sent its first octets, so that silence costs next to nothing.
    ///
    /// - Returns: whether it can be read from now on.
    func secure(_ client: Client) -> Bool {
        guard let security, let connection = clients[client], !connection.isDialled, !connection.frames.isSecuring
        else { return true }
        guard securings < Self.securingLimit else { return false }
        securings += 1
        do throws(BearerError) {
            let list = denied ?? deniedNow
            denied = list
            clients[client]?.frames.secure(try security.session(denied: try list.get()))
            return true
        } catch {
            remove(client, reason: error.message)
            return false
        }
    }

    /// How many clients have said hello.
    package var clientCount: Int { clients.values.count { $0.keepalive != nil } }

    /// The denied fingerprints at present.
    private var deniedNow: Result<Set<[UInt8]>, BearerError> {
        do throws(BearerError) {
            return .success(try security?.denied() ?? [])
        } catch {
            return .failure(error)
        }
    }

    /// Drops clients that were denied after they connected.
    func reviewDenied(at now: Instant) {
        guard let security, !clients.isEmpty, nextReview <= now else { return }
        nextReview = now.advanced(by: settings.reviewInterval)
        // While the list cannot be read, nobody new may connect, and connected clients stay.
        guard let denied = try? security.denied(), !denied.isEmpty else { return }
        for client in clients.keys.sorted() {
            guard let fingerprint = clients[client]?.fingerprint, denied.contains(fingerprint) else {
                continue
            }
            drop(
                client,
                BearerError("the certificate is denied", hint: "Ask the gateway's operator for another file.")
            )
        }
    }
}
