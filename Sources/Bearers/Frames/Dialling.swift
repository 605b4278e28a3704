import MeshCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Connects a socket without waiting: one address after the other, each with its share of the time.
struct Dialling {
    /// The state of the attempt.
    enum Outcome {
        case pending
        case connected(Descriptor)
        /// No address answers; the error is the last address's.
        case failed(SystemError)
    }

    private var candidates: ArraySlice<Candidate>
    private let end: Instant
    private var current: (descriptor: Descriptor, candidate: Candidate, until: Instant)?
    private var last = SystemError(number: EADDRNOTAVAIL)

    /// Nothing is connected yet; the first ``advance(isReady:at:)`` begins.
    ///
    /// - Parameter end: when to give up.
    init(to candidates: [Candidate], until end: Instant) {
        self.candidates = candidates[...]
        self.end = end
    }

    /// The socket that is connecting; nil if there is none.
    var watched: Watched? { current.map { Watched(number: $0.descriptor.number, reads: false, writes: true) } }

    /// When the time of the present address is over.
    var nextDeadline: Instant? { current?.until }

    /// Checks the present socket, and goes on to the next address if it failed.
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
            let number = openSocket(candidate.family, streamType)
            guard number >= 0 else {
                last = .last
                continue
            }
            let descriptor = Descriptor(adopting: number)
            if candidate.withAddress({ connect(descriptor.number, $0, $1) }) == 0 {
                return connected(descriptor, candidate)
            }
            last = .last
            // A Unix socket with a full backlog answers EAGAIN; then there is nothing to wait for.
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
    /// What usually helps when no address can be connected to; nil if nothing is known.
    ///
    /// - Parameter start: how to start the other side.
    func connectingHint(start: Advice) -> Advice? {
        switch number {
        case ECONNREFUSED, ENOENT: start
        case EACCES, EPERM: "The socket belongs to somebody else."
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: "Check the host, the port and the network in between."
        default: nil
        }
    }
}
