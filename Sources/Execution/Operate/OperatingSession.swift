package import MeshCore
import Planning
import Store

/// Operates nodes as our own node, over one link or a few that stay for all of it.
///
/// It follows the rules of a run: an IV index and the sequence numbers of a block are durable before a message leaves.
package final class OperatingSession {
    private let access: MeshAccess
    private let driver: ClientDriver
    private var work = OperatingWork([], window: SendWindow(initial: 1, maximum: 1))
    private var positions: [RequestIdentifier: Int] = [:]
    /// Receives each outcome when it is known.
    private var tell: (Int, OperatingOutcome) -> Void = { _, _ in }
    /// Receives the end of a request that is none of ``work``.
    private var other: (RequestIdentifier) -> Void = { _ in }
    /// When the last message left that nobody answers; nil if none did.
    private var postedAt: Instant?
    /// How long a message takes at most from the host to the air: a few connection intervals.
    private static let timeToLeave = Duration.milliseconds(300)
    /// Why nothing more can be sent; nil as long as something can.
    package private(set) var ending: Recap.Ending?

    init(_ access: MeshAccess, _ client: MeshClient) {
        self.access = access
        driver = ClientDriver(client, over: access.bearer, scanning: .client)
    }

    /// Sends requests side by side and waits for their answers.
    ///
    /// - Parameters:
    ///   - requests: at most one at a time goes to a node, in this order.
    ///   - tell: receives the position and the outcome of each as soon as it is known.
    /// - Returns: the outcomes in the order of the requests.
    package func ask(
        _ requests: [OperatingRequest],
        telling tell: @escaping (Int, OperatingOutcome) -> Void = { _, _ in }
    ) -> [OperatingOutcome] {
        let options = access.options
        work = OperatingWork(
            requests,
            window: SendWindow(initial: options.initialWindow, maximum: options.maximumWindow)
        )
        positions = [:]
        self.tell = tell
        defer { self.tell = { _, _ in } }
        while !work.isDone, !isInterrupted {
            send(requests)
            if !work.isDone { wait(until: now.advanced(by: .seconds(1))) }
        }
        for (_, position) in positions { cancel(requests[position].destination) }
        positions = [:]
        if !work.isDone { work.abandon() }
        return work.outcomes.map { $0 ?? .abandoned }
    }

    /// Waits until there is a link for messages that nobody answers: only a request makes the client look for one. It
    /// asks one of the nodes for its Default TTL.
    ///
    /// - Parameter key: the AppKey of the messages.
    package func connect(toReach nodes: [Node], under key: AppKey) {
        guard !driver.client.isLinkReady, !isInterrupted,
            let node = nodes.first(where: { $0.deviceKey != nil })
        else { return }
        let question = Question<Void>(ConfigDefaultTTLGet())
        let (identifier, outputs) = driver.client.request(
            question.inquiry,
            to: node.unicastAddress,
            subnets: [key.boundNetKey],
            deadline: access.options.retry.readBackDeadline,
            at: now
        )
        var isOver = false
        other = { request in if request == identifier { isOver = true } }
        defer { other = { _ in } }
        perform(outputs)
        while !isOver, !driver.client.isLinkReady, !isInterrupted { wait(until: now.advanced(by: .seconds(1))) }
        cancel(node.unicastAddress)
    }

    /// Sends a message that nobody answers.
    ///
    /// - Parameters:
    ///   - destination: an element, a group or a virtual address.
    ///   - key: the AppKey; the message goes out in its subnet.
    /// - Returns: false if there is no link for it, or if nothing can be sent.
    package func post(_ payload: [UInt8], to destination: Destination, under key: AppKey) -> Bool {
        guard !isInterrupted else { return false }
        do throws(StackError) {
            guard let outputs = try driver.client.post(payload, to: destination, under: key, at: now) else {
                return false
            }
            perform(outputs)
            postedAt = now
        } catch {
            ending = ending ?? .sendingFailed(error.explanation)
        }
        return ending == nil
    }

    /// Lets time pass, unless everything has ended.
    package func pause(for duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end, !isInterrupted { wait(until: end) }
    }

    /// Whether everything has ended; an interrupt ends it.
    private var isInterrupted: Bool {
        if ending == nil, access.context.interrupts() > 0 { ending = .interrupted }
        return ending != nil
    }

    /// Closes the links, when what was sent without an answer has had time to leave: a radio drops what is still in its
    /// queue when a connection ends.
    ///
    /// - Returns: the entries of the replay list that came in.
    func end() -> [ReplayProtection.Entry] {
        if let postedAt {
            let end = postedAt.advanced(by: Self.timeToLeave)
            while now < end, !isInterrupted { wait(until: end) }
        }
        perform(driver.client.shutDown(at: now))
        return driver.client.takeReplayEntries()
    }

    private var now: Instant { driver.bearer.now }

    private func send(_ requests: [OperatingRequest]) {
        while ending == nil, let position = work.next() {
            let request = requests[position]
            let (identifier, outputs) = driver.client.request(
                ConfigurationInquiry(request),
                to: request.destination,
                subnets: request.subnets,
                deadline: access.options.retry.readBackDeadline,
                at: now
            )
            positions[identifier] = position
            perform(outputs)
        }
    }

    private func cancel(_ destination: UnicastAddress) {
        if driver.client.isAsking(destination) { perform(driver.client.cancel(destination, at: now)) }
    }

    private func wait(until deadline: Instant) {
        do throws(BearerError) {
            if let event = try driver.next(until: deadline) { perform(driver.client.handle(event, at: now)) }
            perform(driver.advance())
        } catch {
            ending = Recap.Ending(error)
        }
    }

    private func perform(_ outputs: [MeshClient.Output]) {
        driver.perform(outputs, storing: store) { take($0) }
    }

    private func store(_ ivIndex: IVIndex, isCorrection: Bool) -> Recap.Ending? {
        access.store(ivIndex, isCorrection: isCorrection)
    }

    private func take(_ event: ClientDriver.Event) {
        switch event {
        case .answered(let request, let verdict, let transmissions):
            other(request)
            guard let position = positions.removeValue(forKey: request), case .told(let parameters) = verdict else {
                return
            }
            work.answered(position, parameters, transmissions: transmissions)
            tell(position, .answered(parameters))
        case .unanswered(let request): giveUp(request, .unanswered)
        case .unreachable(let request, let failure):
            giveUp(request, .unreachable(failure.reason, hint: failure.hint))
        case .linkDown(let failure, retryIn: nil): ending = ending ?? .linkFailed(failure.reason, hint: failure.hint)
        case .unsendable(_, let error): ending = ending ?? .sendingFailed(error.explanation)
        case .stopped(let reason): ending = ending ?? reason
        case .listening, .connecting, .linkUp, .directLinkUp, .directLinkDown, .linkDown, .sent, .habit, .said,
            .watch, .ivIndexStored, .keyRefreshPhaseChanged:
            break
        }
    }

    private func giveUp(_ request: RequestIdentifier, _ outcome: OperatingOutcome) {
        other(request)
        guard let position = positions.removeValue(forKey: request) else { return }
        work.gaveUp(position, outcome)
        tell(position, outcome)
    }
}

extension Executor {
    /// Operates nodes: records what our own node needs for it, makes a session, and stores what came with the answers.
    ///
    /// - Parameters:
    ///   - needs: the client models of our own node and their keys.
    ///   - body: uses the session, which ends with it.
    /// - Returns: what `body` returns, and why the session ended: ``Recap/Ending/completed`` if nothing was in its way.
    ///   Nil instead of a result if it could not begin.
    package func operate<Result>(
        with needs: Set<OwnModel>,
        _ body: (OperatingSession) -> Result
    ) -> (result: Result?, ending: Recap.Ending) {
        do throws(ExecutionStop) {
            var changes = StoreChanges()
            if let own = try access.snapshot().network.ownNode(with: needs) { changes.nodes = [own] }
            try access.commit(changes)
            let snapshot = try access.snapshot()
            let session = OperatingSession(access, try access.client(of: snapshot))
            let result = body(session)
            changes = StoreChanges()
            changes.replay = session.end()
            try access.commit(changes)
            return (result, session.ending ?? .completed)
        } catch {
            return (nil, error.ending)
        }
    }
}
