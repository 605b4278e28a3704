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
    /// Makes the request that follows from an answer, if one does.
    private var follow: (Int, [UInt8]) -> OperatingRequest? = { _, _ in nil }
    /// How many nodes to talk to at once.
    private var window: SendWindow
    /// Receives the end of a request that belongs to none of the requests at work.
    private var other: (RequestIdentifier) -> Void = { _ in }
    /// Heartbeats that came since somebody last took them; nil as long as nobody listens.
    private var heartbeats: [ArrivedHeartbeat]?
    /// When the last message left that nobody answers; nil if none did.
    private var postedAt: Instant?
    /// How long a message takes at most from the host to the air: a few connection intervals.
    private static let timeToLeave = Duration.milliseconds(300)
    /// What the messages have shown of states that the database keeps.
    private(set) var observations = StateObservations()
    /// Receives messages to our own node, while somebody listens.
    var hear: (IncomingMessage) -> Void = { _ in }
    /// Why nothing more can be sent; nil as long as something can.
    package private(set) var ending: Recap.Ending?

    init(_ access: MeshAccess, _ client: MeshClient) {
        self.access = access
        // What operates fits one PDU mostly, where what configures takes several.
        window = SendWindow(
            initial: access.options.initialWindow,
            maximum: access.options.maximumWindow * Self.windowFactor,
            isProbing: true
        )
        driver = ClientDriver(client, over: access.bearer, scanning: .client)
    }

    /// Sends requests side by side and waits for their answers.
    ///
    /// - Parameters:
    ///   - requests: at most one at a time goes to a node, in this order.
    ///   - tell: receives the position and the outcome of each as soon as it is known.
    ///   - follow: makes the request that follows from the answer to one, by its position and the parameters; nil if
    ///     none does. It goes to the same node at once, and gets the next position.
    /// - Returns: the outcomes in the order of the requests, then those of requests that followed.
    package func ask(
        _ requests: [OperatingRequest],
        telling tell: @escaping (Int, OperatingOutcome) -> Void = { _, _ in },
        following follow: @escaping (Int, [UInt8]) -> OperatingRequest? = { _, _ in nil }
    ) -> [OperatingOutcome] {
        work = OperatingWork(requests, window: window)
        positions = [:]
        self.tell = tell
        self.follow = follow
        defer {
            self.tell = { _, _ in }
            self.follow = { _, _ in nil }
        }
        while !work.isDone, !isInterrupted {
            send()
            if !work.isDone { wait(until: now.advanced(by: .seconds(1))) }
        }
        for (_, position) in positions { cancel(work.requests[position].destination) }
        positions = [:]
        if !work.isDone { work.abandon() }
        // What one round has learnt of the proxy, the next one begins with.
        window = work.window
        return work.outcomes.map { $0 ?? .abandoned }
    }

    /// How many times as many nodes are talked to at once as when they are configured.
    private static let windowFactor = 3

    /// Waits until there is a link for messages that nobody answers: only a request makes the client look for one. So
    /// this asks one of the nodes for its Secure Network Beacon.
    ///
    /// - Parameter key: the AppKey of the messages.
    package func connect(toReach nodes: [Node], under key: AppKey) {
        guard let node = nodes.first(where: { $0.deviceKey != nil }) else { return }
        connect(to: node, in: [key.boundNetKey]) { $0.canPost(under: key) }
    }

    /// Waits until there is a link that reaches a node, but not longer than until an instant: asks it for its Secure
    /// Network Beacon.
    ///
    /// - Returns: whether there is one.
    func connect(to node: Node, until end: Instant) -> Bool {
        connect(to: node, in: node.netKeys.map(\.index), until: end) { $0.canPost(to: node) }
        return driver.client.canPost(to: node)
    }

    /// Asks a node for its Secure Network Beacon until there is a link as it is wanted, or until there will be none.
    private func connect(
        to node: Node,
        in subnets: [NetKeyIndex],
        until end: Instant = .distantFuture,
        _ isConnected: (MeshClient) -> Bool
    ) {
        guard !isConnected(driver.client), !isInterrupted else { return }
        let question = Question<Void>(ConfigBeaconGet())
        let (identifier, outputs) = driver.request(
            question.inquiry,
            to: node.unicastAddress,
            subnets: subnets,
            deadline: access.options.retry.readBackDeadline,
            at: now
        )
        var isOver = false
        other = { request in if request == identifier { isOver = true } }
        defer { other = { _ in } }
        perform(outputs)
        while !isOver, !isConnected(driver.client), !isInterrupted, now < end {
            wait(until: min(end, now.advanced(by: .seconds(1))))
        }
        cancel(node.unicastAddress)
    }

    /// Whether a link reaches a node.
    func canPost(to node: Node) -> Bool { driver.client.canPost(to: node) }

    /// Sends a message under a node's DeviceKey, whose answer nobody awaits here.
    ///
    /// - Parameter ttl: its TTL; 0 is taken for the proxy at the other end of a link.
    /// - Returns: false if there is no link for it, or if nothing can be sent.
    func post(_ payload: [UInt8], to node: Node, ttl: UInt8) -> Bool {
        guard !isInterrupted else { return false }
        do throws(StackError) {
            let subnets = node.netKeys.map(\.index)
            let address = node.unicastAddress
            let outputs = try driver.client.post(payload, to: address, subnets: subnets, ttl: ttl, at: now)
            guard let outputs else { return false }
            perform(outputs)
        } catch {
            ending = ending ?? .sendingFailed(error.explanation)
        }
        return ending == nil
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

    /// Takes note that a place was set without an answer: nobody knows what it has now, unless it tells later.
    func leave(_ request: OperatingRequest) { observations.left(request) }

    /// Lets time pass, unless everything has ended.
    package func pause(for duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end, !isInterrupted { wait(until: end) }
    }

    /// Hears heartbeats from now on, as long as the session lasts, and keeps a link for that. A link that is there
    /// already passes on those to our own address only.
    package func listen(_ wish: WatchWish) {
        isListening = isListening || driver.client.isLinkReady
        heartbeats = heartbeats ?? []
        perform(driver.client.watch(wish, at: now))
    }

    /// Whether a link has ever passed on what is to be heard.
    package private(set) var isListening = false

    /// The heartbeats that came since the last time, in their order; none if nobody listens.
    package func takeHeartbeats() -> [ArrivedHeartbeat] {
        defer { if heartbeats != nil { heartbeats = [] } }
        return heartbeats ?? []
    }

    /// Whether everything has ended; an interrupt ends it.
    var isInterrupted: Bool {
        if ending == nil, access.context.interrupts() > 0 { ending = .interrupted }
        return ending != nil
    }

    /// The proxies that the links lead to, as far as they have told who they are.
    private(set) var proxies: [UnicastAddress] = []

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

    /// The present, on the clock of the bearer.
    package var now: Instant { driver.bearer.now }

    private func send() {
        while ending == nil, let position = work.next() {
            let request = work.requests[position]
            let (identifier, outputs) = driver.request(
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

    /// Waits for one event, or until something is due, but not longer than until an instant.
    func wait(until deadline: Instant) {
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
            observations.answered(work.requests[position], parameters)
            if let further = follow(position, parameters) { _ = work.add(further) }
            work.answered(position, parameters, transmissions: transmissions)
            tell(position, .answered(parameters))
        case .sent(let request, let transmissions):
            if transmissions > 1, let position = positions[request] { work.isLate(position) }
        case .unanswered(let request): giveUp(request, .unanswered)
        case .unreachable(let request, let failure):
            giveUp(request, .unreachable(failure.reason, hint: failure.hint))
        case .linkDown(let failure, retryIn: nil): ending = ending ?? .linkFailed(failure.reason, hint: failure.hint)
        case .unsendable(_, let error): ending = ending ?? .sendingFailed(error.explanation)
        case .stopped(let reason): ending = ending ?? reason
        case .watch(.heartbeat(let heartbeat, let message)):
            heartbeats?.append(
                ArrivedHeartbeat(source: message.source, hops: Int(heartbeat.hops(receivedTTL: message.ttl)))
            )
        case .watch(.message(let message)): hear(message)
        case .watch(.listening(let link)):
            isListening = true
            if let proxy = link.proxy, !proxies.contains(proxy) { proxies.append(proxy) }
        case .listening, .connecting, .linkUp, .directLinkUp, .directLinkDown, .linkDown, .quirk, .said,
            .watch, .ivIndexStored, .keyRefreshPhaseChanged:
            break
        }
    }

    private func giveUp(_ request: RequestIdentifier, _ outcome: OperatingOutcome) {
        other(request)
        guard let position = positions.removeValue(forKey: request) else { return }
        if work.requests[position].sets { observations.left(work.requests[position]) }
        work.gaveUp(position, outcome)
        tell(position, outcome)
    }
}

/// A heartbeat that reached our own node (Mesh Protocol 3.6.7).
package struct ArrivedHeartbeat: Hashable, Sendable {
    /// The address of the node that sent it.
    package let source: UnicastAddress
    /// Over how many hops it came, at least 1.
    package let hops: Int
}

extension MeshAccess {
    /// The same with time-outs for short messages: somebody waits for a lamp, where nobody waits for a node that is
    /// being configured. Answers to one PDU take a fraction of this time (measured in the simulator over three hops).
    fileprivate var operating: MeshAccess {
        var options = options
        options.retry.minimumTimeout = min(options.retry.minimumTimeout, .milliseconds(400))
        options.retry.initialTimeout = min(options.retry.initialTimeout, .milliseconds(700))
        return MeshAccess(
            database: database,
            lease: lease,
            bearer: bearer,
            options: options,
            context: context,
            heardProxies: heardProxies
        )
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
            // Which models our own node speaks with decides nothing about the network: no plan is outdated by it.
            if let own = try access.snapshot().network.ownNode(with: needs) { changes.confirmedNodes = [own] }
            try access.commit(changes)
            let snapshot = try access.snapshot()
            let operating = access.operating
            let session = OperatingSession(operating, try operating.client(of: snapshot))
            let result = body(session)
            changes = StoreChanges()
            changes.replay = session.end()
            session.observations.record(in: snapshot.network, at: access.context.now(), to: &changes)
            do throws(ExecutionStop) {
                try access.commit(changes)
            } catch {
                // What became of the nodes is known all the same.
                return (result, error.ending)
            }
            return (result, session.ending ?? .completed)
        } catch {
            return (nil, error.ending)
        }
    }
}

extension MeshClient {
    /// Whether a ready link reaches a node in one of its subnets.
    fileprivate func canPost(to node: Node) -> Bool {
        canPost(to: node.unicastAddress, subnets: node.netKeys.map(\.index))
    }
}
