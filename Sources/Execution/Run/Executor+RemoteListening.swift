package import MeshCore
import Planning
import Store

/// Listening with the help of nodes that have a Remote Provisioning Server.
extension Executor {
    /// Has nodes listen for devices in no network, side by side, while the bearer listens too if it can scan.
    ///
    /// Whoever began to scan is told to stop before this returns, also after an interrupt; a second one ends it at once.
    ///
    /// - Parameters:
    ///   - nodes: nodes of the database.
    ///   - duration: for how long each is to listen; nil until it is interrupted.
    ///   - handle: is told what is heard and when; false ends it like an interrupt.
    package func listen(
        through nodes: [Node],
        for duration: Duration?,
        _ handle: @escaping (ListeningEvent, Instant) -> Bool
    ) -> RemoteListeningReport {
        var report = RemoteListeningReport()
        do throws(ExecutionStop) {
            let snapshot = try stopping { () throws(StoreError) in try database.snapshot() }
            let run = RemoteListeningRun(
                nodes,
                for: duration,
                bearer: bearer,
                client: try client(of: snapshot),
                interrupts: context.interrupts,
                store: { self.store($0, isCorrection: $1) },
                handle: handle
            )
            report.ending = run.perform()
            report.nodes = run.listenings
            report.hasBearerListened = run.hasBearerListened
            var changes = StoreChanges()
            changes.replay = run.replayEntries
            if !changes.isEmpty {
                _ = try stopping { () throws(StoreError) in try database.commit(changes, with: lease) }
            }
        } catch {
            report.ending = error.ending
        }
        return report
    }
}

/// The reactor between a survey of Remote Provisioning Servers, a client and the bearer.
private final class RemoteListeningRun {
    /// Nodes that are asked at once.
    private static let window = 6
    /// How long the end of a scan is waited for.
    private static let stopDeadline: Duration = .seconds(6)

    private let bearer: any Bearer
    private var client: MeshClient
    private var survey: RemoteSurvey
    private let interrupts: () -> Int
    private let store: (IVIndex, _ isCorrection: Bool) -> Recap.Ending?
    private let handle: (ListeningEvent, Instant) -> Bool
    private let subnets: [UnicastAddress: [NetKeyIndex]]
    private var requests: [RequestIdentifier: UnicastAddress] = [:]
    private var isScanning = false
    private var isStopping = false
    private var failure: Recap.Ending?
    /// Whether the bearer could scan.
    var hasBearerListened: Bool { isScanning }

    init(
        _ nodes: [Node],
        for duration: Duration?,
        bearer: any Bearer,
        client: MeshClient,
        interrupts: @escaping () -> Int,
        store: @escaping (IVIndex, _ isCorrection: Bool) -> Recap.Ending?,
        handle: @escaping (ListeningEvent, Instant) -> Bool
    ) {
        self.bearer = bearer
        self.client = client
        survey = RemoteSurvey(nodes.map { ($0.unicastAddress, $0.uuid) }, for: duration)
        self.interrupts = interrupts
        self.store = store
        self.handle = handle
        subnets = Dictionary(nodes.map { ($0.unicastAddress, $0.netKeys.map(\.index).sorted()) }) { first, _ in first }
    }

    var listenings: [RemoteListening] { survey.listenings }

    var replayEntries: [ReplayProtection.Entry] { client.takeReplayEntries() }

