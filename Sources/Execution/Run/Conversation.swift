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
    private let bearer: any Bearer
    private(set) var client: MeshClient
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
        self.bearer = bearer
        self.client = client
        self.interrupts = interrupts
        self.store = store
    }

    /// The time.
    var now: Instant { bearer.now }

    /// Whether the user wants nothing more to be waited for.
    var isInterrupted: Bool { interrupts() > toleratedInterrupts }

    /// Sends a request in one of those subnets and waits for the answer.
    ///
    /// - Parameter deadline: how long to wait for it, nil for as long as for any request.
    mutating func ask(
        _ inquiry: ConfigurationInquiry,
        in subnets: [NetKeyIndex],
        deadline: Duration? = nil
    ) -> NodeAnswer<ConfigurationVerdict> {
        failure = nil
        answer = nil
        perform(client.request(inquiry, to: node, subnets: subnets, deadline: deadline, at: bearer.now).1)
        while answer == nil {
            guard !isInterrupted else {
                answer = .stopped(.interrupted)
                break
            }
            wait(until: bearer.now.advanced(by: .seconds(1)))
        }
        cancel()
        return answer ?? .unanswered
    }

    /// Waits for one event, but no longer than until then, and takes it in.
    mutating func wait(until deadline: Instant) {
        do throws(BearerError) {
            let event = try bearer.next(until: client.nextDeadline.map { min($0, deadline) } ?? deadline)
            if let event { perform(client.handle(event, at: bearer.now)) }
            if let due = client.nextDeadline, due <= bearer.now {
                perform(client.advance(to: bearer.now, deafness: bearer.deafness))
            }
        } catch {
            fail(.unreachable(error.message, hint: error.hint))
        }
    }

    /// Lets time pass, unless nothing more is waited for.
    mutating func pause(for duration: Duration) {
        let end = now.advanced(by: duration)
        while now < end, !isInterrupted, failure == nil { wait(until: end) }
    }

    /// Closes the link.
    mutating func end() {
        perform(client.shutDown(at: bearer.now))
    }

    /// What came in of the replay list since it was asked last.
    mutating func takeReplayEntries() -> [ReplayProtection.Entry] { client.takeReplayEntries() }

    // MARK: The node as a Remote Provisioning Server

    /// Speaks to a node as it is now, or as it may be: with that DeviceKey, at that address.
    mutating func turn(to form: Node) {
        cancel()
        if form.unicastAddress != node { client.remove(node: node) }
        client.set(form)
        node = form.unicastAddress
    }

    /// Collects what the node says as a server, or does not any more.
    mutating func listen(_ isOn: Bool) {
        heard = []
        perform(client.listen(to: isOn ? [node] : [], at: bearer.now))
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
            guard let outputs = try client.post(payload, to: node, subnets: subnets, at: bearer.now) else {
                if !client.isAsking(node) { seekLink(in: subnets) }
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
        let inquiry = ConfigurationInquiry(RemoteProvisioningLinkGet()) { .remoteLink($0.state) }
        perform(client.request(inquiry, to: node, subnets: subnets, at: bearer.now).1)
    }

    /// Gives up what was asked of the node.
    mutating func cancel() {
        if client.isAsking(node) { perform(client.cancel(node, at: bearer.now)) }
    }

    // MARK: The client

    private mutating func fail(_ failure: NodeAnswer<ConfigurationVerdict>) {
        self.failure = failure
        answer = failure
    }

    private mutating func perform(_ outputs: [MeshClient.Output]) {
        var pending = outputs[...]
        while let output = pending.popFirst() {
            if case .ivIndexChanged(let index, let isCorrection) = output {
                ivIndex = index
                // Nothing leaves under an IV index that a crash could make us forget.
                if let failure = store(index, isCorrection) { return fail(.stopped(failure)) }
                continue
            }
            let further = perform(output)
            if !further.isEmpty { pending = (further + pending)[...] }
        }
    }

    private mutating func perform(_ output: MeshClient.Output) -> [MeshClient.Output] {
        switch output {
        case .connect(let target):
            do throws(BearerError) {
                return client.connecting(try bearer.connect(to: target), to: target, at: bearer.now)
            } catch {
                if error.isInterruption { fail(.stopped(.interrupted)) }
                return error.isInterruption ? [] : client.connectFailed(target, error, at: bearer.now)
            }
        case .scan(let isOn):
            do throws(BearerError) {
                try bearer.scan(isOn)
            } catch {
                if error.isInterruption { fail(.stopped(.interrupted)) }
                return isOn && !error.isInterruption ? client.scanFailed(at: bearer.now) : []
            }
        case .send(let packet, on: let link):
            do throws(BearerError) {
                try bearer.send(packet, on: link)
            } catch {
                bearer.close(link)
                return client.handle(.closed(link, error), at: bearer.now)
            }
        case .closeLink(let link): bearer.close(link)
        case .linkDown(let failure, let delay):
            if delay == nil { fail(.unreachable(failure.reason, hint: failure.hint)) }
        case .answered(_, let verdict, transmissions: _): answer = .answered(verdict)
        case .unanswered: answer = .unanswered
        case .unreachable(_, let failure): fail(.unreachable(failure.reason, hint: failure.hint))
        case .unsendable(_, let error): fail(.stopped(.sendingFailed(error.explanation)))
        case .said(node, let payload): heard.append(payload)
        // The IV index is taken care of before what follows it. The network tells the phase in every beacon; the next
        // apply records it.
        case .ivIndexChanged, .linkUp, .directLinkUp, .directLinkDown, .sent, .said, .keyRefreshPhaseChanged, .habit:
            break
        }
        return []
    }
}
