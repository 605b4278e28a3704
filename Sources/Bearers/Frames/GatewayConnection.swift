import MeshCore

/// A connection of ``SocketBearer``: from the first address, through TLS and the hellos, until its loss.
///
/// The caller handles the happenings in order. After a failure or a loss the connection is of no use.
struct GatewayConnection {
    /// Where a connection leads, and how to make it.
    struct Settings {
        var address: SocketAddress
        var name: String
        /// The gateway to which a hub at the address leads; nil if the gateway itself is there.
        var behindHub: HubName?
        /// Secures the connection with TLS; nil for a plain one.
        var security: ConnectionSecurity?
        /// How long setting up may take, including the hello.
        var timeout: Duration
        /// The longest time without sending, up to 65 s.
        var silence: Duration
    }

    /// What happens to a connection.
    enum Happening {
        /// The gateway has said hello.
        case greeted(maximumLinks: Int, canScan: Bool)
        /// The gateway has reported something about a link, or what it heard.
        case told(BearerEvent)
        /// The connection could not be set up.
        case failed(BearerError)
        /// The connection had been set up, and is lost.
        case lost(BearerError)
        /// The connection had been set up; the gateway has ended it and said why.
        case dismissed(BearerError)
    }

    private let settings: Settings
    private let candidates: [Candidate]
    private var dialling: Dialling?
    /// When to dial again; nil unless the other side has just closed the connection.
    private var retryAt: Instant?
    private var stream: FrameConnection?
    /// Nil until the gateway's hello; until then the connection is being set up.
    private var keepalive: Keepalive?
    /// When the gateway must have said hello.
    private let greetingDeadline: Instant
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// What helps if the other side breaks the rules of the frames.
    static let violationHint =
        "The program that listens there violates version \(Frame.version) of the frame protocol. Update the gateway "
        + "or simulator, or fix it if you wrote it."
    private static let foreignHint = "Is the program that listens there a meshplan gateway or simulator?"

    /// A connection to one of several addresses, tried one after the other; ``begin(at:)`` starts it.
    init(_ settings: Settings, to candidates: [Candidate], at now: Instant) {
        self.settings = settings
        self.candidates = candidates
        greetingDeadline = now.advanced(by: settings.timeout)
        dialling = Dialling(to: candidates, until: greetingDeadline)
    }

    /// Whether the gateway has said hello.
    var isGreeted: Bool { keepalive != nil }

    /// How many octets wait to be written.
    var waiting: Int { stream?.waiting ?? 0 }

    // MARK: Waiting

    /// When to give the connection up, keep it alive, or try the next address.
    var nextDeadline: Instant? {
        if let retryAt { return retryAt }
        if let dialling { return dialling.nextDeadline }
        return keepalive?.nextDeadline ?? greetingDeadline
    }

    /// The socket.
    var watched: [Watched] {
        if let dialling { return dialling.watched.map { [$0] } ?? [] }
        return stream.map { [Watched(number: $0.descriptor.number, writes: $0.isWriting)] } ?? []
    }

    /// Tries the first address.
    mutating func begin(at now: Instant) -> [Happening] {
        dial(isReady: false, at: now)
    }

    /// Reads and writes as much as possible, and does what is due.
    mutating func advance(_ ready: ArraySlice<Watched>, at now: Instant) -> [Happening] {
        if let retryAt {
            guard retryAt <= now else { return [] }
            self.retryAt = nil
            dialling = Dialling(to: candidates, until: greetingDeadline)
            return dial(isReady: false, at: now)
        }
        if dialling != nil { return dial(isReady: ready.first?.isReady ?? false, at: now) }
        var happenings: [Happening] = []
        if let socket = ready.first, socket.number == stream?.descriptor.number { happenings = serve(socket, at: now) }
        return stream == nil ? happenings : happenings + keepTime(at: now)
    }