    /// Runs to the end.
    func perform() -> Recap.Ending {
        do throws(BearerError) {
            try bearer.scan(true)
            isScanning = true
        } catch {
            // The nodes listen all the same, and the client takes what proxy there is.
        }
        perform(client.listen(to: Set(subnets.keys), at: bearer.now))
        while failure == nil, !survey.isOver {
            let count = interrupts()
            if count > 1 { break }
            if count > 0 { stop() }
            ask()
            guard failure == nil, !survey.isOver else { break }
            wait()
        }
        perform(client.listen(to: [], at: bearer.now))
        perform(client.shutDown(at: bearer.now))
        if isScanning { try? bearer.scan(false) }
        return failure ?? (interrupts() > 0 ? .interrupted : .completed)
    }

    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        for server in survey.finish(at: bearer.now) {
            requests = requests.filter { $0.value != server }
            perform(client.cancel(server, at: bearer.now))
        }
    }

    private func ask() {
        let now = bearer.now
        for request in survey.requests(count: Self.window - requests.count, at: now) {
            guard let subnets = subnets[request.server], !subnets.isEmpty else {
                survey.unanswered(request.server, at: now)
                continue
            }
            let inquiry =
                switch request.question {
                case .capabilities: ConfigurationInquiry(RemoteProvisioningScanCapabilitiesGet()) { _ in .doesNotHold }
                case .scan(let seconds):
                    ConfigurationInquiry(RemoteProvisioningScanStart(scannedItemsLimit: 0, timeout: seconds)) { _ in
                        .doesNotHold
                    }
                case .stop: ConfigurationInquiry(RemoteProvisioningScanStop()) { _ in .doesNotHold }
                }
            let deadline = request.question == .stop ? Self.stopDeadline : client.policy.readBackDeadline
            let (identifier, outputs) = client.request(
                inquiry,
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
        var deadline = bearer.now.advanced(by: .milliseconds(500))
        for due in [client.nextDeadline, survey.nextDeadline] { if let due { deadline = min(deadline, due) } }
        do throws(BearerError) {
            if let event = try bearer.next(until: deadline) {
                if case .heard(let advertisement) = event { tell(.heard(advertisement)) }
                perform(client.handle(event, at: bearer.now))
            } else {
                tell(.quiet)
            }
        } catch {
            failure = Recap.Ending(error)
        }
        if let due = client.nextDeadline, due <= bearer.now {
            perform(client.advance(to: bearer.now, deafness: bearer.deafness))
        }
        survey.advance(to: bearer.now)
    }

    private func tell(_ event: ListeningEvent) {
        if !handle(event, bearer.now) { stop() }
    }

    private func perform(_ outputs: [MeshClient.Output]) {
        var pending = outputs[...]
        while let output = pending.popFirst() {
            if case .ivIndexChanged(let index, let isCorrection) = output {
                // Nothing leaves under an IV index that a crash could make us forget.
                failure = store(index, isCorrection)
                if failure != nil { return }
                continue
            }
            let further = perform(output)
            if !further.isEmpty { pending = (further + pending)[...] }
        }
    }

    private func perform(_ output: MeshClient.Output) -> [MeshClient.Output] {
        let now = bearer.now
        switch output {
        case .connect(let target):
            do throws(BearerError) {
                return client.connecting(try bearer.connect(to: target), to: target, at: now)
            } catch {
                return client.connectFailed(target, error, at: now)
            }
        // The bearer scans all the time, if it can.
        case .scan(let isOn): return isOn && !isScanning ? client.scanFailed(at: now) : []
        case .send(let packet, on: let link):
            do throws(BearerError) {
                try bearer.send(packet, on: link)
            } catch {
                bearer.close(link)
                return client.handle(.closed(link, error), at: now)
            }
        case .closeLink(let link): bearer.close(link)
        case .linkUp(let proxy, _): tell(.linkUp(proxy: proxy))
        case .linkDown(let down, let delay):
            if delay == nil { failure = .linkFailed(down.reason, hint: down.hint) }
        case .answered(let identifier, _, transmissions: _): requests[identifier] = nil
        case .unanswered(let identifier), .unreachable(let identifier, _):
            if let server = requests.removeValue(forKey: identifier) { survey.unanswered(server, at: now) }
        case .unsendable(_, let error):
            failure = .sendingFailed(error.explanation)
        case .said(let server, let payload):
            if let report = survey.receive(payload, from: server, at: now), let node = survey.node(of: server) {
                tell(.reported(node, report))
            }
        // The IV index is taken care of before what follows it. The network tells the phase in every beacon; the next
        // apply records it.
        case .ivIndexChanged, .directLinkUp, .directLinkDown, .sent, .keyRefreshPhaseChanged, .habit: break
        }
        return []
    }
}
