package import MeshCore
import Store

/// The outcome of asking a node something outside a plan.
package enum NodeAnswer<Value: Hashable & Sendable>: Hashable, Sendable {
    case answered(Value)
    case unanswered
    /// The node cannot be asked: the reason, a sentence without a full stop, and what helps.
    case unreachable(String, hint: Advice?)
    /// The question was not sent, or its answer is no longer awaited.
    case stopped(Recap.Ending)
}

/// Requests to one node, one after another, from the search for a proxy to the last answer. Messages of the Remote
/// Provisioning models can come and go in between; they do not pair up as requests and answers.
struct Conversation {
    private let driver: ClientDriver
    private(set) var node: UnicastAddress
    private let interrupts: () -> Int
    private let store: (IVIndex, _ isCorrection: Bool) -> Recap.Ending?
    /// How many interrupts the conversation survives: one while it does something that is better finished.
    var toleratedInterrupts = 0
    /// The IV index that a beacon brought.
    private(set) var ivIndex: IVIndex?
    /// The messages that the node sent as a Remote Provisioning Server, while they are collected.
    private var heard: [[UInt8]] = []
    /// Why nothing can be sent any longer, or why there is no link.
    private(set) var failure: NodeAnswer<ConfigurationVerdict>?
    private var answer: NodeAnswer<ConfigurationVerdict>?

    /// Begins a conversation with the node whose primary element has this address.
    ///
    /// - Parameter store: makes an IV index durable; returns why that failed.
    init(
        with node: UnicastAddress,
        bearer: any Bearer,
        client: MeshClient,
        interrupts: @escaping () -> Int,
        store: @escaping (IVIndex, _ isCorrection: Bool) -> Recap.Ending?
    ) {
        self.node = node
        driver = ClientDriver(client, over: bearer, scanning: .client)
        self.interrupts = interrupts
        self.store = store
    }

    /// The present time of the bearer.
    var now: Instant { driver.bearer.now }

    /// Whether the user wants to stop waiting.
    var isInterrupted: Bool { interrupts() > toleratedInterrupts }

    /// Sends a request in one of these subnets and waits for the answer.
    ///
    /// - Parameter deadline: how long to wait for the answer; nil for the usual time.
    /// - Returns: the answer; it contains nil if the node's response cannot be the answer.
    mutating func ask<Answer>(
        _ question: Question<Answer>,
        in subnets: [NetKeyIndex],
        deadline: Duration? = nil
    ) -> NodeAnswer<Answer?> {
        switch ask(question.inquiry, in: subnets, deadline: deadline) {
        case .answered(let verdict): .answered(question.answer(verdict))
        case .unanswered: .unanswered
        case .unreachable(let reason, let hint): .unreachable(reason, hint: hint)
        case .stopped(let ending): .stopped(ending)
        }
    }

    private mutating func ask(
        _ inquiry: ConfigurationInquiry,
        in subnets: [NetKeyIndex],
        deadline: Duration?
    ) -> NodeAnswer<ConfigurationVerdict> {
        failure = driver.storeFailure.map { .stopped($0) }
        answer = failure
        perform(driver.request(inquiry, to: node, subnets: subnets, deadline: deadline, at: now).1)
        while answer == nil {
            guard !isInterrupted else {
                answer = .stopped(.interrupted)
                break
            }
            wait(until: now.advanced(by: .seconds(1)))
        }
        cancel()
        return answer ?? .unanswered
    }

    /// Waits for one event until the deadline at most, and processes it.
    mutating func wait(until deadline: Instant) {
        do throws(BearerError) {
            if let event = try driver.next(until: deadline) { perform(driver.client.handle(event, at: now)) }
            perform(driver.advance())
        } catch {
            fail(error.isInterruption ? .stopped(.interrupted) : .unreachable(error.message, hint: error.hint))
        }
    }

    /// Lets time pass, unless the user has interrupted.
    mutating func pause(for duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end, !isInterrupted, failure == nil { wait(until: end) }
    }

    mutating func end() {
        perform(driver.client.shutDown(at: now))
    }

    /// The entries of the replay list that came in since the last call.
    mutating func takeReplayEntries() -> [ReplayProtection.Entry] { driver.client.takeReplayEntries() }

    // MARK: The node as a Remote Provisioning Server

    /// Turns to a node as it is now, or as it may be: with this DeviceKey, at this address.
    mutating func turn(to form: Node) {
        cancel()
        if form.unicastAddress != node { driver.client.remove(node: node) }
        driver.client.set(form)
        node = form.unicastAddress
    }

    /// Starts or stops collecting what the node says as a server.
    mutating func listen(_ isOn: Bool) {
        heard = []
        perform(driver.client.listen(to: isOn ? [node] : [], at: now))
    }

    /// What the node has said as a server since the last call.
    mutating func takeHeard() -> [[UInt8]] {
        defer { heard = [] }
        return heard
    }

    /// Sends the node a message once, without waiting for anything.
    ///
    /// - Returns: false if there is no link. Then a question makes the client look for one, and the caller sends the
    ///   message again.
    mutating func post(_ payload: [UInt8], in subnets: [NetKeyIndex]) -> Bool {
        do throws(StackError) {
            guard let outputs = try driver.client.post(payload, to: node, subnets: subnets, at: now) else {
                if !driver.client.isAsking(node) { seekLink(in: subnets) }
                return false
            }
            perform(outputs)
        } catch {
            fail(.stopped(.sendingFailed(error.explanation)))
        }
        return true
    }

    /// Asks for the state of the server's link, only to make the client find a proxy. The answer is collected like
    /// everything else that the server says.
    private mutating func seekLink(in subnets: [NetKeyIndex]) {
        let question = Question(RemoteProvisioningLinkGet())
        perform(driver.request(question.inquiry, to: node, subnets: subnets, at: now).1)
    }

    mutating func cancel() {
        if driver.client.isAsking(node) { perform(driver.client.cancel(node, at: now)) }
    }

    // MARK: The client

    private mutating func fail(_ failure: NodeAnswer<ConfigurationVerdict>) {
        self.failure = failure
        answer = failure
    }

    private mutating func perform(_ outputs: [MeshClient.Output]) {
        driver.perform(outputs, storing: store) { take($0) }
    }

    private mutating func take(_ event: ClientDriver.Event) {
        switch event {
        case .answered(_, let verdict, transmissions: _): answer = .answered(verdict)
        case .unanswered: answer = .unanswered
        case .unreachable(_, let failure), .linkDown(let failure, retryIn: nil):
            fail(.unreachable(failure.reason, hint: failure.hint))
        case .unsendable(_, let error): fail(.stopped(.sendingFailed(error.explanation)))
        case .stopped(let ending): fail(.stopped(ending))
        case .said(node, let payload): heard.append(payload)
        case .ivIndexStored(let index): ivIndex = index
        // Every beacon of the network contains the phase; the next apply records it.
        case .keyRefreshPhaseChanged: break
        case .listening, .connecting, .linkUp, .directLinkUp, .directLinkDown, .linkDown, .sent, .quirk, .said, .watch:
            break
        }
    }
}