    private mutating func keepTime(at now: Instant) -> [Happening] {
        guard let keepalive else {
            guard greetingDeadline <= now else { return [] }
            let seconds = settings.timeout.heartbeatText
            return end(
                BearerError(
                    "\(settings.name) does not answer: it accepts the connection, but does not say hello within "
                        + "\(seconds)",
                    hint: "Its process may be stopped, or its machine overloaded. Check it, or restart it. If it runs "
                        + "well, another program listens at that port."
                )
            )
        }
        if keepalive.isOtherSilent(at: now) {
            // This process may have been stopped, and the gateway's frames may wait in the system's buffer.
            let happenings = read(at: now)
            guard stream != nil, self.keepalive?.isOtherSilent(at: now) == true else { return happenings }
            return happenings + lose("the other side has not answered for \(keepalive.patience.heartbeatText)")
        }
        return keepalive.isBeatDue(at: now) ? send(.alive, at: now) : []
    }

    /// Checks whether the connection is still there; call it if nobody may have waited for long.
    mutating func check(at now: Instant) -> [Happening] {
        keepalive?.isBeatDue(at: now) == true ? read(at: now) : []
    }

    // MARK: Setting up

    private mutating func dial(isReady: Bool, at now: Instant) -> [Happening] {
        switch dialling?.advance(isReady: isReady, at: now) {
        case .pending?, nil: return []
        case .failed(let error)?:
            let start: Advice =
                settings.behindHub != nil
                ? HubListing.startHint
                : settings.security == nil
                    ? "Is the gateway or the simulator running? Start one with: \(command: .simulate(at: "\(settings.address)"))"
                    : """
                    Is the gateway running? It is started there with: \
                    \(command: .serve(at: "\(settings.address.everywhere)"))
                    """
            return end(
                BearerError(
                    "cannot connect to \(settings.name): \(error.text)",
                    hint: error.connectingHint(start: start)
                )
            )
        case .connected(let descriptor)?:
            dialling = nil
            do throws(BearerError) {
                stream = FrameConnection(ByteStream(descriptor, session: try settings.security?.session()))
            } catch {
                return end(error)
            }
            if let name = settings.behindHub, let reason = stream?.send(HubRequest.reach(name).encoded) {
                return broken(reason, at: now)
            }
            return stream?.send(ClientFrame.hello(silence: settings.silence.heartbeatMilliseconds).encoded)
                .map { broken($0, at: now) } ?? []
        }
    }

    /// The other side has closed the connection without a word before its hello, as a gateway does in a flood of
    /// connections: which of them it keeps is chance. So the connection is made again as long as there is time.
    ///
    /// Without TLS everything that may connect is on this machine, and the other side is broken.
    private mutating func dialAgain(_ error: BearerError, at now: Instant) -> [Happening] {
        let again = now.advanced(by: .milliseconds(Int.random(in: 25...75)))
        guard settings.security != nil, !isGreeted, again < greetingDeadline else { return end(error) }
        (dialling, stream) = (nil, nil)
        retryAt = again
        return []
    }

    /// A write has failed.
    private mutating func broken(_ reason: String, at now: Instant) -> [Happening] {
        guard reason == ByteStream.closedText else { return lose(reason) }
        return dialAgain(lossError(reason), at: now)
    }

    private func lossError(_ reason: String) -> BearerError {
        BearerError(
            "the connection to \(settings.name) is lost: \(reason)",
            hint: "Check that it runs and that the network lets you reach it."
        )
    }

