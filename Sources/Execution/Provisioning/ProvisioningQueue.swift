import MeshCore
import Planning

/// The devices that are to be provisioned: which were heard, which have a link, which wait for a person or for another
/// attempt (Mesh Protocol 5.4).
///
/// A value machine: advertisements, link events, decisions and time in, outputs and a deadline out. The cost of a
/// device does not depend on the number of devices.
struct ProvisioningQueue {
    /// What the owner must do or know, in order.
    enum Output {
        /// Connect, then call ``connecting(_:over:at:)`` or ``connectFailed(_:_:at:)``.
        case connect(DeviceUUID, ProvisioningPath)
        /// Write a packet to a link.
        case send([UInt8], on: ProvisioningLink)
        /// Close a link, or stop making it: whether the device has become a node over it. A remote link's server takes
        /// no other link before ``released(_:)``.
        case close(ProvisioningLink, isCompleted: Bool)
        /// The progress of a device.
        case progress(DeviceUUID, ProvisioningProgress)
        /// A device tells its capabilities: answer with ``choose(_:_:data:at:)`` or ``refuse(_:_:at:)``.
        case capabilities(ProvisioningOrder, ProvisioningCapabilities)
        /// Show a question.
        case ask(OutOfBandQuestion)
        /// The question no longer needs an answer.
        case withdraw
        /// Make this durable, then call ``dataIsDurable(_:at:)``.
        case store(ProvisioningOrder, ProvisioningConversation.Candidate)
        /// The candidate was not sent after all: its record can be removed.
        case discard(DeviceUUID)
        /// A device is a node, and has left the queue.
        case completed(ProvisioningOrder, ProvisionedNode)
        /// An attempt failed; another one follows after the delay, or later.
        case retrying(DeviceUUID, ProvisioningProblem, in: Duration)
        /// A device has not become a node, and has left the queue.
        case failed(DeviceUUID, ProvisioningProblem)
        /// A device was not heard in time. It stays until ``remove(_:)`` or ``listenOn(for:until:)``.
        case notHeard(DeviceUUID)
    }

    let policy: ProvisioningAttempts
    var entries: [DeviceUUID: Entry] = [:]
    /// Devices by place.
    var arrivals: [DeviceUUID] = []
    var ready = MinimumHeap<Int>()
    /// Devices that only a server reaches, by server.
    var remoteReady: [UnicastAddress: MinimumHeap<Int>] = [:]
    var waitingForPerson = MinimumHeap<Int>()
    private var links: [ProvisioningLink: DeviceUUID] = [:]
    /// Servers that have a link, or are closing one.
    var busyServers: Set<UnicastAddress> = []
    /// The device that has the person's attention.
    var personHolder: DeviceUUID?
    private var timers = TimerHeap()
    var startingCount = 0
    /// Whether devices are only finished, and none is tried again.
    private var isClosing = false

    /// A queue without devices.
    init(policy: ProvisioningAttempts) {
        self.policy = policy
    }

    /// Whether the queue has no devices.
    var isEmpty: Bool { entries.isEmpty }

    /// The number of the bearer's links that are open or being made.
    var linkCount: Int { links.count - remoteLinkCount + startingCount }

    /// The number of links through nodes that are open or being made.
    private(set) var remoteLinkCount = 0

    /// Whether advertisements may be useful: some device has no link.
    var wantsScan: Bool { entries.count > links.count + startingCount }

    /// Whether any device was heard, or is being provisioned or about to be.
    var isAnyUnderWay: Bool { !links.isEmpty || startingCount > 0 || !remoteReady.isEmpty || !ready.isEmpty }

    /// Whether a person's answer is awaited.
    var awaitsAnswer: Bool {
        guard let holder = personHolder, case .talking(_, let conversation)? = entries[holder]?.state else {
            return false
        }
        return conversation.awaitsAnswer
    }

