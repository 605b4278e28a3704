package import MeshCore
import TLS

/// A gateway's side of a hub: keeps a connection to it, and connects once more for each client that the hub tells of.
///
/// The owner waits for ``watched`` and ``nextDeadline``, calls ``advance(_:)``, and hands the connections for clients
/// to its ``FrameServer``. It never gives up: after each failure it waits, longer each time (``Redialling``).
package final class HubDialler {
    /// What the dialler needs to know.
    package struct Settings {
        /// Where the hub takes gateways.
        package var address: SocketAddress
        /// The own name; the hub takes no other than that of the certificate.
        package var name: HubName
        /// The own version, for people.
        package var program: String
        /// Secures the connections; its role is that of a client.
        package var security: ConnectionSecurity
        /// How long setting up a connection may take.
        package var timeout = Duration.seconds(10)
        /// The longest time without sending, up to 65 s.
        package var silence = Duration.seconds(10)
        /// The longest pause after the first failure.
        package var shortestPause = Duration.seconds(1)
        /// The longest pause of all. A hub that is back has all its gateways again after it.
        package var longestPause = Duration.seconds(20)

        /// The usual times.
        package init(address: SocketAddress, name: HubName, program: String, security: ConnectionSecurity) {
            self.address = address
            self.name = name
            self.program = program
            self.security = security
        }
    }

    /// What has happened, for the log.
    package enum Event: Hashable, Sendable {
        /// The hub knows the gateway now; the name is that of its certificate.
        case connected(hub: String)
        /// The connection is lost, or could not be made. The next attempt follows after a pause.
        case lost(BearerError, pause: Duration)
        /// The hub asks for a connection for a client, and there was none.
        case missed(peer: String, reason: String)
    }

    /// A connection for a client.
    struct Carried {
        /// The connection, on which the client will say hello.
        var frames: FrameConnection
        /// The client, as the hub names it.
        var peer: String
    }

    /// A connection that is being made for a client.
    private struct Attempt {
        var dialling: Dialling
        let call: HubCall
        let peer: String
    }

    /// The most connections that are being made for clients at once.
    static let maximumAttempts = 16
    /// How often the hub is told of changes of the load.
    private static let loadInterval = Duration.seconds(1)

    private let settings: Settings
    private let clock: BearerClock
    private let chance: () -> Double
    private let addresses: HostAddresses
    private var redialling: Redialling
    private var dialling: Dialling?
    private var stream: FrameConnection?
    /// Nil until the hub has taken the connection.
    private var keepalive: Keepalive?
    private var greetingDeadline = Instant.zero
    private var attempts: [Attempt] = []
    private var carried: [Carried] = []
    private var events: [Event] = []
    private var toldLoad: HubLoad?
    private var toldLoadAt = Instant.zero
    private var buffer = [UInt8](repeating: 0, count: 8 * 1024)

    /// How the gateway is used; the hub is told.
    package var load = HubLoad()

    /// A dialler that has not begun; the first ``advance(_:)`` does.
    ///
    /// - Parameter chance: random numbers, 0..<1, which spread the attempts of many gateways.
    package init(
        _ settings: Settings,
        clock: BearerClock,
        addresses: HostAddresses = HostAddresses(),
        chance: @escaping () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.settings = settings
        self.clock = clock
        self.addresses = addresses
        self.chance = chance
        redialling = Redialling(shortest: settings.shortestPause, longest: settings.longestPause)
    }

    deinit { stream?.close() }

    /// Whether the hub knows the gateway.
    package var isConnected: Bool { keepalive != nil }

    // MARK: Waiting

    /// The descriptors that the next wait is for.
    package var watched: [Watched] {
        var watched: [Watched] = []
        if let stream {
            watched.append(Watched(number: stream.descriptor.number, writes: stream.isWriting))
        } else if let own = dialling?.watched {
            watched.append(own)
        }
        return watched + attempts.compactMap(\.dialling.watched)
    }

    /// When to call ``advance(_:)`` even if nothing is ready.
    package var nextDeadline: Instant? {
        var deadlines = attempts.compactMap(\.dialling.nextDeadline)
        if let keepalive {
            deadlines.append(keepalive.nextDeadline)
            if toldLoad != load { deadlines.append(toldLoadAt.advanced(by: Self.loadInterval)) }
        } else if stream != nil {
            deadlines.append(greetingDeadline)
        } else {
            deadlines.append(dialling?.nextDeadline ?? redialling.next)
        }
        return deadlines.min()
    }

    /// Reads and writes as much as possible, and does what is due.
    ///
    /// - Parameter ready: ``watched`` with the result of the wait; other descriptors in it are ignored.
    /// - Returns: what has happened.
    package func advance(_ ready: ArraySlice<Watched>) -> [Event] {
        let now = clock.now
        let states = Dictionary(ready.lazy.filter(\.isReady).map { ($0.number, $0) }) { first, _ in first }
        if let number = stream?.descriptor.number {
            if let state = states[number] { serve(state, at: now) }
            keepTime(at: now)
        } else {
            dial(states, at: now)
        }
        for attempt in attempts.indices.reversed() { connect(attempt, states, at: now) }
        defer { events = [] }
        return events
    }

    /// The connections for clients that were made since the last call.
    func takeCarried() -> [Carried] {
        defer { carried = [] }
        return carried
    }

    /// Leaves the hub. The connections for clients are the server's.
    package func close() {
        stream?.close()
        (stream, dialling, keepalive) = (nil, nil, nil)
        attempts = []
    }

    // MARK: The connection to the hub

    private func dial(_ states: [Int32: Watched], at now: Instant) {
        if dialling == nil {
            guard redialling.next <= now else { return }
            do throws(BearerError) {
                let candidates = try addresses.candidates(for: settings.address, called: "the hub")
                greetingDeadline = now.advanced(by: settings.timeout)
                dialling = Dialling(to: candidates, until: greetingDeadline)
            } catch {
                return lose(error, at: now)
            }
        }
        let isReady = dialling?.watched.map { states[$0.number] != nil } ?? false
        switch dialling?.advance(isReady: isReady, at: now) {
        case .pending?, nil: return
        case .failed(let error)?:
            let hint = error.connectingHint(start: "Is the hub running, and does it take gateways at that address?")
            lose(BearerError("cannot connect to the hub at \(settings.address): \(error.text)", hint: hint), at: now)
        case .connected(let descriptor)?:
            dialling = nil
            do throws(BearerError) {
                let session = try settings.security.session(denied: try settings.security.denied())
                stream = FrameConnection(ByteStream(descriptor, session: session))
            } catch {
                return lose(error, at: now)
            }
            let silence = settings.silence.heartbeatMilliseconds
            send(.announce(settings.name, program: settings.program, silence: silence), at: now)
        }
    }

    private func serve(_ state: Watched, at now: Instant) {
        if state.isWritable, let reason = stream?.flush() { return lose(reason, at: now) }
        guard state.isReadable, let outcome = stream?.receive(into: &buffer) else { return }
        if outcome.hasRead { keepalive?.heard(at: now) }
        for content in outcome.contents where stream != nil {
            do throws(FrameError) {
                handle(try HubReply(decoding: content), at: now)
            } catch {
                lose("the hub sent \(error)", at: now)
            }
        }
        guard stream != nil, let end = outcome.end else { return }
        lose(BearerError("the connection to the hub is lost: \(end.message)", hint: end.hint), at: now)
    }

    private func handle(_ reply: HubReply, at now: Instant) {
        switch reply {
        case .welcome(let silence):
            guard keepalive == nil else { return lose("the hub welcomed us twice", at: now) }
            keepalive = Keepalive(interval: settings.silence, theirs: .milliseconds(Int(silence)), at: now)
            redialling.welcomed(at: now)
            toldLoad = nil
            events.append(.connected(hub: stream?.peerName ?? ""))
        case .call(let call, let peer):
            guard isConnected else { return lose("the hub did not welcome us first", at: now) }
            begin(call, for: peer, at: now)
        case .alive: break
        case .otherVersion(let version), .refused(let version):
            let own = HubProtocol.version
            let message = "the hub speaks version \(version) of its protocol; this gateway speaks version \(own)"
            lose(
                BearerError(message, hint: version > own ? "Update this gateway." : "Update the hub."),
                at: now
            )
        case .end(let error):
            let verb = isConnected ? "has ended the connection" : "refuses the connection"
            lose(BearerError("the hub \(verb): \(error.message)", hint: error.hint), at: now)
        case .gateway, .listed: lose("the hub sent what it tells clients only", at: now)
        }
    }

    private func keepTime(at now: Instant) {
        guard stream != nil else { return }
        guard let keepalive else {
            guard greetingDeadline <= now else { return }
            let seconds = settings.timeout.heartbeatText
            return lose("it accepts the connection, but does not answer within \(seconds)", at: now)
        }
        if keepalive.isOtherSilent(at: now) {
            // This process may have been stopped, and the hub's frames may wait in the system's buffer.
            if let number = stream?.descriptor.number { serve(Watched(number: number, isReadable: true), at: now) }
            guard stream != nil, self.keepalive?.isOtherSilent(at: now) == true else { return }
            lose("the hub has not answered for \(keepalive.patience.heartbeatText)", at: now)
        } else if keepalive.isBeatDue(at: now)
            || toldLoad != load && toldLoadAt.advanced(by: Self.loadInterval) <= now
        {
            (toldLoad, toldLoadAt) = (load, now)
            send(.load(load), at: now)
        }
    }

    private func send(_ request: HubRequest, at now: Instant) {
        if let reason = stream?.send(request.encoded) { return lose(reason, at: now) }
        keepalive?.sent(at: now)
    }

    private func lose(_ reason: String, at now: Instant) {
        let hint: Advice = "Check that the hub runs and that the network lets you reach it."
        lose(BearerError("the connection to the hub is lost: \(reason)", hint: hint), at: now)
    }

    private func lose(_ error: BearerError, at now: Instant) {
        stream?.close()
        (stream, dialling, keepalive) = (nil, nil, nil)
        addresses.lookAgain(for: settings.address)
        events.append(.lost(error, pause: redialling.failed(at: now, chance: chance())))
    }

    // MARK: Connections for clients

    private func begin(_ call: HubCall, for peer: String, at now: Instant) {
        guard attempts.count < Self.maximumAttempts else {
            events.append(.missed(peer: peer, reason: "\(attempts.count) connections are being made already"))
            return
        }
        do throws(BearerError) {
            let candidates = try addresses.candidates(for: settings.address, called: "the hub")
            let until = now.advanced(by: settings.timeout)
            attempts.append(Attempt(dialling: Dialling(to: candidates, until: until), call: call, peer: peer))
        } catch {
            events.append(.missed(peer: peer, reason: error.message))
        }
    }

    private func connect(_ index: Int, _ states: [Int32: Watched], at now: Instant) {
        let isReady = attempts[index].dialling.watched.map { states[$0.number] != nil } ?? false
        let outcome = attempts[index].dialling.advance(isReady: isReady, at: now)
        if case .pending = outcome { return }
        let attempt = attempts.remove(at: index)
        switch outcome {
        case .pending: break
        case .failed(let error): events.append(.missed(peer: attempt.peer, reason: error.text))
        case .connected(let descriptor):
            do throws(BearerError) {
                let session = try settings.security.session(denied: try settings.security.denied())
                var frames = FrameConnection(ByteStream(descriptor, session: session))
                if let reason = frames.send(HubRequest.carry(attempt.call).encoded) { throw BearerError(reason) }
                carried.append(Carried(frames: frames, peer: attempt.peer))
            } catch {
                events.append(.missed(peer: attempt.peer, reason: error.message))
            }
        }
    }
}
