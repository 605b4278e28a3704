import MeshCore
import Store

/// What came of asking a node something outside of a plan.
package enum NodeAnswer<Value: Hashable & Sendable>: Hashable, Sendable {
    /// It said that.
    case answered(Value)
    /// It does not answer.
    case unanswered
    /// It cannot be asked; a sentence without a full stop, and what helps.
    case unreachable(String, hint: String?)
    /// It was not asked, or nothing more is waited for.
    case stopped(Recap.Ending)
}

/// Requests to one node, one after the other, from the search for a proxy to the last answer; between them, messages of
/// the Remote Provisioning models, which come and go without one being the answer to another.
struct Conversation {
    private let driver: ClientDriver
    private(set) var node: UnicastAddress
    private let interrupts: () -> Int
    private let store: (IVIndex, _ isCorrection: Bool) -> Recap.Ending?
    /// How many interrupts do not end it: one, while something is under way that is better finished.
    var toleratedInterrupts = 0
    /// What a beacon has brought.
    private(set) var ivIndex: IVIndex?
    /// What the node said as a Remote Provisioning Server, if it is listened to.
    private var heard: [[UInt8]] = []
    /// That nothing can be sent any more, or that no link can be had.
    private(set) var failure: NodeAnswer<ConfigurationVerdict>?
    private var answer: NodeAnswer<ConfigurationVerdict>?

    /// Speaks to the node whose primary element has that address.
    ///
    /// - Parameter store: makes an IV index durable; tells why that failed.
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

    /// The time.
    var now: Instant { driver.bearer.now }

    /// Whether the user wants nothing more to be waited for.
    var isInterrupted: Bool { interrupts() > toleratedInterrupts }

    /// Sends a request in one of those subnets and waits for the answer.
    ///
    /// - Parameter deadline: how long to wait for it, nil for as long as for any request.
    /// - Returns: the answer; nil within if the node answers, but with what cannot be the answer.
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
        perform(driver.client.request(inquiry, to: node, subnets: subnets, deadline: deadline, at: now).1)
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

    /// Waits for one event, but no longer than until then, and takes it in.
    mutating func wait(until deadline: Instant) {
        do throws(BearerError) {
            if let event = try driver.next(until: deadline) { perform(driver.client.handle(event, at: now)) }
            perform(driver.advance())
        } catch {
            fail(error.isInterruption ? .stopped(.interrupted) : .unreachable(error.message, hint: error.hint))
        }
    }

    /// Lets time pass, unless nothing more is waited for.
    mutating func pause(for duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end, !isInterrupted, failure == nil { wait(until: end) }
    }

    /// Closes the link.
    mutating func end() {
        perform(driver.client.shutDown(at: now))
    }

    /// What came in of the replay list since it was asked last.
    mutating func takeReplayEntries() -> [ReplayProtection.Entry] { driver.client.takeReplayEntries() }

    // MARK: The node as a Remote Provisioning Server

    /// Speaks to a node as it is now, or as it may be: with that DeviceKey, at that address.
    mutating func turn(to form: Node) {
        cancel()
        if form.unicastAddress != node { driver.client.remove(node: node) }
        driver.client.set(form)
        node = form.unicastAddress
    }

    /// Collects what the node says as a server, or does not any more.
    mutating func listen(_ isOn: Bool) {
        heard = []
        perform(driver.client.listen(to: isOn ? [node] : [], at: now))
    }

    /// What the node has said as a server since this was asked last.
    mutating func takeHeard() -> [[UInt8]] {
        defer { heard = [] }
        return heard
    }

    /// Sends the node a message once, without waiting for anything.
    ///
    /// - Returns: false if there is no link: then a question has one looked for, and the message is to be sent again.
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

    /// Asks for the state of the server's link, whose answer comes with everything else that it says, so that a proxy is
    /// found.
    private mutating func seekLink(in subnets: [NetKeyIndex]) {
        let question = Question(RemoteProvisioningLinkGet())
        perform(driver.client.request(question.inquiry, to: node, subnets: subnets, at: now).1)
    }

    /// Gives up what was asked of the node.
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
        // The network tells the phase in every beacon; the next apply records it.
        case .keyRefreshPhaseChanged: break
        case .listening, .connecting, .linkUp, .directLinkUp, .directLinkDown, .linkDown, .sent, .habit, .said: break
        }
    }
}