    /// When to call ``advance(to:)``.
    var nextDeadline: Instant? {
        var earliest = timers.earliest
        for uuid in links.values {
            guard case .talking(_, let conversation)? = entries[uuid]?.state,
                let deadline = conversation.nextDeadline
            else { continue }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        return earliest
    }

    /// Whether a device is in the queue.
    func contains(_ uuid: DeviceUUID) -> Bool { entries[uuid] != nil }

    /// How to provision a device of the queue.
    func order(of uuid: DeviceUUID) -> ProvisioningOrder? { entries[uuid]?.order }

    /// Whether a link belongs to the queue.
    func owns(_ link: LinkIdentifier) -> Bool { links[.bearer(link)] != nil }

    /// Whether a device has a link, or is about to have one.
    func isBusy(_ uuid: DeviceUUID) -> Bool {
        switch entries[uuid]?.state {
        case .starting, .connecting, .talking: true
        case nil, .listening, .delayed, .ready, .waitingForPerson: false
        }
    }

    // MARK: Devices

    /// Adds a device; from now on it is listened for.
    mutating func add(_ order: ProvisioningOrder, at now: Instant) -> [Output] {
        guard entries[order.uuid] == nil else { return [] }
        entries[order.uuid] = Entry(order: order, place: arrivals.count, since: now)
        arrivals.append(order.uuid)
        setTimer(now.advanced(by: policy.notHeardAfter), of: order.uuid)
        return [.progress(order.uuid, .listening)]
    }

    /// Removes a device, whatever its state.
    mutating func remove(_ uuid: DeviceUUID) -> [Output] {
        guard entries[uuid] != nil else { return [] }
        var outputs = hangUp(uuid)
        if entries[uuid]?.isStoring == true { outputs.append(.discard(uuid)) }
        entries[uuid] = nil
        return outputs
    }

    /// Continues to listen for a device that was not heard.
    mutating func listenOn(for uuid: DeviceUUID, until instant: Instant) {
        guard case .listening? = entries[uuid]?.state else { return }
        setTimer(instant, of: uuid)
    }

    /// Removes all devices except those whose provisioning data was sent. These are finished but not tried again.
    ///
    /// - Returns: the removed devices in the order of arrival, and what to do.
    mutating func interrupt() -> (devices: [DeviceUUID], outputs: [Output]) {
        isClosing = true
        var devices: [DeviceUUID] = []
        var outputs: [Output] = []
        for entry in entries.values.sorted(by: { $0.place < $1.place }) {
            if case .talking(_, let conversation) = entry.state, conversation.stage == .completion { continue }
            devices.append(entry.order.uuid)
            outputs += remove(entry.order.uuid)
        }
        return (devices, outputs)
    }

    /// Removes all devices, whatever their state.
    mutating func shutDown() -> [Output] {
        entries.values.sorted { $0.place < $1.place }.map(\.order.uuid).flatMap { remove($0) }
    }

    // MARK: What the bearer tells

    /// A device was heard that can be provisioned. The bearer's hearing counts only if the bearer may reach the device.
    ///
    /// - Returns: whether the device is in the queue.
    mutating func heard(_ uuid: DeviceUUID, as path: ProvisioningPath) -> Bool {
        guard let entry = entries[uuid] else { return false }
        if case .direct = path, !entry.mayBeDirect { return true }
        switch path {
        case .direct(let advertiser): entries[uuid]?.advertiser = advertiser
        case .remote(let server): entries[uuid]?.server = server
        }
        switch entry.state {
        case .listening: enqueue(uuid)
        // The device was found on another path as well, which counts if it is better.
        case .ready where entries[uuid]?.path != entry.path: enqueue(uuid)
        default: break
        }
        return true
    }

    mutating func enqueue(_ uuid: DeviceUUID) {
        guard let entry = entries[uuid] else { return }
        setTimer(nil, of: uuid)
        if entry.needsPerson {
            entries[uuid]?.state = .waitingForPerson
            waitingForPerson.insert(entry.place)
            return
        }
        entries[uuid]?.state = .ready
        switch entry.path {
        case .remote(let server): remoteReady[server, default: MinimumHeap<Int>()].insert(entry.place)
        case nil, .direct: ready.insert(entry.place)
        }
    }

    /// A link is being made.
    mutating func connecting(_ uuid: DeviceUUID, over link: ProvisioningLink, at now: Instant) {
        guard case .starting? = entries[uuid]?.state else { return }
        entries[uuid]?.state = .connecting(link)
        links[link] = uuid
        switch link {
        case .bearer:
            startingCount -= 1
            setTimer(now.advanced(by: policy.connectTimeout), of: uuid)
        // A remote link keeps time itself.
        case .remote: remoteLinkCount += 1
        }
    }

    /// The bearer cannot connect.
    mutating func connectFailed(_ uuid: DeviceUUID, _ error: BearerError, at now: Instant) -> [Output] {
        guard case .starting? = entries[uuid]?.state else { return [] }
        return fail(uuid, .link(error, at: .notStarted), at: now)
    }

    /// A link is open.
    mutating func opened(
        _ link: ProvisioningLink,
        carriage: ProvisioningCarriage,
        secrets: ProvisioningSecrets,
        at now: Instant
    ) -> [Output] {
        guard let uuid = links[link], let entry = entries[uuid], case .connecting = entry.state else { return [] }
        setTimer(nil, of: uuid)
        let conversation = ProvisioningConversation(entry.order, secrets: secrets, carriage: carriage)
        entries[uuid]?.state = .talking(link, conversation)
        return converse(uuid, at: now) { $0.start(at: now) }
    }

    /// A packet came.
    mutating func received(_ packet: [UInt8], on link: ProvisioningLink, at now: Instant) -> [Output] {
        guard let uuid = links[link] else { return [] }
        return converse(uuid, at: now) { $0.receive(packet, at: now) }
    }

    /// A link is gone, or did not come about.
    mutating func closed(_ link: ProvisioningLink, _ loss: ProvisioningLinkLoss, at now: Instant) -> [Output] {
        guard let uuid = links[link] else { return [] }
        if case .connecting? = entries[uuid]?.state { return fail(uuid, loss.problem(at: .notStarted), at: now) }
        return converse(uuid, at: now) { $0.linkClosed(loss) }
    }

    /// A server no longer has a link and can open another.
    mutating func released(_ server: UnicastAddress) {
        busyServers.remove(server)
    }

    // MARK: Time

    /// Time has passed.
    mutating func advance(to now: Instant) -> [Output] {
        var outputs: [Output] = []
        for link in links.keys.sorted() {
            guard let uuid = links[link] else { continue }
            outputs += converse(uuid, at: now) { $0.advance(to: now) }
        }
        while let (place, instant) = timers.pop(until: now) {
            let uuid = arrivals[place]
            guard let entry = entries[uuid], entry.place == place, entry.timer == instant else { continue }
            entries[uuid]?.timer = nil
            switch entry.state {
            case .listening: outputs.append(.notHeard(uuid))
            case .delayed:
                if entry.path == nil {
                    entries[uuid]?.state = .listening
                    setTimer(now.advanced(by: policy.notHeardAfter), of: uuid)
                } else {
                    enqueue(uuid)
                }
            case .connecting:
                let seconds = policy.connectTimeout.components.seconds
                let error = BearerError("the device could not be connected to within \(seconds) s")
                outputs += fail(uuid, .link(error, at: .notStarted), at: now)
            case .ready, .waitingForPerson, .starting, .talking: break
            }
        }
        return outputs
    }

    // MARK: Inside

    mutating func setTimer(_ instant: Instant?, of uuid: DeviceUUID) {
        guard let entry = entries[uuid] else { return }
        entries[uuid]?.timer = instant
        if let instant { timers.insert(place: entry.place, at: instant) }
    }

    /// Passes an input to the conversation of a device, and carries out the resulting actions.
    mutating func converse(
        _ uuid: DeviceUUID,
        at now: Instant,
        _ body: (inout ProvisioningConversation) -> [ProvisioningConversation.Action]
    ) -> [Output] {
        guard let entry = entries[uuid], case .talking(let link, var conversation) = entry.state else { return [] }
        let actions = body(&conversation)
        entries[uuid]?.state = .talking(link, conversation)
        var outputs: [Output] = []
        for action in actions {
            switch action {
            case .send(let packet): outputs.append(.send(packet, on: link))
            case .stage(let stage): outputs.append(.progress(uuid, .session(stage)))
            case .capabilities(let capabilities): outputs.append(.capabilities(entry.order, capabilities))
            case .ask(let question): outputs.append(.ask(question))
            case .withdraw: outputs.append(.withdraw)
            case .store(let candidate):
                entries[uuid]?.isStoring = true
                outputs.append(.store(entry.order, candidate))
            case .completed(let node):
                entries[uuid]?.isStoring = false
                outputs += hangUp(uuid, isCompleted: true)
                entries[uuid] = nil
                outputs.append(.completed(entry.order, node))
            case .failed(let problem): outputs += fail(uuid, problem, at: now)
            }
        }
        return outputs
    }

    /// Ends a device's use of a link, and of the person.
    mutating func hangUp(_ uuid: DeviceUUID, isCompleted: Bool = false) -> [Output] {
        if personHolder == uuid { personHolder = nil }
        setTimer(nil, of: uuid)
        switch entries[uuid]?.state {
        case .starting(.remote(let server)):
            busyServers.remove(server)
            return []
        case .starting(.direct):
            startingCount -= 1
            return []
        case .connecting(let link): return [close(link, isCompleted: isCompleted)]
        case .talking(let link, var conversation):
            let isWithdrawn = conversation.cancel().contains(.withdraw)
            return (isWithdrawn ? [.withdraw] : []) + [close(link, isCompleted: isCompleted)]
        case nil, .listening, .delayed, .ready, .waitingForPerson: return []
        }
    }

    private mutating func close(_ link: ProvisioningLink, isCompleted: Bool) -> Output {
        if links.removeValue(forKey: link) != nil, case .remote = link { remoteLinkCount -= 1 }
        return .close(link, isCompleted: isCompleted)
    }

    mutating func fail(_ uuid: DeviceUUID, _ problem: ProvisioningProblem, at now: Instant) -> [Output] {
        guard let entry = entries[uuid] else { return [] }
        var outputs = hangUp(uuid)
        if entry.isStoring, !problem.mayBeProvisioned { outputs.append(.discard(uuid)) }
        entries[uuid]?.isStoring = false
        let failures = entry.failures + 1
        guard problem.canPass, failures < policy.attempts, !isClosing, !entry.mayHaveRevealedValue(problem) else {
            entries[uuid] = nil
            return outputs + [.failed(uuid, problem)]
        }
        entries[uuid]?.failures = failures
        // The device may have another address by now, or be a node that no longer advertises.
        entries[uuid]?.advertiser = nil
        entries[uuid]?.server = nil
        entries[uuid]?.state = .delayed
        let delay = policy.delay(afterFailures: failures)
        setTimer(now.advanced(by: delay), of: uuid)
        return outputs + [.retrying(uuid, problem, in: delay)]
    }
}