    /// Handles the first frame.
    private mutating func greet(_ content: [UInt8], at now: Instant) -> [Happening] {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try ServerFrame(decoding: content)
        } catch {
            return end(BearerError("\(settings.name) sent \(error)", hint: Self.foreignHint))
        }
        switch frame {
        case .hello(let theirs, let maximumLinks, let canScan):
            keepalive = Keepalive(interval: settings.silence, theirs: .milliseconds(Int(theirs)), at: now)
            return [.greeted(maximumLinks: max(Int(maximumLinks), 1), canScan: canScan)]
        case .otherVersion(let version), .refused(let version):
            return end(
                BearerError(
                    "the gateway or simulator at \(settings.name) speaks version \(version) of the frames; this "
                        + "meshplan speaks version \(Frame.version)",
                    hint: version > Frame.version ? "Use a newer meshplan." : "Use a newer gateway or simulator."
                )
            )
        case .end(let error):
            return end(
                BearerError("\(settings.name) refuses the connection: \(error.message)", hint: error.hint)
            )
        default: return end(BearerError("\(settings.name) does not say hello first"))
        }
    }

    /// Ends the connection: it is lost, or could not be set up.
    private mutating func end(_ error: BearerError) -> [Happening] {
        (dialling, stream, retryAt) = (nil, nil, nil)
        return [isGreeted ? .lost(error) : .failed(error)]
    }

    private mutating func lose(_ reason: String, isViolation: Bool = false) -> [Happening] {
        var error = lossError(reason)
        if isViolation { error.hint = Advice(isGreeted ? Self.violationHint : Self.foreignHint) }
        return end(error)
    }

    // MARK: Frames

    /// Writes a frame, or queues it while the system's buffer is full.
    mutating func send(_ frame: ClientFrame, at now: Instant) -> [Happening] {
        guard let reason = stream?.send(frame.encoded) else {
            keepalive?.sent(at: now)
            return []
        }
        // The gateway may have said why before it closed the connection.
        let lastWords = read(at: now)
        return stream == nil ? lastWords : lastWords + lose(reason)
    }

    /// Ends sending, with TLS's own message if TLS is used.
    mutating func close() { stream?.close() }

    private mutating func read(at now: Instant) -> [Happening] {
        guard let number = stream?.descriptor.number else { return [] }
        return serve(Watched(number: number, isReadable: true), at: now)
    }

    private mutating func serve(_ socket: Watched, at now: Instant) -> [Happening] {
        if socket.isWritable, let reason = stream?.flush() {
            let lastWords = read(at: now)
            return stream == nil ? lastWords : lastWords + broken(reason, at: now)
        }
        guard socket.isReadable, let outcome = stream?.receive(into: &buffer) else { return [] }
        if outcome.hasRead { keepalive?.heard(at: now) }
        var happenings: [Happening] = []
        for content in outcome.contents where stream != nil {
            happenings += isGreeted ? handle(content) : greet(content, at: now)
        }
        guard stream != nil, let reason = outcome.end else { return happenings }
        if reason.isSilent, !isGreeted {
            let error =
                reason.isSecurity
                ? BearerError("\(settings.name): \(reason.message)", hint: reason.hint) : lossError(reason.message)
            return happenings + dialAgain(error, at: now)
        }
        guard reason.isSecurity else {
            return happenings + lose(reason.message, isViolation: reason.isViolation)
        }
        return happenings + end(BearerError("\(settings.name): \(reason.message)", hint: reason.hint))
    }

    private mutating func handle(_ content: [UInt8]) -> [Happening] {
        let frame: ServerFrame
        do throws(FrameError) {
            frame = try ServerFrame(decoding: content)
        } catch {
            return lose("the other side sent \(error)", isViolation: true)
        }
        switch frame {
        case .hello, .otherVersion, .refused: return lose("the other side said hello twice", isViolation: true)
        case .end(let error):
            _ = end(error)
            return [
                .dismissed(
                    BearerError("\(settings.name) has ended the connection: \(error.message)", hint: error.hint)
                )
            ]
        case .alive: return []
        case .opened(let link, let size, let times): return [.told(.opened(link, maximumPacketSize: size, times))]
        case .packet(let link, let packet): return [.told(.received(link, packet))]
        case .closed(let link, let error): return [.told(.closed(link, error))]
        case .heard(let advertisement): return [.told(.heard(advertisement))]
        }
    }
}
