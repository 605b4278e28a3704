internal import MeshCore

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The way to a connected socket, without waiting: one address after the other, each with its share of the time.
struct Dialling {
    /// What has become of it.
    enum Outcome {
        /// It goes on.
        case pending
        /// A socket is connected.
        case connected(Descriptor)
        /// No address answers; this is the last one's error.
        case failed(SystemError)
    }

    private var candidates: ArraySlice<Candidate>
    private let end: Instant
    private var current: (descriptor: Descriptor, candidate: Candidate, until: Instant)?
    private var last = SystemError(number: EADDRNOTAVAIL)

    /// Nothing is connected yet; ``advance(isReady:at:)`` begins.
    ///
    /// - Parameter end: when it is given up.
    init(to candidates: [Candidate], until end: Instant) {
        self.candidates = candidates[...]
        self.end = end
    }

    /// The socket that is being connected, if any is.
    var watched: Watched? { current.map { Watched(number: $0.descriptor.number, reads: false, writes: true) } }

    /// When the present address has had its time.
    var nextDeadline: Instant? { current?.until }

    /// Looks what has become of the present socket, and goes on to the next address if it failed.
    ///
    /// - Parameter isReady: whether the socket is ready.
    mutating func advance(isReady: Bool, at now: Instant) -> Outcome {
        if let (descriptor, candidate, until) = current {
            if isReady {
                let error = pendingError(of: descriptor)
                if error.number == 0 { return connected(descriptor, candidate) }
                last = error
            } else if until <= now {
                last = SystemError(number: ETIMEDOUT)
            } else {
                return .pending
            }
            current = nil
        }
        while let candidate = candidates.popFirst() {
            let number = socket(candidate.family, streamType, 0)
            guard number >= 0 else {
                last = .last
                continue
            }
            let descriptor = Descriptor(adopting: number)
            if candidate.withAddress({ connect(descriptor.number, $0, $1) }) == 0 {
                return connected(descriptor, candidate)
            }
            last = .last
            // A Unix socket whose backlog is full answers EAGAIN; there is nothing to wait for.
            guard last.number == EINPROGRESS || last.number == EINTR else { continue }
            let share = now.duration(to: end) / (candidates.count + 1)
            current = (descriptor, candidate, now.advanced(by: share))
            return .pending
        }
        return .failed(last)
    }

    private func connected(_ descriptor: Descriptor, _ candidate: Candidate) -> Outcome {
        candidate.disableDelay(on: descriptor)
        return .connected(descriptor)
    }

    private func pendingError(of descriptor: Descriptor) -> SystemError {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return .last }
        return SystemError(number: code)
    }
}

extension SystemError {
    /// What usually helps when nobody can be connected to, nil if nothing is known.
    ///
    /// - Parameter start: how the other side is started.
    func connectingHint(start: String) -> String? {
        switch number {
        case ECONNREFUSED, ENOENT: start
        case EACCES, EPERM: "The socket belongs to somebody else."
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: "Check the host, the port and the network in between."
        default: nil
        }
    }
}
