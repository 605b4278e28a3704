package import MeshCore
import Planning
import Store

/// Listening with the help of nodes that have a Remote Provisioning Server.
extension Executor {
    /// Makes nodes listen for devices without a network, side by side. The bearer listens too if it can scan.
    ///
    /// Nodes that began to scan are told to stop before this returns, even after an interrupt; a second interrupt ends
    /// it at once.
    ///
    /// - Parameters:
    ///   - nodes: nodes of the database.
    ///   - duration: for how long each is to listen; nil until an interrupt.
    ///   - handle: receives what is heard and when; it returns false to end like an interrupt.
    package func listen(
        through nodes: [Node],
        for duration: Duration?,
        _ handle: @escaping (ListeningEvent, Instant) -> Bool
    ) -> RemoteListeningReport {
        var report = RemoteListeningReport()
        do throws(ExecutionStop) {
            let snapshot = try access.snapshot()
            let run = RemoteListener(
                nodes,
                for: duration,
                bearer: bearer,
                client: try access.client(of: snapshot),
                interrupts: context.interrupts,
                store: { [access] in access.store($0, isCorrection: $1) },
                handle: handle
            )
            report.ending = run.perform()
            report.nodes = run.listenings
            report.hasBearerListened = run.hasBearerListened
            var changes = StoreChanges()
            changes.replay = run.replayEntries
            try access.commit(changes)
        } catch {
            report.ending = error.ending
        }
        return report
    }
}

/// Sends the questions of a survey to Remote Provisioning Servers, and passes it what they say.
final class RemoteListener {
    /// How many nodes are asked at once.
    private static let window = 6
    /// How long to wait for the end of a scan.
    private static let stopDeadline: Duration = .seconds(6)

    private let driver: ClientDriver
    private var survey: RemoteSurvey
    private let interrupts: () -> Int
    private let store: (IVIndex, _ isCorrection: Bool) -> Recap.Ending?
    private let handle: (ListeningEvent, Instant) -> Bool
    private let subnets: [UnicastAddress: [NetKeyIndex]]
    private var requests: [RequestIdentifier: UnicastAddress] = [:]
    private var isStopping = false
    /// The first reason to end early.
    private(set) var failure: Recap.Ending?
    /// Whether the bearer could scan.
    private(set) var hasBearerListened = false

    init(
        _ nodes: [Node],
        for duration: Duration?,
        bearer: any Bearer,
        client: MeshClient,
        interrupts: @escaping () -> Int,
        store: @escaping (IVIndex, _ isCorrection: Bool) -> Recap.Ending?,
        handle: @escaping (ListeningEvent, Instant) -> Bool
    ) {
        driver = ClientDriver(client, over: bearer, scanning: .shared)
        survey = RemoteSurvey(nodes.map { ($0.unicastAddress, $0.uuid) }, for: duration)
        self.interrupts = interrupts
        self.store = store
        self.handle = handle
        subnets = Dictionary(nodes.map { ($0.unicastAddress, $0.netKeys.map(\.index).sorted()) }) { first, _ in first }
    }

    var listenings: [RemoteListening] { survey.listenings }

    var replayEntries: [ReplayProtection.Entry] { driver.client.takeReplayEntries() }

    private var now: Instant { driver.bearer.now }

    func perform() -> Recap.Ending {
        do throws(BearerError) {
            try driver.scan(alsoForOthers: true)
            hasBearerListened = true
        } catch {
            // The nodes listen all the same, and the client uses any proxy that it finds.
            if error.isInterruption { fail(.interrupted) }
        }
        perform(driver.client.listen(to: Set(subnets.keys), at: now))
        while failure == nil, !survey.isOver {
            let count = interrupts()
            if count > 1 { break }
            if count > 0 { stop() }
            ask()
            guard failure == nil, !survey.isOver else { break }
            wait()
        }
        perform(driver.client.listen(to: [], at: now))
        perform(driver.client.shutDown(at: now))
        try? driver.scan(alsoForOthers: false)
        return failure ?? (interrupts() > 0 ? .interrupted : .completed)
    }

    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        for server in survey.finish(at: now) {
            requests = requests.filter { $0.value != server }
            perform(driver.client.cancel(server, at: now))
        }
    }

    private func ask() {
        for request in survey.requests(count: Self.window - requests.count, at: now) {
            guard let subnets = subnets[request.server], !subnets.isEmpty else {
                survey.unanswered(request.server, at: now)
                continue
            }
            // The server's answer comes with everything else that it says.
            let question: Question<Void> =
                switch request.question {
                case .capabilities: Question(RemoteProvisioningScanCapabilitiesGet())
                case .scan(let seconds):
                    Question(RemoteProvisioningScanStart(scannedItemsLimit: 0, timeout: seconds))
                case .stop: Question(RemoteProvisioningScanStop())
                }
            let deadline = request.question == .stop ? Self.stopDeadline : driver.client.policy.readBackDeadline
            let (identifier, outputs) = driver.request(
                question.inquiry,
                to: request.server,
                subnets: subnets,
                deadline: deadline,
                at: now
            )
            requests[identifier] = request.server
            perform(outputs)
        }
    }

    private func wait() {
        var deadline = now.advanced(by: .milliseconds(500))
        if let due = survey.nextDeadline { deadline = min(deadline, due) }
        do throws(BearerError) {
            if let event = try driver.next(until: deadline) {
                if case .heard(let advertisement) = event { tell(.heard(advertisement)) }
                perform(driver.client.handle(event, at: now))
            } else {
                tell(.quiet)
            }
        } catch {
            fail(Recap.Ending(error))
        }
        perform(driver.advance())
        survey.advance(to: now)
    }

    private func tell(_ event: ListeningEvent) {
        if !handle(event, now) { stop() }
    }

    private func fail(_ ending: Recap.Ending) {
        failure = failure ?? ending
    }

    /// Carries out the client's outputs.
    func perform(_ outputs: [MeshClient.Output]) {
        driver.perform(outputs, storing: store) { take($0) }
    }

    private func take(_ event: ClientDriver.Event) {
        switch event {
        case .linkUp(let proxy, _): tell(.linkUp(proxy: proxy))
        case .linkDown(let down, retryIn: nil): fail(.linkFailed(down.reason, hint: down.hint))
        case .answered(let identifier, _, transmissions: _): requests[identifier] = nil
        case .unanswered(let identifier), .unreachable(let identifier, _):
            if let server = requests.removeValue(forKey: identifier) { survey.unanswered(server, at: now) }
        case .unsendable(_, let error): fail(.sendingFailed(error.explanation))
        case .said(let server, let payload):
            if let report = survey.receive(payload, from: server, at: now), let node = survey.node(of: server) {
                tell(.reported(node, report))
            }
        case .stopped(let ending): fail(ending)
        // Every beacon of the network contains the phase; the next apply records it.
        case .keyRefreshPhaseChanged: break
        case .listening, .connecting, .directLinkUp, .directLinkDown, .linkDown, .sent, .quirk, .ivIndexStored, .watch:
            break
        }
    }
}
