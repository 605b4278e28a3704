internal import MeshCore
internal import TLS

/// Who is let in, and who is not any more.
extension FrameServer {
    /// Connections that have not said hello yet; beyond so many one makes room.
    static let maximumStrangers = 16

    /// Takes those who wait at the listening socket, but no more than there may be: whoever connects again and again would
    /// keep all others from their turn.
    func acceptClients(from listener: Descriptor) {
        // Read once for all who wait: it takes a moment, in which nobody else is served.
        var denied: Result<Set<[UInt8]>, BearerError>?
        for _ in 0..<Self.maximumStrangers {
            let accepted: Descriptor
            do throws(SystemError) {
                guard let next = try acceptNext(listener) else { return }
                accepted = next
            } catch {
                // Too many open files, say. Whoever waits there goes on waiting, and would end every wait at once.
                acceptAt = clock.now.advanced(by: acceptPause)
                return
            }
            if let stranger = strangerToDrop { drop(stranger, BearerError("too many connections say nothing")) }
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
                frames: FrameConnection(accepted, session: session),
                peer: peerName(of: accepted),
                since: now
            )
            nextClient &+= 1
        }
    }

    /// Who is not let in at present.
    private var deniedNow: Result<Set<[UInt8]>, BearerError> {
        do throws(BearerError) {
            return .success(try security?.denied() ?? [])
        } catch {
            return .failure(error)
        }
    }

    /// Who makes room for a newcomer: the oldest connection without a hello from the address with the most of them, so that
    /// whoever opens many pushes nobody else out.
    private var strangerToDrop: Client? {
        let strangers = clients.filter { $0.value.heartbeat == nil }
        guard strangers.count >= Self.maximumStrangers else { return nil }
        let byHost = Dictionary(grouping: strangers.keys) { strangers[$0]?.host }.values
        let most = byHost.map(\.count).max()
        return byHost.filter { $0.count == most }.compactMap { $0.min() }.min()
    }

    /// Drops clients that have been denied since they came.
    func reviewDenied(at now: Instant) {
        guard let security, !clients.isEmpty, nextReview <= now else { return }
        nextReview = now.advanced(by: settings.reviewInterval)
        // While the list cannot be read nobody new is let in, and those who were let in before stay.
        guard let denied = try? security.denied(), !denied.isEmpty else { return }
        for client in clients.keys.sorted() {
            guard let fingerprint = clients[client]?.frames.peerFingerprint, denied.contains(fingerprint) else {
                continue
            }
            drop(
                client,
                BearerError("the certificate is denied", hint: "Ask whoever runs the gateway for another file.")
            )
        }
    }
}
