package import MeshCore

/// A bearer that waits in `poll`, so that one thread can wait for several at once.
///
/// What it has to tell is fetched by ``takeEvent()``; when that gives nothing, it is waited until one of ``watched`` is
/// ready or ``nextDeadline`` is there, and then ``advance(_:)`` does what there is to do without waiting. ``Bearer/now``
/// and ``Bearer/next(until:)`` follow from the rest.
package protocol PolledBearer: Bearer {
    /// The clock of ``Bearer/now``.
    var clock: BearerClock { get }

    /// What ends a wait beside the bearer's own descriptors.
    var interruption: WaitInterruption { get }

    /// When ``advance(_:)`` wants to be called though nothing is ready; nil if never.
    var nextDeadline: Instant? { get }

    /// What is to be waited for at present; asked before each wait.
    var watched: [Watched] { get }

    /// Reads and writes what can be, and does what is due.
    ///
    /// - Parameter ready: ``watched`` as it was asked for last, in its order, with what came of the wait; nothing is ready
    ///   when only time has passed.
    /// - Throws: ``BearerError`` if the bearer can do nothing any more; a link that is lost is an event instead.
    func advance(_ ready: ArraySlice<Watched>) throws(BearerError)

    /// The next of what there is to tell, nil if there is nothing.
    func takeEvent() -> BearerEvent?

    /// Whether it can connect and scan at present, as far as is known; true for bearers that are ready once they are made.
    var isReady: Bool { get }

    /// About how many octets were sent on a link and wait for the radio or the socket; who passes on what others send
    /// stops to read it while that is much. 0 for bearers that do not know.
    func backlog(of link: LinkIdentifier) -> Int
}

/// What ends the wait of a bearer beside its own descriptors.
package struct WaitInterruption: Hashable, Sendable {
    /// A pipe's reading end whose octets end a wait early and are thrown away.
    package var wakeUp: Int32?
    /// Descriptors that end a wait early as long as there is something to read on them; it is left to the caller, as are
    /// their lives.
    package var watched: [Int32]

    /// That pipe and those descriptors; neither unless given.
    package init(wakeUp: Int32? = nil, watched: [Int32] = []) {
        self.wakeUp = wakeUp
        self.watched = watched
    }
}

extension PolledBearer {
    /// True: most bearers are ready once they are made.
    package var isReady: Bool { true }

    /// 0: most bearers do not know.
    package func backlog(of link: LinkIdentifier) -> Int { 0 }

    /// Time since the clock began.
    package var now: Instant { clock.now }

    /// Waits in `poll` for the descriptors and the time that the bearer names, and lets it do what is due.
    ///
    /// - Throws: ``BearerError`` if the bearer can do nothing any more, or the system cannot wait.
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
            // A signal ends the wait early; so does the minute that one call lasts at most.
            guard isAnyReady || isDue && now < deadline else { return takeEvent() }
        }
    }
}
