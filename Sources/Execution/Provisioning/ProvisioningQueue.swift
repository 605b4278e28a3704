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
        case progress(DeviceUUID, ProvisioningProgress)
        /// A device tells its capabilities: answer with ``choose(_:_:data:at:)`` or ``refuse(_:_:at:)``.
        case capabilities(ProvisioningOrder, ProvisioningCapabilities)
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
    var devices = QueuedDevices()
    var links = ProvisioningLinks()
    var turns = ProvisioningTurns()
    /// Whether devices are only finished, and none is tried again.
    private var isClosing = false

    init(policy: ProvisioningAttempts) {
        self.policy = policy
    }

    var isEmpty: Bool { devices.isEmpty }

    /// The number of the bearer's links that are open or being made.
    var linkCount: Int { links.directCount }

    /// The number of links through nodes that are open or being made.
    var remoteLinkCount: Int { links.remoteCount }

    /// Whether advertisements may be useful: some device has no link.
    var wantsScan: Bool { devices.count > links.count }

    /// Whether any device was heard, or is being provisioned or about to be.
    var isAnyUnderWay: Bool { links.count > 0 || !turns.isEmpty }

    var awaitsAnswer: Bool {
        guard let holder = turns.personHolder, case .talking(_, let conversation)? = devices[holder]?.state else {
            return false
        }
        return conversation.awaitsAnswer
    }

    /// When to call ``advance(to:)``.
    var nextDeadline: Instant? {
        var earliest = devices.nextDeadline
        for uuid in links.linkedDevices {
            guard case .talking(_, let conversation)? = devices[uuid]?.state,
                let deadline = conversation.nextDeadline
            else { continue }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        return earliest
    }

    func contains(_ uuid: DeviceUUID) -> Bool { devices[uuid] != nil }

    func order(of uuid: DeviceUUID) -> ProvisioningOrder? { devices[uuid]?.order }

    func owns(_ link: LinkIdentifier) -> Bool { links[.bearer(link)] != nil }

    /// The stage of a device's session; ``ProvisioningStage/notStarted`` if it has none.
    func stage(of uuid: DeviceUUID) -> ProvisioningStage {
        guard case .talking(_, let conversation)? = devices[uuid]?.state else { return .notStarted }
        return conversation.stage
    }

    func isBusy(_ uuid: DeviceUUID) -> Bool {
        switch devices[uuid]?.state {
        case .starting, .connecting, .talking: true
        case nil, .listening, .delayed, .ready, .waitingForPerson: false
        }
    }

    // MARK: Devices

    /// Adds a device; from now on it is listened for.
    mutating func add(_ order: ProvisioningOrder, at now: Instant) -> [Output] {
        guard devices[order.uuid] == nil else { return [] }
        devices.add(order, at: now)
        devices.setTimer(now.advanced(by: policy.notHeardAfter), of: order.uuid)
        return [.progress(order.uuid, .listening)]
    }

    /// Removes a device, whatever its state.
    mutating func remove(_ uuid: DeviceUUID) -> [Output] {
        guard devices[uuid] != nil else { return [] }
        var outputs = hangUp(uuid)
        if devices[uuid]?.isStoring == true { outputs.append(.discard(uuid)) }
        devices[uuid] = nil
        return outputs
    }

    /// Continues to listen for a device that was not heard.
    mutating func listenOn(for uuid: DeviceUUID, until instant: Instant) {
        guard case .listening? = devices[uuid]?.state else { return }
        devices.setTimer(instant, of: uuid)
    }

    /// Removes all devices except those whose provisioning data was sent. These are finished but not tried again.
    ///
    /// - Returns: the removed devices in the order of arrival, and what to do.
    mutating func interrupt() -> (devices: [DeviceUUID], outputs: [Output]) {
        isClosing = true
        var removed: [DeviceUUID] = []
        var outputs: [Output] = []
        for entry in devices.inOrder {
            if case .talking(_, let conversation) = entry.state, conversation.stage == .completion { continue }
            removed.append(entry.order.uuid)
            outputs += remove(entry.order.uuid)
        }
        return (removed, outputs)
    }

    /// Removes all devices, whatever their state.
    mutating func shutDown() -> [Output] {
        devices.inOrder.map(\.order.uuid).flatMap { remove($0) }
    }

    // MARK: What the bearer tells

    /// A device was heard that can be provisioned. The bearer's hearing counts only if the bearer may reach the device.
    ///
    /// - Returns: whether the device is in the queue.
    mutating func heard(_ uuid: DeviceUUID, as path: ProvisioningPath) -> Bool {
        guard let entry = devices[uuid] else { return false }
        if case .direct = path, !entry.mayBeDirect { return true }
        switch path {
        case .direct(let advertiser): devices[uuid]?.advertiser = advertiser
        case .remote(let server): devices[uuid]?.server = server
        }
        switch entry.state {
        case .listening: enqueue(uuid)
        // The device was found on another path as well, which counts if it is better.
        case .ready where devices[uuid]?.path != entry.path: enqueue(uuid)
        default: break
        }
        return true
    }

    mutating func enqueue(_ uuid: DeviceUUID) {
        guard let entry = devices[uuid] else { return }
        devices.setTimer(nil, of: uuid)
        if entry.needsPerson {
            devices[uuid]?.state = .waitingForPerson
            turns.waitForPerson(entry)
            return
        }
        devices[uuid]?.state = .ready
        turns.wait(entry)
    }

    mutating func connecting(_ uuid: DeviceUUID, over link: ProvisioningLink, at now: Instant) {
        guard case .starting? = devices[uuid]?.state else { return }
        devices[uuid]?.state = .connecting(link)
        links.connecting(uuid, over: link)
        // A remote link keeps time itself.
        if case .bearer = link { devices.setTimer(now.advanced(by: policy.connectTimeout), of: uuid) }
    }

    mutating func connectFailed(_ uuid: DeviceUUID, _ error: BearerError, at now: Instant) -> [Output] {
        guard case .starting? = devices[uuid]?.state else { return [] }
        return fail(uuid, .link(error, at: .notStarted), at: now)
    }

    mutating func opened(
        _ link: ProvisioningLink,
        carriage: ProvisioningCarriage,
        secrets: ProvisioningSecrets,
        at now: Instant
    ) -> [Output] {
        guard let uuid = links[link], let entry = devices[uuid], case .connecting = entry.state else { return [] }
        devices.setTimer(nil, of: uuid)
        let conversation = ProvisioningConversation(entry.order, secrets: secrets, carriage: carriage)
        devices[uuid]?.state = .talking(link, conversation)
        return converse(uuid, at: now) { $0.start(at: now) }
    }

    mutating func received(_ packet: [UInt8], on link: ProvisioningLink, at now: Instant) -> [Output] {
        guard let uuid = links[link] else { return [] }
        return converse(uuid, at: now) { $0.receive(packet, at: now) }
    }

    /// A link is gone, or did not come about.
    mutating func closed(_ link: ProvisioningLink, _ loss: ProvisioningLinkLoss, at now: Instant) -> [Output] {
        guard let uuid = links[link] else { return [] }
        if case .connecting? = devices[uuid]?.state { return fail(uuid, loss.problem(at: .notStarted), at: now) }
        return converse(uuid, at: now) { $0.linkClosed(loss) }
    }

    /// A server no longer has a link and can open another.
    mutating func released(_ server: UnicastAddress) {
        links.release(server)
    }

    // MARK: Time

    /// Time has passed.
    mutating func advance(to now: Instant) -> [Output] {
        var outputs: [Output] = []
        for link in links.sorted {
            guard let uuid = links[link] else { continue }
            outputs += converse(uuid, at: now) { $0.advance(to: now) }
        }
        while let uuid = devices.takeDue(at: now) {
            guard let entry = devices[uuid] else { continue }
            switch entry.state {
            case .listening: outputs.append(.notHeard(uuid))
            case .delayed:
                if entry.path == nil {
                    devices[uuid]?.state = .listening
                    devices.setTimer(now.advanced(by: policy.notHeardAfter), of: uuid)
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

    /// Passes an input to the conversation of a device, and carries out the resulting actions.
    mutating func converse(
        _ uuid: DeviceUUID,
        at now: Instant,
        _ body: (inout ProvisioningConversation) -> [ProvisioningConversation.Action]
    ) -> [Output] {
        guard let entry = devices[uuid], case .talking(let link, var conversation) = entry.state else { return [] }
        let actions = body(&conversation)
        devices[uuid]?.state = .talking(link, conversation)
        var outputs: [Output] = []
        for action in actions {
            switch action {
            case .send(let packet): outputs.append(.send(packet, on: link))
            case .stage(let stage): outputs.append(.progress(uuid, .session(stage)))
            case .capabilities(let capabilities): outputs.append(.capabilities(entry.order, capabilities))
            case .ask(let question): outputs.append(.ask(question))
            case .withdraw: outputs.append(.withdraw)
            case .store(let candidate):
                devices[uuid]?.isStoring = true
                outputs.append(.store(entry.order, candidate))
            case .completed(let node):
                devices[uuid]?.isStoring = false
                outputs += hangUp(uuid, isCompleted: true)
                devices[uuid] = nil
                outputs.append(.completed(entry.order, node))
            case .failed(let problem): outputs += fail(uuid, problem, at: now)
            }
        }
        return outputs
    }

    /// Ends a device's use of a link, and of the person.
    mutating func hangUp(_ uuid: DeviceUUID, isCompleted: Bool = false) -> [Output] {
        turns.releasePerson(of: uuid)
        devices.setTimer(nil, of: uuid)
        switch devices[uuid]?.state {
        case .starting(let path):
            links.takeBack(path)
            return []
        case .connecting(let link): return [close(link, isCompleted: isCompleted)]
        case .talking(let link, var conversation):
            let isWithdrawn = conversation.cancel().contains(.withdraw)
            return (isWithdrawn ? [.withdraw] : []) + [close(link, isCompleted: isCompleted)]
        case nil, .listening, .delayed, .ready, .waitingForPerson: return []
        }
    }

    private mutating func close(_ link: ProvisioningLink, isCompleted: Bool) -> Output {
        links.close(link)
        return .close(link, isCompleted: isCompleted)
    }

    mutating func fail(_ uuid: DeviceUUID, _ problem: ProvisioningProblem, at now: Instant) -> [Output] {
        guard let entry = devices[uuid] else { return [] }
        var outputs = hangUp(uuid)
        if entry.isStoring, !problem.mayBeProvisioned { outputs.append(.discard(uuid)) }
        devices[uuid]?.isStoring = false
        let failures = entry.failures + 1
        guard problem.canPass, failures < policy.attempts, !isClosing, !entry.mayHaveRevealedValue(problem) else {
            devices[uuid] = nil
            return outputs + [.failed(uuid, problem)]
        }
        devices[uuid]?.failures = failures
        // The device may have another address by now, or be a node that no longer advertises.
        devices[uuid]?.advertiser = nil
        devices[uuid]?.server = nil
        devices[uuid]?.state = .delayed
        let delay = policy.delay(afterFailures: failures)
        devices.setTimer(now.advanced(by: delay), of: uuid)
        return outputs + [.retrying(uuid, problem, in: delay)]
    }
}

/// Decisions of the queue's owner or of a person.
extension ProvisioningQueue {
    /// Decides how to provision a device that told its capabilities. If that needs the person while another device has
    /// the person, the link is closed and the device waits for its turn.
    mutating func choose(
        _ uuid: DeviceUUID,
        _ choice: ProvisioningChoice,
        data: ProvisioningData,
        at now: Instant
    ) -> [Output] {
        let kind = choice.authentication.method.kind
        let needsPerson = kind == .outputOOB || kind == .inputOOB
        devices[uuid]?.needsPerson = needsPerson
        if needsPerson {
            guard turns.isPersonFree(for: uuid) else {
                let outputs = hangUp(uuid)
                enqueue(uuid)
                return outputs + [.progress(uuid, .waitingForPerson)]
            }
            turns.personHolder = uuid
        } else {
            turns.releasePerson(of: uuid)
        }
        return converse(uuid, at: now) { $0.choose(choice, data: data, at: now) }
    }

    /// A device that told its capabilities cannot be provisioned.
    mutating func refuse(_ uuid: DeviceUUID, _ problem: ProvisioningProblem, at now: Instant) -> [Output] {
        fail(uuid, problem, at: now)
    }

    mutating func dataIsDurable(_ uuid: DeviceUUID, at now: Instant) -> [Output] {
        let outputs = converse(uuid, at: now) { $0.dataIsDurable(at: now) }
        if case .talking(_, let conversation)? = devices[uuid]?.state, conversation.stage == .completion {
            devices[uuid]?.isStoring = false
        }
        return outputs
    }

    /// The person answered.
    mutating func answer(_ text: String, at now: Instant) -> [Output] {
        guard let uuid = turns.personHolder else { return [] }
        return converse(uuid, at: now) { $0.answer(text, at: now) }
    }
}

/// Which devices get a link, and which were heard by nobody.
extension ProvisioningQueue {
    /// Asks for connections of the bearer as long as `limit` links allow. Devices that need the person come first when
    /// the person is free.
    mutating func start(limit: Int, at now: Instant) -> [Output] {
        var outputs: [Output] = []
        while linkCount < limit, let uuid = turns.takeDirect(of: devices) {
            outputs.append(.progress(uuid, .connecting))
            outputs += start(uuid)
        }
        return outputs
    }

    /// Asks for links of Remote Provisioning Servers: at most one for each server, and no more than the policy allows
    /// in total.
    mutating func startRemote(at now: Instant) -> [Output] {
        var outputs: [Output] = []
        if links.hasRoomForRemote(policy), let uuid = turns.takeForPerson(of: devices, where: links.isServerFree) {
            outputs += start(uuid)
        }
        for server in turns.servers where links.hasRoomForRemote(policy) && links.isServerFree(.remote(server)) {
            if let uuid = turns.takeRemote(at: server, of: devices) { outputs += start(uuid) }
        }
        return outputs
    }

    /// Whether a device waits for a connection of the bearer.
    mutating func isDirectWaiting() -> Bool {
        guard let uuid = turns.takeDirect(of: devices), let entry = devices[uuid] else { return false }
        turns.putBack(entry)
        return true
    }

    private mutating func start(_ uuid: DeviceUUID) -> [Output] {
        guard let entry = devices[uuid], let path = entry.path else { return [] }
        if entry.needsPerson { turns.personHolder = uuid }
        devices[uuid]?.state = .starting(path)
        links.ask(for: path)
        devices.setTimer(nil, of: uuid)
        return [.connect(uuid, path)]
    }

    /// Which nodes are to listen for devices.
    enum Listeners: Hashable {
        case all
        /// Only these nodes, possibly none: no other node may reach a missing device.
        case some(Set<DeviceUUID>)

        func contains(_ node: DeviceUUID) -> Bool {
            switch self {
            case .all: true
            case .some(let nodes): nodes.contains(node)
            }
        }
    }

    /// Which nodes are to listen for missing devices.
    ///
    /// - Parameter patience: how long the bearer alone listens for the devices that it may reach.
    func listeners(after patience: Duration, at now: Instant) -> Listeners {
        devices.listeners(after: patience, at: now)
    }

    func isWanted(_ uuid: DeviceUUID, through node: DeviceUUID) -> Bool {
        devices.isWanted(uuid, through: node)
    }

    /// The next missing device that a node may reach, in the order of arrival.
    ///
    /// - Parameter place: where to begin; 0 for the first device.
    /// - Returns: the device, and where to continue; nil if there is none up to the end.
    func missing(
        from index: Int,
        through node: DeviceUUID,
        after patience: Duration,
        at now: Instant
    ) -> (uuid: DeviceUUID, next: Int)? {
        devices.missing(from: index, through: node, after: patience, at: now)
    }

    func arrival(of uuid: DeviceUUID) -> Instant? { devices[uuid]?.since }
}
