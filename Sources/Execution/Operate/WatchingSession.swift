package import MeshCore
import Store

/// What happens while somebody watches.
package enum WatchingEvent: Hashable, Sendable {
    /// A link passes on what is wanted.
    case listening(WatchLink)
    /// The link is lost; the search for another goes on. Told once until there is one.
    case lost(LinkFailure)
    case message(IncomingMessage)
    /// A heartbeat, and the control message that carried it.
    case heartbeat(Heartbeat, IncomingControlMessage)
}

/// Hears what nodes publish, over one link at a time, until somebody ends it.
///
/// What was accepted is stored against replays now and then, because a watch may last for days.
final class WatchingSession {
    /// How often what was heard is stored.
    private static let storingInterval = Duration.seconds(60)
    /// How long to wait before another search, after one was given up.
    private static let searchPause = Duration.seconds(30)

    private let access: MeshAccess
    private let driver: ClientDriver
    private let wish: WatchWish
    private let tell: (WatchingEvent, Instant) -> Void
    private var ending: Recap.Ending?
    private var hadLink = false
    private var isLossTold = false
    private var searchAt: Instant?
    private var storeAt: Instant

    /// A session without a link.
    ///
    /// - Parameter tell: receives what happens, and when.
    init(
        _ access: MeshAccess,
        _ client: MeshClient,
        _ wish: WatchWish,
        telling tell: @escaping (WatchingEvent, Instant) -> Void
    ) {
        self.access = access
        self.wish = wish
        self.tell = tell
        driver = ClientDriver(client, over: access.bearer, scanning: .client)
        storeAt = access.bearer.now.advanced(by: Self.storingInterval)
    }

    /// Listens.
    ///
    /// - Parameters:
    ///   - limit: how long; nil for no limit.
    ///   - isWanted: asked about once a second and after each event, whether to go on.
    /// - Returns: why it ended: ``Recap/Ending/completed`` after the limit, or if nobody wanted more.
    func listen(for limit: Duration?, while isWanted: () -> Bool) -> Recap.Ending {
        let end = limit.map { now.advanced(by: $0) }
        perform(driver.client.watch(wish, at: now))
        while ending == nil, isWanted(), end.map({ now < $0 }) ?? true {
            if access.context.interrupts() > 0 { ending = .interrupted }
            guard ending == nil else { break }
            let pause = now.advanced(by: .seconds(1))
            wait(until: end.map { min($0, pause) } ?? pause)
            searchAgain()
            if storeAt <= now { store() }
        }
        perform(driver.client.shutDown(at: now))
        store()
        return ending ?? .completed
    }

    private var now: Instant { driver.bearer.now }

    private func wait(until deadline: Instant) {
        do throws(BearerError) {
            if let event = try driver.next(until: deadline) { perform(driver.client.handle(event, at: now)) }
            perform(driver.advance())
        } catch {
            end(Recap.Ending(error))
        }
    }

    private func searchAgain() {
        guard let due = searchAt, due <= now else { return }
        searchAt = nil
        perform(driver.client.watch(wish, at: now))
    }

    /// Stores what was heard since the last time.
    private func store() {
        storeAt = now.advanced(by: Self.storingInterval)
        var changes = StoreChanges()
        changes.replay = driver.client.takeReplayEntries()
        do throws(ExecutionStop) {
            try access.commit(changes)
        } catch {
            end(error.ending)
        }
    }

    private func end(_ reason: Recap.Ending) {
        // An interrupt may be followed by something worse, but not the other way round.
        if ending == nil || ending == .interrupted { ending = reason }
    }

    private func perform(_ outputs: [MeshClient.Output]) {
        driver.perform(outputs, storing: { access.store($0, isCorrection: $1) }, telling: { take($0) })
    }

    private func take(_ event: ClientDriver.Event) {
        switch event {
        case .watch(.listening(let link)):
            hadLink = true
            isLossTold = false
            tell(.listening(link), now)
        case .watch(.message(let message)): tell(.message(message), now)
        case .watch(.heartbeat(let heartbeat, let message)): tell(.heartbeat(heartbeat, message), now)
        case .linkDown(let failure, let delay): lose(failure, isGivenUp: delay == nil)
        case .unsendable(_, let error), .watch(.unsendable(let error)): end(.sendingFailed(error.explanation))
        case .stopped(let reason): end(reason)
        case .listening, .connecting, .linkUp, .directLinkUp, .directLinkDown, .sent, .answered, .quirk, .unanswered,
            .unreachable, .said, .ivIndexStored, .keyRefreshPhaseChanged:
            break
        }
    }

    /// A network that was never reached is a failure; one that was may come back.
    private func lose(_ failure: LinkFailure, isGivenUp: Bool) {
        guard hadLink else {
            if isGivenUp { end(.linkFailed(failure.reason, hint: failure.hint)) }
            return
        }
        if isGivenUp { searchAt = now.advanced(by: Self.searchPause) }
        guard !isLossTold else { return }
        isLossTold = true
        tell(.lost(failure), now)
    }
}

extension Executor {
    /// Hears what nodes publish, until the limit, an interrupt, or until nobody wants more.
    ///
    /// - Parameters:
    ///   - wish: what to hear.
    ///   - limit: how long; nil for no limit.
    ///   - isWanted: asked about once a second and after each event, whether to go on.
    ///   - tell: receives what happens, and how long after the beginning.
    /// - Returns: why it ended.
    package func watch(
        _ wish: WatchWish,
        for limit: Duration?,
        while isWanted: () -> Bool = { true },
        telling tell: @escaping (WatchingEvent, Duration) -> Void
    ) -> Recap.Ending {
        do throws(ExecutionStop) {
            let begin = bearer.now
            let session = WatchingSession(access, try access.client(of: access.snapshot()), wish) { event, instant in
                tell(event, begin.duration(to: instant))
            }
            return session.listen(for: limit, while: isWanted)
        } catch {
            return error.ending
        }
    }
}
