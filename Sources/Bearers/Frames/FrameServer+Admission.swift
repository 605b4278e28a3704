import MeshCore
import TLS

/// Decides who may connect and who may stay.
extension FrameServer {
    /// The most connections without a hello; one more makes the server drop one of them.
    static let maximumStrangers = 16

    /// Accepts the connections that wait, up to a limit per turn. Without the limit, a client that keeps connecting
    /// would take the turn of all others.
    func acceptClients(from listener: Descriptor) {
        // Read once for all that wait: reading takes a moment in which nobody else is served.
        var denied: Result<Set<[UInt8]>, BearerError>?
        for _ in 0..<Self.maximumStrangers {
            let accepted: Descriptor
            do throws(SystemError) {
                guard let next = try acceptNext(listener) else { return }
                accepted = next
            } catch {
                // For example, too many files are open. The waiting connection stays and would end every wait at once.
                acceptAt = clock.now.advanced(by: acceptPause)
                return
            }
            if let stranger = strangerToDrop { drop(stranger, BearerError("too many connections have not said hello")) }
            let now = clock.now
            let session: TLSSession?
            do throws(BearerError) {
                let list = denied ?? deniedNow
                denied = list
                session = try security?.session(denied: try list.get())
            } catch {
                pending.append(.turnedAway(peer: peerName(of: accepted), reason: error.message))
                continue
            }
            clients[Client(rawValue: nextClient)] = Connection(
                frames: FrameConnection(ByteStream(accepted, session: session)),
                peer: peerName(of: accepted),
                since: now
            )
            nextClient &+= 1
        }
    }

    /// Serves a connection that this side has made as if it had been accepted.
    func adopt(_ carried: HubDialler.Carried) {
        if let stranger = strangerToDrop { drop(stranger, BearerError("too many connections have not said hello")) }
        clients[Client(rawValue: nextClient)] = Connection(
            frames: carried.frames,
            peer: "\(carried.peer) through the hub",
            since: clock.now,
            isDialled: true
        )
        nextClient &+= 1
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

    /// The connection that makes room for a new one: the oldest without a hello, of the address with the most of them.
    /// So nobody can push others out by opening many.
    private var strangerToDrop: Client? {
        let strangers = clients.filter { $0.value.keepalive == nil }
        guard strangers.count >= Self.maximumStrangers else { return nil }
        let byHost = Dictionary(grouping: strangers.keys) { strangers[$0]?.host }.values
        let most = byHost.map(\.count).max()
        return byHost.filter { $0.count == most }.compactMap { $0.min() }.min()
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
