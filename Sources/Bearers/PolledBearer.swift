package import MeshCore

/// A bearer that waits in `poll`, so that one thread can wait for several at once.
///
/// ``takeEvent()`` returns its events. When there is none, the caller waits until one of ``watched`` is ready or until
/// ``nextDeadline``, and then calls ``advance(_:)``, which does what is due without waiting. ``Bearer/now`` and
/// ``Bearer/next(until:)`` follow from the rest.
package protocol PolledBearer: Bearer {
    /// The clock of ``Bearer/now``.
    var clock: BearerClock { get }

    /// Ends a wait, beside the bearer's own descriptors.
    var interruption: WaitInterruption { get }

    /// When to call ``advance(_:)`` even if nothing is ready; nil for never.
    var nextDeadline: Instant? { get }

    /// The descriptors that the next wait is for; asked before each wait.
    var watched: [Watched] { get }

    /// Reads and writes as much as possible, and does what is due.
    ///
    /// - Parameter ready: the last ``watched``, in its order, with the result of the wait; nothing is ready if only
    ///   time has passed.
    /// - Throws: ``BearerError`` if the bearer fails for good. A lost link is an event, not an error.
    func advance(_ ready: ArraySlice<Watched>) throws(BearerError)

    /// The next event; nil if there is none.
    func takeEvent() -> BearerEvent?

    /// Whether it can connect and scan at present, as far as known; true for a bearer that is ready once it is made.
    var isReady: Bool { get }

    /// About how many octets sent on a link still wait for the radio or the socket; 0 if the bearer does not know. A
    /// relay stops reading its client while this is large.
    func backlog(of link: LinkIdentifier) -> Int
}

/// Ends the wait of a bearer, beside the bearer's own descriptors.
package struct WaitInterruption: Hashable, Sendable {
    /// The reading end of a pipe. Octets in it end a wait early and are thrown away.
    package var wakeUp: Int32?
    /// Descriptors that end a wait early while they are readable. The caller reads and closes them.
    package var watched: [Int32]

    package init(wakeUp: Int32? = nil, watched: [Int32] = []) {
        self.wakeUp = wakeUp
        self.watched = watched
    }
}

extension PolledBearer {
    /// True, because most bearers are ready once they are made.
    package var isReady: Bool { true }

    /// Zero, because most bearers do not know.
    package func backlog(of link: LinkIdentifier) -> Int { 0 }

    package var now: Instant { clock.now }

    /// Waits in `poll` for the descriptors and the time that the bearer names, and then lets it do what is due.
    package func next(until deadline: Instant) throws(BearerError) -> BearerEvent? {
        while true {
            if let event = takeEvent() { return event }
            var polled = watched
            let own = polled.count
            let foreign = own + interruption.watched.count
            polled += interruption.watched.map { Watched(number: $0, writes: false) }
            if let wakeUp = interruption.wakeUp { polled.append(Watched(number: wakeUp, writes: false)) }
            let due = nextDeadline
            let isAnyReady: Bool
            do {
                isAnyReady = try waitForAny(
                    of: &polled,
                    milliseconds: now.duration(to: min(deadline, due ?? deadline)).pollMilliseconds
                )
            } catch {
                throw BearerError("cannot wait: \(error.text)")
            }
            let isDue = due.map { $0 <= now } ?? false
            if isDue || polled[..<own].contains(where: \.isReady) { try advance(polled[..<own]) }
            if let wakeUp = interruption.wakeUp, polled[foreign].isReadable {
                drain(wakeUp)
                return nil
            }
            if polled[own..<foreign].contains(where: \.isReadable) { return takeEvent() }
            // A signal ends the wait early; so does the limit of one minute for a single call.
            guard isAnyReady || isDue && now < deadline else { return takeEvent() }
        }
    }
}
